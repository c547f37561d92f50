// SPDX-License-Identifier: BSD-3-Clause
// Measured service rate of each memory class for each access pattern, alone in the system. The
// harmonic policy trains these tables offline (docs/schedulers.md).
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

inline constexpr int kStages = 6;  // of utilisation and of performance

// Upper bounds of the bins. Shares and lines are scaled by 2^20; depths are in requests.
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

// Table size in bytes by the paper's formula, (4 N + 4 x DRAM cells + 5 x NVDIMM cells) S with S =
// 1. It assumes explicit rows of keys and a value, and a utilisation table for each queue.
inline constexpr std::size_t kPaperTableBytes = 4 * kStages + 4 * kDramCells + 5 * kNvdimmCells;

class PerformanceTable {
 public:
  // Returns the first cell of a pattern; the cells of all depths follow it.
  static std::size_t cell(const DramPattern& pattern);
  static std::size_t cell(const NvdimmPattern& pattern);

  // Returns the error of a table's text, or "" if it is valid. The text is "version 1 dram", 48
  // rates, "nvdimm", 576 rates. Rates are in requests per millisecond. The last characteristic
  // varies fastest, in the order stride, reuse, depth for DRAM, and write ratio, random writes,
  // random reads, depth for the NVDIMM.
  static std::string check(std::string_view text);
  // Precondition: check(text) returns "".
  void read(std::string_view text);

  // Return P / P_max, scaled by 2^20, and its stage.
  std::int64_t dram(std::size_t cell, int depth) const { return dram_.share[at(cell, depth)]; }
  std::int64_t nvdimm(std::size_t cell, int depth) const { return nvdimm_.share[at(cell, depth)]; }
  int dram_stage(std::size_t cell, int depth) const { return dram_.stage[at(cell, depth)]; }
  int nvdimm_stage(std::size_t cell, int depth) const { return nvdimm_.stage[at(cell, depth)]; }

  // Returns the bytes that the table implementation looks up: performance stages, and the bounds of
  // all bins at two bytes each, with utilisation bounds for each queue.
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
