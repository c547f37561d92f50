// SPDX-License-Identifier: BSD-3-Clause
// Where a DRAM or NVDIMM address lies.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "controller/system_config.h"
#include "core/types.h"

namespace hmsim {

struct DramPlace {
  int channel;
  int rank;
  int bank;  // within the rank
  std::int64_t row;
  int column;
};

struct NvdimmPlace {
  int channel;
  Address address;  // within the channel's NVDIMM
};

class AddressMap {
 public:
  explicit AddressMap(const SystemConfig& config);

  DramPlace dram(Address address) const;
  NvdimmPlace nvdimm(Address address) const;
  int dram_channel(Address address) const {
    return static_cast<int>(field(address.value() >> kLineBits, kChannel));
  }

  // What is wrong with a map's text; "" when nothing is.
  static std::string check(const std::string& text);

 private:
  static constexpr int kLineBits = 6;  // log2 of kLineBytes

  enum Field { kRow, kBank, kRank, kColumn, kChannel, kFields };
  struct Slice {
    int shift = 0;
    std::int64_t mask = 0;
  };

  static constexpr std::array<const char*, kFields> kNames{"row", "bank", "rank", "column",
                                                           "channel"};
  std::int64_t field(std::int64_t line, Field which) const {
    const Slice& slice = slices_[which];
    return (line >> slice.shift) & slice.mask;
  }

  std::array<Slice, kFields> slices_{};
  bool hash_banks_;
  int channel_bits_;
};

}  // namespace hmsim
