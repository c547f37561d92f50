// SPDX-License-Identifier: BSD-3-Clause
// After which pages does page-aware scheduling return to taking them in turn?
#include <gtest/gtest.h>

#include "tests/cc/policies/rehearsed.h"

namespace hmsim::testing {
namespace {

class Pages {
 public:
  Pages() : queue_("pas", {{"policies.pas.return_after", "2"}}, kShape) {}

  std::uint32_t enqueue(std::int64_t page) { return queue_.enqueue(nvdimm(0, 0, page)); }
  // An ack as late as this is one of a miss.
  void serve(std::uint32_t request, bool late = false) {
    queue_.command(request);
    queue_.run_to(queue_.now() + (late ? kMicrosecond * 50 : Tick(0)));
    queue_.ack(request);
    queue_.issue(request, false);
    queue_.complete(request);
  }
  void clean() { serve(enqueue(next_++)); }
  // The second request of a page is a miss.
  void thrash() {
    const std::uint32_t first = enqueue(next_);
    const std::uint32_t second = enqueue(next_++);
    serve(first);
    serve(second, true);
  }
  // Whether a page that was begun goes before others.
  bool uses_up() {
    const std::uint32_t first = enqueue(next_);
    const std::uint32_t second = enqueue(next_++);
    const std::uint32_t other = enqueue(next_++);
    queue_.command(first);
    return queue_.key(second) > queue_.key(other);
  }

 private:
  Rehearsal queue_;
  std::int64_t next_ = 0;
};

TEST(PasPages, TwoCleanOnesInARowEndTheUsingUp) {
  Pages never;
  EXPECT_FALSE(never.uses_up());
  Pages pages;
  pages.thrash();
  pages.clean();
  pages.clean();
  EXPECT_FALSE(pages.uses_up());
}

TEST(PasPages, OneThatThrashesBetweenThemBeginsTheCountAnew) {
  Pages pages;
  pages.thrash();
  pages.clean();
  pages.thrash();
  pages.clean();
  EXPECT_TRUE(pages.uses_up());
}

}  // namespace
}  // namespace hmsim::testing
