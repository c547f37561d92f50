// SPDX-License-Identifier: BSD-3-Clause
// Mapping of DRAM and NVDIMM addresses to locations.
//
// Nodes with separate memories have equal, consecutive parts of each class's addresses. The
// channels of node k start at k times the number of channels per node.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "controller/config/address_masks.h"
#include "controller/config/channel_split.h"
#include "controller/config/nvdimm_population.h"
#include "controller/config/system_config.h"
#include "core/types.h"

namespace hmsim {

// Location within a channel.
struct DramPlace {
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
    const std::int64_t number = address.value() >> kLineBits;
    const std::int64_t line = plain_ ? number : hashed(number);
    return {static_cast<int>(field(line, kRank)),
            static_cast<int>(field(line, kGroup) << group_shift_ | field(line, kBank)),
            field(line, kRow), static_cast<int>(field(line, kColumn))};
  }
  NvdimmPlace nvdimm(Address address) const {
    const std::int64_t page = address.value() >> kPageBits;
    const std::int64_t offset = address.value() & ((std::int64_t{1} << kPageBits) - 1);
    const ChannelSplit::Place place = pages_cut_ ? split_.sliced(page) : place_of_page(page);
    NvdimmInterleave::Place own{0, place.unit};
    if (several_) {
      own = interleave_.place(own.page);
    }
    return {static_cast<int>(place.channel), own.device, Address((own.page << kPageBits) | offset),
            own.page};
  }
  // Returns whether the memory of this class has such a line.
  bool holds(MemoryClass memory, Address address) const {
    return address >= Address(0) &&
           (memory == MemoryClass::dram || address.value() < nvdimm_capacity_.value());
  }
  int dram_channel(Address address) const {
    const std::int64_t line = address.value() >> kLineBits;
    return static_cast<int>(lines_cut_ ? field(line, kChannel) : channel_of_line(line));
  }

  // Returns the number of the address's line among the lines of its channel, in address order.
  std::int64_t dram_line(Address address) const {
    const std::int64_t line = address.value() >> kLineBits;
    if (!masks_.empty()) {
      return masks_.in_channel(line % lines_of_node_);
    }
    const std::int64_t whole = lines_cut_ ? line : arranged(line);
    const int shift = slices_[kChannel].shift;
    return (whole >> (shift + split_.bits())) << shift | (whole & ((std::int64_t{1} << shift) - 1));
  }

  // Returns the error of controller.address_map, or "" if it is valid. Among fields, `group` is
  // required for parts with bank groups, where `bank` is the bank within its group, and not allowed
  // for others.
  static std::string check(const SystemConfig& config);
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
  // Returns the number that the fields are cut from: within the node, and with the channel in the
  // place of the part that selects it.
  std::int64_t arranged(std::int64_t line) const;
  // As arranged(), with the bank hash applied to the bank's fields.
  std::int64_t hashed(std::int64_t line) const;
  // Returns the channel within the node, and the channel's units of one line or more. `line`:
  // within the node, mapped by masks_.
  ChannelSplit::Place place_of_line(std::int64_t line) const {
    ChannelSplit::Place place = split_.place(line >> slices_[kChannel].shift);
    if (hash_channels_) {
      place.channel = split_.hashed(place);
    }
    return place;
  }
  std::int64_t channel_of_line(std::int64_t line) const {
    const std::int64_t node = nodes_ == 1 ? 0 : line / lines_of_node_;
    const std::int64_t own = masks_.mapped(line - node * lines_of_node_);
    return place_of_line(own).channel + node * split_.channels();
  }
  // Returns the page's channel and its number there, for every configuration.
  ChannelSplit::Place place_of_page(std::int64_t page) const {
    const std::int64_t node = nodes_ == 1 ? 0 : page / nvdimm_pages_of_node_;
    ChannelSplit::Place place = split_.place(page - node * nvdimm_pages_of_node_);
    place.channel += node * split_.channels();
    return place;
  }
  std::int64_t field(std::int64_t line, Field which) const {
    const Slice& slice = slices_[which];
    return (line >> slice.shift) & slice.mask;
  }

  std::array<Slice, kFields> slices_{};
  bool hash_banks_;
  bool hash_channels_;
  ChannelSplit split_;
  // Whether the channel is a field of a line's and of a page's number.
  bool lines_cut_;
  bool pages_cut_;
  bool plain_;       // lines_cut_, and the banks are not hashed
  int group_shift_;  // bank within the rank >> group_shift_ is its group
  std::int64_t bank_mask_;
  NvdimmInterleave interleave_;
  bool several_;  // more than one NVDIMM per channel
  Bytes nvdimm_capacity_;
  std::int64_t nodes_;
  std::int64_t lines_of_node_;  // of DRAM
  std::int64_t nvdimm_pages_of_node_;
  AddressMasks masks_;
};

}  // namespace hmsim
