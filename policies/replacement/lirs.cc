// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "core/errors.h"
#include "core/pool.h"
#include "core/slot_list.h"
#include "policies/buffer/lookahead_rules.h"
#include "policies/buffer_replacement.h"

namespace hmsim {

// Low inter-reference recency set. Low pages (used again soon; all but a few of the frames) stay.
// High pages give their frames up in the order in which they entered the queue.
//
//   stack   by recency: all low pages, and the high pages, with or without a frame, that were used
//           after the least recently used low page, which is at the bottom
//   queue   high pages that have a frame; the victim is the front
//
// A high page used while it is in the stack becomes low, and the low page at the bottom becomes
// high. A use ends when the last command that overlaps it ends, so neighbouring lines requested
// together count as one use. Frames that cannot be given up are skipped. If no high page can be
// given up, the least recently used low page is. The number of remembered pages without a frame is
// bounded.
class Lirs final : public BufferReplacement {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.real("high_share", high_percent_, 0, 100, "percent of the frames",
                    {"frames for pages that are not soon reused",
                     "Jiang and Zhang, SIGMETRICS 2002 (1 percent)"});
    parameters.real("ghosts", ghosts_percent_, 0, 1000, "percent of the frames",
                    {"pages without a frame that are remembered", "assumed"});
  }
  void connect(std::uint64_t capacity) override {
    const std::uint64_t high = std::max<std::uint64_t>(frames_of(high_percent_, capacity), 1);
    low_limit_ = capacity - std::min(high, capacity);
    ghost_limit_ = frames_of(ghosts_percent_, capacity);
  }
  void grow(std::uint32_t count) override { page_of_.resize(count, kNoIndex); }

  // Throws Fault if a damaged checkpoint has another page in the frame, or the page in another
  // frame.
  void listed(std::uint32_t frame, std::int64_t key) override {
    std::uint32_t page = map_.find(key);
    const std::uint32_t held = page_of_[frame];
    ensure(held == page || (held == kNoIndex && pages_[page].frame == kNoIndex), "lirs", Tick(0),
           -1, "page in two frames, or frame with two pages");
    const bool again = page != kNoIndex && pages_[page].in_stack;
    if (page == kNoIndex) {
      page = enter(key);
    }
    Page& entry = pages_[page];
    if (entry.frame == kNoIndex && entry.in_stack) {
      ghosts_.remove(queue_links(), page);
      --ghost_count_;
    } else if (entry.waits) {
      queue_.remove(queue_links(), page);
    }
    entry.frame = frame;
    entry.listed = true;
    entry.waits = false;
    page_of_[frame] = page;
    if (!entry.low && (again || low_count_ < low_limit_) && low_limit_ > 0) {
      entry.low = true;
      ++low_count_;
    }
    to_top(page);
    if (!entry.low) {
      to_queue(page);
    }
    prune();
    if (low_count_ > low_limit_) {
      demote_bottom();
      prune();
    }
  }
  void unlisted(std::uint32_t frame) override { pages_[page_in(frame)].listed = false; }
  void released(std::uint32_t frame) override {
    const std::uint32_t page = page_of_[frame];
    if (page == kNoIndex) {
      return;
    }
    page_of_[frame] = kNoIndex;
    Page& entry = pages_[page];
    entry.frame = kNoIndex;
    if (entry.waits) {
      entry.waits = false;
      queue_.remove(queue_links(), page);
    }
    if (entry.low) {
      entry.low = false;
      --low_count_;
    }
    if (!entry.in_stack) {
      leave(page);
      return;
    }
    ghosts_.push_back(queue_links(), page);
    ++ghost_count_;
    prune();
    while (ghost_count_ > ghost_limit_) {
      forget(ghosts_.first);
    }
  }

  std::uint32_t victim() const override {
    const std::uint32_t high = first_listed(queue_.first);
    return high != kNoIndex ? high : first_low(stack_.first);
  }
  std::uint32_t after(std::uint32_t frame) const override {
    const std::uint32_t page = page_in(frame);
    if (pages_[page].low) {
      return first_low(pages_[page].by_recency.next);
    }
    const std::uint32_t high = first_listed(pages_[page].in_line.next);
    return high != kNoIndex ? high : first_low(stack_.first);
  }

  // Saves pages and the order of the lists; links and counts are derived on loading.
  void serialize(Archive& archive) override {
    std::vector<std::uint32_t> stack = members(stack_, &Page::by_recency);
    std::vector<std::uint32_t> queue = members(queue_, &Page::in_line);
    std::vector<std::uint32_t> ghosts = members(ghosts_, &Page::in_line);
    archive(pages_, stack, queue, ghosts);
    if (archive.loading()) {
      restore_pages(archive);
      restore_lists(archive, stack, queue, ghosts);
    }
  }

 private:
  struct Page {
    std::int64_t key = 0;
    std::uint32_t frame = kNoIndex;
    bool low = false;
    bool in_stack = false;
    bool waits = false;   // in the queue
    bool listed = false;  // can be given up
    SlotLink by_recency;  // in the stack
    SlotLink in_line;     // in the queue or the ghost list

    void serialize(Archive& archive) { archive(key, frame, low, listed); }
  };

