// SPDX-License-Identifier: BSD-3-Clause
// Oracle of cores with caches: it advances slot by slot and keeps every instruction. Cores that
// share an L3 advance together, core by core in each slot. Readable next to docs/cores.md.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "tests/cc/agents/cache_model.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/agents/miss_model.h"
#include "traces/trace_formats.h"

namespace hmsim::testing {

class InstructionModel {
 public:
  // Creates one core and runs it to its end.
  InstructionModel(const CoreShape& shape, const CacheParameters& caches,
                   std::vector<Instruction> program, std::function<Tick(std::uint64_t)> latency)
      : InstructionModel(shape, caches, std::move(program), std::move(latency),
                         std::make_shared<MissModel>(caches.levels[2]), 0, 0) {
    run({this});
  }

  // Creates one of several cores, to be run together.
  InstructionModel(const CoreShape& shape, const CacheParameters& caches,
                   std::vector<Instruction> program, std::function<Tick(std::uint64_t)> latency,
                   std::shared_ptr<MissModel> l3, std::size_t core, std::uint64_t space)
      : shape_(shape),
        parameters_(caches),
        clock_(shape.frequency / 1'000 * shape.width),
        model_(caches, l3->content, core, space),
        program_(std::move(program)),
        latency_(std::move(latency)),
        l3_(std::move(l3)),
        core_(core),
        space_(space),
        state_(program_.size()),
        free_{caches.levels[0].mshrs, caches.levels[1].mshrs} {}

  // Runs all cores, slot by slot, until one has retired its program.
  static void run(const std::vector<InstructionModel*>& cores) {
    for (std::int64_t slot = 0; true;) {
      come(cores, slot);
      std::int64_t next = std::numeric_limits<std::int64_t>::max();
      for (InstructionModel* const core : cores) {
        core->step(slot);
        if (core->retire.size() == core->program_.size() && slot >= core->retire.back()) {
          for (InstructionModel* const each : cores) {
            each->end(core->clock_.tick(core->retire.back()), core->retire.back());
          }
          return;
        }
      }
      for (InstructionModel* const core : cores) {
        next = std::min(next, core->next_slot(slot));
      }
      slot = next;
    }
  }

  std::vector<Sent> sent;    // requested and written-back lines, in order
  std::uint64_t merges = 0;  // with lines that arrived before the core finished
  std::uint64_t merges_at_finish = 0;
  std::uint64_t l3_merges = 0;
  Tick finish{0};                    // of the first core
  std::vector<std::int64_t> retire;  // slot, by instruction from 0
  const CacheModel& caches() const { return model_; }

 private:
  struct Fill {
    std::uint64_t line;
    int level;
    std::int64_t start = -1;
    std::int64_t arrival = -1;
    bool asked = false;
    bool missing = false;  // missing in the L3, as far as known
    bool fetches = false;
    std::int64_t earliest = 0;
    Tick done{0};  // time of the memory
  };
  struct State {
    std::int64_t dispatch = -1;
    std::int64_t start = -1;
    std::int64_t ready = -1;
    std::vector<std::size_t> producers = {};
    std::vector<std::size_t> load_fills = {};  // of accesses that missed or merged
    std::vector<std::size_t> fills = {};       // of all accesses
    std::vector<bool> made = {};               // started by this access
    bool loads = false;
    std::int64_t data = 0;
  };

  std::int64_t look(std::size_t levels) const {
    std::int64_t cycles = 0;
    for (std::size_t i = 0; i < levels; ++i) {
      cycles += parameters_.levels[i].latency;
    }
    return cycles * shape_.width;
  }

  // Delivers lines from memory in order of arrival.
  static void come(const std::vector<InstructionModel*>& cores, std::int64_t slot) {
    std::vector<std::tuple<Tick, InstructionModel*, std::size_t>> all;
    for (InstructionModel* const core : cores) {
      for (std::size_t f = 0; f < core->fills_.size(); ++f) {
        if (core->fills_[f].fetches && core->fills_[f].arrival == slot) {
          all.emplace_back(core->fills_[f].done, core, f);
        }
      }
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
    for (const auto& [when, core, f] : all) {
      core->came(f, slot);
    }
  }

  void came(std::size_t f, std::int64_t slot) {
    free_[0] += 1;
    free_[1] += 1;
    l3_->free += 1;
    start_fills(slot);
    const auto miss = l3_->misses.find({space_, fills_[f].line});
    for (const auto& [core, other] : miss->second.fills) {
      Fill& fill = core->fills_[other];
      if (core == this) {
        continue;
      }
      fill.missing = false;
      if (fill.start >= 0) {
        fill.arrival = std::max(fill.earliest, slot);
      } else {
        core->start_fills(slot);
      }
    }
    l3_->misses.erase(miss);
    while (l3_->free > 0 && !l3_->line.empty()) {
      InstructionModel* const first = l3_->line.front();
      const std::int64_t before = l3_->free;
      first->start_fills(slot);
      if (l3_->free == before) {
        l3_->line.pop_front();
      }
    }
  }

  void step(std::int64_t slot) {
    for (const Fill& fill : fills_) {
      if (!fill.fetches && fill.arrival == slot) {
        free_[0] += 1;
        free_[1] += fill.level > 2 ? 1 : 0;
      }
    }
    start_fills(slot);
    settle(slot);
    const std::size_t leaves = next_ - static_cast<std::size_t>(shape_.window);
    const bool room = next_ < static_cast<std::size_t>(shape_.window) ||
                      (leaves < retire.size() && retire[leaves] < slot);
    const auto waiting = std::count_if(stores_.begin(), stores_.end(), [&](std::size_t f) {
      return fills_[f].arrival < 0 || fills_[f].arrival > slot;
    });
    if (next_ < program_.size() && room && waiting < shape_.window && slot > last_dispatch_) {
      dispatch(next_++, slot);
      last_dispatch_ = slot;
    }
    settle(slot);
    while (retire.size() < next_ && state_[retire.size()].ready >= 0) {
      const std::int64_t before = retire.empty() ? -1 : retire.back();
      const std::int64_t at = std::max(before + 1, state_[retire.size()].ready);
      retire.push_back(at);
    }
  }

  void end(Tick when, std::int64_t slot) {
    finish = when;
    for (const std::int64_t arrival : merged_at_) {
      ++(arrival < slot ? merges : merges_at_finish);
    }
    std::stable_sort(sent.begin(), sent.end(),
                     [](const Sent& a, const Sent& b) { return a.time < b.time; });
  }

  // Returns the next slot in which anything may happen.
  std::int64_t next_slot(std::int64_t slot) const {
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    const auto consider = [&earliest, slot](std::int64_t at) {
      earliest = at > slot ? std::min(earliest, at) : earliest;
    };
    for (const Fill& fill : fills_) {
      consider(fill.arrival);
    }
    for (std::size_t i = 0; i < next_; ++i) {
      consider(state_[i].ready);
    }
    for (const std::int64_t retired : retire) {
      consider(retired);
      consider(retired + 1);
    }
    if (state_[next_ - 1].dispatch == slot) {
      consider(slot + 1);
    }
    return earliest;
  }

  void start_fills(std::int64_t slot) {
    while (!queue_.empty()) {
      Fill& fill = fills_[queue_.front()];
      MissModel::Miss* const miss = fill.missing ? &l3_->misses.at({space_, fill.line}) : nullptr;
      const bool fetches = miss != nullptr && !miss->requested;
      if (free_[0] < 1 || (fill.level > 2 && free_[1] < 1) || (fetches && !l3_->may_take(this))) {
        return;
      }
      queue_.pop_front();
      free_[0] -= 1;
      free_[1] -= fill.level > 2 ? 1 : 0;
      fill.start = slot;
      fill.earliest = slot + look(static_cast<std::size_t>(std::min(fill.level, 3)));
      if (fetches) {
        l3_->free -= 1;
        if (!l3_->line.empty() && l3_->line.front() == this) {
          l3_->line.pop_front();
        }
        miss->requested = true;
        fill.fetches = true;
        const Tick at = clock_.tick(fill.earliest);
        send(at, fill.line, false, core_);
        fill.done = at + latency_(fill.line * 64);
        fill.arrival = clock_.edge_at_or_after(fill.done);
        for (const auto& [core, other] : miss->fills) {
          if (core != this && std::count(l3_->line.begin(), l3_->line.end(), core) != 0) {
            core->start_fills(slot);
          }
        }
      } else if (miss == nullptr) {
        fill.arrival = fill.earliest;
      } else {
        ++l3_merges;
      }
    }
  }

  void send(Tick at, std::uint64_t line, bool write, std::size_t source) {
    sent.push_back({at, MemoryClass::dram, static_cast<std::int64_t>(line * 64), write});
    sent.back().source = static_cast<std::uint16_t>(source);
  }

  void dispatch(std::size_t i, std::int64_t slot) {
    State& state = state_[i];
    const Instruction& instruction = program_[i];
    state.dispatch = slot;
    for (const std::uint8_t r : instruction.sources) {
      if (r != 0 && writer_.count(r) != 0) {
        state.producers.push_back(writer_[r]);
      }
    }
    for (const std::uint64_t address : instruction.loads) {
      access(i, address, false, slot);
    }
    for (const std::uint64_t address : instruction.stores) {
      access(i, address, true, slot);
    }
    for (const std::uint8_t r : instruction.destinations) {
      writer_[r] = i;
    }
  }

  void access(std::size_t i, std::uint64_t address, bool store, std::int64_t slot) {
    if (address == 0) {
      return;
    }
    State& state = state_[i];
    const std::uint64_t line = address / 64;
    const CacheModel::Outcome outcome = model_.access(line, store, program_[i].ip);
    for (std::size_t k = 0; k < outcome.write_backs.size(); ++k) {
      send(clock_.tick(slot), outcome.write_backs[k], true, outcome.owners[k]);
    }
    state.loads |= !store;
    std::size_t fill = fills_.size();
    for (std::size_t f = 0; f < fills_.size(); ++f) {
      if (fills_[f].line == line && (fills_[f].arrival < 0 || fills_[f].arrival > slot)) {
        fill = f;
      }
    }
    const bool made = fill == fills_.size() && outcome.level > 1;
    if (made) {
      fills_.push_back({line, outcome.level});
      const std::pair<std::uint64_t, std::uint64_t> name{space_, line};
      if (outcome.level > 3 || (outcome.level > 2 && l3_->misses.count(name) != 0)) {
        fills_[fill].missing = true;
        l3_->misses[name].fills.emplace_back(this, fill);
      }
    }
    if (fill < fills_.size()) {
      state.fills.push_back(fill);
      state.made.push_back(made);
      (store ? stores_ : state.load_fills).push_back(fill);
    }
  }

  // Starts accesses and instructions that become ready in this slot.
  void settle(std::int64_t slot) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = retire.size(); i < program_.size() && state_[i].dispatch >= 0; ++i) {
        changed |= try_start(i, slot);
        changed |= try_ready(i, slot);
      }
    }
    // Merges: accesses that started before the line's arrival.
    for (std::size_t i = 0; i < program_.size() && state_[i].dispatch >= 0; ++i) {
      State& state = state_[i];
      for (std::size_t f = 0; f < state.fills.size(); ++f) {
        const std::int64_t arrival = fills_[state.fills[f]].arrival;
        if (!state.made[f] && arrival == slot && state.start >= 0 && state.start < slot &&
            counted_.insert({i, f}).second) {
          merged_at_.push_back(arrival);
        }
      }
    }
  }

