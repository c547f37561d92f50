// SPDX-License-Identifier: BSD-3-Clause
// Data mode: moves the bytes of requests between their senders and one HBF device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/request.h"
#include "core/types.h"
#include "nvdimm/hbf/hbf_device.h"

namespace hmsim {

class HbfBytes {
 public:
  // `slots`: entries of the host's queue; 0 without data mode.
  explicit HbfBytes(std::size_t slots) : answered_(slots) {}

  bool present() const { return !answered_.empty(); }
  // Moves the bytes of a part of a page to the device.
  void take(const Transaction& transaction, const Requester& sender, PageBytes& page) const;
  // Keeps the bytes of an answer until it arrives at the host.
  void keep(const Transaction& transaction, bool pending, const HbfDevice& device);
  void give(const Transaction& transaction, Requester& sender) const;

  void serialize(Archive& archive) {
    for (PageBytes& page : answered_) {
      archive.raw(page.data(), page.size());
    }
  }

 private:
  std::vector<PageBytes> answered_;  // by slot
};

}  // namespace hmsim
