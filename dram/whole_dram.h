// SPDX-License-Identifier: BSD-3-Clause
// One DRAM channel as modelled by another simulator, including controller and queues. Driven by
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
  // Counts since the last reset.
  struct Counters {
    std::uint64_t column_commands;
    std::uint64_t row_hits;
    std::uint64_t activates;
    std::uint64_t precharges;
    std::uint64_t refreshes;
  };

  virtual ~WholeDram() = default;

  // Call order in each cycle: take_done() until it returns nullopt, add() accepted requests,
  // tick().
  virtual std::optional<Done> take_done() = 0;
  virtual bool accepts(bool write) const = 0;
  // Adds a request. `address` is in bytes and maps to row | bank | rank | column, most significant
  // first.
  virtual void add(std::uint64_t address, bool write) = 0;
  virtual void tick() = 0;

  // Returns the number of requests that are queued or in transfer.
  virtual std::int64_t held() const = 0;

  virtual Counters counters() const = 0;
  virtual void reset_counters() = 0;
};

}  // namespace hmsim
