// SPDX-License-Identifier: BSD-3-Clause
// After which pages does page-aware scheduling return to taking pages in turn?
#include <gtest/gtest.h>

#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

class Pages {
 public:
  Pages() : queue_("pas", {{"policies.pas.return_after", "2"}}, shape()) {}

  std::uint32_t enqueue(std::int64_t page) { return queue_.enqueue(nvdimm(0, 0, page)); }
  void serve(std::uint32_t request, Tick delay = Tick(0)) {
    queue_.command(request);
    queue_.run_to(queue_.now() + delay);
    queue_.ack(request);
    queue_.issue(request, false);
    queue_.complete(request);
  }
  void clean() { serve(enqueue(next_++)); }
  // Makes the second request of a page a miss.
  void thrash(Tick delay = 50 * kMicrosecond) {
    const std::uint32_t first = enqueue(next_);
    const std::uint32_t second = enqueue(next_++);
    serve(first);
    serve(second, delay);
  }
  // Returns whether a page that was begun goes before others.
  bool uses_up() {
    const std::uint32_t first = enqueue(next_);
    const std::uint32_t second = enqueue(next_++);
    const std::uint32_t other = enqueue(next_++);
    queue_.command(first);
    return queue_.key(second) > queue_.key(other);
  }

 private:
  static ChannelShape shape() {
    ChannelShape shape = kShape;
    shape.nvdimm_hit_delay = shape.clock_period * 100;
    return shape;
  }

  Rehearsal queue_;
  std::int64_t next_ = 0;
};

TEST(PasPages, TwoCleanPagesInARowEndTheUsingUp) {
  Pages never;
  EXPECT_FALSE(never.uses_up());
  Pages pages;
  pages.thrash();
  pages.clean();
  pages.clean();
  EXPECT_FALSE(pages.uses_up());
}

// 100 cycles plus ten of slack.
TEST(PasPages, AnAckIsLateWhenItIsLaterThanTheLatestOfAHit) {
  for (const Tick later : {Tick(0), Tick(1)}) {
    Pages pages;
    pages.thrash(kShape.clock_period * 110 + later);
    EXPECT_EQ(pages.uses_up(), later > Tick(0));
  }
}

// Data of requests whose commands were sent follow the same rule as DRAM.
TEST(PasPages, DataAreOrderedByRowHits) {
  Rehearsal queue("pas", {}, kShape);
  const std::uint32_t miss = queue.enqueue(nvdimm(0, 0, 1));
  RequestView hit = nvdimm(0, 0, 2);
  hit.row_hit = true;
  const std::uint32_t late = queue.enqueue(hit);
  for (const std::uint32_t number : {miss, late}) {
    queue.command(number);
    queue.ack(number);
  }
  EXPECT_EQ(queue.order(), (std::vector<std::uint32_t>{late, miss}));
  hit.memory = MemoryClass::dram;
  EXPECT_EQ(queue.key(queue.enqueue(hit)), queue.key(late));
  EXPECT_EQ(queue.key(queue.enqueue(dram(0, 0, 1))), queue.key(miss));
}

TEST(PasPages, AThrashBetweenThemRestartsTheCount) {
  Pages pages;
  pages.thrash();
  pages.clean();
  pages.thrash();
  pages.clean();
  EXPECT_TRUE(pages.uses_up());
}

}  // namespace
}  // namespace hmsim::testing
