// SPDX-License-Identifier: BSD-3-Clause
// Pseudo-banks of a channel's NVDIMMs: their independently working units. A page belongs to the
// pseudo-bank given by its number modulo the count of its NVDIMM. Pseudo-banks are numbered device
// by device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "nvdimm/design.h"

namespace hmsim {

class PseudoBanks {
 public:
  static constexpr std::int64_t kMost = 64;  // per channel: one bit each in a word

  explicit PseudoBanks(const std::vector<NvdimmParameters>& nvdimms) {
    const auto devices = static_cast<std::int64_t>(nvdimms.size());
    std::int64_t page = 0;
    for (const NvdimmParameters& nvdimm : nvdimms) {
      const NvdimmDesign& design = design_of(nvdimm.kind);
      const std::int64_t banks = std::min(design.units(nvdimm), kMost / devices);
      parts_.push_back({page, count_, banks});
      page += design.logical_capacity(nvdimm) / kPageBytes;
      count_ += banks;
    }
  }

  std::int64_t count() const { return count_; }  // 0 without NVDIMM
  // Returns the pseudo-bank of a page, numbered among those of the channel.
  std::int32_t of(std::int64_t page) const {
    std::size_t device = parts_.size() - 1;
    while (page < parts_[device].first_page) {
      --device;
    }
    const Part& part = parts_[device];
    return static_cast<std::int32_t>(part.first_bank + (page - part.first_page) % part.banks);
  }

 private:
  struct Part {
    std::int64_t first_page;
    std::int64_t first_bank;
    std::int64_t banks;
  };

  std::vector<Part> parts_;  // by device
  std::int64_t count_ = 0;
};

}  // namespace hmsim
