// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "core/errors.h"
#include "policies/monitors/performance_table.h"
#include "policies/policy.h"

namespace hmsim {

// Harmonic memory scheduling. Each class has a criticality, the service rate SR. It combines how
// close the class's current access pattern can come to its best performance with how full its queue
// is. The more critical class gets the data bus.
//
//   SR_d = w (P_d / P_d_max - P_n / P_n_max) + (1 - w) (P_dq / L_dq - P_nq / L_nq)    (1)
//   SR_n = -SR_d                                                                      (2)
//   P_d = f(q_dep, stride, reuse), P_n = f(wr_ratio, q_dep, wr_rand, rd_rand)         (3)-(6)
//
// f is a lookup table trained offline. P is never a recently measured rate, because that would
// starve a class that was denied the bus.
class Harmonic final : public BusArbiter {
 public:
  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override;
  void connect(const ChannelShape& shape, const SourceProgress& progress) override;

  void on_enqueue(const RequestView& request, Tick now) override {
    if (request.memory == MemoryClass::dram) {
      dram_.add(request, now);
      ready_since_[request.slot] = now;
    } else {
      nvdimm_.add(request, now);
    }
  }
  void on_ack(const RequestView& request, Tick now) override { ready_since_[request.slot] = now; }

  MemoryClass choose(const ArbiterView& view) override {
    const Tick due_d = ready_since_[view.dram.slot] + guard_times_[0];
    const Tick due_n = ready_since_[view.nvdimm.slot] + guard_times_[1];
    if (guard_ && earlier(due_d, due_n) < view.now) {
      ++guarded_;
      return due_d <= due_n ? MemoryClass::dram : MemoryClass::nvdimm;
    }
    const std::array<std::int64_t, 2> sr_d{exact(view), staged(view)};
    disagreements_ += by_criticality(sr_d[0], view) == by_criticality(sr_d[1], view) ? 0 : 1;
    const std::int64_t chosen = sr_d[static_cast<std::size_t>(impl_)];
    ties_ += chosen == 0 ? 1 : 0;
    const MemoryClass winner = by_criticality(chosen, view);
    starved_[0] += winner == MemoryClass::nvdimm && due_d < view.now ? 1 : 0;
    starved_[1] += winner == MemoryClass::dram && due_n < view.now ? 1 : 0;
    return winner;
  }

  std::vector<PolicyCounter> counters() override {
    return {{"ties", "decisions", "contests in which both classes were equally critical", &ties_},
            {"disagreements", "decisions",
             "contests that the exact and the table implementation decide differently",
             &disagreements_},
            {"guarded", "decisions", "contests that the starvation guard decided", &guarded_},
            {"starved_dram", "decisions",
             "contests that DRAM lost although its request had been ready for dram_guard",
             &starved_[0]},
            {"starved_nvdimm", "decisions",
             "contests that the NVDIMM lost although its request had been ready for nvdimm_guard",
             &starved_[1]}};
  }
  void serialize(Archive& archive) override {
    archive(dram_, nvdimm_, ties_, disagreements_, guarded_, starved_);
    archive.fixed(ready_since_);
  }

 private:
  enum class Impl : std::uint8_t { exact, table };
  static constexpr std::int64_t kOne = 1000;  // scale of the weight: thousandths
  // Scale of the weight in the table implementation: tenths.
  static constexpr std::int64_t kTen = 10;

  // Returns SR_d by equation 1, scaled by 1000 x 2^20.
  std::int64_t exact(const ArbiterView& view) const {
    const std::int64_t p_d =
        dram_.known() ? table_.dram(PerformanceTable::cell(dram_), view.dram_pending) : kWhole / 2;
    const std::int64_t p_n =
        nvdimm_.known() ? table_.nvdimm(PerformanceTable::cell(nvdimm_), view.nvdimm_pending)
                        : kWhole / 2;
    const std::int64_t u_d = view.dram_pending * kWhole / slots_[0];
    const std::int64_t u_n = view.nvdimm_pending * kWhole / slots_[1];
    return weight_ * (p_d - p_n) + (kOne - weight_) * (u_d - u_n);
  }

  // Returns SR_d by equation 1 over stages, scaled by 10 x 6. Needs comparisons and lookups but no
  // division.
  std::int64_t staged(const ArbiterView& view) const {
    const int p_d = dram_.known()
                        ? table_.dram_stage(PerformanceTable::cell(dram_), view.dram_pending)
                        : kStages / 2;
    const int p_n = nvdimm_.known()
                        ? table_.nvdimm_stage(PerformanceTable::cell(nvdimm_), view.nvdimm_pending)
                        : kStages / 2;
    const int u_d = bin_of(view.dram_pending, utilisation_[0]);
    const int u_n = bin_of(view.nvdimm_pending, utilisation_[1]);
    return tenths_ * (p_d - p_n) + (kTen - tenths_) * (u_d - u_n);
  }

