// SPDX-License-Identifier: BSD-3-Clause
// When do GC schedulers let collection take its next step?
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "policies/gc_scheduler.h"

namespace hmsim {
namespace {

constexpr GcTimes kTimes{50 * kMicrosecond, 650 * kMicrosecond, 2000 * kMicrosecond,
                         Tick(20'480'000),  Tick(41'560'000),   5 * kNanosecond};

std::unique_ptr<GcScheduler> make(const std::string& name, const Assignments& own = {}) {
  Assignments assignments;
  for (const Assignment& each : own) {
    assignments.emplace_back("policies." + name + "." + each.first, each.second);
  }
  return create_policy<GcScheduler>(PolicyKind::gc_scheduler, name, assignments);
}

PendingFlash reads(std::uint32_t pages) { return {pages, 0, 0}; }
PendingFlash writes(std::uint32_t pages) { return {0, 0, pages}; }

// 4 channels of 2 LUNs; the LUN has one pending read, the others nothing.
GcView wanted() {
  GcView view;
  view.free_blocks = 4;
  view.due_below = 5;
  view.channels = 4;
  view.luns = 8;
  view.times = &kTimes;
  view.lun = view.channel = view.all = reads(1);
  view.lun.fetchable = 1;
  return view;
}

TEST(GcSchedulers, ReactiveNeverGivesWay) {
  for (const char* name : {"reactive", "reactive_copyback"}) {
    const auto scheduler = make(name);
    EXPECT_TRUE(scheduler->start(wanted()));
    EXPECT_FALSE(scheduler->start_idle(wanted()));
    EXPECT_TRUE(scheduler->copy(wanted()));
    EXPECT_TRUE(scheduler->erase(wanted()).now);
  }
  EXPECT_FALSE(make("reactive")->copyback());
  EXPECT_TRUE(make("reactive_copyback")->copyback());
}

TEST(GcSchedulers, PreemptiveGivesWayToItsLunOnly) {
  const auto scheduler = make("preemptive");
  GcView view = wanted();
  EXPECT_FALSE(scheduler->copy(view));
  EXPECT_FALSE(scheduler->erase(view).now);
  EXPECT_EQ(scheduler->erase(view).reads, 0u);
  view.lun = PendingFlash();
  EXPECT_TRUE(scheduler->copy(view));
  EXPECT_TRUE(scheduler->erase(view).now);
  view.unplaced = 1;
  EXPECT_TRUE(scheduler->copy(view));
  const auto other = make("preemptive", {{"unplaced", "true"}});
  EXPECT_FALSE(other->copy(view));
  EXPECT_FALSE(other->erase(view).now);
  view.unplaced = 0;
  EXPECT_TRUE(other->copy(view));
  EXPECT_TRUE(other->erase(view).now);
  for (const auto& each : {&scheduler, &other}) {
    view.lun = writes(1);
    EXPECT_FALSE((*each)->copy(view)) << "a write is wanted of it";
    EXPECT_FALSE((*each)->erase(view).now);
  }
}

TEST(PendingFlash, IsEmptyWithoutReadsAndWrites) {
  EXPECT_TRUE(PendingFlash().none());
  EXPECT_FALSE(reads(1).none());
  EXPECT_FALSE(writes(1).none());
  PendingFlash both = reads(2);
  both += writes(1);
  EXPECT_FALSE(both.none());
  EXPECT_EQ(both - writes(1), reads(2));
  EXPECT_TRUE((both - both).none());
}

TEST(GcSchedulers, BackgroundCollectsAheadWhileNoRequestIsPending) {
  const auto scheduler = make("background", {{"soft_threshold", "1.6"}});  // 8 blocks
  GcView view = wanted();
  view.lun = view.channel = PendingFlash();
  view.free_blocks = 7;
  EXPECT_TRUE(scheduler->start_idle(view));
  EXPECT_TRUE(scheduler->copy(view));
  view.free_blocks = 8;
  EXPECT_FALSE(scheduler->start_idle(view));
  view.channel = reads(1);
  EXPECT_FALSE(scheduler->copy(view));
  EXPECT_TRUE(scheduler->erase(view).now);  // an erase does not use the channel
  view.lun = view.channel;
  EXPECT_FALSE(scheduler->erase(view).now);
  EXPECT_FALSE(scheduler->start_idle(view));
  view.free_blocks = 4;  // due
  EXPECT_TRUE(scheduler->copy(view));
  EXPECT_TRUE(scheduler->erase(view).now);
}

// Two free blocks are fewer than 2.000002 and not fewer than 2.
TEST(GcSchedulers, BackgroundTakesItsThresholdToAMillionth) {
  for (const bool above : {false, true}) {
    const auto scheduler = make("background", {{"soft_threshold", above ? "1.000001" : "1"}});
    GcView view = wanted();
    view.lun = view.channel = PendingFlash();
    view.free_blocks = view.due_below = 2;
    EXPECT_EQ(scheduler->start_idle(view), above);
  }
}

// T_block = 2 x (20.48 + 0.3) us = 41.56 us = 8312 x 5 ns.
TEST(GcSchedulers, BackgroundAvoidsAWantedLunUntilCollectionIsRequired) {
  const auto scheduler = make("background");
  GcView view = wanted();
  view.free_blocks = view.due_below;
  EXPECT_FALSE(scheduler->start_idle(view)) << "something is wanted of the LUN";
  EXPECT_FALSE(scheduler->copy(view)) << "not due yet";
  view.free_blocks = view.due_below - 1;
  EXPECT_TRUE(scheduler->copy(view));
}

TEST(GcSchedulers, ProactiveCopiesWhileOthersHideIt) {
  const auto scheduler = make("proactive");
  GcView view = wanted();
  view.buffered = 8312;
  EXPECT_FALSE(scheduler->copy(view));
  view.buffered = 8313;
  EXPECT_TRUE(scheduler->copy(view));
  view.buffered = 0;
  EXPECT_FALSE(scheduler->copy(view));
  view.all += reads(1);  // 70.48 us on another channel
  EXPECT_TRUE(scheduler->copy(view));
  view = wanted();
  view.channel = PendingFlash();
  EXPECT_TRUE(scheduler->copy(view)) << "nothing is wanted of the channel";
}

TEST(GcSchedulers, ProactiveReadsItsParameters) {
  GcView view = wanted();
  view.all += reads(1);  // 70.48 us / 3 = 23.5 us; 41.56 us must be hidden
  EXPECT_FALSE(make("proactive", {{"estimate", "parallel"}})->copy(view));
  view = wanted();
  view.all += writes(1);  // 670.48 us / 3
  EXPECT_TRUE(make("proactive", {{"estimate", "parallel"}})->copy(view));
  EXPECT_TRUE(make("proactive", {{"stages", "2"}})->copy(wanted()));
  EXPECT_FALSE(make("proactive", {{"stages", "1"}})->copy(wanted()));
  EXPECT_TRUE(make("proactive", {{"stages", "1"}})->erase(wanted()).now);
  EXPECT_FALSE(make("proactive", {{"stages", "2"}})->erase(wanted()).now);
  EXPECT_FALSE(make("proactive", {{"stages", "2"}})->caches_copied_pages());
  EXPECT_TRUE(make("proactive")->caches_copied_pages());
}

TEST(GcSchedulers, ProactiveSharesItsLunOnRequest) {
  const auto shared = make("proactive", {{"lun", "shared"}});
  GcView view = wanted();
  view.all += writes(3);
  EXPECT_TRUE(make("proactive")->copy(view));
  EXPECT_FALSE(shared->copy(view));
  EXPECT_FALSE(shared->erase(view).now);
  EXPECT_EQ(shared->erase(view).reads, 0u);
  view.lun = PendingFlash();
  EXPECT_TRUE(shared->copy(view));
  EXPECT_TRUE(shared->erase(view).now);
  view.unplaced = 1;
  EXPECT_FALSE(shared->copy(view));
}

// Returns the decision on an erase, which takes T_lun_block = 2000 us = 400,000 x 5 ns. `fetchable`
// is work of the LUN itself, which does not count.
GcErase erase_beside(GcScheduler& scheduler, std::uint32_t buffered, const PendingFlash& others,
                     std::uint32_t fetchable) {
  GcView view = wanted();
  view.lun.fetchable = fetchable;
  view.buffered = buffered;
  view.all += others;
  return scheduler.erase(view);
}

// With a single LUN there is no pending work on others.
TEST(GcSchedulers, ProactiveTakesASingleLunAsItIs) {
  for (const char* const estimate : {"serial", "parallel"}) {
    const auto scheduler = make("proactive", {{"estimate", estimate}});
    GcView view = wanted();
    view.channels = view.luns = 1;
    view.buffered = 8312;
    EXPECT_FALSE(scheduler->copy(view)) << estimate;
    EXPECT_EQ(scheduler->erase(view).reads, 1u) << estimate;
    view.buffered = 400'000;
    EXPECT_TRUE(scheduler->copy(view)) << estimate;
    EXPECT_TRUE(scheduler->erase(view).now) << estimate;
  }
}

TEST(GcSchedulers, ProactiveFetchesPagesBeforeTheErase) {
  const auto serial = make("proactive");
  // Equation 10 gives 400,000 pages; three are pending.
  EXPECT_EQ(erase_beside(*serial, 0, {}, 3).reads, 3u);
  EXPECT_FALSE(erase_beside(*serial, 0, {}, 3).now);
  EXPECT_TRUE(erase_beside(*serial, 0, {}, 0).now) << "none is wanted, or has a frame";
  // 2 writes and 9 reads: 1975.28 us; 24.72 us are missing.
  PendingFlash others = writes(2);
  others += reads(9);
  EXPECT_EQ(erase_beside(*serial, 0, others, 5000).reads, 4944u);
  EXPECT_TRUE(erase_beside(*serial, 0, writes(3), 7).now) << "2011.44 us";
  EXPECT_EQ(erase_beside(*serial, 399'999, {}, 7).reads, 1u);
  EXPECT_EQ(erase_beside(*serial, 399'998, {}, 7).reads, 2u);
  EXPECT_TRUE(erase_beside(*serial, 400'000, {}, 7).now);
  // 20 writes on 7 other LUNs take 13,409.6 us / 7 = 1915.7 us. The erase takes 84.3 us longer.
  const auto parallel = make("proactive", {{"estimate", "parallel"}});
  EXPECT_TRUE(erase_beside(*serial, 0, writes(20), 100'000).now);
  EXPECT_EQ(erase_beside(*parallel, 0, writes(20), 100'000).reads, 16'869u);
}

TEST(PendingFlash, IsEqualIfAllCountsAreEqual) {
  const PendingFlash one{3, 2, 1};
  EXPECT_TRUE(one == (PendingFlash{3, 2, 1}));
  for (const PendingFlash& other :
       {PendingFlash{5, 2, 1}, PendingFlash{3, 5, 1}, PendingFlash{3, 2, 5}}) {
    EXPECT_FALSE(one == other);
  }
}

}  // namespace
}  // namespace hmsim
