// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "policies/gc_scheduler.h"

namespace hmsim {

// The paper's section V-C. Stage 1: copies a page while other channels have enough work to hide
// that this channel is blocked, or while this channel has no pending work. Copied pages that
// requests wait for are cached. Stage 2: erases the block while other LUNs have enough work to
// cover the erase. Otherwise it first reads enough requested pages of this LUN to keep the memory
// bus busy for the rest of the erase.
class Proactive final : public GcScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.choice("estimate", estimate_,
                      {{"serial", Estimate::serial}, {"parallel", Estimate::parallel}},
                      {"pending flash operations add up as in the equations, or are shared by the "
                       "channels (stage 2: LUNs) that are not blocked",
                       "the paper, equations 7 and 9"});
    parameters.choice(
        "stages", stages_, {{"both", Stages::both}, {"1", Stages::copies}, {"2", Stages::erases}},
        {"stages that are scheduled; the other one acts as in reactive", "the paper, section V-C"});
    parameters.choice("lun", lun_, {{"held", LunUse::held}, {"shared", LunUse::shared}},
                      {"shared: in addition, a step waits while its LUN is in demand, or a page "
                       "waits for a LUN to be written to",
                       "assumed"});
  }

  bool copy(const GcView& view) override {
    if (shares_with_host(view)) {
      return false;
    }
    if (stages_ == Stages::erases || view.channel.none()) {
      return true;
    }
    return response_time(view, view.all - view.channel, view.channels - 1) >
           view.times->blocked;  // eq. 7
  }

  GcErase erase(const GcView& view) override {
    if (shares_with_host(view)) {
      return {false, 0};
    }
    const Tick block = view.times->erase;                                           // eq. 8
    const Tick response = response_time(view, view.all - view.lun, view.luns - 1);  // eq. 9
    if (stages_ == Stages::copies || response >= block) {
      return {};
    }
    const Tick bus = view.times->burst;
    const std::int64_t wanted = (block - response + bus - Tick(1)) / bus;  // eq. 10
    const auto reads = std::min(wanted, std::int64_t{view.lun.fetchable});
    return {reads == 0, static_cast<std::uint32_t>(reads)};
  }

  bool caches_copied_pages() const override { return stages_ != Stages::erases; }

 private:
  enum class Estimate { serial, parallel };
  enum class LunUse { held, shared };
  enum class Stages { both, copies, erases };

  bool shares_with_host(const GcView& view) const {
    return lun_ == LunUse::shared && (!view.lun.none() || view.unplaced > 0);
  }

  // Estimates how long the buffered requests, and the work of `others` on `units` units, keep the
  // host served. The paper leaves two choices open. Here pending reads count once per page, and a
  // request takes its burst on the memory bus.
  Tick response_time(const GcView& view, const PendingFlash& others, std::uint32_t units) const {
    const GcTimes& times = *view.times;
    const Tick flash = others.read_pages * (times.read + times.transfer) +
                       others.writes * (times.transfer + times.program);
    const bool shared = estimate_ == Estimate::parallel && units > 1;
    return view.buffered * times.burst + (shared ? flash / units : flash);
  }

  Estimate estimate_ = Estimate::serial;
  LunUse lun_ = LunUse::held;
  Stages stages_ = Stages::both;
};

extern const PolicyDescriptor kPolicy_proactive{
    PolicyKind::gc_scheduler, "proactive",
    "steps when other channels or LUNs hide them, pages in demand cached and fetched first",
    "the paper, section V-C, equations 7 to 10", make_policy<Proactive>};

}  // namespace hmsim
