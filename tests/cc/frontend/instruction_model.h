// SPDX-License-Identifier: BSD-3-Clause
// The oracle of cores with caches: moves on slot by slot, with every instruction at hand.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/clock.h"
#include "frontend/instruction_trace.h"
#include "tests/cc/frontend/cache_model.h"
#include "tests/cc/frontend/harness.h"

namespace hmsim::testing {

// A record of ChampSim's.
inline std::string champsim_record(const Instruction& instruction, bool branch = false) {
  std::string text =
      little_endian(instruction.ip, 8) + little_endian(branch ? 1 : 0, 1) + little_endian(0, 1);
  for (const std::uint8_t r : instruction.destinations) {
    text += static_cast<char>(r);
  }
  for (const std::uint8_t r : instruction.sources) {
    text += static_cast<char>(r);
  }
  for (const std::uint64_t address : instruction.stores) {
    text += little_endian(address, 8);
  }
  for (const std::uint64_t address : instruction.loads) {
    text += little_endian(address, 8);
  }
  return text;
}

struct CoreShape {
  std::int64_t frequency = 2'000'000'000;
  std::int64_t width = 4;
  std::int64_t window = 128;
};

class InstructionModel {
 public:
  InstructionModel(const CoreShape& shape, const CacheParameters& caches,
                   std::vector<Instruction> program, std::function<Tick(std::uint64_t)> latency)
      : shape_(shape),
        parameters_(caches),
        clock_(shape.frequency, shape.width),
        model_(caches),
        program_(std::move(program)),
        latency_(std::move(latency)),
        state_(program_.size()) {
    for (std::size_t i = 0; i < 3; ++i) {
      free_[i] = caches.levels[i].mshrs;
    }
    run();
  }

  std::vector<Sent> sent;    // lines asked for and written back, in order
  std::uint64_t merges = 0;  // with lines that arrived before it finished
  std::uint64_t merges_at_finish = 0;
  Tick finish{0};
  std::vector<std::int64_t> retire;  // slot, by instruction from 0
  const CacheModel& caches() const { return model_; }

 private:
  struct Fill {
    std::uint64_t line;
    int level;
    std::int64_t start = -1;
    std::int64_t arrival = -1;
    bool asked = false;
  };
  struct State {
    std::int64_t dispatch = -1;
    std::int64_t start = -1;
    std::int64_t ready = -1;
    std::vector<std::size_t> producers = {};
    std::vector<std::size_t> load_fills = {};  // of those that missed or merged
    std::vector<std::size_t> fills = {};       // of all its accesses
    std::vector<bool> made = {};               // by it
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

  void run() {
    std::size_t next = 0;
    std::int64_t last_dispatch = -1;
    std::int64_t slot = 0;
    while (retire.size() < program_.size() || slot <= retire.back()) {
      arrivals(slot);
      settle(slot);
      const std::size_t leaves = next - static_cast<std::size_t>(shape_.window);
      const bool room = next < static_cast<std::size_t>(shape_.window) ||
                        (leaves < retire.size() && retire[leaves] < slot);
      const auto waiting = std::count_if(stores_.begin(), stores_.end(), [&](std::size_t f) {
        return fills_[f].arrival < 0 || fills_[f].arrival > slot;
      });
      if (next < program_.size() && room && waiting < shape_.window && slot > last_dispatch) {
        dispatch(next++, slot);
        last_dispatch = slot;
      }
      settle(slot);
      while (retire.size() < next && state_[retire.size()].ready >= 0) {
        const std::int64_t before = retire.empty() ? -1 : retire.back();
        const std::int64_t at = std::max(before + 1, state_[retire.size()].ready);
        retire.push_back(at);
      }
      slot = next_slot(slot, next);
    }
    for (const std::int64_t arrival : merged_at_) {
      ++(arrival < retire.back() ? merges : merges_at_finish);
    }
    finish = clock_.tick(retire.back());
    std::stable_sort(sent.begin(), sent.end(),
                     [](const Sent& a, const Sent& b) { return a.time < b.time; });
  }

  // The next one in which anything may happen.
  std::int64_t next_slot(std::int64_t slot, std::size_t next) const {
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    const auto consider = [&earliest, slot](std::int64_t at) {
      earliest = at > slot ? std::min(earliest, at) : earliest;
    };
    for (const Fill& fill : fills_) {
      consider(fill.arrival);
    }
    for (std::size_t i = 0; i < next; ++i) {
      consider(state_[i].ready);
    }
    for (const std::int64_t retired : retire) {
      consider(retired + 1);
    }
    if (state_[next - 1].dispatch == slot) {
      consider(slot + 1);
    }
    return earliest;
  }

  void arrivals(std::int64_t slot) {
    for (Fill& fill : fills_) {
      if (fill.arrival == slot) {
        free_[0] += 1;
        free_[1] += fill.level > 2 ? 1 : 0;
        free_[2] += fill.level > 3 ? 1 : 0;
      }
    }
    start_fills(slot);
  }

  void start_fills(std::int64_t slot) {
    while (!queue_.empty()) {
      Fill& fill = fills_[queue_.front()];
      if (free_[0] < 1 || (fill.level > 2 && free_[1] < 1) || (fill.level > 3 && free_[2] < 1)) {
        return;
      }
      queue_.pop_front();
      free_[0] -= 1;
      free_[1] -= fill.level > 2 ? 1 : 0;
      free_[2] -= fill.level > 3 ? 1 : 0;
      fill.start = slot;
      fill.arrival = slot + look(static_cast<std::size_t>(std::min(fill.level, 3)));
      if (fill.level > 3) {
        const Tick at = clock_.tick(fill.arrival);
        sent.push_back({at, MemoryClass::dram, static_cast<std::int64_t>(fill.line * 64), false});
        fill.arrival = clock_.edge_at_or_after(at + latency_(fill.line * 64));
      }
    }
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
    for (const std::uint64_t left : outcome.write_backs) {
      sent.push_back(
          {clock_.tick(slot), MemoryClass::dram, static_cast<std::int64_t>(left * 64), true});
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
    }
    if (fill < fills_.size()) {
      state.fills.push_back(fill);
      state.made.push_back(made);
      (store ? stores_ : state.load_fills).push_back(fill);
    }
  }

  // What starts and becomes ready in this slot.
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

  // Readiness lies ahead of time where nothing is unknown any more.
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
  EdgeClock clock_;
  CacheModel model_;
  std::vector<Instruction> program_;
  std::function<Tick(std::uint64_t)> latency_;
  std::vector<State> state_;
  std::array<std::int64_t, 3> free_{};
  std::vector<Fill> fills_;
  std::deque<std::size_t> queue_;
  std::vector<std::size_t> stores_;  // their fills
  std::map<std::uint8_t, std::size_t> writer_;
  std::set<std::pair<std::size_t, std::size_t>> counted_;
  std::vector<std::int64_t> merged_at_;
};

}  // namespace hmsim::testing
