// SPDX-License-Identifier: BSD-3-Clause
// Closes rows as the page policy wants it.
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

// Asks the policy after each column command, and precharges in command-bus slots that nothing else
// takes: a row only when no transaction competes for its bank, unless it takes no more hits.
class PageControl {
 public:
  PageControl(std::unique_ptr<PagePolicy> policy, const TimingModel& model, DramBanks& banks,
              std::size_t bank_count, Tick clock_period);

  // The policy may close rows; else nothing below need be called.
  bool active() const { return active_; }

  // A transaction begins or ends to wait for the bank (DramBanks: `side`).
  void count_waiting(std::int32_t bank, std::size_t side, int change) {
    at(bank).waiting[side] += change;
  }
  void opened(std::int32_t bank) { at(bank).accesses = 0; }
  void closed(std::int32_t bank) { at(bank).close_from = kNeverCycle; }
  // A column command to the row of this transaction was issued.
  void accessed(std::int32_t bank, const RequestView& request, Cycle edge);

  // The bank to be precharged on this edge, or -1. `side` competes for the banks.
  std::int32_t closing(std::size_t side, Cycle edge);
  // closing() answers -1 before, unless column commands are issued.
  Cycle next() const { return next_; }

  // Loading: nobody waits then; count_waiting() is to be called for each that does.
  void serialize(Archive& archive);

 private:
  struct Bank {
    std::int64_t accesses = 0;       // column commands since the row was opened
    Cycle close_from = kNeverCycle;  // kNeverCycle: stays open
    bool listed = false;             // in listed_
    std::array<int, 2> waiting{};
    void serialize(Archive& archive) {
      archive(accesses, close_from);
      listed = false;  // those in listed_ are marked again
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
  std::vector<std::int32_t> listed_;  // those whose row is to be closed, and some others
  Cycle next_ = kNeverCycle;
};

}  // namespace hmsim
