// SPDX-License-Identifier: BSD-3-Clause
#include "dram/standard.h"

namespace hmsim {

extern const DramStandard kDramStandard_ddr3;
extern const DramStandard kDramStandard_ddr4;
extern const DramStandard kDramStandard_ddr5;

const std::vector<const DramStandard*>& dram_standards() {
  static const std::vector<const DramStandard*> kStandards{&kDramStandard_ddr3, &kDramStandard_ddr4,
                                                           &kDramStandard_ddr5};
  return kStandards;
}

}  // namespace hmsim