  LinksOf<Page, SlotLink> stack_links() { return links_of(pages_.data(), &Page::by_recency); }
  LinksOf<Page, SlotLink> queue_links() { return links_of(pages_.data(), &Page::in_line); }
  std::uint32_t page_in(std::uint32_t frame) const {
    ensure(page_of_[frame] != kNoIndex, "lirs", Tick(0), -1, "unknown page of a frame");
    return page_of_[frame];
  }
  std::vector<std::uint32_t> members(const SlotList& list, SlotLink Page::*link) const {
    std::vector<std::uint32_t> members;
    for (std::uint32_t page = list.first; page != kNoIndex; page = (pages_[page].*link).next) {
      members.push_back(page);
    }
    return members;
  }
  void restore_pages(const Archive& archive) {
    page_of_.assign(page_of_.size(), kNoIndex);
    map_.clear();
    low_count_ = 0;
    for (const std::uint32_t number : pages_.taken()) {
      const Page& page = pages_[number];
      if (page.frame != kNoIndex) {
        archive.check_index(page.frame, page_of_.size(), "page without a frame");
        archive.check(page_of_[page.frame] == kNoIndex, "frame with two pages");
        page_of_[page.frame] = number;
      }
      archive.check(map_.find(page.key) == kNoIndex, "page listed twice");
      map_.insert(page.key, number);
      low_count_ += page.low ? 1 : 0;
    }
  }
  // Restores the lists and checks their invariants. Low pages and ghosts (pages without a frame)
  // are in the stack. A low page is in no other list. A ghost is in the ghost list.
  void restore_lists(const Archive& archive, const std::vector<std::uint32_t>& stack,
                     const std::vector<std::uint32_t>& queue,
                     const std::vector<std::uint32_t>& ghosts) {
    constexpr const char* kWrong = "inconsistent lists of pages";
    stack_ = queue_ = ghosts_ = SlotList();
    for (const std::uint32_t page : stack) {
      archive.check(pages_.holds(page) && !pages_[page].in_stack, kWrong);
      to_top(page);
    }
    for (const std::uint32_t page : queue) {
      archive.check(pages_.holds(page) && pages_[page].frame != kNoIndex, kWrong);
      archive.check(!pages_[page].waits && !pages_[page].low, kWrong);
      to_queue(page);
    }
    std::vector<bool> gone(pages_.size());
    for (const std::uint32_t page : ghosts) {
      archive.check(pages_.holds(page) && !gone[page], kWrong);
      archive.check(pages_[page].frame == kNoIndex, kWrong);
      gone[page] = true;
      ghosts_.push_back(queue_links(), page);
    }
    ghost_count_ = ghosts.size();
    for (const std::uint32_t number : pages_.taken()) {
      const Page& page = pages_[number];
      const bool ghost = page.frame == kNoIndex;
      archive.check(page.in_stack || !(page.low || ghost), kWrong);
      archive.check(ghost == gone[number] && !(ghost && page.low), kWrong);
    }
  }

  std::uint32_t enter(std::int64_t key) {
    const std::uint32_t page = pages_.take();
    pages_[page].key = key;
    map_.insert(key, page);
    return page;
  }
  void leave(std::uint32_t page) {
    map_.erase(pages_[page].key);
    pages_.give_back(page);
  }
  void to_top(std::uint32_t page) {
    if (pages_[page].in_stack) {
      stack_.remove(stack_links(), page);
    }
    pages_[page].in_stack = true;
    stack_.push_back(stack_links(), page);
  }
  void to_queue(std::uint32_t page) {
    pages_[page].waits = true;
    queue_.push_back(queue_links(), page);
  }
  // Removes a ghost page.
  void forget(std::uint32_t page) {
    ghosts_.remove(queue_links(), page);
    --ghost_count_;
    stack_.remove(stack_links(), page);
    leave(page);
  }
  // Makes the page at the bottom of the stack high. Precondition: it is low, which prune() ensures.
  void demote_bottom() {
    const std::uint32_t page = stack_.first;
    pages_[page].low = false;
    --low_count_;
    to_queue(page);
  }
  // Removes high pages from the bottom of the stack.
  void prune() {
    while (!stack_.empty() && !pages_[stack_.first].low) {
      const std::uint32_t page = stack_.first;
      if (pages_[page].frame == kNoIndex) {
        forget(page);
      } else {
        stack_.remove(stack_links(), page);
        pages_[page].in_stack = false;
      }
    }
  }
  std::uint32_t first_listed(std::uint32_t page) const {
    while (page != kNoIndex && !pages_[page].listed) {
      page = pages_[page].in_line.next;
    }
    return page == kNoIndex ? kNoIndex : pages_[page].frame;
  }
  std::uint32_t first_low(std::uint32_t page) const {
    while (page != kNoIndex && !(pages_[page].low && pages_[page].listed)) {
      page = pages_[page].by_recency.next;
    }
    return page == kNoIndex ? kNoIndex : pages_[page].frame;
  }

  double high_percent_ = 1;
  double ghosts_percent_ = 100;
  std::uint64_t low_limit_ = 0;
  std::uint64_t ghost_limit_ = 0;
  Pool<Page> pages_;
  std::vector<std::uint32_t> page_of_;  // by frame
  SlotList stack_;                      // least recently used first
  SlotList queue_;
  SlotList ghosts_;  // oldest first
  std::uint64_t low_count_ = 0;
  std::uint64_t ghost_count_ = 0;
  KeyMap map_;
};

extern const PolicyDescriptor kPolicy_lirs{
    PolicyKind::buffer_replacement, "lirs", "evicts pages that are not soon reused first",
    "Jiang and Zhang, LIRS, SIGMETRICS 2002 (the paper's citation 40); from memory",
    make_policy<Lirs>};

}  // namespace hmsim
