// SPDX-License-Identifier: BSD-3-Clause
// libCacheSim's oracleGeneral traces (libCacheSim,
// traceReader/customizedReader/oracle/oracleGeneralBin.h): binary records of 24 bytes without
// padding, little-endian, and no header:
//   0 u32 time in seconds  4 u64 object  12 u32 size in bytes
//   16 i64 number of the object's next request; -1 or 2^63 - 1: none
//
// All requests read, because the format has no operations. An object's number is taken as its first
// sector, modulo 2^53: traces converted from block traces keep the block address, others hold
// hashes. Requests in one second share one time.
#include "traces/binary_trace.h"
#include "traces/block_lines.h"

namespace hmsim {

namespace {

constexpr std::size_t kRecordBytes = 24;
constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kSectors = std::uint64_t{1} << 53;

class OracleTrace final : public BinaryTrace<BlockSource, kRecordBytes> {
 public:
  using BinaryTrace::BinaryTrace;

  bool next(BlockRequest& request) override {
    request = BlockRequest();
    const std::string_view bytes = next_record(": is it a trace of oracleGeneral?");
    if (bytes.empty()) {
      if (!any_) {
        throw InputError(reader_.file() + ": the trace contains no records");
      }
      return false;
    }
    check_next(little_endian(bytes.substr(16, 8)));
    const std::uint64_t size = little_endian(bytes.substr(12, 4));
    request.arrival_ns = little_endian(bytes.substr(0, 4)) * kSecondNs;
    request.sector = little_endian(bytes.substr(4, 8)) % kSectors;
    request.sectors = (size + kSectorBytes - 1) / kSectorBytes;
    if (size == 0) {
      fail<EmptyRequestError>("a request of 0 bytes: must be at least 1");
    }
    if (const std::string fault = sectors_fault(request.sector, request.sectors); !fault.empty()) {
      fail<RecordError>(fault);
    }
    any_ = true;
    return true;
  }
  std::string note() const override {
    return "all requests read; an object's number is taken as its first sector of 512 bytes";
  }
  void serialize(Archive& archive) override { archive(record_, any_, reader_); }

 private:
  // Throws unless `next` is a later request's number, from 0 or 1, or none. Other files rarely
  // pass.
  void check_next(std::uint64_t next) const {
    constexpr std::uint64_t kNone = ~std::uint64_t{0};
    constexpr std::uint64_t kLongest = std::uint64_t{1} << 48;  // requests
    if (next != kNone && next != kNone >> 1 && (next < record_ || next > kLongest)) {
      fail<RecordError>("the next request of its object, " + std::to_string(next) +
                        ", is not after it: is it a trace of oracleGeneral?");
    }
  }

  bool any_ = false;
};

}  // namespace

extern const FormatDescriptor kFormat_oraclegeneral{
    "oraclegeneral",
    "binary, 24 bytes a request, from libCacheSim: <time in s> <object> <bytes> <next request>",
    TimeUnit::nanoseconds,
    false,
    [](const TraceStart&) { return false; },
    open_with<BlockSource, OracleTrace, const ColumnMap&>,
    kSecondNs};

}  // namespace hmsim
