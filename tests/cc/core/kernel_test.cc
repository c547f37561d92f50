// SPDX-License-Identifier: BSD-3-Clause
// Which component acts when, and how far may it continue by itself?
#include "core/kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/random.h"

namespace hmsim::testing {
namespace {

constexpr int kMovesOfAStep = 64;

// Acts at every multiple of its period and continues by itself as far as permitted.
class Clock final : public Component {
 public:
  explicit Clock(Tick period, bool answers = false) : period_(period), answers_(answers) {}
  void attach(Kernel& kernel) {
    kernel_ = &kernel;
    wakeup_ = Wakeup(kernel, kernel.attach(*this));
    wakeup_.notify();
  }

  Tick next_event() const override { return next_; }
  Tick advance(Tick now) override {
    act(now);
    while (wakeup_.try_advance(next_)) {
      EXPECT_EQ(kernel_->now(), next_);
      act(next_);
    }
    return next_;
  }
  void serialize(Archive& /*archive*/) override {}

  // Pauses at its event with this number.
  void pause_at(std::size_t event) { pause_at_ = event; }
  const std::vector<Tick>& events() const { return events_; }
  const Wakeup& wakeup() const { return wakeup_; }

 private:
  void act(Tick now) {
    events_.push_back(now);
    next_ = now + period_;
    if (answers_) {
      wakeup_.called_back();
    }
    if (events_.size() == pause_at_) {
      wakeup_.pause();
    }
  }

  const Tick period_;
  const bool answers_;
  Kernel* kernel_ = nullptr;
  Wakeup wakeup_;
  Tick next_{0};
  std::size_t pause_at_ = 0;
  std::vector<Tick> events_;
};

TEST(Kernel, AStepHoldsAtMostSixteenMovesBeyondItsEvent) {
  Kernel kernel;
  Clock clock(Tick(10));
  clock.attach(kernel);
  ASSERT_TRUE(kernel.step(kNever));
  EXPECT_EQ(clock.events().size(), 1U + kMovesOfAStep);
  EXPECT_EQ(kernel.now(), Tick(10 * kMovesOfAStep));
  ASSERT_TRUE(kernel.step(kNever));
  EXPECT_EQ(clock.events().size(), 2U * (1 + kMovesOfAStep));
}

TEST(Kernel, AComponentContinuesUpToTheLimitAndToOthersEvents) {
  Kernel kernel;
  Clock fast(Tick(10));
  Clock slow(Tick(45));
  fast.attach(kernel);
  slow.attach(kernel);
  ASSERT_TRUE(kernel.step(kNever));  // at 0 the other one is due as well
  EXPECT_EQ(fast.events().size(), 1U);
  // The slow one's turn; the fast one is due before its next event.
  ASSERT_TRUE(kernel.step(kNever));
  EXPECT_EQ(slow.events().size(), 1U);
  ASSERT_TRUE(kernel.step(Tick(30)));
  EXPECT_EQ(fast.events().back(), Tick(30));
  EXPECT_FALSE(kernel.step(Tick(30)));
  ASSERT_TRUE(kernel.step(kNever));
  EXPECT_EQ(fast.events().back(), Tick(40));
}

TEST(Kernel, EachStepShowsItsAnswers) {
  Kernel kernel;
  Clock clock(Tick(10), true);
  clock.attach(kernel);
  ASSERT_TRUE(kernel.step(kNever));
  EXPECT_EQ(clock.events().size(), 1U);
  std::uint64_t steps = 1;
  ASSERT_TRUE(kernel.run(kNever, steps));
  EXPECT_EQ(steps, 0U);
  EXPECT_EQ(clock.events().size(), 2U + kMovesOfAStep);
}

TEST(Kernel, RunEndsAfterTheEventThatPausedIt) {
  Kernel kernel;
  Clock clock(Tick(10), true);
  clock.attach(kernel);
  clock.pause_at(21);
  std::uint64_t steps = 100;
  ASSERT_TRUE(kernel.run(kNever, steps));
  EXPECT_EQ(clock.events().size(), 21U);
  EXPECT_EQ(kernel.now(), Tick(200));
  EXPECT_FALSE(kernel.run(Tick(250), steps));  // nothing more is due
  EXPECT_EQ(clock.events().back(), Tick(250));
}

TEST(Kernel, RunUntilPassesOverPauses) {
  Kernel kernel;
  Clock clock(Tick(10));
  clock.attach(kernel);
  clock.pause_at(3);
  kernel.run_until(Tick(95));
  EXPECT_EQ(clock.events().size(), 10U);
  EXPECT_EQ(kernel.now(), Tick(95));
}

// Records, when it acts, which components' turns at the current time are over.
class Witness final : public Component {
 public:
  Tick next_event() const override { return next_; }
  Tick advance(Tick now) override {
    for (const Wakeup& each : *wakeups) {
      over.push_back(each.later_component_acted(now));
      EXPECT_FALSE(each.later_component_acted(now + Tick(1)));
    }
    next_ = kNever;
    return next_;
  }
  void serialize(Archive& /*archive*/) override {}

