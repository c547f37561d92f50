// SPDX-License-Identifier: BSD-3-Clause
// The NVDIMM requests of a queue, by flash page: those of a page whose command has not been sent
// form its group, first in, first out. Every call takes constant time, and none allocates.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/slot_list.h"
#include "policies/policy.h"

namespace hmsim {

class PageGroups {
 public:
  // `slots`: of the queue.
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

  // The request takes its slot. The index of its page, which stays until the page's last request
  // has ended.
  std::uint32_t enter(std::uint32_t slot, std::int64_t number) {
    std::uint32_t page = map_.find(number);
    if (page == kNoIndex) {
      page = free_.back();
      free_.pop_back();
      pages_[page] = Page();
      pages_[page].number = number;
      map_.insert(number, page);
    }
    page_of_[slot] = page;
    unsent_[slot] = true;
    ++pages_[page].requests;
    pages_[page].group.push_back(group_links_, slot);
    arrivals_.push_back(arrival_links_, slot);
    return page;
  }
  // Its command is sent.
  void leave_group(std::uint32_t slot) {
    unsent_[slot] = false;
    pages_[page_of_[slot]].group.remove(group_links_, slot);
    arrivals_.remove(arrival_links_, slot);
  }
  // It gives its slot back.
  void end(std::uint32_t slot) {
    const std::uint32_t page = page_of_[slot];
    if (--pages_[page].requests == 0) {
      map_.erase(pages_[page].number);
      free_.push_back(page);
    }
  }

  std::uint32_t page_of(std::uint32_t slot) const { return page_of_[slot]; }
  bool unsent(std::uint32_t slot) const { return unsent_[slot]; }
  // kNoIndex when the group is empty.
  std::uint32_t head(std::uint32_t page) const { return pages_[page].group.first; }
  // The oldest request of all groups.
  std::uint32_t oldest() const { return arrivals_.first; }

  // For the scheduler: the page's turn in its round, and whether one of its lines has been ready,
  // by write. Both are cleared when the page enters.
  std::uint64_t& turn(std::uint32_t page) { return pages_[page].turn; }
  std::uint64_t turn(std::uint32_t page) const { return pages_[page].turn; }
  bool& delivered(std::uint32_t page, bool write) { return pages_[page].delivered[write ? 1 : 0]; }

  void serialize(Archive& archive) {
    archive.fixed(group_links_, arrival_links_, page_of_, pages_);
    archive(free_, arrivals_);
  }
  // Loading: counts the NVDIMM's.
  void check_held(Archive& archive, const HeldRequests& held) {
    unsent_.assign(unsent_.size(), false);
    std::size_t waiting = 0;
    Places unsent(archive, arrival_links_.size(), "requests to pages");
    arrivals_.take_all(arrival_links_, unsent);
    for (const HeldRequest& each : held) {
      const std::uint32_t slot = each.view.slot;
      if (each.view.memory == MemoryClass::nvdimm) {
        archive.check_index(page_of_[slot], pages_.size(), "a request is to no page");
        Page& page = pages_[page_of_[slot]];
        ++page.requests;
        unsent.check(page.number == each.view.row && unsent.has(slot) != each.commanded);
        unsent_[slot] = !each.commanded;
        waiting += each.commanded ? 0 : 1;
      }
    }
    unsent.check(unsent.count() == waiting);
    check_pages(archive, waiting);
  }

 private:
  // Their groups hold what waits; those without a request are unused.
  void check_pages(Archive& archive, std::size_t waiting) {
    Places unused(archive, pages_.size(), "unused pages");
    for (const std::uint32_t page : free_) {
      unused.take(page);
    }
    Places grouped(archive, group_links_.size(), "groups of pages");
    map_.clear();
    for (std::uint32_t page = 0; page < pages_.size(); ++page) {
      unused.check(unused.has(page) == (pages_[page].requests == 0));
      if (!unused.has(page)) {
        pages_[page].group.take_all(group_links_, grouped, [&](std::uint32_t slot) {
          grouped.check(unsent_[slot] && page_of_[slot] == page);
        });
        unused.check(map_.find(pages_[page].number) == kNoIndex);
        map_.insert(pages_[page].number, page);
      }
    }
    grouped.check(grouped.count() == waiting);
  }

  struct Page {
    std::int64_t number = 0;
    std::uint32_t requests = 0;  // that hold a slot
    SlotList group;
    std::uint64_t turn = 0;
    std::array<bool, 2> delivered{};

    void serialize(Archive& archive) { archive(number, group, turn, delivered); }
  };

  std::vector<SlotLink> group_links_;
  std::vector<SlotLink> arrival_links_;
  std::vector<std::uint32_t> page_of_;  // by slot
  std::vector<bool> unsent_;            // by slot
  std::vector<Page> pages_;             // there are never more pages than slots
  std::vector<std::uint32_t> free_;     // pages
  SlotList arrivals_;
  KeyMap map_;
};

}  // namespace hmsim