  bool try_start(std::size_t i, std::int64_t slot) {
    State& state = state_[i];
    if (state.start >= 0) {
      return false;
    }
    std::int64_t operands = 0;
    for (const std::size_t p : state.producers) {
      if (state_[p].ready < 0) {
        return false;
      }
      operands = std::max(operands, state_[p].ready);
    }
    if (operands > slot) {
      return false;
    }
    state.start = std::max(state.dispatch, operands);
    for (const std::size_t f : state.fills) {
      if (!fills_[f].asked) {
        fills_[f].asked = true;
        queue_.push_back(f);
      }
    }
    start_fills(slot);
    return true;
  }

  // Computes when the instruction is ready, if all times that this depends on are known.
  bool try_ready(std::size_t i, std::int64_t slot) {
    State& state = state_[i];
    if (state.ready >= 0 || state.start < 0) {
      return false;
    }
    std::int64_t ready = state.start + shape_.width;
    if (state.loads) {
      ready = std::max(ready, state.start + look(1));
    }
    for (const std::size_t f : state.load_fills) {
      if (fills_[f].arrival < 0 || fills_[f].arrival > slot) {
        return false;
      }
      ready = std::max(ready, fills_[f].arrival);
    }
    state.ready = ready;
    return true;
  }

  CoreShape shape_;
  CacheParameters parameters_;
  RateClock clock_;
  CacheModel model_;
  std::vector<Instruction> program_;
  std::function<Tick(std::uint64_t)> latency_;
  std::shared_ptr<MissModel> l3_;
  std::size_t core_;
  std::uint64_t space_;
  std::vector<State> state_;
  std::array<std::int64_t, 2> free_;
  std::size_t next_ = 0;  // next to dispatch
  std::int64_t last_dispatch_ = -1;
  std::vector<Fill> fills_;
  std::deque<std::size_t> queue_;
  std::vector<std::size_t> stores_;  // their fills
  std::map<std::uint8_t, std::size_t> writer_;
  std::set<std::pair<std::size_t, std::size_t>> counted_;
  std::vector<std::int64_t> merged_at_;
};

}  // namespace hmsim::testing