  const std::vector<Wakeup>* wakeups = nullptr;
  std::vector<bool> over;

 private:
  Tick next_{5};
};

TEST(Kernel, TurnsAtOneTimeAreOverOnceALaterComponentHasActed) {
  Kernel kernel;
  std::vector<Wakeup> wakeups;
  Witness first;
  Witness second;
  Witness third;
  for (Witness* const each : {&first, &second, &third}) {
    each->wakeups = &wakeups;
    wakeups.emplace_back(kernel, kernel.attach(*each));
    wakeups.back().notify();
  }
  while (kernel.step(kNever)) {
  }
  EXPECT_EQ(first.over, (std::vector<bool>{false, false, false}));
  EXPECT_EQ(second.over, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(third.over, (std::vector<bool>{true, true, false}));
}

TEST(Kernel, AComponentThatAdvancesHasItsTurnAtTheNewTime) {
  Kernel kernel;
  Clock first(Tick(10));
  Clock second(Tick(10'000));
  first.attach(kernel);
  second.attach(kernel);
  ASSERT_TRUE(kernel.step(kNever));
  ASSERT_TRUE(kernel.step(kNever));  // the second one, at 0
  EXPECT_TRUE(first.wakeup().later_component_acted(Tick(0)));
  ASSERT_TRUE(kernel.step(kNever));
  EXPECT_FALSE(first.wakeup().later_component_acted(kernel.now()));
  EXPECT_FALSE(second.wakeup().later_component_acted(kernel.now()));
}

// Acts at every multiple of its period and defers that whenever permitted.
class Sleeper final : public Component {
 public:
  explicit Sleeper(Tick period) : period_(period) {}
  void attach(Kernel& kernel) {
    wakeup_ = Wakeup(kernel, kernel.attach(*this));
    wakeup_.notify();
  }

  Tick next_event() const override { return asleep_ ? kNever : due_; }
  Tick advance(Tick now) override {
    ++steps_;
    if (wakeup_.may_defer()) {
      asleep_ = true;
    } else {
      act(now);
    }
    return next_event();
  }
  Tick catch_up(Tick time) override {
    Tick last(-1);
    while (asleep_ && due_ < time) {
      last = due_;
      act(due_);
    }
    asleep_ = false;
    return last;
  }
  void serialize(Archive& /*archive*/) override {}

  std::size_t events() const { return events_; }
  int steps() const { return steps_; }
  const Wakeup& wakeup() const { return wakeup_; }

 private:
  void act(Tick now) {
    ++events_;
    due_ = now + period_;
  }

  const Tick period_;
  Wakeup wakeup_;
  Tick due_{0};
  bool asleep_ = false;
  std::size_t events_ = 0;
  int steps_ = 0;
};

TEST(Kernel, DeferredWorkIsDoneWhenARunEnds) {
  Kernel kernel;
  Sleeper sleeper(Tick(10));
  sleeper.attach(kernel);
  for (int run = 1; run <= 3; ++run) {
    kernel.run_until(Tick(run * 1000 - 1));
    EXPECT_EQ(sleeper.events(), static_cast<std::size_t>(run) * 100) << "those due by the limit";
    EXPECT_EQ(sleeper.steps(), run) << "one step, for the first";
    EXPECT_EQ(kernel.next_event(), Tick(run * 1000));
  }
}

TEST(Kernel, SteppingByHandDefersNothing) {
  Kernel kernel;
  Sleeper sleeper(Tick(10));
  sleeper.attach(kernel);
  for (std::size_t event = 1; event <= 20; ++event) {
    ASSERT_TRUE(kernel.step(kNever));
    EXPECT_EQ(sleeper.events(), event);
  }
}

// Same as without deferral: components ahead of the pausing one have had their turn at that time.
TEST(Kernel, APauseLeavesLaterComponentsPending) {
  Kernel kernel;
  Sleeper before(Tick(10));
  Clock pausing(Tick(100));
  Sleeper after(Tick(10));
  before.attach(kernel);
  pausing.attach(kernel);
  after.attach(kernel);
  pausing.pause_at(6);
  std::uint64_t steps = 1000;
  ASSERT_TRUE(kernel.run(kNever, steps));
  EXPECT_EQ(kernel.now(), Tick(500));
  EXPECT_EQ(before.events(), 51u);
  EXPECT_EQ(after.events(), 50u);
  EXPECT_TRUE(before.wakeup().later_component_acted(kernel.now()));
  EXPECT_FALSE(after.wakeup().later_component_acted(kernel.now()));
}

TEST(Kernel, ACallerEntersAheadOfAllComponents) {
  Kernel kernel;
  Clock clock(Tick(10));
  Witness idle;
  clock.attach(kernel);
  kernel.attach(idle);
  kernel.run_until(Tick(29));
  kernel.enter(Tick(30));
  EXPECT_EQ(kernel.now(), Tick(30));
  EXPECT_FALSE(clock.wakeup().later_component_acted(Tick(30)));
  EXPECT_EQ(clock.events().back(), Tick(20));
  ASSERT_TRUE(kernel.step(Tick(30)));
  EXPECT_EQ(clock.events().back(), Tick(30)) << "the event at this time remains";
  EXPECT_THROW(kernel.enter(Tick(29)), Fault);
}

TEST(Kernel, DeferredEventsCountAsTurns) {
  Kernel kernel;
  Clock first(Tick(1000));
  Sleeper second(Tick(10));
  first.attach(kernel);
  second.attach(kernel);
  kernel.run_until(Tick(50));
  EXPECT_EQ(second.events(), 6u);
  EXPECT_TRUE(first.wakeup().later_component_acted(kernel.now()));
  EXPECT_FALSE(second.wakeup().later_component_acted(kernel.now()));
}

// Acts at random times, and gives others random times from the present one on.
class Actor final : public Component {
 public:
  using All = std::vector<std::unique_ptr<Actor>>;
  Actor(const All& all, Random& random) : all_(all), random_(random) {}

  Tick next_event() const override { return next_; }
  Tick advance(Tick now) override {
    for (auto count = random_.below(3); count > 0; --count) {
      Actor& other = *all_[random_.below(all_.size())];
      if (&other != this) {
        other.next_ = after(now, 0);
        other.wakeup.notify(other.next_);
      }
    }
    next_ = after(now, 1);
    acted.push_back(now);
    return next_;
  }
  void serialize(Archive& /*archive*/) override {}

  Wakeup wakeup;
  std::vector<Tick> acted;

 private:
  Tick after(Tick now, int least) {
    return now + Tick(least + static_cast<std::int64_t>(random_.below(4)));
  }

  const All& all_;
  Random& random_;
  Tick next_{0};
};

// Returns when each of `count` actors acts in 2,000 steps of a kernel, or of comparisons of all.
std::vector<std::vector<Tick>> acts_of(std::uint64_t count, bool by_kernel) {
  Random random(count);
  Actor::All all;
  Kernel kernel;
  for (std::uint64_t i = 0; i < count; ++i) {
    all.push_back(std::make_unique<Actor>(all, random));
    if (by_kernel) {
      all.back()->wakeup = Wakeup(kernel, kernel.attach(*all.back()));
    }
  }
  std::uint64_t steps = 2000;
  if (by_kernel) {
    kernel.notify_all();
    kernel.run(kNever, steps);
  }
  for (; steps > 0; --steps) {
    Actor& first = **std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a->next_event() < b->next_event();
    });
    first.advance(first.next_event());
  }
  std::vector<std::vector<Tick>> acts;
  for (const auto& each : all) {
    acts.push_back(each->acted);
  }
  return acts;
}

TEST(Kernel, ChoosesAsIfItComparedAllComponentsForEachStep) {
  for (std::uint64_t count = 1; count <= 40; ++count) {
    EXPECT_EQ(acts_of(count, true), acts_of(count, false));
  }
}

}  // namespace
}  // namespace hmsim::testing
