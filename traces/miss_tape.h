// SPDX-License-Identifier: BSD-3-Clause
// The misses of one source, read by many at places of their own, in bounded memory.
//
// The tape is cut into chunks of equal length. The latest in use are kept; one that was given up is
// read anew, from the source's state at its beginning, which is kept of every chunk.
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
  // The misses behind the first `skip` instructions; at() throws InputError where there are none.
  // `file`: as messages name it.
  MissTape(std::unique_ptr<MissSource> source, std::uint64_t skip, std::string file);

  bool has_nvdimm() const { return source_->has_nvdimm(); }
  // The miss of this number, from 0; nullptr behind the last one. Valid until the next call.
  const Miss* at(std::uint64_t number) {
    const std::uint64_t chunk = number / kChunk;
    const Chunk* held = chunk < directory_.size() ? directory_[chunk].get() : nullptr;
    if (held == nullptr) {
      held = load(chunk);
    }
    const std::size_t index = number % kChunk;
    return held != nullptr && index < held->misses.size() ? &held->misses[index] : nullptr;
  }
  // Instructions behind the last miss; known once the end was read.
  std::int64_t rest() const { return rest_; }
  // The share of the source that lies before a miss that was read.
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
  std::vector<std::string> starts_;  // the source's state where each chunk begins
  std::vector<double> fractions_;    // of the source, likewise
  std::uint64_t at_ = 0;             // the chunk that the source stands before
  bool ended_ = false;               // the last chunk was read
  std::uint64_t chunks_ = 0;         // ended_: so many
  std::int64_t rest_ = 0;
  std::vector<std::unique_ptr<Chunk>> directory_;  // by chunk; nullptr: not held
  std::array<std::uint64_t, kMostChunks> held_{};  // chunks, in the order of loading
  std::size_t next_held_ = 0;
  std::size_t count_held_ = 0;
};

}  // namespace hmsim
