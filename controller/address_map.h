// SPDX-License-Identifier: BSD-3-Clause
// Mapping of DRAM and NVDIMM addresses to locations.
//
// Nodes with separate memories have equal, consecutive parts of each class's addresses. The
// channels of node k start at k times the number of channels per node.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "controller/nvdimm_population.h"
#include "controller/system_config.h"
#include "core/types.h"

namespace hmsim {

struct DramPlace {
  int channel;
  int rank;
  int bank;  // within the rank; banks of a bank group are adjacent
  std::int64_t row;
  int column;
};

struct NvdimmPlace {
  int channel;
  int device;       // NVDIMM number on the channel
  Address address;  // within the channel's NVDIMMs, device by device
  std::int64_t page;
};

class AddressMap {
 public:
  explicit AddressMap(const SystemConfig& config);

  DramPlace dram(Address address) const {
    const std::int64_t line = address.value() >> kLineBits;
    DramPlace place{dram_channel(address), static_cast<int>(field(line, kRank)),
                    static_cast<int>(field(line, kGroup) << group_shift_ | field(line, kBank)),
                    field(line, kRow), static_cast<int>(field(line, kColumn))};
    if (hash_banks_) {
      place.bank ^= static_cast<int>(place.row & bank_mask_);
    }
    return place;
  }
  NvdimmPlace nvdimm(Address address) const {
    const std::int64_t node = nodes_ == 1 ? 0 : address.value() / nvdimm_of_node_;
    const std::int64_t page = (address.value() - node * nvdimm_of_node_) >> kPageBits;
    const std::int64_t offset = address.value() & ((std::int64_t{1} << kPageBits) - 1);
    const auto channel = static_cast<int>((page & channel_mask_) + (node << channel_bits_));
    NvdimmInterleave::Place own{0, page >> channel_bits_};
    if (several_) {
      own = interleave_.place(own.page);
    }
    return {channel, own.device, Address((own.page << kPageBits) | offset), own.page};
  }
  // Returns whether the memory of this class has such a line.
  bool holds(MemoryClass memory, Address address) const {
    return address >= Address(0) &&
           (memory == MemoryClass::dram || address.value() < nvdimm_capacity_.value());
  }
  int dram_channel(Address address) const {
    const std::int64_t line = address.value() >> kLineBits;
    const std::int64_t node = nodes_ == 1 ? 0 : line / lines_of_node_;
    return static_cast<int>(field(line, kChannel) + (node << channel_bits_));
  }

  // Returns the number of the address's line among the lines of its channel, in address order.
  std::int64_t dram_line(Address address) const {
    const std::int64_t system_line = address.value() >> kLineBits;
    const std::int64_t line = nodes_ == 1 ? system_line : system_line % lines_of_node_;
    const int shift = slices_[kChannel].shift;
    return (line >> (shift + channel_bits_)) << shift | (line & ((std::int64_t{1} << shift) - 1));
  }

  // Returns the error of a map's text, or "" if it is valid. `group` is required for parts with
  // bank groups, where `bank` is the bank within its group, and not allowed for others.
  static std::string check(const std::string& text, const DramOrganisation& part);
  // Returns the default map. Without bank groups the lines of a row are consecutive. With bank
  // groups they alternate with lines of other groups, so that a stream pays the short tCCD between
  // column commands.
  static std::string default_map(const DramOrganisation& part, bool own_buses = false);

 private:
  static constexpr int kLineBits = 6;   // log2 of kLineBytes
  static constexpr int kPageBits = 12;  // log2 of kPageBytes

  enum Field { kRow, kBank, kRank, kColumn, kChannel, kGroup, kFields };
  struct Slice {
    int shift = 0;
    std::int64_t mask = 0;
  };

  static constexpr std::array<const char*, kFields> kNames{"row",    "bank",    "rank",
                                                           "column", "channel", "group"};
  std::int64_t field(std::int64_t line, Field which) const {
    const Slice& slice = slices_[which];
    return (line >> slice.shift) & slice.mask;
  }

  std::array<Slice, kFields> slices_{};
  bool hash_banks_;
  int channel_bits_;
  std::int64_t channel_mask_;
  int group_shift_;  // bank within the rank >> group_shift_ is its group
  std::int64_t bank_mask_;
  NvdimmInterleave interleave_;
  bool several_;  // more than one NVDIMM per channel
  Bytes nvdimm_capacity_;
  std::int64_t nodes_;
  std::int64_t lines_of_node_;   // of DRAM; a power of two
  std::int64_t nvdimm_of_node_;  // bytes, a multiple of the page size
};

}  // namespace hmsim
