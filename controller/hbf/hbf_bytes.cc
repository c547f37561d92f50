// SPDX-License-Identifier: BSD-3-Clause
#include "controller/hbf/hbf_bytes.h"

#include <algorithm>

namespace hmsim {

namespace {

constexpr Address kLine(kLineBytes.value());

}  // namespace

void HbfBytes::take(const Transaction& transaction, const Requester& sender,
                    PageBytes& page) const {
  Request line = transaction.request;
  for (std::int64_t i = 0; i < transaction.request.lines; ++i, line.address += kLine) {
    const LineData data = sender.write_data(line);
    const std::int64_t offset = line.address.value() % kPageBytes.value();
    std::copy(data.bytes.begin(), data.bytes.end(), page.begin() + offset);
  }
}

void HbfBytes::keep(const Transaction& transaction, bool pending, const HbfDevice& device) {
  PageBytes& page = answered_[transaction.slot];
  for (std::int64_t i = 0; i < transaction.request.lines; ++i) {
    const Address line = transaction.local + Address(i * kLine.value());
    const LineBytes bytes = pending ? device.peek(line) : device.programmed(line);
    std::copy(bytes.begin(), bytes.end(), page.begin() + i * kLine.value());
  }
}

void HbfBytes::give(const Transaction& transaction, Requester& sender) const {
  Request line = transaction.request;
  const PageBytes& page = answered_[transaction.slot];
  for (std::int64_t i = 0; i < transaction.request.lines; ++i, line.address += kLine) {
    LineBytes bytes;
    std::copy_n(page.begin() + i * kLine.value(), bytes.size(), bytes.begin());
    sender.on_read_data(line, bytes);
  }
}

}  // namespace hmsim
