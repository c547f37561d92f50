// SPDX-License-Identifier: BSD-3-Clause
// Do absent pages fault, and does a fault take the time of trap, swap path and device?
#include "storage/pager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/random.h"
#include "storage/host.h"
#include "storage/swap_slots.h"
#include "storage/table_device.h"
#include "tests/cc/states.h"

namespace hmsim {
namespace {

constexpr Tick kTrap = 2 * kMicrosecond;
constexpr Tick kSwap = 5 * kMicrosecond;

PagingParameters frames(std::int64_t count, const char* replacement = "lru") {
  PagingParameters parameters;
  parameters.memory = count * kPageBytes;
  parameters.replacement = replacement;
  return parameters;
}

TableParameters device(const char* time, std::int64_t channels) {
  TableParameters table;
  table.read = table.write = std::string("4KiB=") + time;
  table.channels = channels;
  return table;
}

// Threads with one touch at a time, of pages from next(thread). A page has the same address in all
// of them. The software over the device takes no time.
class PagerRig final {
 public:
  using Touch = std::pair<std::uint64_t, bool>;

  PagerRig(const PagingParameters& parameters, const TableParameters& table,
           std::int64_t pages = 4096, std::uint32_t threads = 16)
      : device_(table, pages * kPageBytes),
        host_(PathParameters(), device_),
        pager(parameters, host_, {}) {
    host_.attach(Wakeup(kernel, kernel.attach(host_)));
    pager.attach(Wakeup(kernel, kernel.attach(pager)));
    for (std::uint32_t i = 0; i < threads; ++i) {
      threads_.push_back(std::make_unique<Thread>(*this));
    }
    kernel.notify_all();
  }

  // Returns whether the page was present.
  bool touch(std::uint32_t thread, Touch which, Tick now) {
    const VirtualPage page{0, which.first};
    if (pager.is_resident(page)) {
      pager.use(page, which.second);
      return true;
    }
    pager.fault(threads_[thread]->client, page, which.second, now);
    return false;
  }
  Tick alone(std::uint64_t page, bool write) {
    const Tick start = kernel.now();
    const bool here = touch(0, {page, write}, start);
    drain();
    return here ? Tick(0) : ended.back().second - start;
  }
  Tick run(std::uint64_t touches, std::uint32_t threads,
           std::function<Touch(std::uint32_t)> which) {
    const Tick start = kernel.now();
    left_ = touches;
    next_ = std::move(which);
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      go(thread, start);
    }
    drain();
    next_ = nullptr;
    return kernel.now() - start;
  }
  void drain() {
    while (kernel.step(kNever)) {
    }
  }
  void serialize(Archive& archive) {
    host_.serialize(archive);
    pager.serialize(archive);
    kernel.serialize(archive);
  }
  std::string saved() { return testing::state_of(*this); }

 private:
  struct Thread final : PagingListener {
    explicit Thread(PagerRig& owner) : rig(owner), client(owner.pager.join(*this)) {}
    void on_page(Tick now) override {
      rig.ended.emplace_back(client, now);
      if (rig.next_) {
        rig.go(client, now);
      }
    }
    PagerRig& rig;
    std::uint16_t client;
  };

  // Touches pages until one has to wait or none are left.
  void go(std::uint32_t thread, Tick now) {
    while (left_ > 0) {
      --left_;
      if (!touch(thread, next_(thread), now)) {
        return;
      }
    }
  }

 public:
  Kernel kernel;

 private:
  TableDevice device_;
  Host host_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::uint64_t left_ = 0;
  std::function<Touch(std::uint32_t)> next_;

