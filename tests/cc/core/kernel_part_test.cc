// SPDX-License-Identifier: BSD-3-Clause
// Do a component and its part take turns with each other and with other components?
#include <gtest/gtest.h>

#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/kernel.h"

namespace hmsim::testing {
namespace {

struct Act {
  Tick time;
  char actor;
  bool operator==(const Act& other) const { return time == other.time && actor == other.actor; }
};

// Acts at every multiple of its period.
class Ticker final : public Component {
 public:
  Ticker(Tick period, std::vector<Act>& log) : period_(period), log_(log) {}
  void attach(Kernel& kernel) { kernel.notify(kernel.attach(*this)); }

  Tick next_event() const override { return next_; }
  Tick advance(Tick now) override {
    log_.push_back({now, 't'});
    next_ = now + period_;
    return next_;
  }
  void serialize(Archive& /*archive*/) override {}

 private:
  const Tick period_;
  std::vector<Act>& log_;
  Tick next_{0};
};

// Acts at every multiple of its period and has a part with another period. Logs both.
class Owner final : public Component {
 public:
  Owner(Tick period, Tick period_of_part, std::vector<Act>& log)
      : period_(period), log_(log), part_(period_of_part, log) {}
  void attach(Kernel& kernel) {
    wakeup_ = Wakeup(kernel, kernel.attach(*this));
    part_.wakeup = wakeup_;
    wakeup_.notify();
  }

  Tick next_event() const override { return earlier(next_, part_.next_event()); }
  Tick advance(Tick now) override {
    Tick part = part_.next_event();
    do {
      if (next_ <= now) {
        log_.push_back({now, 'o'});
        next_ = now + period_;
        if (wakes_part_) {
          part_.wake(now + Tick(1));
        }
        part = wakeup_.part_next(part_, part);
      } else {
        wakeup_.begin_part(next_);
        part = part_.advance(now);
      }
      now = earlier(next_, part);
    } while (wakeup_.try_advance_owner(now));
    return now;
  }
  void serialize(Archive& /*archive*/) override {}
  void wake_part() { wakes_part_ = true; }

 private:
  struct Part final : Component {
    Part(Tick period_of_part, std::vector<Act>& log_of_owner)
        : period(period_of_part), log(log_of_owner) {}
    Tick next_event() const override { return next; }
    Tick advance(Tick now) override {
      do {
        log.push_back({now, 'p'});
        next = now + period;
        now = next;
      } while (wakeup.try_advance(now));
      return next;
    }
    void wake(Tick time) {
      next = earlier(next, time);
      wakeup.notify();
    }
    void serialize(Archive& /*archive*/) override {}

    const Tick period;
    std::vector<Act>& log;
    Wakeup wakeup;
    Tick next{0};
  };

  const Tick period_;
  std::vector<Act>& log_;
  Wakeup wakeup_;
  Tick next_{0};
  bool wakes_part_ = false;
  Part part_;
};

// At equal times the owner acts before its part, and both before a component that is attached
// later.
TEST(KernelPart, AnOwnerAndItsPartTakeTurns) {
  Kernel kernel;
  std::vector<Act> log;
  Owner owner(Tick(30), Tick(20), log);
  Ticker other(Tick(50), log);
  owner.attach(kernel);
  other.attach(kernel);
  kernel.run_until(Tick(100));
  EXPECT_EQ(log, (std::vector<Act>{{Tick(0), 'o'},
                                   {Tick(0), 'p'},
                                   {Tick(0), 't'},
                                   {Tick(20), 'p'},
                                   {Tick(30), 'o'},
                                   {Tick(40), 'p'},
                                   {Tick(50), 't'},
                                   {Tick(60), 'o'},
                                   {Tick(60), 'p'},
                                   {Tick(80), 'p'},
                                   {Tick(90), 'o'},
                                   {Tick(100), 'p'},
                                   {Tick(100), 't'}}));
}

TEST(KernelPart, AnOwnerLearnsThatItsPartWasNotified) {
  Kernel kernel;
  std::vector<Act> log;
  Owner owner(Tick(30), Tick(100), log);
  owner.wake_part();
  owner.attach(kernel);
  kernel.run_until(Tick(40));
  EXPECT_EQ(log,
            (std::vector<Act>{{Tick(0), 'o'}, {Tick(0), 'p'}, {Tick(30), 'o'}, {Tick(31), 'p'}}));
}

// Returns the time at which it acts, which is refused only if another component is due then.
class Stuck final : public Component {
 public:
  Tick next_event() const override { return Tick(0); }
  Tick advance(Tick now) override { return now; }
  void serialize(Archive& /*archive*/) override {}
};

TEST(KernelPart, AComponentMustAdvanceUnlessAnotherIsScheduled) {
  Kernel kernel;
  Stuck stuck;
  std::vector<Act> log;
  Ticker ticker(Tick(10), log);
  kernel.notify(kernel.attach(stuck));
  ticker.attach(kernel);
  EXPECT_TRUE(kernel.step(kNever));
  Kernel alone;
  alone.notify(alone.attach(stuck));
  EXPECT_THROW(alone.step(kNever), Fault);
}

}  // namespace
}  // namespace hmsim::testing
