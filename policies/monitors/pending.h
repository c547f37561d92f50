// SPDX-License-Identifier: BSD-3-Clause
// Pending requests in order of arrival.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/slot_list.h"
#include "policies/policy.h"

namespace hmsim {

// Keeps one list through the slots, or several (one per bank, one per queue); a request is in at
// most one list. Every call takes constant time. add() throws Fault if a damaged checkpoint already
// has the slot in a list, remove() if it has the slot in none.
class PendingRequests {
 public:
  static constexpr std::uint32_t kNone = kNoIndex;

  void connect(std::size_t slots, std::size_t lists = 1) {
    requests_.resize(slots);
    links_.resize(slots);
    list_of_.resize(slots, kNone);
    lists_.resize(lists);
  }

  void add(const RequestView& request, std::size_t list = 0) {
    ensure(list_of_[request.slot] == kNone, "pending requests", request.arrival,
           static_cast<std::int64_t>(request.id),
           "this request, which arrived then, is already waiting");
    requests_[request.slot] = request;
    list_of_[request.slot] = static_cast<std::uint32_t>(list);
    lists_[list].push_back(links_, request.slot);
    ++size_;
  }
  void remove(std::uint32_t slot) {
    ensure(has(slot), "pending requests", Tick(0), -1, "end of a request that does not wait");
    lists_[list_of_[slot]].remove(links_, slot);
    list_of_[slot] = kNone;
    --size_;
  }

  std::size_t size() const { return size_; }                                       // over all lists
  std::uint32_t oldest(std::size_t list = 0) const { return lists_[list].first; }  // or kNone
  std::uint32_t next(std::uint32_t slot) const { return links_[slot].next; }       // or kNone
  bool has(std::uint32_t slot) const { return list_of_[slot] != kNone; }
  const RequestView& operator[](std::uint32_t slot) const { return requests_[slot]; }
  // Calls see(request) for all requests, list by list, oldest first.
  template <class See>
  void each(See see) const {
    for (const SlotList& list : lists_) {
      for (std::uint32_t slot = list.first; slot != kNone; slot = next(slot)) {
        see(requests_[slot]);
      }
    }
  }

  void serialize(Archive& archive) {
    std::vector<std::vector<RequestView>> saved(lists_.size());
    each([&](const RequestView& request) { saved[list_of_[request.slot]].push_back(request); });
    archive.fixed(saved);
    if (!archive.loading()) {
      return;
    }
    list_of_.assign(list_of_.size(), kNone);
    lists_.assign(lists_.size(), SlotList());
    size_ = 0;
    for (std::size_t list = 0; list < saved.size(); ++list) {
      for (const RequestView& request : saved[list]) {
        archive.check_index(request.slot, links_.size(), "waiting request without a slot");
        add(request, list);
      }
    }
  }

 private:
  std::vector<RequestView> requests_;  // by slot
  std::vector<SlotLink> links_;
  std::vector<std::uint32_t> list_of_;  // by slot, or kNone
  std::vector<SlotList> lists_;
  std::size_t size_ = 0;
};

}  // namespace hmsim
