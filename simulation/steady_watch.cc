// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/steady_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hmsim {

namespace {

constexpr double kMostRange = 0.2;
constexpr double kMostSlope = 0.1;
constexpr double kMostAbsorbed = 0.02;
constexpr double kMostDifference = 0.02;

// Keeps the values at the ends of every other round.
template <class Value>
void keep_even(std::vector<Value>& values) {
  for (std::size_t i = 0; 2 * i < values.size(); ++i) {
    values[i] = values[2 * i];
  }
  values.resize((values.size() + 1) / 2);
}

}  // namespace

SteadyWatch::SteadyWatch(const Agents& agents, std::function<void()> prepare,
                         std::function<BufferedPages()> pages, std::function<void()> on_steady)
    : agents_(agents),
      prepare_(std::move(prepare)),
      read_pages_(std::move(pages)),
      on_steady_(std::move(on_steady)),
      work_(agents_.size()) {}

void SteadyWatch::begin(Tick now) {
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    work_[i] = {agents_[i]->work(now)};
  }
  pages_ = {read_pages_()};
  round_ = kFirstRound;
  next_ = now + round_;
}

Tick SteadyWatch::advance(Tick now) {
  prepare_();
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    if (!agents_[i]->finished_once()) {
      work_[i].push_back(agents_[i]->work(now));
    }
  }
  pages_.push_back(read_pages_());
  if (pages_.size() > kMostRounds) {
    join_rounds();
  }
  next_ = now + round_;
  if (round_ >= kLeastRound) {
    end_steady_agents(now);
  }
  if (all_steady()) {
    on_steady_();
  }
  return next_;
}

void SteadyWatch::end_steady_agents(Tick now) {
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    SteadyEnd* const end = agents_[i]->parts().steady_end;
    if (end != nullptr && !agents_[i]->finished_once() && steady_window(i)) {
      end->stop(now);
    }
  }
}

void SteadyWatch::join_rounds() {
  for (std::vector<std::int64_t>& work : work_) {
    keep_even(work);
  }
  keep_even(pages_);
  round_ = round_ * 2;
}

bool SteadyWatch::flat(const Rates& rates) {
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  double sum = 0;
  double moment = 0;  // around the middle round
  double squares = 0;
  for (std::size_t i = 0; i < kWindow; ++i) {
    const double place = static_cast<double>(i) - (kWindow - 1) / 2.0;
    sum += rates[i];
    moment += place * rates[i];
    squares += place * place;
  }
  const double mean = sum / kWindow;
  const double rise = std::abs(moment / squares) * (kWindow - 1);
  return mean > 0 && *most - *least <= kMostRange * mean && rise <= kMostSlope * mean;
}

double SteadyWatch::window_rate(std::size_t agent) const {
  const std::vector<std::int64_t>& work = work_[agent];
  const double time = seconds(static_cast<std::int64_t>(kWindow) * round_);
  return complete(agent) ? static_cast<double>(work.back() - work[work.size() - 1 - kWindow]) / time
                         : 0;
}

double SteadyWatch::absorbed_since(std::size_t round) const {
  const auto held = static_cast<double>(pages_.back().held - pages_[round].held);
  const auto programmed = static_cast<double>(pages_.back().programmed - pages_[round].programmed);
  return held <= 0 ? 0 : held / (held + programmed);
}

bool SteadyWatch::steady_window(std::size_t agent) const {
  if (!complete(agent)) {
    return false;
  }
  const std::vector<std::int64_t>& work = work_[agent];
  Rates rates;
  for (std::size_t i = 0; i < kWindow; ++i) {
    const std::size_t end = work.size() - kWindow + i;
    rates[i] = static_cast<double>(work[end] - work[end - 1]);
  }
  return flat(rates) && absorbed() <= kMostAbsorbed;
}

bool SteadyWatch::all_steady() const {
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    if (agents_[i]->measured() && !agents_[i]->finished_once() && !steady_window(i)) {
      return false;
    }
  }
  return round_ >= kLeastRound;
}

void SteadyWatch::register_agent(const StatisticGroup& group, std::size_t agent,
                                 const std::string& unit, std::function<double()> rate) const {
  group.gauge("window_rate", unit,
              "rate in the last five rounds, an eighth to a quarter of the run; 0: too short",
              [this, agent] { return window_rate(agent); });
  group.gauge("steady", "",
              "1: its rate is steady; 0: it is transient, because rates of rounds differ or "
              "buffers absorbed writes",
              [this, agent, rate = std::move(rate)] {
                const double window = window_rate(agent);
                const bool close = std::abs(rate() - window) <= kMostDifference * window;
                return steady_window(agent) && close ? 1.0 : 0.0;
              });
}

void SteadyWatch::register_absorbed(StatisticRegistry& registry) const {
  registry.gauge("sim.absorbed", "of pages",
                 "share of the pages written to flash buffers while measuring that have not been "
                 "programmed",
                 [this] { return pages_.empty() ? 0 : absorbed_since(0); });
}

void SteadyWatch::serialize(Archive& archive) {
  archive.section("steady");
  archive(round_, next_, work_);
  std::vector<std::int64_t> held;
  std::vector<std::int64_t> programmed;
  for (const BufferedPages& pages : pages_) {
    held.push_back(pages.held);
    programmed.push_back(pages.programmed);
  }
  archive(held, programmed);
  archive.check(round_ > Tick(0) && work_.size() == agents_.size() &&
                    held.size() == programmed.size() && held.size() <= kMostRounds,
                "inconsistent rounds of a run");
  pages_.clear();
  for (std::size_t i = 0; i < held.size(); ++i) {
    pages_.push_back({held[i], programmed[i]});
  }
  for (const std::vector<std::int64_t>& work : work_) {
    archive.check(work.size() <= pages_.size(), "inconsistent rounds of a run");
  }
}

}  // namespace hmsim
