// SPDX-License-Identifier: BSD-3-Clause
// hmsim's own binary trace of what leaves the last-level caches of up to 8 virtual processors.
//
// Header, 64 bytes, little-endian:
//   0 magic "HMSIMTRC"  8 u16 version = 1  10 u16 header bytes = 64  12 u8 log2 of line bytes = 6
//   13 u8 vCPUs, 1 .. 8  14 u16 flags; 2: lines are of two memories
//   16 u64 records  24 u64 instructions (0 in these: unknown)
//   32 8 bytes: the caches, in words  40 24 bytes: name of the program
// Record, 8 bytes, little-endian:
//   bits 0-39 line number (of two memories, bit 39 is 0 for DRAM, 1 for the NVDIMM)
//   40-41 kind: 0 fill, 1 write-back, 2 non-temporal write, 3 escape
//   42-44 vCPU   45-63 instructions of that vCPU since its record before
// Escape: bits 45-63 are a code: 0 adds bits 0-39 to that vCPU's instructions, 1 and 2 mark the
// beginning and the end of a region of interest.
#include <array>
#include <cstring>
#include <utility>

#include "core/archive.h"
#include "core/errors.h"
#include "frontend/trace_formats.h"

namespace hmsim {

namespace {

constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kRecordBytes = 8;
constexpr int kLineBits = 6;
constexpr unsigned kMaxVcpus = 8;
constexpr std::uint64_t kTwoMemories = 2;  // header flag
constexpr int kMemoryBit = 39;             // of a line number

std::uint64_t little_endian(const unsigned char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::uint64_t{bytes[i]} << (8 * i);
  }
  return value;
}

constexpr std::uint64_t field(std::uint64_t record, int low, int bits) {
  return (record >> low) & ((std::uint64_t{1} << bits) - 1);
}

class HmsimTrace final : public MissSource {
 public:
  HmsimTrace(TraceReader reader, std::int64_t vcpu) : reader_(std::move(reader)), vcpu_(vcpu) {
    read_header();
  }

  bool next(Miss& miss) override;

  bool has_nvdimm() const override { return two_memories_; }
  void rewind() override {
    reader_.rewind();
    read_header();
  }
  double fraction() const override {
    return records_ == 0 ? reader_.fraction()
                         : static_cast<double>(record_) / static_cast<double>(records_);
  }
  void serialize(Archive& archive) override {
    archive(record_, instructions_, any_);
    reader_.serialize(archive);
  }

 private:
  enum Kind : std::uint64_t { kFill, kWriteBack, kNonTemporalWrite, kEscape };
  enum Code : std::uint64_t { kAddInstructions, kRegionBegin, kRegionEnd };

  void read_header();
  bool read_record(std::uint64_t& record);
  void add_instructions(std::uint64_t count);

  [[noreturn]] void fail_header(const std::string& message) const {
    throw InputError(reader_.file() + ": " + message);
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(reader_.file() + ": record " + std::to_string(record_) + ": " + message);
  }

