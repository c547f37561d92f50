// SPDX-License-Identifier: BSD-3-Clause
// Which NVDIMMs stand on a channel, and which page lies on which of them.
//
// The pages of a channel are numbered device by device: those of its first NVDIMM, then those of
// the second, and so on. Where a page of the address space lies is the interleaving's to say.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"
#include "nvdimm/parameters.h"

namespace hmsim {

inline constexpr std::int64_t kMostNvdimms = 8;  // of a channel

enum class Interleave : std::uint8_t { page, range, device };

struct NvdimmPopulation {
  std::int64_t count = 1;
  Interleave interleave = Interleave::page;
  Bytes interleave_size{2LL << 20};
  std::string
      devices;  // keys of those that are unlike the first: "1: kind=pcm, capacity=8GiB; ..."

  // Binds these under "nvdimm.".
  void declare(ParameterSet& parameters);

  // Of a channel: `first`, but for the keys that `devices` has of each. What is wrong with these is
  // appended, as of "nvdimm.devices".
  std::vector<NvdimmParameters> modules(const NvdimmParameters& first,
                                        std::vector<ParameterError>& errors) const;
};

class NvdimmInterleave {
 public:
  struct Place {
    int device = 0;
    std::int64_t page = 0;  // among those of the channel
  };

  // Of modules that check_interleave() finds nothing wrong with.
  NvdimmInterleave(const NvdimmPopulation& population,
                   const std::vector<NvdimmParameters>& modules);

  // Where the page of the channel's address space lies.
  Place place(std::int64_t page) const {
    if (chunk_ != 0) {
      const std::int64_t chunk = page / chunk_;
      const std::int64_t device = chunk % devices_;
      page = device * ends_.front() + chunk / devices_ * chunk_ + page % chunk_;
    }
    return {device_of(page), page};
  }
  // Of a page among those of the channel.
  int device_of(std::int64_t page) const {
    int device = 0;
    while (page >= ends_[static_cast<std::size_t>(device)]) {
      ++device;
    }
    return device;
  }

 private:
  std::int64_t devices_;
  std::int64_t chunk_ = 0;          // pages that lie together; 0: all of a device
  std::vector<std::int64_t> ends_;  // of each device's pages, among those of the channel
};

// Pages of 4 KiB that a module has for the host.
std::int64_t logical_pages(const NvdimmParameters& module);

// What is wrong with such a population of `modules`, which are right each by itself.
void check_interleave(const NvdimmPopulation& population,
                      const std::vector<NvdimmParameters>& modules,
                      std::vector<ParameterError>& errors);

}  // namespace hmsim
