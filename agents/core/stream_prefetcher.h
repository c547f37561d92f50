// SPDX-License-Identifier: BSD-3-Clause
// Stream prefetcher between a core and the memory controller, with the buffers that hold its lines.
//
// It observes the core's loads, by physical address, when they are sent, that is, once they have an
// MSHR. StreamDetector chooses the lines to prefetch, from either memory. A prefetch is a read on
// the core's behalf that needs a buffer and one of the prefetcher's own MSHRs. A load that misses
// takes its line from the buffers: with data at once if the line is present, or when it arrives;
// meanwhile the load keeps its MSHR. A line is taken once. If all buffers are in use, a new line
// replaces the untaken line that arrived first. If no such line exists, or no MSHR is free, the
// line is requested later. A store by any core of the node drops the line.
//
// Limits: the buffers stand for the cache that receives prefetched lines, a copy from them costs
// the core no time, and controllers cannot distinguish a prefetch from a load.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/core/stream_detector.h"
#include "agents/node/node_parameters.h"
#include "core/archive.h"
#include "core/request.h"
#include "core/statistics.h"

namespace hmsim {

class StreamPrefetcher {
 public:
  // Result of a load's look-up.
  enum class Line { absent, here, coming };

  explicit StreamPrefetcher(const PrefetchParameters& parameters);

  // Looks up the line for load number `load` of its core. coming: arrived() will return that load.
  Line take(MemoryClass memory, Address address, std::uint32_t load);
  // Trains on a load's line. Calls send(address, buffer) for each line to read now as a result.
  template <class Send>
  void follow(MemoryClass memory, Address address, const Send& send) {
    const std::int64_t line = line_of(address);
    const std::int64_t first = line - line % kLinesPerPage;
    const auto page = static_cast<std::uint64_t>(first / kLinesPerPage) * kMemoryClasses;
    detector_.miss(page + static_cast<std::uint64_t>(memory), line - first,
                   [&](std::int64_t next) { return ask(memory, first + next, send); });
  }
  // Records the arrival of a buffer's line. Returns the load that waits for it, if any.
  std::optional<std::uint32_t> arrived(std::uint32_t buffer, Tick now);
  // Drops a line that is stored to.
  void overwrite(MemoryClass memory, Address address);

  void register_statistics(StatisticRegistry& registry, const std::string& path);
  void serialize(Archive& archive);

 private:
  enum class State : std::uint8_t {
    free,
    coming,   // and untaken
    taken,    // by a load, before its arrival
    dropped,  // overwritten before its arrival
    here,
    last = here
  };
  struct Buffer {
    State state = State::free;
    std::uint32_t load = 0;     // of state taken
    std::uint64_t arrival = 0;  // of state here: its number among all arrivals
    void serialize(Archive& archive) { archive(state, load, arrival); }
  };
  static constexpr std::int64_t kNoLine = -1;

  static std::int64_t line_of(Address address) { return address.value() / kLineBytes.value(); }
  // Numbers the lines of both memories without overlap.
  static std::int64_t key_of(MemoryClass memory, std::int64_t line) {
    return line * kMemoryClasses + static_cast<std::int64_t>(memory);
  }
  // Requests the line unless it is present or in flight, untaken. Returns false if there is no
  // room.
  template <class Send>
  bool ask(MemoryClass memory, std::int64_t line, const Send& send) {
    const std::int64_t key = key_of(memory, line);
    if (find(key)) {
      return true;
    }
    const std::optional<std::uint32_t> buffer = find_room();
    if (buffer) {
      fill(*buffer, key);
      send(Address(line * kLineBytes.value()), *buffer);
    }
    return buffer.has_value();
  }
  // Returns the buffer of an untaken line; nullopt: none.
  std::optional<std::uint32_t> find(std::int64_t key) const;
  // Returns a buffer for a new line, if necessary that of an untaken line; nullopt: no room.
  std::optional<std::uint32_t> find_room();
  void fill(std::uint32_t buffer, std::int64_t key);
  Counter held() const;  // untaken lines

  StreamDetector detector_;
  std::int64_t mshrs_;
  std::vector<Buffer> buffers_;
  std::vector<std::int64_t> lines_;  // by buffer: the key of its untaken line, or kNoLine
  std::int64_t coming_ = 0;          // buffers whose lines are in flight
  std::uint64_t arrivals_ = 0;
  Counter issued_ = 0;  // each is useful_, useless_ or still held
  Counter useful_ = 0;
  Counter late_ = 0;
  Counter useless_ = 0;
};

}  // namespace hmsim
