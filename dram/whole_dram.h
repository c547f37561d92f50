// SPDX-License-Identifier: BSD-3-Clause
// One DRAM channel as another simulator models it, controller and queues included. It lives by
// clock ticks.
#pragma once

#include <cstdint>
#include <optional>

namespace hmsim {

class WholeDram {
 public:
  struct Done {
    std::uint64_t address;
    bool write;
  };
  // Since the last reset.
  struct Counters {
    std::uint64_t column_commands;
    std::uint64_t row_hits;
    std::uint64_t activates;
    std::uint64_t precharges;
    std::uint64_t refreshes;
  };

  virtual ~WholeDram() = default;

  // In each cycle: take_done() until it has none, add() what is accepted, tick().
  virtual std::optional<Done> take_done() = 0;
  virtual bool accepts(bool write) const = 0;
  // Addresses are in bytes and map to row | bank | rank | column, most significant first.
  virtual void add(std::uint64_t address, bool write) = 0;
  virtual void tick() = 0;

  // Requests that are queued or whose data are under way.
  virtual std::int64_t held() const = 0;

  virtual Counters counters() const = 0;
  virtual void reset_counters() = 0;
};

}  // namespace hmsim
