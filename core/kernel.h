// SPDX-License-Identifier: BSD-3-Clause
// The event kernel: repeatedly advances the component with the earliest next event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/types.h"

namespace hmsim {

class Archive;

// A part of the simulation that acts at times it chooses.
//
// The contract:
//
// - next_event() returns a lower bound on the next time at which advance() would change anything,
//   or kNever if only a neighbour can cause a change.
// - advance(now) is called with now >= next_event(). It returns the new next_event(), which is >
//   now, or now if try_advance(now) was refused.
// - advance() may process further events of its own as far as Wakeup::try_advance() permits. It
//   must not do so after it informed a neighbour by any means other than notify().
// - If Wakeup::may_defer() returns true, the component may defer events that no other component can
//   observe until it receives a call. next_event() does not count deferred events.
// - catch_up(time) processes all deferred events before `time` and ends deferral. It returns the
//   time of the last one processed, or a negative time if there was none.
// - A component may have a part, which is not attached to the kernel. The component passes its
//   Wakeup on to the part, advances it within its own advance(), and includes the part's events in
//   its next_event(). It calls no other function of the part while it advances it.
class Component {
 public:
  virtual ~Component() = default;
  virtual Tick next_event() const = 0;
  virtual Tick advance(Tick now) = 0;
  virtual Tick catch_up(Tick /*time*/) { return Tick(-1); }
  virtual void serialize(Archive& archive) = 0;
};

// Scheduler of components by their next events.
class Kernel {
 public:
  // Adds a component and returns its id. Components that act at the same time do so in order of
  // attachment. Attach all of them before the first event.
  int attach(Component& component);

  // Rereads the next event of component `id`, because a neighbour changed it. The component being
  // advanced returns its next event from advance(), and learns from part_next() that its part was
  // notified.
  void notify(int id) {
    if (static_cast<std::size_t>(id) != advanced_) {
      notify(id, entries_[static_cast<std::size_t>(id)].component->next_event());
    } else {
      part_next_ = kReread;
    }
  }
  // As above, with the next event passed by the caller.
  void notify(int id, Tick next) {
    if (static_cast<std::size_t>(id) != advanced_) {
      change(static_cast<std::size_t>(id), next);
    } else {
      part_next_ = next;
    }
  }
  // Adds an event of component `id`, which has a part. If the part is being advanced, it stops
  // before the event.
  void announce(int id, Tick event) {
    if (static_cast<std::size_t>(id) == advanced_) {
      horizon_ = earlier(horizon_, event);
    } else {
      const auto index = static_cast<std::size_t>(id);
      change(index, earlier(entries_[index].next, event));
    }
  }
  void notify_all();

  Tick now() const { return now_; }
  Tick next_event() const;
  // Called by the component being advanced. If no other component has an event at or before `time`,
  // sets now() to `time` and returns true. One step makes at most kMovesOfAStep such moves, so that
  // a caller that counts steps keeps control.
  bool try_advance(Tick time) {
    if (time >= horizon_) {
      return false;
    }
    move_to(time);
    return true;
  }
  // As try_advance(), for a component with a part: only events of others count.
  bool try_advance_owner(Tick time) {
    if (time >= others_) {
      return false;
    }
    move_to(time);
    return true;
  }
  // Called by the component being advanced before it advances its part, which stops before the
  // component's own event at `event`.
  void begin_part(Tick event) { horizon_ = earlier(others_, event); }
  // Called by the component being advanced. Returns the next event of its part: `known`, unless the
  // part was notified since the last call.
  Tick part_next(const Component& part, Tick known) {
    if (part_next_ == kNever) {
      return known;
    }
    const Tick next = std::exchange(part_next_, kNever);
    return next != kReread ? next : part.next_event();
  }
  // Called by the component being advanced. Returns the horizon: the component may process its own
  // events strictly before this time. It then calls advanced_to() with the time of the last one.
  Tick horizon() const { return horizon_; }
  void advanced_to(Tick time) { now_ = time; }
  // Called by the component being advanced after it called back another component. If a caller
  // observes the simulation between steps, ends the step.
  void called_back() {
    if (observed_) {
      end_step();
    }
  }
  // Returns whether a component later in order than `id` has already acted at the present time. If
  // so, anything that reaches `id` now comes after its turn, whether or not `id` had an event.
  bool later_component_acted(int id) const { return turn() > static_cast<std::size_t>(id); }

  // Called by the component being advanced. Returns whether it may defer events. False while a
  // caller observes the simulation between steps. may_defer(event): false also if the run ends
  // before `event`, the first one.
  bool may_defer() {
    if (observed_) {
      return false;
    }
    put_off_ = true;
    return true;
  }
  bool may_defer(Tick event) { return event < end_ && may_defer(); }
  // Makes all components process their deferred events. The component being advanced (between
  // steps: the last that acted) and those before it process events at or before now(). Later
  // components process only events before now(), because their turn at now() has not come. A
  // run() with a finite limit does this before it returns.
  void catch_up();

