// SPDX-License-Identifier: BSD-3-Clause
// The NVDIMMs of a channel, and the assignment of pages to them.
//
// Pages of a channel are numbered device by device: those of its first NVDIMM, then those of the
// second, and so on. NvdimmInterleave maps pages of the address space to these numbers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"
#include "nvdimm/parameters.h"

namespace hmsim {

inline constexpr std::int64_t kMostNvdimms = 8;  // per channel

enum class Interleave : std::uint8_t { page, range, device };

struct NvdimmPopulation {
  std::int64_t count = 1;
  Interleave interleave = Interleave::page;
  Bytes interleave_size{2LL << 20};
  std::string
      devices;  // keys of devices that differ from the first: "1: kind=pcm, capacity=8GiB; ..."

  // Declares the parameters under "nvdimm.".
  void declare(ParameterSet& parameters);

  // Returns the modules of a channel: copies of `first` with each device's keys from `devices`
  // applied. Appends errors, under the name "nvdimm.devices".
  std::vector<NvdimmParameters> modules(const NvdimmParameters& first,
                                        std::vector<ParameterError>& errors) const;
};

class NvdimmInterleave {
 public:
  struct Place {
    int device = 0;
    std::int64_t page = 0;  // number among those of the channel
  };

  // Precondition: check_interleave() finds no error.
  NvdimmInterleave(const NvdimmPopulation& population,
                   const std::vector<NvdimmParameters>& modules);

  // Returns the location of a page of the channel's address space.
  Place place(std::int64_t page) const {
    if (chunk_ != 0) {
      const std::int64_t chunk = page / chunk_;
      const std::int64_t device = chunk % devices_;
      page = device * ends_.front() + chunk / devices_ * chunk_ + page % chunk_;
    }
    return {device_of(page), page};
  }
  // Returns the device of a page numbered among those of the channel.
  int device_of(std::int64_t page) const {
    int device = 0;
    while (page >= ends_[static_cast<std::size_t>(device)]) {
      ++device;
    }
    return device;
  }

 private:
  std::int64_t devices_;
  std::int64_t chunk_ = 0;          // consecutive pages on one device; 0: all of its pages
  std::vector<std::int64_t> ends_;  // end of each device's pages among those of the channel
};

// Returns the number of 4 KiB pages that a module offers the host.
std::int64_t logical_pages(const NvdimmParameters& module);

// Appends errors of the interleaving. Precondition: each module is valid by itself.
void check_interleave(const NvdimmPopulation& population,
                      const std::vector<NvdimmParameters>& modules,
                      std::vector<ParameterError>& errors);

}  // namespace hmsim
