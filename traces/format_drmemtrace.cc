// SPDX-License-Identifier: BSD-3-Clause
// DynamoRIO's drmemtrace (DynamoRIO, clients/drcachesim/common/trace_entry.h): the final trace of
// one thread, as raw2trace writes it, versions 2 to 5. Records have 12 bytes: type, size, address.
//
// An instruction is followed by its loads and stores. One with more accesses than Instruction holds
// counts as several at the same address. The trace has no registers, so that no instruction waits
// for another. Prefetches, flushes, encodings and most markers are skipped. Traces of 32-bit
// programs and filtered ones are refused: their records or their counts differ.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "traces/binary_trace.h"
#include "traces/drmemtrace_header.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kOldest = 2;  // versions
constexpr std::uint64_t kNewest = 5;
constexpr std::uint64_t kThirtyTwoBits = 0x10 | 0x20;  // bits of the file type
constexpr std::uint64_t kFiltered = 0x80 | 0x100;

enum Type : std::uint64_t {
  kRead = 0,
  kWrite = 1,
  kFirstInstruction = 10,
  kLastInstruction = 16,
  kThread = 22,
  kFooter = 26,
  kMarker = 28,
  kNoFetch = 29,
  kSystemEntry = 31,
  kTakenBranch = 48,
  kUntakenBranch = 49,
};
constexpr std::uint64_t kFileType = 9;  // kind of a marker

bool is_instruction(std::uint64_t type) {
  return (type >= kFirstInstruction && type <= kLastInstruction) || type == kNoFetch ||
         type == kSystemEntry || type == kTakenBranch || type == kUntakenBranch;
}

class DrmemtraceTrace final : public BinaryTrace<InstructionSource, DrmemtraceRecord::kBytes> {
 public:
  using BinaryTrace::BinaryTrace;

  bool next(Instruction& instruction) override {
    while (!ended_) {
      const DrmemtraceRecord record = read_record();
      std::optional<Instruction> complete;
      if (is_instruction(record.type)) {
        complete = std::exchange(open_, Instruction());
        open_->ip = record.value;
      } else if (record.type == kRead || record.type == kWrite) {
        if (open_ && !add(record)) {
          complete = std::exchange(open_, Instruction());
          open_->ip = complete->ip;
          add(record);
        }
      } else if (record.type == DrmemtraceRecord::kHeader) {
        check_header(record);
      } else if (record.type == kThread) {
        check_thread(record);
      } else if (record.type == kMarker && record.size == kFileType) {
        check_file_type(record.value);
      } else if (record.type == kFooter) {
        ended_ = true;
        complete = std::exchange(open_, std::nullopt);
      } else if (record.type > kUntakenBranch) {
        fail("type " + std::to_string(record.type) + " is unknown in versions up to " +
             std::to_string(kNewest));
      }
      if (complete) {
        any_ = true;
        instruction = *complete;
        return true;
      }
    }
    if (!any_) {
      throw InputError(reader_.file() + ": the trace contains no instructions");
    }
    instruction = Instruction();
    return false;
  }
  bool seek(std::uint64_t instructions, Instruction& instruction) override {
    rewind();
    bool found = next(instruction);
    for (std::uint64_t i = 0; i < instructions && found; ++i) {
      found = next(instruction);
    }
    return found;
  }
  void rewind() override {
    BinaryTrace::rewind();
    ended_ = false;
    open_.reset();
  }
  void serialize(Archive& archive) override {
    archive(record_, any_, ended_, thread_, open_, reader_);
  }

 private:
  DrmemtraceRecord read_record() {
    const std::string_view bytes = next_record();
    if (bytes.empty()) {
      throw InputError(reader_.file() + ": the trace ends without a footer: it is cut short");
    }
    const DrmemtraceRecord record(bytes);
    if (record_ == 1 && record.type != DrmemtraceRecord::kHeader) {
      throw InputError(reader_.file() +
                       ": does not begin with a header of drmemtrace: expected the "
                       "final trace of a thread, made by raw2trace");
    }
    return record;
  }

  void check_header(const DrmemtraceRecord& record) const {
    if (record.value < kOldest || record.value > kNewest) {
      fail("version " + std::to_string(record.value) + " of drmemtrace: must be between " +
           std::to_string(kOldest) + " and " + std::to_string(kNewest));
    }
  }

  void check_thread(const DrmemtraceRecord& record) {
    if (thread_.value_or(record.value) != record.value) {
      fail("a second thread, " + std::to_string(record.value) + " after " +
           std::to_string(*thread_) + ": expected a file with one thread");
    }
    thread_ = record.value;
  }

  void check_file_type(std::uint64_t bits) const {
    if ((bits & kThirtyTwoBits) != 0) {
      fail("a trace of a 32-bit program: only 64-bit programs are read");
    }
    if ((bits & kFiltered) != 0) {
      fail("a filtered trace: its instructions are incomplete, so that times would be wrong");
    }
  }

  // Gives the open instruction an access. Returns false if it has no room for it.
  bool add(const DrmemtraceRecord& access) {
    const auto put = [&access](auto& addresses) {
      const auto free = std::find(addresses.begin(), addresses.end(), 0U);
      if (free == addresses.end()) {
        return false;
      }
      *free = access.value;
      return true;
    };
    return access.type == kRead ? put(open_->loads) : put(open_->stores);
  }

  bool any_ = false;
  bool ended_ = false;
  std::optional<std::uint64_t> thread_;
  std::optional<Instruction> open_;  // the last instruction read, which may get more accesses
};

}  // namespace

extern const FormatDescriptor kFormat_drmemtrace{
    "drmemtrace",
    "binary, DynamoRIO's final trace of one thread, versions 2 to 5",
    TimeUnit::instructions,
    false,
    [](const TraceStart& start) { return begins_with_drmemtrace_header(start.bytes()); },
    open_with<InstructionSource, DrmemtraceTrace>};

}  // namespace hmsim