 public:
  Pager pager;
  std::vector<std::pair<std::uint32_t, Tick>> ended;
};

TEST(Pager, AFaultTakesTrapSwapPathAndDevice) {
  PagerRig rig(frames(2), device("100us", 1));
  const Tick io = kSwap + 100 * kMicrosecond;
  EXPECT_EQ(rig.alone(0, true), kTrap) << "zeros";
  EXPECT_EQ(rig.alone(0, false), Tick(0));
  EXPECT_EQ(rig.alone(1, false), kTrap);
  EXPECT_EQ(rig.alone(2, true), kTrap + io) << "page 0 is written";
  EXPECT_EQ(rig.alone(0, false), kTrap + io) << "page 1 was never written, page 0 is read";
  EXPECT_EQ(rig.alone(3, true), kTrap + io) << "page 2 is written";
  EXPECT_EQ(rig.alone(2, false), kTrap + io) << "page 0 is clean";
  EXPECT_EQ(rig.alone(1, false), kTrap + io) << "page 3 is written, page 1 is zeros again";
  EXPECT_EQ(rig.pager.counts().zero_fills, 5u);
  EXPECT_EQ(rig.pager.counts().writes, 3u);
  EXPECT_EQ(rig.pager.counts().reads, 2u);
}

// The memory of four pages gives up two at a time: the fault waits for the first to be written, and
// the next fault finds a free frame.
TEST(Pager, AWriteClusterLeavesTogether) {
  PagingParameters parameters = frames(4);
  parameters.write_cluster = 2;
  PagerRig rig(parameters, device("100us", 1));
  const Tick io = kSwap + 100 * kMicrosecond;
  for (std::uint64_t page = 0; page < 4; ++page) {
    EXPECT_EQ(rig.alone(page, true), kTrap);
  }
  EXPECT_EQ(rig.alone(4, true), kTrap + io) << "pages 0 and 1 leave";
  EXPECT_EQ(rig.pager.counts().writes, 2u);
  EXPECT_EQ(rig.alone(5, true), kTrap);
  EXPECT_EQ(rig.alone(6, true), kTrap + io) << "pages 2 and 3 leave";
  EXPECT_EQ(rig.alone(7, true), kTrap);
  EXPECT_EQ(rig.alone(0, false), kTrap + kSwap + 3 * 100 * kMicrosecond)
      << "pages 4 and 5 are written one after another, then page 0 is read";
  EXPECT_EQ(rig.pager.counts().writes, 6u);
}

// Pages 0 to 3 are in slots 0 to 3. The first fault on one of them reads all four: four pages leave
// first, each 5 us after the one before, on a device that serves all at once.
TEST(Pager, AReadClusterBringsTheNeighbouringSlots) {
  for (const std::int64_t write_cluster : {1, 2}) {
    PagingParameters parameters = frames(4);
    parameters.write_cluster = write_cluster;
    parameters.read_cluster = 4;
    PagerRig rig(parameters, device("100us", 16));
    for (std::uint64_t page = 0; page < 8; ++page) {
      rig.alone(page, true);
    }
    const Tick io = kSwap + 100 * kMicrosecond;
    EXPECT_EQ(rig.alone(1, false), kTrap + 2 * io + kSwap) << "page 0 is read before";
    for (const std::uint64_t page : {0, 2, 3}) {
      EXPECT_EQ(rig.alone(page, false), Tick(0)) << page;
    }
    EXPECT_EQ(rig.pager.counts().reads, 4u);
    EXPECT_EQ(rig.pager.counts().read_ahead, 3u);
    EXPECT_EQ(rig.pager.counts().read_ahead_used, 3u);
    EXPECT_EQ(rig.pager.counts().read_ahead_unused, 0u);
  }
}

TEST(SwapSlots, APageGoesToItsOwnSlotOrToTheNextOfAFreeCluster) {
  SwapSlots fixed(10, true);
  SwapSlots slots(1024, false);
  for (std::uint32_t page = 0; page < 600; ++page) {
    fixed.add();
    slots.add();
  }
  fixed.place(7);
  fixed.place(7);
  EXPECT_EQ(fixed.slot_of(7), 7u);
  EXPECT_EQ(fixed.slot_of(6), kNoIndex);
  std::uint32_t next = 0;
  const auto place = [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t page = first; page < first + count; ++page, ++next) {
      slots.place(page);
      ASSERT_EQ(slots.slot_of(page), next) << page;
      ASSERT_EQ(slots.page_at(next), page) << page;
    }
  };
  place(599, 1);
  place(0, 512);
  EXPECT_EQ(slots.page_at(513), kNoIndex);
  place(0, 255);  // up to slot 767
  EXPECT_EQ(slots.page_at(5), kNoIndex) << "page 4 has left";
  place(512, 3);  // page 599 keeps slot 0, so the first cluster is not free
  slots.place(599);
  next = 772;
  place(255, 252);  // up to slot 1023
  next = 0;
  place(300, 2);
}

TEST(SwapSlots, WithoutAFreeClusterAPageGoesToTheNextFreeSlot) {
  SwapSlots slots(300, false);
  for (std::uint32_t page = 0; page < 300; ++page) {
    slots.add();
    slots.place(page);
  }
  slots.place(7);
  EXPECT_EQ(slots.slot_of(7), 7u);
  slots.place(299);
  EXPECT_EQ(slots.slot_of(299), 299u);
}

