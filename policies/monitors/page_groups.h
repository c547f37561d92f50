// SPDX-License-Identifier: BSD-3-Clause
// NVDIMM requests of a queue, grouped by flash page. The requests of a page whose commands have not
// been sent form its group, first in, first out. Every call takes constant time and allocates
// nothing. A call throws Fault if a damaged checkpoint has the slot in an unexpected state.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/key_map.h"
#include "core/slot_list.h"
#include "policies/policy.h"

namespace hmsim {

class PageGroups {
 public:
  // `slots`: size of the queue.
  void resize(std::uint32_t slots) {
    group_links_.resize(slots);
    arrival_links_.resize(slots);
    page_of_.resize(slots, kNoIndex);
    unsent_.resize(slots);
    pages_.resize(slots);
    for (std::uint32_t page = slots; page > 0; --page) {
      free_.push_back(page - 1);
    }
  }

  // Adds the request in `slot`, which targets page `number`. Returns the index of its page, which
  // stays valid until the page's last request has ended.
  std::uint32_t enter(std::uint32_t slot, std::int64_t number) {
    require(page_of_[slot] == kNoIndex);
    std::uint32_t page = map_.find(number);
    if (page == kNoIndex) {
      page = free_.back();
      free_.pop_back();
      pages_[page] = Page();
      pages_[page].number = number;
      map_.insert(number, page);
    }
    page_of_[slot] = page;
    ++pages_[page].requests;
    append(slot, page);
    return page;
  }
  // Removes a request from its group when its command is sent.
  void leave_group(std::uint32_t slot) {
    require(unsent_[slot]);
    unsent_[slot] = false;
    pages_[page_of_[slot]].group.remove(group_links_, slot);
    arrivals_.remove(arrival_links_, slot);
  }
  // Removes a request when it gives its slot back.
  void end(std::uint32_t slot) {
    require(!unsent_[slot]);
    const std::uint32_t page = page_of(slot);
    page_of_[slot] = kNoIndex;
    if (--pages_[page].requests == 0) {
      map_.erase(pages_[page].number);
      free_.push_back(page);
    }
  }

  std::uint32_t page_of(std::uint32_t slot) const {
    require(page_of_[slot] != kNoIndex);
    return page_of_[slot];
  }
  bool unsent(std::uint32_t slot) const { return unsent_[slot]; }
  // Returns the first unsent request of the page, or kNoIndex.
  std::uint32_t head(std::uint32_t page) const { return pages_[page].group.first; }
  // Calls call(slot) for the unsent requests of page `number`, in order of arrival.
  template <class Call>
  void each_unsent(std::int64_t number, Call call) const {
    const std::uint32_t page = map_.find(number);
    for (std::uint32_t slot = page == kNoIndex ? kNoIndex : head(page); slot != kNoIndex;
         slot = group_links_[slot].next) {
      call(slot);
    }
  }
  // Returns the oldest unsent request of all pages, or kNoIndex.
  std::uint32_t oldest() const { return arrivals_.first; }

  // State kept for the scheduler: the page's turn in its round, and whether one of its lines has
  // been ready, for reads and for writes. Both are cleared when the page enters.
  std::uint64_t& turn(std::uint32_t page) { return pages_[page].turn; }
  std::uint64_t turn(std::uint32_t page) const { return pages_[page].turn; }
  bool& delivered(std::uint32_t page, bool write) { return pages_[page].delivered[write ? 1 : 0]; }

  // Saves pages and the order of unsent requests; counts and links are derived from them on
  // loading.
  void serialize(Archive& archive) {
    std::vector<std::uint32_t> unsent;
    for (std::uint32_t slot = arrivals_.first; slot != kNoIndex; slot = arrival_links_[slot].next) {
      unsent.push_back(slot);
    }
    archive.fixed(page_of_, pages_);
    archive(unsent);
    if (archive.loading()) {
      restore(archive, unsent);
    }
  }

 private:
  static void require(bool holds) {
    ensure(holds, "page groups", Tick(0), -1, "state of a request differs from its scheduler's");
  }
  void restore(const Archive& archive, const std::vector<std::uint32_t>& unsent) {
    for (const std::uint32_t page : page_of_) {
      archive.check_index(page, pages_.size(), kNoIndex, "request without a page");
      if (page != kNoIndex) {
        ++pages_[page].requests;
      }
    }
    free_.clear();
    map_.clear();
    for (auto page = static_cast<std::uint32_t>(pages_.size()); page-- > 0;) {
      if (pages_[page].requests == 0) {
        free_.push_back(page);
      } else {
        archive.check(map_.find(pages_[page].number) == kNoIndex, "page listed twice");
        map_.insert(pages_[page].number, page);
      }
    }
    arrivals_ = SlotList();
    unsent_.assign(unsent_.size(), false);
    for (const std::uint32_t slot : unsent) {
      archive.check_index(slot, unsent_.size(), "request without a slot");
      archive.check(!unsent_[slot], "request that waits twice");
      append(slot, page_of(slot));
    }
  }
  void append(std::uint32_t slot, std::uint32_t page) {
    unsent_[slot] = true;
    pages_[page].group.push_back(group_links_, slot);
    arrivals_.push_back(arrival_links_, slot);
  }

  struct Page {
    std::int64_t number = 0;
    std::uint32_t requests = 0;  // that hold a slot
    SlotList group;
    std::uint64_t turn = 0;
    std::array<bool, 2> delivered{};

    void serialize(Archive& archive) { archive(number, turn, delivered); }
  };

  std::vector<SlotLink> group_links_;
  std::vector<SlotLink> arrival_links_;
  std::vector<std::uint32_t> page_of_;  // by slot; kNoIndex: no NVDIMM request holds it
  std::vector<bool> unsent_;            // by slot
  std::vector<Page> pages_;             // at most one page per slot
  std::vector<std::uint32_t> free_;     // free pages
  SlotList arrivals_;
  KeyMap map_;
};

}  // namespace hmsim
