// SPDX-License-Identifier: BSD-3-Clause
// Generated block requests, similar to those of XDD and fio: the keys of a pattern, and its source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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
  IoAccess access = IoAccess::random;
  double theta = 0.99;
  IoRegions regions = IoRegions::shared;
  Bytes offset{0};
  Bytes footprint{0};  // 0: to the end of the device
  std::int64_t flush_every = 0;
  bool fua = false;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check(std::int64_t threads) const;
  // Returns the sizes. The pattern passed check().
  std::vector<IoSize> sizes() const;
  // Returns the smallest footprint with room for the largest request of each thread.
  Bytes least_footprint(std::int64_t threads) const;
};

// Endless source of requests. It deals requests to lanes, one per thread, in turn; each lane has
// its own flushes and, with per_thread, its own region. The sequence therefore does not depend on
// the device or its speed. A request is executed by whichever thread of the agent is free.
class IoGenerator final : public BlockSource {
 public:
  // The pattern's footprint must not be 0.
  IoGenerator(const IoPattern& pattern, std::int64_t threads, std::uint64_t seed,
              std::uint64_t stream);

  bool next(BlockRequest& request) override;
  bool endless() const override { return true; }
  void rewind() override;
  double fraction() const override { return 0; }
  void serialize(Archive& archive) override;

 private:
  // State of one thread's sequence.
  struct Lane {
    std::uint64_t next = 0;   // sequential: next sector within the region
    std::int64_t writes = 0;  // since the last flush; counted only if it flushes
    void serialize(Archive& archive);
  };

  std::uint64_t draw_sectors();
  std::uint64_t place(std::size_t lane, std::uint64_t sectors);

  IoAccess access_;
  std::vector<IoSize> sizes_;
  std::uint64_t all_shares_ = 0;
  std::uint64_t read_chance_;  // probability x 2^32
  std::int64_t flush_every_;
  bool fua_;
  std::uint64_t offset_;      // sectors
  std::uint64_t region_ = 0;  // sectors per region
  std::uint64_t regions_;     // 1: shared
  std::uint64_t step_ = 0;    // sectors between two places: the smallest request size
  std::uint64_t places_ = 1;  // per region
  Zipf ranks_;                // of places (zipf)
  Permutation place_of_;      // from rank to place
  Random start_;              // initial state of random_
  Random random_;
  std::vector<Lane> lanes_;
  std::size_t turn_ = 0;  // the lane of the next request
};

}  // namespace hmsim
