// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of a flash device.
#include <algorithm>

#include "storage/flash_device.h"

namespace hmsim {

void FlashDevice::serialize(Archive& archive) {
  archive.section("flash device");
  io_queue_.serialize(archive);
  archive(driver_, queue_, links_, flash_, events_, pages_, free_slots_, flushing_);
  module_->serialize(archive);
  clock_.serialize(archive);
  if (archive.loading()) {
    index_pages(archive);
    check_indices(archive);
  }
}

// Rebuilds the page counts of requests and the pages of slots. Checks that a page's lines fit its
// slot.
void FlashDevice::index_pages(const Archive& archive) {
  left_.assign(io_queue_.size(), 0);
  std::fill(page_of_.begin(), page_of_.end(), kNoIndex);
  for (const std::uint32_t page : pages_.taken()) {
    const Page& record = pages_[page];
    archive.check_index(record.place, left_.size(), "page without a request");
    archive.check(first_line(record) + lines(record) <= kLinesPerPage, "page too long");
    ++left_[record.place];
    if (record.stage == Stage::flash) {
      archive.check_index(record.slot, page_of_.size(), "page without a slot");
      page_of_[record.slot] = page;
    }
  }
}

void FlashDevice::check_indices(const Archive& archive) const {
  const auto check_place = each_is_one_of(archive, io_queue_.in_use());
  const auto check_page = each_is_one_of(archive, pages_.in_use());
  driver_.waiting().each(check_place);
  queue_.each_waiting(check_place);
  flash_.each_waiting(check_page);
  for (const Server<std::uint32_t>& link : links_) {
    link.waiting().each(check_page);
  }
  events_.each([&](const auto& event) {
    if (event.kind == Event::moved_in || event.kind == Event::moved_out) {
      check_page(event.payload);
    } else {
      check_place(event.payload);
    }
  });
  archive.check_indices(free_slots_, page_of_.size(), "invalid free slot");
  if (flushing_ != kNoIndex) {
    check_place(flushing_);
  }
}

}  // namespace hmsim
