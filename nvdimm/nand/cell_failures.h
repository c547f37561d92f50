// SPDX-License-Identifier: BSD-3-Clause
// Whether cells fail: a program with a fixed probability; an erase, once its blocks are worn beyond
// their endurance; a read is repeated with a probability that grows with wear.
#pragma once

#include <cstdint>

#include "core/archive.h"
#include "core/random.h"
#include "nvdimm/nand/nand_parameters.h"

namespace hmsim {

class CellFailures {
 public:
  // `seed`: of the array.
  CellFailures(const NandParameters& nand, std::uint64_t seed);

  bool program_fails() { return program_failure_ != 0 && random_.chance(program_failure_); }
  // wear(): erases of the superblock so far. It is asked for where it matters only.
  template <class Wear>
  bool erase_fails(Wear wear) {
    return wear_failure_ != 0 && wear() >= endurance_ && random_.chance(wear_failure_);
  }
  // How often a read is repeated.
  template <class Wear>
  std::int64_t retries(Wear wear) {
    return read_retry_ == 0 ? 0 : draw_retries(wear());
  }

  void serialize(Archive& archive) { archive(random_); }

 private:
  std::int64_t draw_retries(std::uint32_t wear);

  // Probabilities are chances in 2^32.
  const std::uint32_t endurance_;
  const std::uint64_t wear_failure_;
  const std::uint64_t program_failure_;
  const std::uint64_t read_retry_;
  const std::int64_t read_retry_limit_;
  Random random_;
};

}  // namespace hmsim
