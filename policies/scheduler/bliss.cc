// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "policies/monitors/sources.h"
#include "policies/policy.h"

namespace hmsim {

// The blacklisting scheduler. A source served `threshold` times in a row is blacklisted and ranks
// below all others until the blacklist is cleared.
class Bliss final : public TransactionScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer(
        "threshold", threshold_, {1, 1'000'000}, "requests",
        {"consecutive requests of one source that blacklist it", "the BLISS paper: 4"});
    parameters.time("clearing_interval", interval_,
                    {"time between two clearings of the blacklist",
                     "the BLISS paper: 10,000 cycles, taken as the CPU's, at 2 GHz"});
    sources_.declare(parameters);
  }
  void connect(const ChannelShape& shape, const SourceProgress& /*progress*/) override {
    interval_ = later(interval_, shape.clock_period);
    next_clearing_ = interval_;
  }

  std::uint64_t key(const RequestView& request) const override {
    return (blacklisted_[sources_.of(request)] ? 0 : 2) + (request.row_hit ? 1 : 0);
  }

  void on_enqueue(const RequestView& request, Tick /*now*/) override {
    sources_.arrive(request);
    blacklisted_.resize(sources_.count());
  }
  void on_issue(const RequestView& request, Tick /*now*/) override {
    const std::size_t source = sources_.of(request);
    streak_ = source == last_source_ ? streak_ + 1 : 1;
    last_source_ = source;
    if (streak_ >= threshold_) {
      streak_ = 0;
      if (!blacklisted_[source]) {
        blacklisted_[source] = true;
        raise_epoch();
      }
    }
  }

  Tick next_change() const override { return next_clearing_; }
  void change(Tick now) override {
    next_clearing_ = now + interval_;
    if (std::find(blacklisted_.begin(), blacklisted_.end(), true) != blacklisted_.end()) {
      blacklisted_.assign(blacklisted_.size(), false);
      raise_epoch();
    }
  }

  void serialize(Archive& archive) override {
    archive(sources_, blacklisted_, last_source_, streak_, next_clearing_);
    blacklisted_.resize(sources_.count());
  }

 private:
  std::int64_t threshold_ = 4;
  Tick interval_ = 5 * kMicrosecond;
  Sources sources_;
  std::vector<bool> blacklisted_;
  std::size_t last_source_ = 0;
  std::int64_t streak_ = 0;
  Tick next_clearing_ = kNever;
};

extern const PolicyDescriptor kPolicy_bliss{
    PolicyKind::transaction_scheduler, "bliss",
    "sources served several times in a row rank below the others for a while",
    "Subramanian et al., The blacklisting memory scheduler, ICCD 2014", make_policy<Bliss>};

}  // namespace hmsim
