// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "policies/monitors/pending.h"
#include "policies/policy.h"

namespace hmsim {

// FR-FCFS with a cap: after `cap` row hits in a row, a bank's oldest request goes next, hit or not.
class FrFcfsCap final : public TransactionScheduler {
 public:
  void declare(ParameterSet& parameters) override {
    parameters.integer("cap", cap_, {1, 1'000'000}, "requests",
                       {"row hits of a bank in a row that may overtake older requests",
                        "MemSchedSim: 4; Ramulator: 16"});
  }
  void connect(const ChannelShape& shape, const SourceProgress& /*progress*/) override {
    shape_ = shape;
    const auto banks = static_cast<std::size_t>(shape.banks());
    pending_.connect(shape.slots, banks);
    banks_.resize(banks);
  }

  std::uint64_t key(const RequestView& request) const override {
    return request.row_hit || banks_[bank_of(request)].first == request.slot ? 1 : 0;
  }

  void on_enqueue(const RequestView& request, Tick /*now*/) override {
    pending_.add(request, bank_of(request));
    put_first(bank_of(request));
  }
  void on_issue(const RequestView& request, Tick /*now*/) override {
    Bank& bank = banks_[bank_of(request)];
    bank.streak = request.row_hit ? bank.streak + 1 : 1;
    pending_.remove(request.slot);
    bank.first = bank.first == request.slot ? PendingRequests::kNone : bank.first;
    put_first(bank_of(request));
  }
  void serialize(Archive& archive) override {
    archive(pending_);
    archive.fixed(banks_);
    for (std::size_t bank = 0; archive.loading() && bank < banks_.size(); ++bank) {
      banks_[bank].first = first_of(bank);
    }
  }

 private:
  struct Bank {
    std::int64_t streak = 0;
    std::uint32_t first = PendingRequests::kNone;  // treated as a row hit
    void serialize(Archive& archive) { archive(streak); }
  };

  std::size_t bank_of(const RequestView& request) const {
    return static_cast<std::size_t>(shape_.bank_number(request));
  }
  // Returns the bank's oldest request once the streak has reached the cap, otherwise kNone. Treated
  // as a hit, the oldest request goes before all others of the bank.
  std::uint32_t first_of(std::size_t bank) const {
    return banks_[bank].streak >= cap_ ? pending_.oldest(bank) : PendingRequests::kNone;
  }
  void put_first(std::size_t number) {
    Bank& bank = banks_[number];
    const std::uint32_t first = first_of(number);
    if (bank.first != first) {
      for (const std::uint32_t slot : {bank.first, first}) {
        if (slot != PendingRequests::kNone) {
          rekey(slot);
        }
      }
      bank.first = first;
    }
  }

  std::int64_t cap_ = 4;
  ChannelShape shape_;
  PendingRequests pending_;  // one list per bank
  std::vector<Bank> banks_;
};

extern const PolicyDescriptor kPolicy_fr_fcfs_cap{
    PolicyKind::transaction_scheduler, "fr_fcfs_cap",
    "row hits first, up to a limit, then the bank's oldest request",
    "Mutlu and Moscibroda, Stall-time fair memory access scheduling, MICRO 2007 (FR-FCFS+Cap)",
    make_policy<FrFcfsCap>};

}  // namespace hmsim
