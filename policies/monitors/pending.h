// SPDX-License-Identifier: BSD-3-Clause
// Requests that wait, in order of arrival.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "core/slot_list.h"
#include "policies/policy.h"

namespace hmsim {

// One list through the slots, or several (of banks, of queues); a request is in at most one. Every
// call takes constant time.
class PendingRequests {
 public:
  static constexpr std::uint32_t kNone = kNoIndex;

  void connect(std::size_t slots, std::size_t lists = 1) {
    requests_.resize(slots);
    links_.resize(slots);
    lists_.resize(lists);
  }

  void add(const RequestView& request, std::size_t list = 0) {
    requests_[request.slot] = request;
    lists_[list].push_back(links_, request.slot);
    ++size_;
  }
  void remove(std::uint32_t slot, std::size_t list = 0) {
    lists_[list].remove(links_, slot);
    --size_;
  }

  std::size_t size() const { return size_; }                                       // of all lists
  std::uint32_t oldest(std::size_t list = 0) const { return lists_[list].first; }  // or kNone
  std::uint32_t next(std::uint32_t slot) const { return links_[slot].next; }       // or kNone
  const RequestView& operator[](std::uint32_t slot) const { return requests_[slot]; }

  void serialize(Archive& archive) {
    archive.fixed(requests_, links_, lists_);
    archive(size_);
  }
  // Loading: each of `held` is in the list list_of(it), and no other is in any; kNoList: in none.
  // They are kept as they are now, but for their epochs.
  static constexpr std::size_t kNoList = ~std::size_t{0};
  template <class ListOf>
  void check_held(Archive& archive, const HeldRequests& held, ListOf list_of) {
    std::vector<std::size_t> found(links_.size(), kNoList);
    Places places(archive, links_.size(), "a policy's requests");
    for (std::size_t list = 0; list < lists_.size(); ++list) {
      lists_[list].take_all(links_, places, [&](std::uint32_t slot) { found[slot] = list; });
    }
    size_ = 0;
    for (const HeldRequest& each : held) {
      const std::uint32_t slot = each.view.slot;
      const std::size_t list = list_of(each);
      places.check(found[slot] == list);
      if (list != kNoList) {
        const std::uint64_t epoch = requests_[slot].epoch;
        requests_[slot] = each.view;
        requests_[slot].epoch = epoch;
        ++size_;
      }
    }
    places.check(size_ == places.count());
  }

 private:
  std::vector<RequestView> requests_;  // by slot, as the links
  std::vector<SlotLink> links_;
  std::vector<SlotList> lists_;
  std::size_t size_ = 0;
};

}  // namespace hmsim
