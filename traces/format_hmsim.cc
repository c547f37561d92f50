// SPDX-License-Identifier: BSD-3-Clause
// hmsim's own binary trace of the misses and write-backs of the last-level caches of up to 8
// virtual processors.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/archive.h"
#include "core/errors.h"
#include "core/types.h"
#include "traces/record_blocks.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

// A file begins with a zstd skippable frame of 88 bytes, which holds the header. Unpacking passes
// on the header without the frame.
constexpr std::string_view kFileStart("\x50\x2A\x4D\x18\x58\0\0\0HMSIMTRC", 16);
constexpr int kLineBits = 6;
constexpr std::uint64_t kMemoryBit = std::uint64_t{1} << 39;  // of a line, with two memories

class HmsimTrace final : public MissSource {
 public:
  HmsimTrace(TraceReader reader, std::optional<unsigned> vcpu)
      : blocks_(std::move(reader)), vcpu_(vcpu) {
    if (vcpu_ && *vcpu_ >= blocks_.vcpus()) {
      fail("has no vCPU " + std::to_string(*vcpu_) + ", only " + std::to_string(blocks_.vcpus()));
    }
  }

  // Does the same as next_from(0, miss), with a fast path for most records: those that move data
  // while no instructions are pending.
  bool next(Miss& miss) override {
    if (!blocks_.within_block() || instructions_ != 0 || vcpu_) {
      return next_from(0, miss);
    }
    const std::uint64_t word = blocks_.peek();
    if (record_kind(word) == RecordKind::escape) {
      return next_from(0, miss);
    }
    blocks_.pass();
    any_ = true;
    fill(miss, word, record_high(word));
    return true;
  }

  bool seek(std::uint64_t instructions, Miss& miss) override {
    rewind();
    if (instructions == 0) {
      return next(miss);
    }
    return next_from(instructions - blocks_.seek_instruction(instructions, vcpu_) + 1, miss);
  }
  bool has_nvdimm() const override { return blocks_.two_memories(); }
  RecordBlocks* causes() override { return blocks_.causes() ? &blocks_ : nullptr; }
  void rewind() override {
    blocks_.seek(0);
    instructions_ = 0;
  }
  double fraction() const override {
    return blocks_.records() == 0
               ? 1
               : static_cast<double>(blocks_.passed()) / static_cast<double>(blocks_.records());
  }
  void serialize(Archive& archive) override { archive(instructions_, any_, blocks_); }

 private:
  // Reads the next miss at or after the `least`-th instruction from here. The gap counts from that
  // instruction, inclusive.
  [[gnu::noinline]] bool next_from(std::uint64_t least, Miss& miss) {
    const std::uint64_t before = least == 0 ? 0 : least - 1;
    std::uint64_t word = 0;
    while (blocks_.next(word)) {
      if (vcpu_ && record_vcpu(word) != *vcpu_) {
        continue;
      }
      instructions_ += record_instructions(word);
      if (instructions_ > before && instructions_ - before > kMaxGap) {
        fail_gap();
      }
      if (record_kind(word) == RecordKind::escape) {
        continue;
      }
      any_ = true;
      if (instructions_ < least) {
        continue;
      }
      fill(miss, word, instructions_ - before);
      instructions_ = 0;
      return true;
    }
    return end(before, least != 0, miss);
  }

  // Fills `miss` from a record that moves data. If one instruction loads two lines, the second line
  // counts as one more instruction.
  HMSIM_INLINE void fill(Miss& miss, std::uint64_t word, std::uint64_t gap) const {
    const RecordKind kind = record_kind(word);
    const bool load = kind == RecordKind::fill;
    const std::uint64_t address = (record_line(word) & ~memory_bit_) << kLineBits;
    miss.gap = static_cast<std::int64_t>(gap + (load && gap == 0 ? 1 : 0));
    miss.load = load;
    miss.write = !load;
    miss.dependent = false;
    miss.non_temporal = kind == RecordKind::non_temporal;
    miss.memory = (record_line(word) & memory_bit_) != 0 ? MemoryClass::nvdimm : MemoryClass::dram;
    miss.load_address = load ? address : 0;
    miss.write_address = load ? 0 : address;
  }
  [[noreturn]] void fail_gap() const {
    fail("record " + std::to_string(blocks_.passed()) +
         ": more than 2^48 instructions between two misses");
  }

  // Sets the gap to the instructions after the last record. Returns false.
  bool end(std::uint64_t before, bool may_be_empty, Miss& miss) {
    if (!any_ && !may_be_empty) {
      fail("the trace contains no records of misses" +
           (vcpu_ ? " of vCPU " + std::to_string(*vcpu_) : std::string()));
    }
    miss = Miss();
    miss.gap = static_cast<std::int64_t>(instructions_ - std::min(instructions_, before));
    instructions_ = 0;
    return false;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(blocks_.file() + ": " + message);
  }

  RecordBlocks blocks_;
  const std::uint64_t memory_bit_ = blocks_.two_memories() ? kMemoryBit : 0;
  std::optional<unsigned> vcpu_;    // the vCPU whose records are read; nullopt: all
  std::uint64_t instructions_ = 0;  // since the last miss returned
  bool any_ = false;
};

}  // namespace

extern const FormatDescriptor kFormat_hmsim{
    "hmsim",
    "binary, from hmsim trace capture",
    TimeUnit::instructions,
    true,
    [](const TraceStart& start) { return start.begins_with(kFileStart); },
    [](TraceReader reader, std::optional<unsigned> vcpu) -> std::unique_ptr<MissSource> {
      return std::make_unique<HmsimTrace>(std::move(reader), vcpu);
    }};

}  // namespace hmsim
