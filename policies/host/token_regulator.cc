// SPDX-License-Identifier: BSD-3-Clause
#include "core/errors.h"
#include "policies/host_limiter.h"

namespace hmsim {

// Each source has a budget of slow requests in each period. A request without a token waits for the
// next period. Unused tokens expire.
class TokenRegulator final : public HostLimiter {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.time("period", period_, {"a source gets its budget once in this time", "assumed"});
    parameters.integer("slow_budget", budget_, {1, 1'000'000'000}, "requests",
                       {"slow requests of a source in a period", "assumed"});
  }
  std::vector<ParameterError> check() const override {
    return period_ > Tick(0) ? std::vector<ParameterError>()
                             : std::vector<ParameterError>{{"period", "must be more than 0s"}};
  }

  bool admits(Tier tier, std::uint16_t source, const HostView& view) override {
    return tier == Tier::fast || tokens(source, view.now) > 0;
  }
  void on_enter(Tier tier, std::uint16_t source, const HostView& view) override {
    if (tier == Tier::slow) {
      --tokens(source, view.now);
    }
  }
  Tick next_change(Tick now) const override { return (now / period_ + 1) * period_; }
  void serialize(Archive& archive) override { archive(accounts_); }

 private:
  struct Account {
    std::int64_t period = -1;  // number of the last period with a budget; -1: none yet
    std::int64_t tokens = 0;
    void serialize(Archive& archive) { archive(period, tokens); }
  };

  std::int64_t& tokens(std::uint16_t source, Tick now) {
    if (source >= accounts_.size()) {
      accounts_.resize(std::size_t{source} + 1);
    }
    Account& account = accounts_[source];
    const std::int64_t period = now / period_;
    if (period > account.period) {
      account = {period, budget_};
    }
    return account.tokens;
  }

  Tick period_ = 1 * kMicrosecond;
  std::int64_t budget_ = 16;
  std::vector<Account> accounts_;  // by source
};

extern const PolicyDescriptor kPolicy_token_regulator{
    PolicyKind::host_limiter, "token_regulator",
    "each source has a budget of requests in each period",
    "after MemGuard (RTAS 2013), which regulates cores by period", make_policy<TokenRegulator>};

}  // namespace hmsim