  // Advances the earliest component if its event is at or before `limit`; otherwise returns false.
  bool step(Tick limit);
  // Makes up to `steps` steps without an observer, or until pause() is called, and decrements
  // `steps`. Returns false if no event at or before `limit` remains.
  bool run(Tick limit, std::uint64_t& steps);
  // Called within an event: run() returns after this event.
  void pause() {
    paused_ = true;
    end_step();
  }
  // Processes all events at or before `limit`, ignoring pauses. now() is then `limit`.
  void run_until(Tick limit);

  // Called between steps: the caller acts at `time`, ahead of all components. No event may be
  // before `time`, and none deferred.
  void enter(Tick time);

  void serialize(Archive& archive);

 private:
  struct Entry {
    Component* component;
    Tick next;  // its next event's time
  };

  // The components that act at the earliest time, if a scan of all entries found several. They act
  // without further scans. No member but `left` is valid while `left` is 0.
  struct Round {
    // Returns the next component of the round, or nullptr if the round is over.
    Entry* next(std::vector<Entry>& entries);
    // Called when a component gets another next event, with which it may join the round.
    void changed(std::size_t index, Tick event) {
      if (left > 0 && event > time) {
        following = earlier(following, event);
      } else if (left > 0) {
        ++left;
        from = earlier(from, index);
      }
    }

    std::size_t left = 0;  // upper bound on the components that have yet to act
    std::size_t from = 0;  // lower bound on their indices
    Tick time{0};
    Tick following{0};  // lower bound on all events after `time`
  };

  // Advances the component with the first event, if that is before `end`. `rounds`: by rounds.
  template <bool rounds>
  bool advance_earliest(Tick end);
  template <bool rounds>
  bool steps_to_end(std::uint64_t& steps);
  // Sets the next event of another component than the one being advanced.
  void change(std::size_t index, Tick next) {
    entries_[index].next = next;
    round_.changed(index, next);
    hold_before(next);
  }
  // For the component being advanced: it stops before an event of another one, or at once.
  void hold_before(Tick event) {
    if (event < others_) {  // horizon_ is not later than that
      others_ = event;
      horizon_ = earlier(horizon_, event);
    }
  }
  void end_step() { others_ = horizon_ = Tick(0); }
  void move_to(Tick time) {
    now_ = time;
    if (--moves_left_ == 0) {
      end_step();
    }
  }
  // Returns the highest index of the components that have acted at now_, or are being advanced.
  std::size_t turn() const {
    if (advanced_ == kNobody) {
      return turn_;
    }
    return now_ == turned_at_ ? later(turn_, advanced_) : advanced_;
  }
  void catch_up(Tick now, std::size_t turn);

  std::vector<Entry> entries_;
  Round round_;
  Tick now_{0};
  static constexpr int kMovesOfAStep = 64;
  static constexpr std::size_t kFew = 4;  // with so few components, rounds do not pay
  int moves_left_ = 0;
  static constexpr std::size_t kNobody = ~std::size_t{0};
  Tick horizon_{0};  // The component being advanced, or its part, owns all events before this time.
  Tick others_{0};   // the same for the component with its part
  std::size_t advanced_ = kNobody;  // index of the component being advanced
  std::size_t turn_ = 0;            // last in order of the components that acted at turned_at_
  Tick turned_at_{0};               // equals now_ while no component is being advanced
  Tick end_{0};                     // of a run: it acts only before this time
  bool observed_ = true;            // a caller observes the simulation between steps
  bool paused_ = false;
  bool put_off_ = false;  // a component may have deferred events
  // Last notification of the component being advanced, which is for its part; kNever: none.
  Tick part_next_ = kNever;
  static constexpr Tick kReread{-1};  // without a time
};

// A component's handle on the kernel, through which it announces that its next event changed.
class Wakeup {
 public:
  Wakeup() = default;
  Wakeup(Kernel& kernel, int id) : kernel_(&kernel), id_(id) {}
  // Returns whether the component's turn at `time` is over (see Kernel::later_component_acted()).
  // Its own advance() is not considered.
  bool later_component_acted(Tick time) const {
    return kernel_ != nullptr && time == kernel_->now() && kernel_->later_component_acted(id_);
  }
  // The following are called within advance() only. See Kernel for their contracts.
  bool try_advance(Tick time) const { return kernel_->try_advance(time); }
  Tick horizon() const { return kernel_->horizon(); }
  void advanced_to(Tick time) const { kernel_->advanced_to(time); }
  void called_back() const { kernel_->called_back(); }
  bool may_defer() const { return kernel_->may_defer(); }
  bool may_defer(Tick event) const { return kernel_->may_defer(event); }
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
  // For a component with a part. See Kernel for their contracts.
  void announce(Tick event) const { kernel_->announce(id_, event); }
  bool try_advance_owner(Tick time) const { return kernel_->try_advance_owner(time); }
  void begin_part(Tick event) const { kernel_->begin_part(event); }
  Tick part_next(const Component& part, Tick known) const {
    return kernel_->part_next(part, known);
  }

 private:
  Kernel* kernel_ = nullptr;
  int id_ = 0;
};

}  // namespace hmsim