  TraceReader reader_;
  std::int64_t vcpu_;
  std::uint64_t vcpus_ = 0;         // kMaxVcpus where the header does not tell
  std::uint64_t records_ = 0;       // 0 where the header does not tell
  std::uint64_t record_ = 0;        // number of the record last read, from 1
  std::uint64_t instructions_ = 0;  // since the last miss that was passed on
  bool any_ = false;
  bool two_memories_ = false;  // the header's
};

void HmsimTrace::read_header() {
  std::array<unsigned char, kHeaderBytes> header{};
  if (reader_.read(reinterpret_cast<char*>(header.data()), kHeaderBytes) != kHeaderBytes) {
    fail_header("the file ends within the header of 64 bytes");
  }
  if (std::memcmp(header.data(), "HMSIMTRC", 8) != 0) {
    fail_header("is no hmsim trace: it does not begin with 'HMSIMTRC'");
  }
  const auto expect = [&](std::size_t at, std::size_t bytes, std::uint64_t wanted,
                          const char* what) {
    const std::uint64_t found = little_endian(&header[at], bytes);
    if (found != wanted) {
      fail_header(std::string(what) + " is " + std::to_string(found) + ", expected " +
                  std::to_string(wanted));
    }
  };
  expect(8, 2, 1, "the version");
  expect(10, 2, kHeaderBytes, "the header's length");
  expect(12, 1, kLineBits, "log2 of the line's bytes");
  vcpus_ = header[13] == 0 ? kMaxVcpus : header[13];
  if (vcpus_ > kMaxVcpus) {
    fail_header("the number of vCPUs is " + std::to_string(vcpus_) + ", expected 0 to 8");
  }
  two_memories_ = (little_endian(&header[14], 2) & kTwoMemories) != 0;
  records_ = little_endian(&header[16], 8);
  record_ = 0;
  instructions_ = 0;
  if (vcpu_ != kAllVcpus && static_cast<std::uint64_t>(vcpu_) >= vcpus_) {
    fail_header("has no vCPU " + std::to_string(vcpu_) + ", only " + std::to_string(vcpus_));
  }
}

bool HmsimTrace::read_record(std::uint64_t& record) {
  std::array<unsigned char, kRecordBytes> bytes{};
  const std::size_t length = reader_.read(reinterpret_cast<char*>(bytes.data()), kRecordBytes);
  if (length == 0 && (records_ == 0 || record_ == records_)) {
    return false;
  }
  ++record_;
  if (length != kRecordBytes) {
    fail(records_ == 0
             ? "the file ends within it"
             : "the file ends here; the header promises " + std::to_string(records_) + " records");
  }
  if (records_ != 0 && record_ > records_) {
    fail("the header promises only " + std::to_string(records_) + " records");
  }
  record = little_endian(bytes.data(), kRecordBytes);
  return true;
}

void HmsimTrace::add_instructions(std::uint64_t count) {
  instructions_ += count;
  if (instructions_ > kMaxGap) {
    fail("more than 2^48 instructions lie between two misses");
  }
}

bool HmsimTrace::next(Miss& miss) {
  miss = Miss();
  std::uint64_t record = 0;
  while (read_record(record)) {
    const std::uint64_t kind = field(record, 40, 2);
    const std::uint64_t vcpu = field(record, 42, 3);
    const std::uint64_t delta = field(record, 45, 19);
    if (vcpu >= vcpus_) {
      fail("vCPU " + std::to_string(vcpu) + " of only " + std::to_string(vcpus_));
    }
    if (kind == kEscape && delta > kRegionEnd) {
      fail("unknown escape code " + std::to_string(delta) + ", expected 0, 1 or 2");
    }
    if (vcpu_ != kAllVcpus && vcpu != static_cast<std::uint64_t>(vcpu_)) {
      continue;
    }
    if (kind == kEscape) {
      add_instructions(delta == kAddInstructions ? field(record, 0, 40) : 0);
      continue;
    }
    add_instructions(delta);
    const int line_bits = two_memories_ ? kMemoryBit : kMemoryBit + 1;
    const std::uint64_t address = field(record, 0, line_bits) << kLineBits;
    if (two_memories_ && field(record, kMemoryBit, 1) != 0) {
      miss.memory = MemoryClass::nvdimm;
    }
    any_ = true;
    miss.load = kind == kFill;
    miss.write = !miss.load;
    miss.load_address = miss.load ? address : 0;
    miss.write_address = miss.write ? address : 0;
    // A second line that one instruction loads counts as an instruction of its own.
    miss.gap = static_cast<std::int64_t>(instructions_);
    miss.gap += miss.load && miss.gap == 0 ? 1 : 0;
    instructions_ = 0;
    return true;
  }
  if (!any_) {
    fail_header("the trace holds no records of misses" +
                (vcpu_ == kAllVcpus ? std::string() : " of vCPU " + std::to_string(vcpu_)));
  }
  miss.gap = static_cast<std::int64_t>(instructions_);
  instructions_ = 0;
  return false;
}

}  // namespace

const MissFormat kHmsimFormat{
    "hmsim", "binary, of hmsim trace capture", true,
    [](TraceReader reader, std::int64_t vcpu) -> std::unique_ptr<MissSource> {
      return std::make_unique<HmsimTrace>(std::move(reader), vcpu);
    }};

}  // namespace hmsim
