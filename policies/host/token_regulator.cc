// SPDX-License-Identifier: BSD-3-Clause
#include "core/errors.h"
#include "policies/host_limiter.h"

namespace hmsim {

// Each source has a budget of requests in each period, by class. A request without a token waits
// for the next period; unused tokens carry over up to a limit.
class TokenRegulator final : public HostLimiter {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.time("period", period_, {"a source gets its budget once in this time", "assumed"});
    parameters.integer_or("fast_budget", budget_[0], {1, 1'000'000'000}, "none", kNone, "requests",
                          {"fast requests of a source in a period", "assumed"});
    parameters.integer_or("slow_budget", budget_[1], {1, 1'000'000'000}, "none", kNone, "requests",
                          {"slow requests of a source in a period", "assumed"});
    parameters.integer("carry", carry_, {0, 1'000'000'000}, "requests",
                       {"unused requests that carry over to the next period at most", "assumed"});
  }
  std::vector<ParameterError> check() const override {
    return period_ > Tick(0) ? std::vector<ParameterError>()
                             : std::vector<ParameterError>{{"period", "must be more than 0s"}};
  }

  bool admits(HostTier tier, std::uint16_t source, const HostView& view) override {
    return budget_of(tier) == kNone || account(tier, source, view.now).tokens > 0;
  }
  void on_enter(HostTier tier, std::uint16_t source, const HostView& view) override {
    if (budget_of(tier) != kNone) {
      --account(tier, source, view.now).tokens;
    }
  }
  Tick next_change(Tick now) const override { return (now / period_ + 1) * period_; }
  void serialize(Archive& archive) override { archive(accounts_); }

 private:
  static constexpr std::int64_t kNone = 0;

  struct Account {
    std::int64_t period = -1;  // number of the last period with a budget; -1: none yet
    std::int64_t tokens = 0;
    void serialize(Archive& archive) { archive(period, tokens); }
  };

  std::int64_t budget_of(HostTier tier) const { return budget_[static_cast<std::size_t>(tier)]; }
  Account& account(HostTier tier, std::uint16_t source, Tick now) {
    const std::size_t index = std::size_t{source} * kTiers + static_cast<std::size_t>(tier);
    if (index >= accounts_.size()) {
      accounts_.resize(index + 1);
    }
    Account& account = accounts_[index];
    const std::int64_t period = now / period_;
    if (period > account.period) {
      const std::int64_t budget = budget_of(tier);
      const std::int64_t missed = account.period < 0 ? 0 : period - account.period - 1;
      // A whole period without requests fills the carry-over.
      const std::int64_t unused = missed > 0 ? account.tokens + missed * budget : account.tokens;
      account.tokens = budget + earlier(carry_, unused);
      account.period = period;
    }
    return account;
  }

  Tick period_ = 1 * kMicrosecond;
  std::array<std::int64_t, kTiers> budget_{kNone, 16};
  std::int64_t carry_ = 0;
  std::vector<Account> accounts_;  // by source and class
};

extern const PolicyDescriptor kPolicy_token_regulator;
const PolicyDescriptor kPolicy_token_regulator{
    PolicyKind::host_limiter, "token_regulator",
    "each source has a budget of requests in each period",
    "after MemGuard (RTAS 2013), which regulates cores by period", make_policy<TokenRegulator>};

}  // namespace hmsim
