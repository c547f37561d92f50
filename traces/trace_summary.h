// SPDX-License-Identifier: BSD-3-Clause
// Summary of a trace's accesses, computed in one pass and bounded memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "traces/trace_records.h"

namespace hmsim {

// Number of distinct values: exact up to kMost, then an estimate within about 0.1 % by adaptive
// sampling (Flajolet 1990) of values whose hashes end in zeros.
class DistinctCount {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 20;

  void add(std::uint64_t number);
  // Counts numbers as distinct from all others, without keeping them.
  void add_others(std::uint64_t count) { others_ += count; }
  std::uint64_t count() const { return (std::uint64_t{kept_.size()} << zeros_) + others_; }
  bool exact() const { return zeros_ == 0 && others_ == 0; }

 private:
  bool keeps(std::uint64_t number) const;

  int zeros_ = 0;
  std::uint64_t others_ = 0;
  std::unordered_set<std::uint64_t> kept_;
};

// Counts over time, in at most kBuckets buckets of equal length. The length doubles when time
// exceeds the buckets.
class Intensity {
 public:
  static constexpr std::size_t kBuckets = 128;

  void add(std::uint64_t time, std::size_t kind);
  std::uint64_t length() const { return length_; }  // length of a bucket
  // The buckets up to the latest time, each with its reads and writes.
  const std::vector<std::array<std::uint64_t, 2>>& buckets() const { return buckets_; }

 private:
  std::uint64_t length_ = 1;
  std::vector<std::array<std::uint64_t, 2>> buckets_;
};

// Spatial locality of the accesses to one memory in one direction.
struct RunCounts {
  static constexpr std::uint64_t kPage = 4'096;  // bytes
  static constexpr std::uint64_t kRow = 8'192;

  std::uint64_t accesses = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;       // 64-byte lines touched, counted per access
  std::uint64_t sequential = 0;  // lines that directly follow the previous line
  std::uint64_t page_runs = 0;   // runs of lines within one page
  std::uint64_t row_runs = 0;

  void add(std::uint64_t first_line, std::uint64_t last_line, std::uint64_t size);

 private:
  std::uint64_t last_ = 0;  // previous line
};

// Visits to a memory's pages. A visit lasts while the page is among the kRecent most recently
// accessed.
class PageVisits {
 public:
  static constexpr std::size_t kRecent = 16;
  static constexpr std::uint64_t kMostPages = std::uint64_t{1} << 18;  // of an access, 1 GiB

  // Visits each page of an access. Pages beyond kMostPages count as new, except the last ones.
  void add(std::uint64_t first_line, std::uint64_t last_line);
  std::uint64_t visits() const { return visits_; }
  std::uint64_t lines() const { return lines_; }  // distinct lines, summed over visits
  const DistinctCount& pages() const { return pages_; }

 private:
  struct Visit {
    std::uint64_t page;
    std::uint64_t touched;  // one bit per line
  };
  void touch(std::uint64_t page, std::uint64_t mask);

  std::vector<Visit> recent_;  // most recent first
  std::uint64_t visits_ = 0;
  std::uint64_t lines_ = 0;
  DistinctCount pages_;
};

// Summary of the accesses to two memories.
class TraceSummary {
 public:
  struct Memory {
    std::array<RunCounts, 2> runs;  // reads, writes
    PageVisits visits;
    Intensity intensity;
  };

  enum class Times { none, absolute, from_first };

  // Addresses from `nvdimm` on belong to the second memory. Times count from 0 (`absolute`) or from
  // the first access (`from_first`). With `none`, intensity is per access instead of per time.
  TraceSummary(std::uint64_t nvdimm, Times times) : nvdimm_(nvdimm), times_(times) {}

  void add(const TraceRecord& record);
  const std::array<Memory, 2>& memories() const { return memories_; }
  std::uint64_t sources() const { return sources_.count(); }
  std::uint64_t last_time() const { return last_time_; }

 private:
  std::uint64_t nvdimm_;
  Times times_;
  std::uint64_t accesses_ = 0;
  std::array<Memory, 2> memories_;
  DistinctCount sources_;
  std::optional<std::uint64_t> first_time_;
  std::uint64_t last_time_ = 0;
};

}  // namespace hmsim