// By recency: a touch faults unless fewer other pages than frames were touched since.
TEST(Pager, LruFaultsBeyondItsStack) {
  constexpr std::size_t kFrames = 20;
  PagerRig rig(frames(kFrames), device("10us", 1));
  std::list<std::uint64_t> stack;
  Random random(3);
  std::uint64_t faults = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t page = random.below(1 + random.below(100));
    const auto at = std::find(stack.begin(), stack.end(), page);
    faults +=
        at == stack.end() || static_cast<std::size_t>(std::distance(stack.begin(), at)) >= kFrames
            ? 1
            : 0;
    stack.remove(page);
    stack.push_front(page);
    rig.alone(page, random.below(2) == 0);
    ASSERT_EQ(rig.pager.counts().faults, faults) << i;
  }
}

// Random updates by 16 threads to far more pages than frames; each needs two I/Os. With a fast
// device, the swap path's 5 us per I/O are the limit: 100,000 updates per second for any device.
// With a slow one, the device is the limit.
TEST(Pager, ThrashingIsBoundBySwapPathOrDevice) {
  const auto rate = [](const char* time, std::int64_t channels) {
    PagerRig rig(frames(64), device(time, channels), 8192);
    Random random(7);
    std::uint64_t first = 0;
    rig.run(4096, 1, [&](std::uint32_t) { return PagerRig::Touch(first++, true); });
    constexpr std::uint64_t kUpdates = 20'000;
    const Tick took = rig.run(kUpdates, 16, [&](std::uint32_t thread) {
      return PagerRig::Touch(random.below(256) + 256 * thread, true);
    });
    return kUpdates / (static_cast<double>(took.value()) / 1e12);
  };
  for (const char* time : {"1us", "8us", "16us"}) {
    EXPECT_NEAR(rate(time, 64), 100e3, 5e3) << time;  // 1.6 % of the updates hit
  }
  EXPECT_NEAR(rate("75us", 1), 1e6 / 150, 1e6 / 150 * 0.05);
}

// A page number in two address spaces denotes two pages. The device holds two pages, so a third one
// cannot be stored.
TEST(Pager, NumbersPagesOfAllSpacesUpToTheDevicesEnd) {
  PagerRig rig(frames(8), device("10us", 1), 2);
  const auto fault = [&](std::uint16_t space) {
    rig.pager.fault(0, VirtualPage{space, 7}, false, rig.kernel.now());
    rig.drain();
  };
  fault(1);
  EXPECT_FALSE(rig.pager.is_resident(VirtualPage{2, 7}));
  fault(2);
  EXPECT_TRUE(rig.pager.is_resident(VirtualPage{1, 7}));
  EXPECT_TRUE(rig.pager.is_resident(VirtualPage{2, 7}));
  EXPECT_THROW(fault(3), InputError);
}

TEST(Pager, ChecksItsParameters) {
  EXPECT_TRUE(frames(1).check().empty());
  PagingParameters parameters;
  parameters.memory = Bytes(5000);
  parameters.swap = Tick(0);
  const std::vector<ParameterError> errors = parameters.check();
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_NE(errors[0].message.find("nearest: 4KiB"), std::string::npos) << errors[0].message;
  EXPECT_EQ(errors[1].name, "storage.paging.swap");
}

TEST(Pager, ContinuesFromACheckpoint) {
  for (const auto& [replacement, cluster] : {std::pair("lru", 1), {"lirs", 1}, {"lru", 4}}) {
    PagingParameters parameters = frames(6, replacement);
    parameters.write_cluster = parameters.read_cluster = cluster;
    const auto make = [&] {
      return std::make_unique<PagerRig>(parameters, device("20us", 2), 64, 60);
    };
    const auto whole = make();
    Random random(11);
    for (std::uint32_t i = 0; i < 60; ++i) {
      whole->touch(i, {random.below(20), i % 3 == 0}, Tick(0));
    }
    std::vector<std::pair<std::string, std::size_t>> moments;
    for (std::uint64_t step = 0; whole->kernel.step(kNever); ++step) {
      if (step % 7 == 0) {
        moments.emplace_back(whole->saved(), whole->ended.size());
      }
    }
    ASSERT_EQ(whole->ended.size(), 60u);
    for (const auto& [state, before] : moments) {
      const auto rest = make();
      Archive archive(state);
      rest->serialize(archive);
      ASSERT_TRUE(archive.at_end());
      ASSERT_EQ(rest->saved(), state);
      rest->drain();
      ASSERT_TRUE(std::equal(rest->ended.begin(), rest->ended.end(),
                             whole->ended.begin() + static_cast<std::ptrdiff_t>(before),
                             whole->ended.end()));
    }
  }
}

}  // namespace
}  // namespace hmsim
