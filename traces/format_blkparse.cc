// SPDX-License-Identifier: BSD-3-Clause
// The lines that blkparse prints by default of a blktrace: device, CPU, sequence, time, process,
// action, kind of request, and for requests the first sector, '+' and the number of sectors. A
// record is a request that was queued (action Q) to read, write or discard data, or to flush: an F
// before the letter of the kind, or alone. An F after a W is FUA. Other actions are the same
// request further on its way. Lines that do not begin with a device are blkparse's summary.
#include <utility>

#include "traces/block_lines.h"

namespace hmsim {

namespace {

constexpr const char* kLine =
    "<major>,<minor> <cpu> <sequence> <seconds>.<nanoseconds> <pid> Q [F]R|W|D|F... <sector> + "
    "<sectors>";
constexpr std::uint64_t kSecond = 1'000'000'000;            // in nanoseconds
constexpr std::uint64_t kLongest = std::uint64_t{1} << 32;  // seconds
constexpr std::uint64_t kMinors = 256;
constexpr std::size_t kNanosecondDigits = 9;

// Whether the first line begins with "major,minor", or with one number.
bool resembles_device(const TraceStart& start) {
  std::string device(start.fields() > 5 ? start.field(0) : "");
  const std::size_t comma = device.find(',');
  return is_decimal(comma == std::string::npos ? device : device.erase(comma, 1));
}

bool begins_with_device(std::string_view text, std::size_t& comma) {
  comma = text.find(',');
  return comma != std::string_view::npos && comma > 0 && comma + 1 < text.size() &&
         text.find_first_not_of("0123456789,") == std::string_view::npos;
}

std::uint64_t nanoseconds(const TextTrace& line, std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || text.size() - point - 1 != kNanosecondDigits) {
    line.fail("the time '" + shown(text) + "' is not <seconds>.<nanoseconds, 9 digits>");
  }
  const std::uint64_t seconds = line.number(text.substr(0, point), "the time");
  if (seconds >= kLongest) {
    line.fail("the time '" + shown(text) + "' is past 2^32 seconds");
  }
  return seconds * kSecond + line.number(text.substr(point + 1), "the time");
}

bool read_request(const TextTrace& line, BlockRequest& request) {
  constexpr std::size_t kAction = 5;
  constexpr std::size_t kFields = 10;
  std::size_t comma = 0;
  if (line.fields() <= kAction + 1 || !begins_with_device(line.field(0), comma) ||
      line.field(kAction) != "Q") {
    return false;
  }
  const std::string_view kind = line.field(kAction + 1);
  const bool write = kind.find('W') != std::string_view::npos;
  const bool read = kind.find('R') != std::string_view::npos;
  const bool discard = !write && !read && kind.find('D') != std::string_view::npos;
  request.flush = kind[0] == 'F' && !discard;
  if (!write && !read && !discard && !request.flush) {
    return false;
  }
  const bool data = line.fields() >= kFields && line.field(kFields - 2) == "+";
  if (!data && !request.flush) {
    line.fail("expected '" + std::string(kLine) + "'");
  }
  const std::string_view device = line.field(0);
  request.device = line.number(device.substr(0, comma), "the device") * kMinors +
                   line.number(device.substr(comma + 1), "the device");
  request.arrival_ns = nanoseconds(line, line.field(3));
  const std::uint64_t sectors = data ? line.number(kFields - 1, "the number of sectors") : 0;
  if (request.flush && sectors == 0) {
    return true;
  }
  request.write = write;
  request.trim = discard;
  request.fua = write && kind.find('F', 1) != std::string_view::npos;
  request.sector = line.number(kFields - 3, "the first sector");
  request.sectors = sectors;
  check_sectors(line, request.sector, request.sectors);
  return true;
}

}  // namespace

extern const FormatDescriptor kFormat_blkparse;
const FormatDescriptor kFormat_blkparse{
    "blkparse",
    kLine,
    TimeUnit::nanoseconds,
    true,
    resembles_device,
    [](TraceReader reader) -> std::unique_ptr<BlockSource> {
      return std::make_unique<LineTrace<BlockSource, BlockRequest, read_request>>(
          TextTrace(std::move(reader), kLine, 1, TextTrace::kMaxFields));
    }};

}  // namespace hmsim
