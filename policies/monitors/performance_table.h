// SPDX-License-Identifier: BSD-3-Clause
// How fast each class of memory serves a pattern alone: the harmonic policy's tables, trained
// offline (docs/schedulers.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policies/monitors/dram_pattern.h"
#include "policies/monitors/nvdimm_pattern.h"
#include "policies/monitors/window.h"

namespace hmsim {

inline constexpr int kStages = 6;  // of utilisation, and of performance

// Upper bounds of the bins; shares and lines x 2^20, depths in requests.
inline constexpr std::array<std::int64_t, 6> kDepthBins{4, 8, 16, 32, 64, INT64_MAX};
inline constexpr std::array<std::int64_t, 4> kStrideBins{1 * kWhole, 16 * kWhole, 128 * kWhole,
                                                         INT64_MAX};
inline constexpr std::array<std::int64_t, 2> kReuseBins = equal_bins<2>(kWhole);
inline constexpr std::array<std::int64_t, 6> kWriteRatioBins = equal_bins<6>(kWhole);
inline constexpr std::array<std::int64_t, 4> kRandomnessBins = equal_bins<4>(kWhole);

inline constexpr std::size_t kDramCells =
    kDepthBins.size() * kStrideBins.size() * kReuseBins.size();
inline constexpr std::size_t kNvdimmCells =
    kWriteRatioBins.size() * kDepthBins.size() * kRandomnessBins.size() * kRandomnessBins.size();

// Bytes by the paper's formula, (4 N + 4 x DRAM cells + 5 x NVDIMM cells) S with S = 1: explicit
// rows of keys and a value, and a table of utilisation for each queue.
inline constexpr std::size_t kPaperTableBytes = 4 * kStages + 4 * kDramCells + 5 * kNvdimmCells;

class PerformanceTable {
 public:
  // Where a pattern's cells of all depths begin.
  static std::size_t cell(const DramPattern& pattern);
  static std::size_t cell(const NvdimmPattern& pattern);

  // What is wrong with a table's text; "" when nothing is. The text is "version 1 dram", 48 rates,
  // "nvdimm", 576 rates: requests per millisecond, the last characteristic's bin counting fastest
  // in the order stride, reuse, depth, and write ratio, random writes, random reads, depth.
  static std::string check(std::string_view text);
  // `text` must pass check().
  void read(std::string_view text);

  // P / P_max, x 2^20, and its stage.
  std::int64_t dram(std::size_t cell, int depth) const { return dram_.share[at(cell, depth)]; }
  std::int64_t nvdimm(std::size_t cell, int depth) const { return nvdimm_.share[at(cell, depth)]; }
  int dram_stage(std::size_t cell, int depth) const { return dram_.stage[at(cell, depth)]; }
  int nvdimm_stage(std::size_t cell, int depth) const { return nvdimm_.stage[at(cell, depth)]; }

  // Of what the table implementation looks up: performance stages, and the bounds of all bins in
  // two bytes each, those of utilisation for each queue.
  static constexpr std::size_t used_bytes() {
    constexpr std::size_t kBounds = 2 * kDepthBins.size() + kStrideBins.size() + kReuseBins.size() +
                                    kWriteRatioBins.size() + 2 * kRandomnessBins.size();
    return sizeof(Class<kDramCells>::stage) + sizeof(Class<kNvdimmCells>::stage) +
           sizeof(std::uint16_t) * (kBounds + 2 * kStages);
  }

 private:
  template <std::size_t N>
  struct Class {
    std::array<std::int32_t, N> share{};
    std::array<std::uint8_t, N> stage{};
    void set(const std::array<std::int64_t, N>& rates);
  };

  static std::size_t at(std::size_t cell, int depth) {
    return cell + static_cast<std::size_t>(bin_of(depth, kDepthBins));
  }

  Class<kDramCells> dram_;
  Class<kNvdimmCells> nvdimm_;
};

}  // namespace hmsim
