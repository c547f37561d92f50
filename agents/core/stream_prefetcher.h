// SPDX-License-Identifier: BSD-3-Clause
// A stream prefetcher between a core and the memory controller: lines that the core has not asked
// for yet, and the buffers that they come into.
//
// It sees the core's loads, by physical address, when they are sent: those with an MSHR. It asks
// for lines of whichever memory a stream runs through (stream_detector.h tells which). Each is a
// read like the core's own, in the core's name, but holds a buffer instead of an MSHR. A load takes
// the line that it misses out of the buffers: with the data at once if the line is here, else with
// the data when they come, and in the meantime it keeps its MSHR. A line is taken once. A line that
// is wanted while all buffers are used takes the place of the one that came, untaken, before all
// others that are here; if none is here, it is asked for later. A store gives up a copy of its
// line.
//
// Limits: the buffers are all of the cache into which lines come, a copy in them costs the core no
// time, and controllers cannot tell a prefetch from a load.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/core/stream_detector.h"
#include "agents/node/node_parameters.h"
#include "core/archive.h"
#include "core/places.h"
#include "core/request.h"
#include "core/statistics.h"

namespace hmsim {

class StreamPrefetcher {
 public:
  // What a load finds.
  enum class Line { absent, here, coming };

  explicit StreamPrefetcher(const PrefetchParameters& parameters);

  // A load, by a number of its core's, wants the line. coming: arrived() will tell of the load.
  Line take(MemoryClass memory, Address address, std::uint32_t load);
  // A load wanted the line: send(address, buffer) for each line that is to be read now because of
  // that.
  template <class Send>
  void follow(MemoryClass memory, Address address, const Send& send) {
    const std::int64_t line = line_of(address);
    const std::int64_t first = line - line % kLinesPerPage;
    const auto page = static_cast<std::uint64_t>(first / kLinesPerPage) * kMemoryClasses;
    detector_.miss(page + static_cast<std::uint64_t>(memory), line - first,
                   [&](std::int64_t next) { return ask(memory, first + next, send); });
  }
  // A buffer's line has come. The load that waits for it, if one does.
  std::optional<std::uint32_t> arrived(std::uint32_t buffer);
  // A store goes to the line.
  void overwrite(MemoryClass memory, Address address);

  void register_statistics(StatisticRegistry& registry, const std::string& path);
  void serialize(Archive& archive);
  // Loading: the buffer's line is under way, as this request. The load that waits for it.
  std::optional<std::uint32_t> check_coming(Places& coming, std::uint32_t buffer,
                                            const Request& request) const;
  // Loading, once all requests are told: no other buffer waits for a line.
  void check_buffers(const Places& coming) const;
  std::size_t buffers() const { return buffers_.size(); }

 private:
  enum class State : std::uint8_t {
    free,
    coming,   // and untaken
    taken,    // by a load, while it is coming
    dropped,  // overwritten while it is coming
    here,
    last = here
  };
  struct Buffer {
    State state = State::free;
    MemoryClass memory = MemoryClass::dram;
    std::int64_t line = 0;      // number in its memory
    std::uint32_t load = 0;     // taken
    std::uint64_t arrival = 0;  // here: its number among all
    void serialize(Archive& archive) { archive(state, memory, line, load, arrival); }
  };

  static std::int64_t line_of(Address address) { return address.value() / kLineBytes.value(); }
  // Has the line read, if it is not here or on its way. False: there is no buffer for it.
  template <class Send>
  bool ask(MemoryClass memory, std::int64_t line, const Send& send) {
    if (holds(memory, line)) {
      return true;
    }
    const std::optional<std::uint32_t> buffer = find_room();
    if (buffer) {
      fill(*buffer, memory, line);
      send(Address(line * kLineBytes.value()), *buffer);
    }
    return buffer.has_value();
  }
  // The buffer of an untaken line; nullptr: there is none.
  Buffer* find(MemoryClass memory, std::int64_t line);
  bool holds(MemoryClass memory, std::int64_t line) const;
  // Makes room for a line; nullopt: there is none.
  std::optional<std::uint32_t> find_room();
  void fill(std::uint32_t buffer, MemoryClass memory, std::int64_t line);

  StreamDetector detector_;
  std::vector<Buffer> buffers_;
  std::uint64_t arrivals_ = 0;
  Counter issued_ = 0;
  Counter useful_ = 0;
  Counter late_ = 0;
  Counter useless_ = 0;
};

}  // namespace hmsim
