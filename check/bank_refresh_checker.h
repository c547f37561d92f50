// SPDX-License-Identifier: BSD-3-Clause
// Rules that JESD79-5B adds to DDR4, apart from bank groups, and their counterparts in JESD209-5:
// the spacing of precharges in a rank, and refreshes of some of its banks.
#pragma once

#include <cstdint>
#include <vector>

#include "check/violations.h"
#include "dram/parameters.h"

namespace hmsim {

// Checks one channel. Complements Ddr3Checker and BankGroupChecker. Reports nothing for parts of
// other families.
class BankRefreshChecker {
 public:
  // `violations` must outlive the checker.
  BankRefreshChecker(const DramParameters& dram, ViolationLog& violations)
      : ddr5_(dram.is("ddr5")),
        hbm3_(dram.is("hbm3")),
        known_(ddr5_ || dram.is("lpddr5") || hbm3_),
        t_(dram.timing),
        to_end_(ddr5_ ? 0 : 1),
        banks_per_rank_(dram.organisation.banks),
        banks_per_group_(dram.organisation.banks_per_group()),
        apart_(same_bank_stride(dram)),
        violations_(violations),
        banks_(static_cast<std::size_t>(dram.ranks * dram.organisation.banks)),
        ranks_(static_cast<std::size_t>(dram.ranks)) {}

  // Returns the distance between banks that one same-bank (per-bank) refresh covers. It equals the
  // number of refreshes in a round. JESD79-5B: one bank of each group. JESD209-5, BG mode: BG1 is
  // ignored, so the banks of two groups that are 2 apart. JESD238: one bank.
  static std::int64_t same_bank_stride(const DramParameters& dram) {
    const DramOrganisation& part = dram.organisation;
    if (dram.is("hbm3")) {
      return part.banks;
    }
    return dram.is("lpddr5") ? part.banks / 2 : part.banks / part.groups;
  }

  // Checks a DRAM command. Calls come in order of cycles; rank and bank must exist.
  void check(const CommandRecord& record) {
    if (!known_) {
      return;
    }
    Rank& rank = ranks_[static_cast<std::size_t>(record.rank)];
    if (record.command == C::refresh_same_bank) {
      check_refresh(record, rank);
      return;
    }
    if (record.bank < 0) {
      return;
    }
    Bank& bank = bank_of(record, record.bank);
    if (record.command == C::activate) {
      check_activate(record, bank, rank);
    } else if (record.command == C::precharge) {
      check_precharge(record, bank, rank);
    }
  }

  void serialize(Archive& archive) { archive.fixed(banks_, ranks_); }

 private:
  using C = ChannelCommand;

  struct Bank {
    bool open = false;
    std::int64_t activate = kLongPast;  // cycle of the last one of each kind
    std::int64_t precharge = kLongPast;
    std::int64_t refresh = kLongPast;
    void serialize(Archive& archive) { archive(open, activate, precharge, refresh); }
  };
  struct Rank {
    std::int64_t activate = kLongPast;
    std::int64_t precharge = kLongPast;
    std::int64_t refresh = kLongPast;
    void serialize(Archive& archive) { archive(activate, precharge, refresh); }
  };

  // "Same-Bank Refresh": a refreshed bank takes no command for tRFCsb (tRFCpb). Other banks take no
  // activate for tREFSBRD (tpbR2act).
  void check_activate(const CommandRecord& record, Bank& bank, Rank& rank) {
    violations_.require("tRFCsb", record, {C::refresh_same_bank, bank.refresh},
                        t_.trfcsb - to_end_);
    violations_.require("tREFSBRD", record, {C::refresh_same_bank, rank.refresh},
                        t_.trefsbrd - to_end_);
    bank.open = true;
    bank.activate = rank.activate = record.cycle.value();
  }

  // "Precharge to precharge delay": tPPD between any two in a rank.
  void check_precharge(const CommandRecord& record, Bank& bank, Rank& rank) {
    violations_.require("tPPD", record, {C::precharge, rank.precharge}, t_.tppd);
    bank.open = false;
    bank.precharge = rank.precharge = record.cycle.value();
  }

  // "Same-Bank Refresh": the banks of that number must be precharged and idle for tRP. The refresh
  // counts as an activate in the rank, because it covers all groups; in JESD238, only its bank's.
  // The next one may follow after tRFCsb; in JESD209-5 after tpbR2pbR; in JESD238 after tRREFD.
  void check_refresh(const CommandRecord& record, Rank& rank) {
    violations_.require(ddr5_ ? "tRFCsb" : "tPBR2PBR", record, {C::refresh_same_bank, rank.refresh},
                        ddr5_ ? t_.trfcsb : t_.tpbr2pbr);
    violations_.require(hbm3_ ? "tRRD" : "tRRD_L", record, {C::activate, rank.activate},
                        to_end_ + (hbm3_ ? t_.trrd : t_.trrd_l));
    for (std::int64_t in_group = 0; hbm3_ && in_group < banks_per_group_; ++in_group) {
      const std::int64_t first = record.bank / banks_per_group_ * banks_per_group_;
      const Bank& bank = bank_of(record, first + in_group);
      violations_.require("tRRD_L", record, {C::activate, bank.activate}, to_end_ + t_.trrd_l);
    }
    for (std::int64_t in_rank = record.bank; in_rank < banks_per_rank_; in_rank += apart_) {
      Bank& bank = bank_of(record, in_rank);
      if (bank.open) {
        violations_.add("refresh of open bank", record, 0, 1);
      }
      violations_.require("tRP", record, {C::precharge, bank.precharge}, t_.trp);
      violations_.require("tRC", record, {C::activate, bank.activate}, to_end_ + t_.trc);
      bank.refresh = record.cycle.value();
    }
    rank.refresh = record.cycle.value();
  }

  Bank& bank_of(const CommandRecord& record, std::int64_t in_rank) {
    return banks_[static_cast<std::size_t>(record.rank * banks_per_rank_ + in_rank)];
  }

  const bool ddr5_;
  const bool hbm3_;
  const bool known_;
  const DramTiming t_;
  const std::int64_t to_end_;  // from a logged activate to its end, which times count to and from
  const std::int64_t banks_per_rank_;
  const std::int64_t banks_per_group_;
  const std::int64_t apart_;  // distance between banks that are refreshed together
  ViolationLog& violations_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
};

}  // namespace hmsim
