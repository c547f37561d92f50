// SPDX-License-Identifier: BSD-3-Clause
// Closing of rows for the page policy.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "controller/channel/dram_banks.h"
#include "core/archive.h"
#include "core/types.h"
#include "dram/timing_model.h"
#include "policies/policy.h"

namespace hmsim {

// Asks the policy after each column command whether to close the row. Precharges a bank only in
// command-bus slots that no other command needs, and only if no transaction competes for the bank
// or if its row accepts no more hits.
class PageControl {
 public:
  PageControl(std::unique_ptr<PagePolicy> policy, const TimingModel& model, DramBanks& banks,
              std::size_t bank_count, Tick clock_period);

  // Returns whether the policy may close rows; if not, the functions below need not be called.
  bool active() const { return active_; }

  // Reports that the number of transactions waiting for the bank changes (`side`: see DramBanks).
  void count_waiting(std::int32_t bank, std::size_t side, int change) {
    at(bank).waiting[side] += change;
  }
  void opened(std::int32_t bank) { at(bank).accesses = 0; }
  void closed(std::int32_t bank) { at(bank).close_from = kNeverCycle; }
  // Reports a column command to the row of `request`.
  void accessed(std::int32_t bank, const RequestView& request, Cycle edge);

  // Returns the bank to precharge on this edge, or -1. `side` is the side that competes.
  std::int32_t closing(std::size_t side, Cycle edge);
  // Before this edge closing() returns -1, unless column commands are issued.
  Cycle next() const { return next_; }

  // After loading, nothing waits; call count_waiting() for each waiting transaction.
  void serialize(Archive& archive);

 private:
  struct Bank {
    std::int64_t accesses = 0;       // column commands since the activate
    Cycle close_from = kNeverCycle;  // kNeverCycle: stays open
    bool listed = false;             // in listed_
    std::array<int, 2> waiting{};
    void serialize(Archive& archive) {
      archive(accesses, close_from);
      listed = false;  // set again for the banks in listed_
      waiting = archive.loading() ? std::array<int, 2>{} : waiting;
    }
  };

  Bank& at(std::int32_t bank) { return banks_[static_cast<std::size_t>(bank)]; }

  std::unique_ptr<PagePolicy> policy_;
  const TimingModel& model_;
  DramBanks& rows_;
  const Tick period_;
  const bool active_;
  std::vector<Bank> banks_;
  std::vector<std::int32_t> listed_;  // banks whose row is to be closed; may contain others
  Cycle next_ = kNeverCycle;
};

}  // namespace hmsim
