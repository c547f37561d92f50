// SPDX-License-Identifier: BSD-3-Clause
// Misses of one source, read by several readers at independent places, in bounded memory.
//
// The tape is divided into chunks of equal length. The most recently loaded chunks are cached. The
// state of the source at the start of every chunk is kept, so that a dropped chunk can be read
// again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traces/trace_formats.h"

namespace hmsim {

class MissTape {
 public:
  // Holds the misses of `source` after its first `skip` instructions. If there are none, at()
  // throws InputError. `file`: name of the trace in error messages.
  MissTape(std::unique_ptr<MissSource> source, std::uint64_t skip, std::string file);

  bool has_nvdimm() const { return source_->has_nvdimm(); }
  // Returns the miss with this number, from 0, or nullptr after the last one. The pointer is valid
  // until the next call.
  const Miss* at(std::uint64_t number) {
    const std::uint64_t chunk = number / kChunk;
    const Chunk* held = chunk < directory_.size() ? directory_[chunk].get() : nullptr;
    if (held == nullptr) {
      held = load(chunk);
    }
    const std::size_t index = number % kChunk;
    return held != nullptr && index < held->misses.size() ? &held->misses[index] : nullptr;
  }
  // Returns the number of instructions after the last miss. Valid once at() returned nullptr.
  std::int64_t rest() const { return rest_; }
  // Returns the share of the source that precedes a miss, rounded down to the start of the miss's
  // chunk.
  double fraction(std::uint64_t number) const;

 private:
  static constexpr std::size_t kChunk = 16'384;  // misses
  static constexpr std::size_t kMostChunks = 64;
  struct Chunk {
    std::vector<Miss> misses;
    std::uint64_t number = 0;
  };

  const Chunk* load(std::uint64_t chunk);
  void read(Chunk& chunk);

  std::unique_ptr<MissSource> source_;
  std::uint64_t skip_;
  std::string file_;
  std::vector<std::string> starts_;  // state of the source at each chunk's start
  std::vector<double> fractions_;    // share of the source before each chunk
  std::uint64_t at_ = 0;             // the chunk that the source reads next
  bool ended_ = false;               // the last chunk has been read
  std::uint64_t chunks_ = 0;         // number of chunks, once ended_
  std::int64_t rest_ = 0;
  std::vector<std::unique_ptr<Chunk>> directory_;  // by chunk; nullptr: not cached
  std::array<std::uint64_t, kMostChunks> held_{};  // cached chunks, in order of loading
  std::size_t next_held_ = 0;
  std::size_t count_held_ = 0;
};

}  // namespace hmsim
