// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <vector>

#include "core/slot_list.h"
#include "policies/page_placement.h"

namespace hmsim {

// Two lists of pages by their latest write. A written page enters the candidates, and a written
// candidate becomes hot. A full list of hot pages demotes its oldest to candidate; full candidates
// forget their oldest. Stream 0 takes hot pages, the last stream the rest; with more than two
// streams, candidates have stream 1. Copies follow the same rule. All operations take constant
// time.
class HotColdRecency final : public PagePlacement {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.real("hot", shares_[kHot], 0, 1, "of the logical pages",
                    {"most pages that are hot", "assumed"});
    parameters.real("candidates", shares_[kCandidate], 0, 1, "of the logical pages",
                    {"most pages that become hot at their next write", "assumed"});
  }
  void connect(const PlacementShape& shape) override {
    for (std::size_t list = 0; list < lists_.size(); ++list) {
      const double pages = shares_[list] * static_cast<double>(shape.pages);
      lists_[list] = {{}, 0, static_cast<std::uint64_t>(pages + 0.5)};
    }
    last_ = shape.streams - 1;
    pages_.assign(shape.pages, Page());
  }
  std::uint32_t host(const HostWrite& write) const override {
    return pages_[write.page].place == kNone ? last_ : 0;
  }
  void on_write(const HostWrite& write) override {
    const auto page = static_cast<std::uint32_t>(write.page);
    const std::uint8_t before = pages_[page].place;
    if (before != kNone) {
      leave(page);
    }
    enter(page, before == kNone ? kCandidate : kHot);
  }
  std::uint32_t copy(const CopiedPage& page) const override {
    const std::uint8_t place = pages_[page.page].place;
    return place == kHot ? 0 : place == kCandidate && last_ > 1 ? 1 : last_;
  }
  void serialize(Archive& archive) override {
    if (archive.loading()) {
      pages_.assign(pages_.size(), Page());
    }
    for (const Place list : {kHot, kCandidate}) {
      lists_[list].count = archive.loading() ? 0 : lists_[list].count;
      serialize_slots(archive, lists_[list].pages, links(), pages_.size(), [&](std::uint32_t page) {
        archive.check(pages_[page].place == kNone, "page in two lists");
        pages_[page].place = list;
        ++lists_[list].count;
      });
      archive.check(lists_[list].count <= lists_[list].most, "too many pages in a list");
    }
  }

 private:
  enum Place : std::uint8_t { kHot, kCandidate, kNone };

  struct Page {
    SlotLink link;
    std::uint8_t place = kNone;
  };
  struct List {
    SlotList pages;  // the latest write last
    std::uint64_t count = 0;
    std::uint64_t most = 0;
  };

  LinksOf<Page, SlotLink> links() { return links_of(pages_.data(), &Page::link); }
  void leave(std::uint32_t page) {
    List& list = lists_[pages_[page].place];
    list.pages.remove(links(), page);
    --list.count;
    pages_[page].place = kNone;
  }
  void enter(std::uint32_t page, std::uint8_t place) {
    List& list = lists_[place];
    list.pages.push_back(links(), page);
    pages_[page].place = place;
    if (++list.count > list.most) {
      const std::uint32_t oldest = list.pages.first;
      leave(oldest);
      if (place == kHot) {
        enter(oldest, kCandidate);
      }
    }
  }

  std::array<double, 2> shares_{0.2, 0.05};
  std::array<List, 2> lists_;
  std::uint32_t last_ = 0;  // stream
  std::vector<Page> pages_;
};

extern const PolicyDescriptor kPolicy_hot_cold_recency{
    PolicyKind::page_placement, "hot_cold_recency",
    "streams by two lists of recently written pages",
    "Chang and Kuo, An adaptive striping architecture for flash memory storage, RTAS 2002",
    make_policy<HotColdRecency>};

}  // namespace hmsim
