// SPDX-License-Identifier: BSD-3-Clause
// Judges whether the rates of agents are steady.
//
// The measured time is divided into rounds of equal length. When there are kMostRounds, each two
// become one, so the last kWindow rounds are an eighth to a quarter of the run. A rate is steady in
// this window if, as in the solid-state storage performance test specification of SNIA:
//   - the largest and the smallest rate of a round differ by at most 20 % of the mean
//   - the straight line fitted to the rates rises or falls by at most 10 % of the mean
// and if at most 2 % of the written pages stayed in buffers, which are then filling. A rate of a
// whole run is steady if the window's is and both differ by at most 2 %.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "core/archive.h"
#include "core/kernel.h"
#include "core/statistics.h"
#include "core/types.h"
#include "nvdimm/module/module.h"

namespace hmsim {

// Component that reads the agents' work at the end of each round. Attach it after those that it
// watches.
class SteadyWatch final : public Component {
 public:
  static constexpr std::size_t kWindow = 5;
  static constexpr std::size_t kMostRounds = 40;
  static constexpr Tick kFirstRound = kMicrosecond;
  // Rounds shorter than this do not end a run (frontend.until).
  static constexpr Tick kLeastRound = 100 * kMicrosecond;

  using Rates = std::array<double, kWindow>;
  // Returns whether the rates of the rounds of a window satisfy the first two conditions.
  static bool flat(const Rates& rates);

  // `prepare`: brings agents and memory up to date. `pages`: reads the buffers. `on_steady`: called
  // at the end of a round if all_steady(). The agents must outlive the object.
  SteadyWatch(const Agents& agents, std::function<void()> prepare,
              std::function<BufferedPages()> pages, std::function<void()> on_steady);

  void begin(Tick now);
  // Returns the agent's units of work per second in the window; 0: the window is not complete.
  double window_rate(std::size_t agent) const;
  bool steady_window(std::size_t agent) const;
  // Returns the share of the pages written to buffers during the window that remained there.
  double absorbed() const { return absorbed_since(pages_.size() - 1 - kWindow); }
  // Returns whether every measured agent's window is steady and may end the run.
  bool all_steady() const;
  // Registers the verdict on the agent's rate, which `rate` returns.
  void register_agent(const StatisticGroup& group, std::size_t agent, const std::string& unit,
                      std::function<double()> rate) const;
  void register_absorbed(StatisticRegistry& registry) const;

  Tick next_event() const override { return next_; }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  void join_rounds();
  void end_steady_agents(Tick now);
  bool complete(std::size_t agent) const { return work_[agent].size() > kWindow; }
  double absorbed_since(std::size_t round) const;

  const Agents& agents_;
  std::function<void()> prepare_;
  std::function<BufferedPages()> read_pages_;
  std::function<void()> on_steady_;
  Tick round_ = kFirstRound;
  Tick next_ = kNever;
  // At the begin and at the end of each round. An agent's end with its first finish.
  std::vector<std::vector<std::int64_t>> work_;
  std::vector<BufferedPages> pages_;
};

}  // namespace hmsim
