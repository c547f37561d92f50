// SPDX-License-Identifier: BSD-3-Clause
// Data mode: moves the bytes of requests between their senders and one HBF device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/hbf/page_lines.h"
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
  void take(const Transaction& transaction, const Requester& sender, PageBytes& page) const {
    each_line(transaction.request, [&](const Request& line) {
      put_line(page, offset_of(line.address), sender.write_data(line).bytes);
    });
  }
  // Keeps the bytes of an answer until it arrives at the host.
  void keep(const Transaction& transaction, bool pending, const HbfDevice& device) {
    for (std::int64_t i = 0; i < transaction.request.lines * kLineBytes.value();
         i += kLineBytes.value()) {
      const Address line = transaction.local + Address(i);
      put_line(answered_[transaction.slot], i,
               pending ? device.peek(line) : device.programmed(line));
    }
  }
  void give(const Transaction& transaction, Requester& sender) const {
    std::int64_t offset = 0;
    each_line(transaction.request, [&](const Request& line) {
      sender.on_read_data(line, line_at(answered_[transaction.slot], offset));
      offset += kLineBytes.value();
    });
  }

  void serialize(Archive& archive) {
    for (PageBytes& page : answered_) {
      archive.raw(page.data(), page.size());
    }
  }

 private:
  std::vector<PageBytes> answered_;  // by slot
};

}  // namespace hmsim
