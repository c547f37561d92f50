// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/cell_failures.h"

#include <algorithm>

namespace hmsim {

namespace {

constexpr std::uint64_t kStream = 2;  // random number stream of the NVDIMM's seed

// Converts a probability to units of 2^-32.
std::uint64_t chances(double share) {
  constexpr double kCertain = 4294967296.0;
  return static_cast<std::uint64_t>(share * kCertain + 0.5);
}

}  // namespace

CellFailures::CellFailures(const NandParameters& nand, std::uint64_t seed)
    : endurance_(static_cast<std::uint32_t>(nand.endurance)),
      wear_failure_(chances(nand.wear_failure)),
      program_failure_(chances(nand.program_failure)),
      read_retry_(chances(nand.read_retry)),
      read_retry_limit_(nand.read_retry_limit),
      random_(seed + 1, kStream) {}

std::int64_t CellFailures::draw_retries(std::uint32_t wear) {
  const std::uint64_t counted = std::min(wear, endurance_);
  std::int64_t count = 0;
  while (count < read_retry_limit_ && random_.chance(read_retry_ * counted / endurance_)) {
    ++count;
  }
  return count;
}

}  // namespace hmsim
