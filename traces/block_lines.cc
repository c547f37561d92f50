// SPDX-License-Identifier: BSD-3-Clause
#include "traces/block_lines.h"

#include <limits>
#include <string>

namespace hmsim {

std::string sectors_fault(std::uint64_t first, std::uint64_t sectors) {
  if (sectors == 0) {
    return "a request of 0 sectors: must be at least 1";
  }
  if (sectors > kMaxSectors || first > kMaxSectors - sectors) {
    return "a request of " + std::to_string(sectors) + " sectors at sector " +
           std::to_string(first) + " ends after the limit of 2^63 bytes";
  }
  return "";
}

void check_sectors(const TextTrace& line, std::uint64_t first, std::uint64_t sectors) {
  if (sectors_fit(first, sectors)) {
    return;  // sectors_fault() is slower
  }
  const std::string fault = sectors_fault(first, sectors);
  if (sectors == 0) {
    line.fail_with<EmptyRequestError>(fault);
  }
  line.fail(fault);
}

void set_extent(const TextTrace& line, std::uint64_t offset, std::uint64_t bytes,
                BlockRequest& request) {
  constexpr std::uint64_t kSector = kSectorBytes;
  if (bytes > kMaxSectors * kSector) {
    line.fail("a request of " + std::to_string(bytes) + " bytes exceeds the limit of 2^63 bytes");
  }
  request.sector = offset / kSector;
  request.sectors = (offset % kSector + bytes + kSector - 1) / kSector;
  check_sectors(line, request.sector, bytes == 0 ? 0 : request.sectors);
}

std::uint64_t scaled_time(const TextTrace& line, std::string_view text, const char* what,
                          std::uint64_t nanoseconds) {
  const std::uint64_t count = line.number(text, what);
  if (count > std::numeric_limits<std::uint64_t>::max() / nanoseconds) {
    line.fail(std::string(what) + " '" + shown(text) + "' does not fit 64 bits in nanoseconds");
  }
  return count * nanoseconds;
}

std::uint64_t device_number(const TextTrace& line, std::string_view major, std::string_view minor) {
  return joined_device(line.number(major, "the device"), line.number(minor, "the device"));
}

void set_response(const TextTrace& line, std::uint64_t nanoseconds, BlockRequest& request) {
  if (nanoseconds > std::numeric_limits<std::uint64_t>::max() - request.arrival_ns) {
    line.fail("the response time exceeds 2^64 ns");
  }
  request.completion_ns = request.arrival_ns + nanoseconds;
}

}  // namespace hmsim
