// SPDX-License-Identifier: BSD-3-Clause
// hmsim's binary traces of memory requests, with the contents of DRAMsim3's traces
// (docs/trace-format.md). Eight letters precede a record of 16 bytes per request: two little-endian
// numbers, the clock cycle of arrival and the line's address. Bit 0 of the address marks a write.
#include "core/types.h"
#include "traces/binary_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr std::string_view kStart = "HMSIM_RW";
constexpr std::size_t kRecord = 16;  // bytes

class RequestTrace final : public BinaryTrace<AccessSource, kRecord> {
 public:
  explicit RequestTrace(TraceReader reader) : BinaryTrace(std::move(reader)) { read_start(); }

  bool next(Access& access) override {
    const std::string_view text = reader_.unread_records();
    if (text.size() < kRecord) {
      return next_of_two_blocks(access);
    }
    reader_.pass(kRecord);  // first, so that a record that is refused is consumed
    take(text, access);
    return true;
  }
  void rewind() override {
    BinaryTrace::rewind();
    read_start();
  }
  void serialize(Archive& archive) override { archive(record_, reader_); }

 private:
  void read_start() {
    if (reader_.read(kStart.size(), scratch_) != kStart) {
      throw InputError(reader_.file() +
                       ": is not a trace of memory requests of hmsim: it does not begin with '" +
                       std::string(kStart) + "'");
    }
  }
  void take(std::string_view record, Access& access) {
    ++record_;
    const std::uint64_t place = little_endian(record.substr(8, 8));
    if (place % kLineSize > 1) {
      fail<RecordError>("its address must be a multiple of 64, plus 1 for a write");
    }
    access = {place - place % kLineSize, place % kLineSize == 1, little_endian(record.substr(0, 8)),
              0};
  }
  // Reads a record that crosses or starts at a block boundary. Returns false at the end of the
  // trace.
  [[gnu::noinline]] bool next_of_two_blocks(Access& access) {
    const std::string_view record = reader_.read(kRecord, scratch_);
    if (record.size() == kRecord) {
      take(record, access);
      return true;
    }
    if (!record.empty()) {
      ++record_;
      fail<InputError>("the file ends within it");
    }
    if (record_ == 0) {
      throw InputError(reader_.file() + ": the trace contains no records");
    }
    access = Access();
    return false;
  }
};

}  // namespace

extern const FormatDescriptor kFormat_hmsim_rw{
    "hmsim_rw",
    "binary, 16 bytes per request",
    TimeUnit::cycles,
    false,
    [](const TraceStart& start) { return start.begins_with(kStart); },
    open_with<AccessSource, RequestTrace, const AddressLevels&>};

}  // namespace hmsim
