// SPDX-License-Identifier: BSD-3-Clause
// A stream prefetcher between a core and the memory controller: lines that the core has not asked
// for yet, and the buffers that they come into.
//
// It sees the core's loads, by physical address, when they are sent: those with an MSHR. It asks
// for lines of whichever memory a stream runs through (stream_detector.h tells which). Each is a
// read like the core's own, in the core's name, but needs one of the prefetcher's own MSHRs, and a
// buffer. A load takes the line that it misses out of the buffers: with the data at once if the
// line is here, else with the data when they come, and in the meantime it keeps its MSHR. A line is
// taken once. A line that is wanted while all buffers are used takes the place of the one that
// came, untaken, before all others that are here; if none is here, or no MSHR is free, it is asked
// for later. A line that is stored to, by any core of the node, is given up.
//
// Limits: the buffers stand for the cache into which lines come, a copy in them costs the core no
// time, and controllers cannot tell a prefetch from a load.
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
  std::optional<std::uint32_t> arrived(std::uint32_t buffer, Tick now);
  // Somebody stores to the line.
  void overwrite(MemoryClass memory, Address address);

  void register_statistics(StatisticRegistry& registry, const std::string& path);
  void serialize(Archive& archive);

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
    std::uint32_t load = 0;     // taken
    std::uint64_t arrival = 0;  // here: its number among all
    void serialize(Archive& archive) { archive(state, load, arrival); }
  };
  static constexpr std::int64_t kNoLine = -1;

  static std::int64_t line_of(Address address) { return address.value() / kLineBytes.value(); }
  // Numbers the lines of both memories, which differ.
  static std::int64_t key_of(MemoryClass memory, std::int64_t line) {
    return line * kMemoryClasses + static_cast<std::int64_t>(memory);
  }
  static bool is_coming(State state) { return state != State::free && state != State::here; }
  // Has the line read, if it is not here or on its way, untaken. False: there is no place for it.
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
  // The buffer of an untaken line; nullopt: there is none.
  std::optional<std::uint32_t> find(std::int64_t key) const;
  // Makes room for a line; nullopt: there is none.
  std::optional<std::uint32_t> find_room();
  void fill(std::uint32_t buffer, std::int64_t key);
  Counter held() const;  // untaken lines

  StreamDetector detector_;
  std::int64_t mshrs_;
  std::vector<Buffer> buffers_;
  std::vector<std::int64_t> lines_;  // by buffer: the key of the untaken line, or kNoLine
  std::int64_t coming_ = 0;          // buffers whose lines are
  std::uint64_t arrivals_ = 0;
  Counter issued_ = 0;  // of them useful_, useless_, or held
  Counter useful_ = 0;
  Counter late_ = 0;
  Counter useless_ = 0;
};

}  // namespace hmsim
