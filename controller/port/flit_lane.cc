// SPDX-License-Identifier: BSD-3-Clause
#include "controller/port/flit_lane.h"

namespace hmsim {

namespace {

struct Format {
  std::int64_t bytes;
  std::int64_t slots;
};

Format format_of(FlitSize size) {
  return size == FlitSize::of_68 ? Format{68, 4} : Format{256, 15};
}

constexpr std::int64_t kDataSlots = 4;  // a line in slots of 16 bytes

// Returns the time for `bytes` / `divisor` bytes on `lanes` lanes, rounded up.
Tick time_for(std::int64_t bytes, std::int64_t divisor, std::int64_t bits_per_second,
              std::int64_t lanes) {
  constexpr std::int64_t kPicoseconds = 1'000'000'000'000;
  constexpr std::int64_t kBits = 8;
  const std::int64_t rate = bits_per_second / 1'000 * lanes * divisor;
  return Tick((bytes * kBits * (kPicoseconds / 1'000) + rate - 1) / rate);
}

}  // namespace

FlitLane::FlitLane(const LaneParameters& lane, const PortParameters& port)
    : lane_(lane.latency), times_([&] {
        const Format format = format_of(port.flit);
        const std::int64_t sharing = port.messages_per_header;
        const auto times = [&](std::int64_t data_slots) {
          const std::int64_t flits = (1 + data_slots + format.slots - 1) / format.slots;
          // (1 / sharing + data_slots) slots of bytes / slots each
          return Times{time_for(format.bytes * (1 + sharing * data_slots), format.slots * sharing,
                                lane.rate, port.lanes),
                       time_for(format.bytes * flits, 1, lane.rate, port.lanes)};
        };
        return std::array<Times, 2>{times(0), times(kDataSlots)};
      }()) {}

}  // namespace hmsim
