// SPDX-License-Identifier: BSD-3-Clause
// Block requests that are generated, as XDD and fio generate them: the keys that say which, and the
// source that makes them.
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

// Requests of this size come with probability share / sum of all shares.
struct IoSize {
  std::uint64_t sectors = 0;
  std::uint64_t share = 1;
};

struct IoPattern {
  std::string size = "4KiB";  // one, or SIZE/SHARE, SIZE/SHARE, ...
  double read_share = 1;
  IoAccess access = IoAccess::random;
  double theta = 0.99;
  IoRegions regions = IoRegions::shared;
  Bytes offset{0};
  Bytes footprint{0};  // 0: to the capacity's end
  std::int64_t flush_every = 0;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check(std::int64_t threads) const;
  // The sizes, of a pattern in which check() finds nothing wrong.
  std::vector<IoSize> sizes() const;
  // The least footprint in which each of so many threads finds room for its requests.
  Bytes least_footprint(std::int64_t threads) const;
};

// An endless source. Requests are dealt to the threads in turn: to each its region, if they have
// their own, and its flushes. So they are the same whatever the device is and however long it
// takes; which of an agent's threads carries one out depends on which is free.
class IoGenerator final : public BlockSource {
 public:
  // The pattern's footprint is not 0.
  IoGenerator(const IoPattern& pattern, std::int64_t threads, std::uint64_t seed,
              std::uint64_t stream);

  bool next(BlockRequest& request) override;
  bool endless() const override { return true; }
  void rewind() override;
  double fraction() const override { return 0; }
  void serialize(Archive& archive) override;

 private:
  // What a thread has been dealt.
  struct Lane {
    std::uint64_t next = 0;   // sequential: sector within its region
    std::int64_t writes = 0;  // since its last flush, where it flushes
    void serialize(Archive& archive);
  };

  std::uint64_t draw_sectors();
  std::uint64_t place(std::size_t lane, std::uint64_t sectors);

  IoAccess access_;
  std::vector<IoSize> sizes_;
  std::uint64_t all_shares_ = 0;
  std::uint64_t read_chance_;  // x 2^32
  std::int64_t flush_every_;
  std::uint64_t offset_;      // sectors
  std::uint64_t region_ = 0;  // sectors of each
  std::uint64_t regions_;     // 1: shared
  std::uint64_t step_ = 0;    // sectors between two places: the smallest size
  std::uint64_t places_ = 1;  // of a region
  Zipf ranks_;                // of places
  Permutation place_of_;      // of a rank
  Random start_;              // where draws begin
  Random random_;
  std::vector<Lane> lanes_;
  std::size_t turn_ = 0;  // the lane of the next request
};

}  // namespace hmsim
