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
#include <string>
#include <utility>

#include "core/archive.h"
#include "traces/block_lines.h"
#include "traces/record_error.h"

namespace hmsim {

namespace {

constexpr std::size_t kRecordBytes = 24;
constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kSectors = std::uint64_t{1} << 53;

class OracleTrace final : public BlockSource {
 public:
  explicit OracleTrace(TraceReader reader) : reader_(std::move(reader)) {}

  bool next(BlockRequest& request) override {
    request = BlockRequest();
    const std::string_view bytes = reader_.read(kRecordBytes, scratch_);
    if (bytes.empty()) {
      if (!any_) {
        throw InputError(reader_.file() + ": the trace contains no records");
      }
      return false;
    }
    ++record_;
    if (bytes.size() != kRecordBytes) {
      fail<InputError>("the file ends after " + std::to_string(bytes.size()) +
                       " of its 24 bytes: is it a trace of oracleGeneral?");
    }
    check_next(number(bytes, 16, 8));
    const std::uint64_t size = number(bytes, 12, 4);
    request.arrival_ns = number(bytes, 0, 4) * kSecondNs;
    request.sector = number(bytes, 4, 8) % kSectors;
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
  void rewind() override {
    reader_.rewind();
    record_ = 0;
  }
  double fraction() const override { return reader_.fraction(); }
  void serialize(Archive& archive) override {
    archive(record_, any_);
    reader_.serialize(archive);
  }

 private:
  template <class E>
  [[noreturn]] void fail(const std::string& message) const {
    throw E(reader_.file() + ": record " + std::to_string(record_) + ": " + message);
  }

  static std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t length) {
    std::uint64_t value = 0;
    for (std::size_t i = length; i > 0; --i) {
      value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
    }
    return value;
  }

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

  TraceReader reader_;
  std::string scratch_;
  std::uint64_t record_ = 0;  // number of the present record, from 1
  bool any_ = false;
};

}  // namespace

extern const FormatDescriptor kFormat_oraclegeneral;
const FormatDescriptor kFormat_oraclegeneral{
    "oraclegeneral",
    "binary, 24 bytes a request, from libCacheSim: <time in s> <object> <bytes> <next request>",
    TimeUnit::nanoseconds,
    false,
    [](const TraceStart&) { return false; },
    [](TraceReader reader, const ColumnMap&) -> std::unique_ptr<BlockSource> {
      return std::make_unique<OracleTrace>(std::move(reader));
    },
    kSecondNs};

}  // namespace hmsim
