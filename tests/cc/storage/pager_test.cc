// SPDX-License-Identifier: BSD-3-Clause
// Do pages fault when they are not there, and does a fault take trap, swap path and device?
#include "storage/pager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "storage/table_device.h"
#include "tests/cc/words.h"

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

// Threads, each with one touch at a time, of pages that next(thread) tells.
class PagerRig final : public PagingListener {
 public:
  using Touch = std::pair<std::int64_t, bool>;

  PagerRig(const PagingParameters& parameters, const TableParameters& table,
           std::int64_t pages = 4096)
      : pager(parameters, std::make_unique<TableDevice>(table, pages * kPageBytes)),
        id_(kernel.attach(pager)) {
    pager.listen(*this);
    kernel.notify_all();
  }
  void on_page(std::uint32_t tag, Tick now) override {
    ended.emplace_back(tag, now);
    if (next) {
      go(tag, now);
    }
  }
  // Until a touch has to wait, or there are none left.
  void go(std::uint32_t thread, Tick now) {
    while (left > 0) {
      --left;
      const Touch touch = next(thread);
      if (!pager.touch(touch.first, touch.second, thread, now)) {
        return;
      }
    }
  }
  Tick alone(std::int64_t page, bool write) {
    const Tick start = kernel.now();
    const bool here = pager.touch(page, write, 0, start);
    kernel.notify(id_);
    drain();
    return here ? Tick(0) : ended.back().second - start;
  }
  Tick run(std::uint64_t touches, std::uint32_t threads,
           std::function<Touch(std::uint32_t)> which) {
    const Tick start = kernel.now();
    left = touches;
    next = std::move(which);
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      go(thread, start);
    }
    kernel.notify(id_);
    drain();
    next = nullptr;
    return kernel.now() - start;
  }
  void drain() {
    while (kernel.step(kNever)) {
    }
  }
  void serialize(Archive& archive) {
    pager.serialize(archive);
    kernel.serialize(archive);
  }
  std::string saved() {
    Archive archive;
    serialize(archive);
    return archive.bytes();
  }

  Kernel kernel;
  Pager pager;
  std::vector<std::pair<std::uint32_t, Tick>> ended;
  std::uint64_t left = 0;
  std::function<Touch(std::uint32_t)> next;

 private:
  int id_;
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

// By recency: a touch faults unless fewer other pages than frames were touched since.
TEST(Pager, LruFaultsBeyondItsStack) {
  constexpr std::size_t kFrames = 20;
  PagerRig rig(frames(kFrames), device("10us", 1));
  std::list<std::int64_t> stack;
  Random random(3);
  std::uint64_t faults = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto page = static_cast<std::int64_t>(random.below(1 + random.below(100)));
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

// Random updates by 16 threads in far more pages than frames: each needs two I/Os. Where the device
// is fast, the swap path's 5 us for each bound them: 100,000 updates a second, whatever the device;
// where it is slow, the device does.
TEST(Pager, ThrashingIsBoundBySwapPathOrDevice) {
  const auto rate = [](const char* time, std::int64_t channels) {
    PagerRig rig(frames(64), device(time, channels), 8192);
    Random random(7);
    std::uint64_t first = 0;
    rig.run(4096, 1, [&](std::uint32_t) {
      return PagerRig::Touch(static_cast<std::int64_t>(first++), true);
    });
    constexpr std::uint64_t kUpdates = 20'000;
    const Tick took = rig.run(kUpdates, 16, [&](std::uint32_t thread) {
      const auto page = static_cast<std::int64_t>(random.below(256) + 256 * thread);
      return PagerRig::Touch(page, true);
    });
    return kUpdates / (static_cast<double>(took.value()) / 1e12);
  };
  for (const char* time : {"1us", "8us", "16us"}) {
    EXPECT_NEAR(rate(time, 64), 100e3, 5e3) << time;  // 1.6 % of the updates hit
  }
  EXPECT_NEAR(rate("75us", 1), 1e6 / 150, 1e6 / 150 * 0.05);
}

TEST(Pager, ChecksItsParameters) {
  EXPECT_TRUE(frames(1).check().empty());
  PagingParameters parameters;
  parameters.memory = Bytes(5000);
  parameters.swap = Tick(0);
  const std::vector<ParameterError> errors = parameters.check();
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_NE(errors[0].message.find("nearest: 4KiB"), std::string::npos) << errors[0].message;
  EXPECT_EQ(errors[1].name, "paging.swap");
}

TEST(Pager, GoesOnFromACheckpoint) {
  for (const char* replacement : {"lru", "lirs"}) {
    const auto make = [&] {
      return std::make_unique<PagerRig>(frames(6, replacement), device("20us", 2), 64);
    };
    const auto whole = make();
    Random random(11);
    std::uint32_t tag = 0;
    for (int i = 0; i < 60; ++i) {
      whole->pager.touch(static_cast<std::int64_t>(random.below(20)), i % 3 == 0, tag++, Tick(0));
    }
    whole->kernel.notify_all();
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
    const testing::Sweep done =
        testing::sweep(moments[2].first, 300, [&](const std::string& state) {
          const auto other = make();
          Archive archive(state);
          other->serialize(archive);
          archive.check(archive.at_end(), "there is more");
          for (int step = 0; step < 500 && other->kernel.step(kNever); ++step) {
          }
        });
    EXPECT_GT(done.refused, 50);
  }
}

}  // namespace
}  // namespace hmsim
