// SPDX-License-Identifier: BSD-3-Clause
// hmsim's binary traces of memory requests, with the contents of DRAMsim3's traces
// (docs/trace-format.md). Eight letters precede a record of 16 bytes per request: two little-endian
// numbers, the clock cycle of arrival and the line's address. Bit 0 of the address marks a write.
#include <cstring>
#include <string_view>
#include <utility>

#include "core/archive.h"
#include "core/errors.h"
#include "core/types.h"
#include "traces/record_error.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr std::string_view kStart = "HMSIM_RW";
constexpr std::size_t kRecord = 16;  // bytes
constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes.value());

std::uint64_t number_at(const char* bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, sizeof number);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  number = __builtin_bswap64(number);
#endif
  return number;
}

class RequestTrace final : public AccessSource {
 public:
  explicit RequestTrace(TraceReader reader) : reader_(std::move(reader)) { read_start(); }

  bool next(Access& access) override {
    const std::string_view text = reader_.unread_records();
    if (text.size() < kRecord) {
      return next_of_two_blocks(access);
    }
    reader_.pass(kRecord);  // first, so that a record that is refused is consumed
    take(text.data(), access);
    return true;
  }
  void rewind() override {
    reader_.rewind();
    record_ = 0;
    read_start();
  }
  double fraction() const override { return reader_.fraction(); }
  void serialize(Archive& archive) override {
    archive(record_);
    reader_.serialize(archive);
  }

 private:
  template <class E>
  [[noreturn, gnu::noinline]] void fail(const char* message) const {
    throw E(reader_.file() + ": record " + std::to_string(record_) + ": " + message);
  }
  void read_start() {
    if (reader_.read(kStart.size(), scratch_) != kStart) {
      throw InputError(reader_.file() +
                       ": is not a trace of memory requests of hmsim: it does not begin with '" +
                       std::string(kStart) + "'");
    }
  }
  void take(const char* record, Access& access) {
    ++record_;
    const std::uint64_t place = number_at(record + sizeof(std::uint64_t));
    if (place % kLine > 1) {
      fail<RecordError>("its address must be a multiple of 64, plus 1 for a write");
    }
    access = {place - place % kLine, place % kLine == 1, number_at(record), 0};
  }
  // Reads a record that crosses or starts at a block boundary. Returns false at the end of the
  // trace.
  [[gnu::noinline]] bool next_of_two_blocks(Access& access) {
    const std::string_view record = reader_.read(kRecord, scratch_);
    if (record.size() == kRecord) {
      take(record.data(), access);
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

  TraceReader reader_;
  std::string scratch_;
  std::uint64_t record_ = 0;  // number of the last record read, from 1
};

}  // namespace

extern const FormatDescriptor kFormat_hmsim_rw;
const FormatDescriptor kFormat_hmsim_rw{
    "hmsim_rw",
    "binary, 16 bytes per request",
    TimeUnit::cycles,
    false,
    [](const TraceStart& start) { return start.begins_with(kStart); },
    [](TraceReader reader, const AddressLevels&) -> std::unique_ptr<AccessSource> {
      return std::make_unique<RequestTrace>(std::move(reader));
    }};

}  // namespace hmsim
