// SPDX-License-Identifier: BSD-3-Clause
// Generated block requests, similar to those of XDD and fio: the keys of a pattern, and its source.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "agents/block/random_map.h"
#include "agents/block/write_handles.h"
#include "agents/block/zipf.h"
#include "core/parameters.h"
#include "core/random.h"
#include "core/types.h"
#include "traces/trace_formats.h"

namespace hmsim {

enum class IoAccess { sequential, random, zipf };
enum class IoRegions { shared, per_thread };

// Request size, drawn with probability share / sum of all shares.
struct IoSize {
  std::uint64_t sectors = 0;
  std::uint64_t share = 1;
};

struct IoPattern {
  std::string size = "4KiB";  // one size, or SIZE/SHARE, SIZE/SHARE, ...
  double read_share = 1;
  double trim_share = 0;
  bool trim_writes = false;
  IoAccess access = IoAccess::random;
  double theta = 0.99;
  bool separate_writes = false;
  IoRegions regions = IoRegions::shared;
  Bytes offset{0};
  Bytes footprint{0};  // 0: to the end of the device
  Bytes align{0};      // of random places; 0: the smallest size
  MapOrder random_map = MapOrder::none;
  Bytes pass{0};  // data of a pass of a thread; 0: its part of the footprint
  std::int64_t passes = 0;
  Bytes bytes{0};  // of a thread; 0: no limit
  std::int64_t flush_every = 0;
  bool fua = false;
  HandleKeys handles;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check(std::int64_t threads) const;
  // Returns the sizes. The pattern passed check().
  std::vector<IoSize> sizes() const;
  // Returns the distance between two places, in sectors.
  std::uint64_t step() const;
  // Returns the smallest footprint with room for the largest request of each thread.
  Bytes least_footprint(std::int64_t threads) const;
  // Returns the blocks that the bitmaps of all threads have. Requires a footprint.
  std::uint64_t bitmap_blocks(std::int64_t threads) const;
  // Returns whether `passes` or `bytes` ends the requests.
  bool bounded() const { return passes > 0 || bytes > Bytes(0); }
};

// Source of requests, endless unless the pattern is bounded. It deals requests to lanes, one per
// thread, in turn; each lane has its own flushes, passes and random map and, with per_thread, its
// own region. The sequence therefore does not depend on the device or its speed. A request is
// executed by whichever thread of the agent is free.
//
// As in fio, a pass ends when it has moved its data or when no block of the region is left. Within
// a pass, a request that would exceed the region draws another size.
class IoGenerator final : public BlockSource {
 public:
  // The pattern's footprint must not be 0.
  IoGenerator(const IoPattern& pattern, std::int64_t threads, std::uint64_t seed,
              std::uint64_t stream);

  bool next(BlockRequest& request) override;
  bool endless() const override { return true; }
  void rewind() override;
  void restart_limit(bool pending) override;
  double fraction() const override;
  void serialize(Archive& archive) override;

 private:
  // State of one thread's sequence.
  struct Lane {
    std::array<std::uint64_t, 2>
        next{};                 // sequential: next sector of reads (or all), and of writes
    std::int64_t writes = 0;    // since the last flush; counted only if it flushes
    std::uint64_t handles = 0;  // writes with a handle
    // Write that follows the trim of its range; no sectors: none.
    std::uint64_t trimmed = 0;
    std::uint64_t trimmed_sectors = 0;
    std::uint64_t moved = 0;   // bytes since the limits began to count
    std::uint64_t passed = 0;  // bytes of the present pass
    std::int64_t passes = 0;   // completed, since the limits began to count
    RandomMap map;
    void serialize(Archive& archive);
  };
  // Progress of a lane's limits by the last request.
  struct Step {
    std::uint64_t bytes = 0;
    std::int64_t passes = 0;
    void serialize(Archive& archive) { archive(bytes, passes); }
  };

  void draw(BlockRequest& request, Lane& lane, std::size_t turn);
  std::uint64_t draw_sectors(Random& random);
  std::uint64_t place(std::size_t lane, bool write, std::uint64_t& sectors);
  std::uint64_t visit(RandomMap& map, std::uint64_t& sectors);
  Lane& stream_of(std::size_t lane);
  bool find_turn();
  void count(std::size_t lane, std::uint64_t sectors);

  IoAccess access_;
  bool separate_writes_;
  std::vector<IoSize> sizes_;
  std::uint64_t all_shares_ = 0;
  std::uint64_t read_chance_;  // probability x 2^32
  struct {
    std::uint64_t chance;  // of a request that is not a read
    bool writes;           // trim a range before each write to it
  } trims_;
  struct {
    std::int64_t every;  // writes of a lane; 0: none
    bool fua;
  } flushes_;
  WriteHandles handles_;
  bool in_passes_;            // passes are counted
  std::uint64_t pass_ = 0;    // bytes
  std::int64_t passes_;       // of a lane; 0: no limit
  std::uint64_t bytes_;       // of a lane; 0: no limit
  std::uint64_t offset_;      // sectors
  std::uint64_t region_ = 0;  // sectors per region
  std::uint64_t regions_;     // 1: shared
  std::uint64_t step_ = 0;    // sectors between two places
  std::uint64_t places_ = 1;  // per region
  Zipf ranks_;                // of places (zipf)
  Permutation place_of_;      // from rank to place
  Random start_;              // initial state of random_
  Random random_;
  std::vector<Lane> lanes_;
  std::size_t turn_ = 0;  // the lane of the next request
  std::size_t last_ = 0;  // the lane of the last request
  Step step_of_last_;
};

}  // namespace hmsim
