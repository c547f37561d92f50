// SPDX-License-Identifier: BSD-3-Clause
// Failures of flash cells. A program fails with a fixed probability. An erase may fail once its
// blocks are worn beyond their endurance. A read is repeated with a probability that grows with
// wear.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/archive.h"
#include "core/random.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

class CellFailures {
 public:
  // `seed`: the array's.
  CellFailures(const NandParameters& nand, std::uint64_t seed)
      : endurance_(static_cast<std::uint32_t>(nand.endurance)),
        wear_failure_(chances(nand.wear_failure)),
        program_failure_(chances(nand.program_failure)),
        read_retry_(chances(nand.read_retry)),
        read_retry_limit_(nand.read_retry_limit),
        random_(seed + 1, kStream) {}

  bool program_fails() { return program_failure_ != 0 && random_.chance(program_failure_); }
  // Returns whether an erase fails. `wear()` returns the superblock's erases; called only if
  // needed.
  template <class Wear>
  bool erase_fails(Wear wear) {
    return wear_failure_ != 0 && wear() >= endurance_ && random_.chance(wear_failure_);
  }
  // Returns the number of times that a read is repeated.
  template <class Wear>
  std::int64_t retries(Wear wear) {
    return read_retry_ == 0 ? 0 : draw_retries(wear());
  }

  void serialize(Archive& archive) { archive(random_); }

 private:
  static constexpr std::uint64_t kStream = 2;  // random number stream of the NVDIMM's seed

  // Converts a probability to units of 2^-32.
  static std::uint64_t chances(double share) {
    constexpr double kCertain = 4294967296.0;
    return static_cast<std::uint64_t>(share * kCertain + 0.5);
  }
  std::int64_t draw_retries(std::uint32_t wear) {
    const std::uint64_t counted = std::min(wear, endurance_);
    std::int64_t count = 0;
    while (count < read_retry_limit_ && random_.chance(read_retry_ * counted / endurance_)) {
      ++count;
    }
    return count;
  }

  // Probabilities, in units of 2^-32.
  const std::uint32_t endurance_;
  const std::uint64_t wear_failure_;
  const std::uint64_t program_failure_;
  const std::uint64_t read_retry_;
  const std::int64_t read_retry_limit_;
  Random random_;
};

}  // namespace hmsim