  // Gives a tie to the older request; the paper does not define ties.
  MemoryClass by_criticality(std::int64_t sr_d, const ArbiterView& view) const {
    const bool dram = sr_d == 0 ? view.dram.arrival <= view.nvdimm.arrival : sr_d > 0;
    return dram ? MemoryClass::dram : MemoryClass::nvdimm;
  }

  // Parameters and values derived from them.
  Impl impl_ = Impl::exact;
  double w_ = 0.5;
  std::int64_t weight_ = 0;
  std::int64_t tenths_ = 0;
  std::int64_t window_ = 1024;
  std::int64_t window_cycles_ = 10'000;
  bool guard_ = false;
  std::array<std::int64_t, kMemoryClasses> guard_cycles_{2000, 8000};
  std::array<Tick, kMemoryClasses> guard_times_{};
  std::string text_;
  PerformanceTable table_;
  std::array<std::int64_t, kMemoryClasses> slots_{};  // L_dq, L_nq
  std::array<std::array<std::int64_t, kStages>, kMemoryClasses> utilisation_{};

  DramPattern dram_;
  NvdimmPattern nvdimm_;
  std::vector<Tick> ready_since_;  // by slot: DRAM since admission, NVDIMM since the ack
  Counter ties_ = 0;
  Counter disagreements_ = 0;
  Counter guarded_ = 0;
  std::array<Counter, kMemoryClasses> starved_{};
};

void Harmonic::declare(ParameterSet& parameters) {
  parameters.choice<Impl>(
      "impl", impl_, {{"exact", Impl::exact}, {"table", Impl::table}},
      {"equation 1 over the rates of the table, or over 6 levels of performance and of utilisation",
       "the paper, section V-A"});
  parameters.real(
      "weight", w_, 0, 1, "",
      {"w, the weight of performance against utilisation; in thousandths, for table in tenths",
       "the paper: 0.5, after a sweep from 0.2 to 0.8"});
  parameters.integer("window", window_, {1, 1'000'000'000}, "requests",
                     {"requests of a class after which its pattern is measured again",
                      "assumed: the paper gives none"});
  parameters.integer(
      "window_cycles", window_cycles_, {1, 1'000'000'000}, "cycles",
      {"cycles after which a window ends with fewer requests", "assumed: the paper gives none"});
  parameters.boolean("guard", guard_,
                     {"a request that has been ready for longer than its guard goes first, the "
                      "earliest deadline before others",
                      "a modelling choice of hmsim, not in the paper; hms, all, paper_all and "
                      "their variants set it"});
  parameters.integer(
      "dram_guard", guard_cycles_[0], {0, 1'000'000'000}, "cycles",
      {"longest time for a DRAM request since it got its slot; beyond it the request counts as "
       "starved when it loses",
       "a modelling choice of hmsim: twice the 1,024 cycles in which the bus carries the data of "
       "two full queues of 128 entries, to include turnarounds"});
  parameters.integer(
      "nvdimm_guard", guard_cycles_[1], {0, 1'000'000'000}, "cycles",
      {"longest time for an NVDIMM request since its ack; beyond it the request counts as starved "
       "when it loses",
       "a modelling choice of hmsim: four times dram_guard, short compared to a flash read of 50 "
       "us; hms, all, paper_all and their variants set 2,000, for slow tiers without flash"});
  parameters.text("table", text_,
                  {"rates by pattern, from 'hmsim calibrate'; commands calibrate a missing table",
                   "the paper, section V-A"});
}

std::vector<ParameterError> Harmonic::check() const {
  const std::string wrong = text_.empty() ? "" : PerformanceTable::check(text_);
  return wrong.empty() ? std::vector<ParameterError>{}
                       : std::vector<ParameterError>{{"table", wrong}};
}

void Harmonic::connect(const ChannelShape& shape, const SourceProgress& /*progress*/) {
  if (text_.empty()) {
    throw InputError("policies.harmonic.table: is required; 'hmsim calibrate' writes one");
  }
  table_.read(text_);
  constexpr double kHalf = 0.5;
  weight_ = static_cast<std::int64_t>(w_ * static_cast<double>(kOne) + kHalf);
  tenths_ = (weight_ * kTen + kOne / 2) / kOne;
  slots_ = {shape.dram_slots, shape.nvdimm_slots};
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    utilisation_[i] = equal_bins<kStages>(slots_[i]);
    guard_times_[i] = guard_cycles_[i] * shape.clock_period;
  }
  const WindowLength length{window_, window_cycles_ * shape.clock_period};
  dram_ = DramPattern(length);
  nvdimm_ = NvdimmPattern(length);
  ready_since_.resize(shape.slots);
}

extern const PolicyDescriptor kPolicy_harmonic{
    PolicyKind::bus_arbiter, "harmonic",
    "the class whose pattern is nearer to its best and whose queue is fuller",
    "Chen, Shao and Li, Bridging the I/O Performance Gap for Big Data Workloads, MASCOTS 2016",
    make_policy<Harmonic>};

}  // namespace hmsim
