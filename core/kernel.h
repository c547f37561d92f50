// SPDX-License-Identifier: BSD-3-Clause
// The event kernel: advances whichever component has the earliest next event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/types.h"

namespace hmsim {

class Archive;

// A part that acts at moments of its own. Contract: next_event() is a lower bound on the next time
// at which advance() would change anything, kNever when only a neighbour can cause that; advance()
// is called with now >= next_event(), and returns next_event(), > now. It may go on to further
// events of its own for which Wakeup::go_on() gives leave; not, if it told a neighbour of anything
// by other means than a notify().
//
// Where Wakeup::puts_off() gives leave, it may put off events that nobody sees until it is told of
// something; next_event() does not count them. catch_up() handles all that are due before `time`,
// puts off nothing any longer, and returns when the last of them was, or a time before 0.
class Component {
 public:
  virtual ~Component() = default;
  virtual Tick next_event() const = 0;
  virtual Tick advance(Tick now) = 0;
  virtual Tick catch_up(Tick /*time*/) { return Tick(-1); }
  virtual void serialize(Archive& archive) = 0;
};

class Kernel {
 public:
  // Components that act at the same time do so in the order in which they were attached, all of
  // them before the first event.
  int attach(Component& component);

  // A neighbour changed component `id`: asks it for its next event again. (Not the component that
  // is being advanced: it tells once it has acted.)
  void notify(int id) {
    notify(id, entries_[static_cast<std::size_t>(id)].component->next_event());
  }
  // The same of one that tells what its next event is.
  void notify(int id, Tick next) {
    if (static_cast<std::size_t>(id) != advanced_) {
      entries_[static_cast<std::size_t>(id)].next = next;
      horizon_ = earlier(horizon_, next);
    }
  }
  void notify_all();

  Tick now() const { return now_; }
  Tick next_event() const;
  // For the component that is being advanced: true if nothing else is due by `time`; then that is
  // now(). A step holds so many moves at most, so that whoever counts steps keeps his hold on time.
  bool go_on(Tick time) {
    if (time >= horizon_) {
      return false;
    }
    now_ = time;
    if (--moves_left_ == 0) {
      end_step();
    }
    return true;
  }
  // For the same: it may go on by itself to any time before this one, if that is still to come;
  // then it tells how far it went.
  Tick leave() const { return horizon_; }
  void went_on(Tick time) { now_ = time; }
  // It told somebody of something by a call: whoever looks on between steps may want to know.
  void answered() {
    if (watched_) {
      end_step();
    }
  }
  // At the present time, a component that comes after `id` has acted: whatever reaches `id` now
  // comes after its turn, whether it had anything to do or not.
  bool turn_is_over(int id) const { return turn() > static_cast<std::size_t>(id); }

  // For the same: it may put events off. (Not where someone looks on between steps.)
  bool puts_off() {
    if (watched_) {
      return false;
    }
    put_off_ = true;
    return true;
  }
  // Has those that come before the present component, or acted last, catch up with the present; the
  // others up to it. (At the end of run() all have.)
  void catch_up();

  // Advances the earliest component if it is due by `limit`; false when none is.
  bool step(Tick limit);
  // Makes up to so many steps, with nobody looking on, until pause() is called. False when nothing
  // is due by `limit`.
  bool run(Tick limit, std::uint64_t& steps);
  // Within an event: run() ends after it.
  void pause() {
    paused_ = true;
    end_step();
  }
  // Runs all that is due by `limit`, pauses or not; now() is then `limit`.
  void run_until(Tick limit);

  void serialize(Archive& archive);

 private:
  struct Entry {
    Component* component;
    Tick next;  // its next event
  };

  bool advance_earliest(Tick end);         // if it is due before `end`
  void end_step() { horizon_ = Tick(0); }  // for the component that is being advanced
  // The last in order of those that have acted at the present time, or act.
  std::size_t turn() const {
    if (advanced_ == kNobody) {
      return turn_;
    }
    return now_ == turned_at_ ? later(turn_, advanced_) : advanced_;
  }
  void catch_up(Tick now, std::size_t turn);

  std::vector<Entry> entries_;
  Tick now_{0};
  static constexpr int kMovesOfAStep = 64;
  int moves_left_ = 0;
  static constexpr std::size_t kNobody = ~std::size_t{0};
  Tick horizon_{0};  // whatever is due before belongs to the component being advanced, ...
  std::size_t advanced_ = kNobody;  // ... which is this one
  std::size_t turn_ = 0;            // the last in order of those that have acted at that time: ...
  Tick turned_at_{0};               // ... now_, while nobody is being advanced
  bool watched_ = true;             // someone looks on between steps
  bool paused_ = false;
  bool put_off_ = false;  // some component may have put events off
};

// A component's handle on the kernel: how it tells that its next event changed.
class Wakeup {
 public:
  Wakeup() = default;
  Wakeup(Kernel& kernel, int id) : kernel_(&kernel), id_(id) {}
  // Its turn at `time` is over, as far as it is for others to decide.
  bool turn_is_over(Tick time) const {
    return kernel_ != nullptr && time == kernel_->now() && kernel_->turn_is_over(id_);
  }
  // From within advance(), which only the kernel calls.
  bool go_on(Tick time) const { return kernel_->go_on(time); }
  Tick leave() const { return kernel_->leave(); }
  void went_on(Tick time) const { kernel_->went_on(time); }
  void answered() const { kernel_->answered(); }
  bool puts_off() const { return kernel_->puts_off(); }
  void pause() const {
    if (kernel_ != nullptr) {
      kernel_->pause();
    }
  }
  void notify() const {
    if (kernel_ != nullptr) {
      kernel_->notify(id_);
    }
  }
  void notify(Tick next) const {
    if (kernel_ != nullptr) {
      kernel_->notify(id_, next);
    }
  }

 private:
  Kernel* kernel_ = nullptr;
  int id_ = 0;
};

}  // namespace hmsim
