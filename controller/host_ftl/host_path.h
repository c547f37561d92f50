// SPDX-License-Identifier: BSD-3-Clause
// The way of requests that the host's FTL sends, and the addresses that it uses.
#pragma once

#include <cstdint>

#include "controller/config/system_config.h"
#include "core/request.h"
#include "core/types.h"
#include "nvdimm/ftl/ftl_shape.h"

namespace hmsim {

// Takes requests of the host's FTL like those of any requester.
class HostPath {
 public:
  virtual ~HostPath() = default;
  // Sends a user's request to its physical address, with a new id; its arrival remains.
  virtual void forward(Request request, Tick now) = 0;
  // Sends a request of the FTL itself, with a new id.
  virtual void originate(Request& request, Tick now) = 0;
};

// Addresses of one HBF channel's pages in the HBF, and of its map and staging pages in the HBM. The
// map and the staging pages are at the end of the HBM. They are not taken from the capacity: their
// addresses only give timing. In data mode their lines hold no bytes of the FTL.
class HbfAddresses {
 public:
  HbfAddresses(const SystemConfig& config, const FtlShape& shape, std::int64_t channel)
      : banks_(shape.luns),
        pages_of_bank_(std::int64_t{shape.blocks} * shape.pages),
        channel_(channel),
        channels_(config.all_channels()),
        entry_(config.nvdimm.ftl.map_entry.value()),
        map_begin_(config.dram_capacity().value() - (channel + 1) * size_of(config, shape)),
        staging_begin_(map_begin_ + map_size(config, shape)) {}

  Address flash(PhysicalPage place, std::int64_t offset = 0) const {
    return Address((page_of(place) * channels_ + channel_) * kPageBytes.value() + offset);
  }
  // Returns the same within the channel.
  Address in_channel(PhysicalPage place, std::int64_t offset) const {
    return Address(page_of(place) * kPageBytes.value() + offset);
  }
  // Returns the page of the channel that an address of the logical space is in.
  LogicalPage logical_page(Address address) const {
    return LogicalPage(address.value() / kPageBytes.value() / channels_);
  }
  // Returns the line of the page's map entry.
  Address map_line(LogicalPage page) const {
    return Address(map_begin_ + page.value() * entry_ / kLineBytes.value() * kLineBytes.value());
  }
  Address staging_line(std::uint32_t copy, std::int64_t line) const {
    return Address(staging_begin_ + copy * kPageBytes.value() + line * kLineBytes.value());
  }

  // Returns the bytes of HBM that the map and the staging pages of a channel take.
  static std::int64_t size_of(const SystemConfig& config, const FtlShape& shape) {
    return map_size(config, shape) +
           std::int64_t{shape.luns} * config.nvdimm.hbf.copies * kPageBytes.value();
  }

 private:
  std::int64_t page_of(PhysicalPage place) const {
    return place.value() % pages_of_bank_ * banks_ + place.value() / pages_of_bank_;
  }
  static std::int64_t map_size(const SystemConfig& config, const FtlShape& shape) {
    const std::int64_t bytes =
        static_cast<std::int64_t>(shape.logical_pages) * config.nvdimm.ftl.map_entry.value();
    return (bytes + kPageBytes.value() - 1) / kPageBytes.value() * kPageBytes.value();
  }

  std::int64_t banks_;
  std::int64_t pages_of_bank_;
  std::int64_t channel_;
  std::int64_t channels_;
  std::int64_t entry_;
  std::int64_t map_begin_;
  std::int64_t staging_begin_;
};

// Data mode: returns the data of a write of the FTL's own HBM lines, which changes no byte.
inline LineData no_data() {
  LineData data;
  data.mask = 0;
  return data;
}

}  // namespace hmsim
