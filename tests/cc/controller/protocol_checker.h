// SPDX-License-Identifier: BSD-3-Clause
// Replays a command log against its own reading of JESD79-3F (DDR3) and of the ack protocol; shares
// no code with the timing engine. Returns the first violation, or "".
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controller/command_observer.h"
#include "dram/parameters.h"

namespace hmsim::testing {

class ProtocolChecker {
 public:
  explicit ProtocolChecker(const DramParameters& dram) : t_(dram.timing), ranks_(dram.ranks) {}

  std::string check(const std::vector<CommandRecord>& log) {
    for (const CommandRecord& record : log) {
      const std::string problem = step(record);
      if (!problem.empty()) {
        return "cycle " + std::to_string(record.cycle.value()) + ", rank " +
               std::to_string(record.rank) + ", bank " + std::to_string(record.bank) + ": " +
               problem;
      }
    }
    return "";
  }

 private:
  static constexpr std::int64_t kLongAgo = -1'000'000'000;
  struct BankState {
    std::int64_t row = -1;
    std::int64_t activate = kLongAgo;
    std::int64_t precharge = kLongAgo;
    std::int64_t read = kLongAgo;
    std::int64_t write = kLongAgo;
  };
  struct Burst {
    std::int64_t begin;
    std::int64_t end;
    int rank;
    bool write;
  };

  std::string step(const CommandRecord& record) {
    const std::int64_t now = record.cycle.value();
    if (now <= last_command_) {
      return "two commands on one edge of the command bus";
    }
    last_command_ = now;
    BankState& bank = banks_[{record.rank, record.bank}];
    switch (record.command) {
      case ChannelCommand::activate:
        return activate(record, bank, now);
      case ChannelCommand::precharge:
        return precharge(bank, now);
      case ChannelCommand::read:
      case ChannelCommand::write:
        return column(record, bank, now);
      case ChannelCommand::refresh:
        return refresh(record, now);
      case ChannelCommand::nvdimm_read_command:
      case ChannelCommand::nvdimm_write_command:
        return nvdimm_[record.request]++ == 0 ? "" : "an NVDIMM command is sent twice";
      case ChannelCommand::nvdimm_ack:
        return nvdimm_[record.request]++ == 1 ? "" : "an ack without a waiting command";
      case ChannelCommand::nvdimm_read:
      case ChannelCommand::nvdimm_write:
        if (nvdimm_[record.request]++ != 2) {
          return "a grant without an ack";
        }
        return burst(record, now, record.command == ChannelCommand::nvdimm_write);
    }
    return "an unknown command";
  }

  std::string activate(const CommandRecord& record, BankState& bank, std::int64_t now) {
    std::vector<std::int64_t>& acts = activates_[record.rank];
    if (bank.row != -1) return "ACT of an open bank";
    if (now < bank.activate + t_.trc) return "tRC";
    if (now < bank.precharge + t_.trp) return "tRP";
    if (now < refreshed(record.rank) + t_.trfc) return "tRFC";
    if (!acts.empty() && now < acts.back() + t_.trrd) return "tRRD";
    if (acts.size() >= 4 && now < acts[acts.size() - 4] + t_.tfaw) return "tFAW";
    acts.push_back(now);
    bank.activate = now;
    bank.row = record.row;
    return "";
  }

  std::string precharge(BankState& bank, std::int64_t now) const {
    if (bank.row == -1) return "PRE of a closed bank";
    if (now < bank.activate + t_.tras) return "tRAS";
    if (now < bank.read + t_.trtp) return "tRTP";
    if (now < bank.write + t_.cwl + t_.burst + t_.twr) return "tWR";
    bank.row = -1;
    bank.precharge = now;
    return "";
  }

  std::string column(const CommandRecord& record, BankState& bank, std::int64_t now) {
    const bool write = record.command == ChannelCommand::write;
    if (bank.row != record.row) return "the row is not open";
    if (now < bank.activate + t_.trcd) return "tRCD";
    for (const auto& [place, other] : banks_) {
      if (place.first == record.rank) {
        if (now < (write ? other.write : other.read) + t_.tccd) return "tCCD";
        if (!write && now < other.write + t_.cwl + t_.burst + t_.twtr) return "tWTR";
      }
    }
    (write ? bank.write : bank.read) = now;
    return burst(record, now, write);
  }

  std::string refresh(const CommandRecord& record, std::int64_t now) {
    for (const auto& [place, bank] : banks_) {
      if (place.first == record.rank) {
        if (bank.row != -1) return "REF with an open bank";
        if (now < bank.precharge + t_.trp) return "tRP before REF";
      }
    }
    if (now < refreshed(record.rank) + t_.trfc) return "tRFC between REF";
    refreshes_[record.rank] = now;
    return "";
  }

  std::string burst(const CommandRecord& record, std::int64_t now, bool write) {
    const std::int64_t begin = now + (write ? t_.cwl : t_.cl);
    const Burst next{begin, begin + t_.burst, record.rank, write};
    if (have_burst_) {
      const bool same = last_burst_.rank == next.rank && last_burst_.write == next.write;
      if (next.begin < last_burst_.end + (same ? 0 : t_.trtrs)) {
        return "data overlap or lack the turnaround gap";
      }
    }
    last_burst_ = next;
    have_burst_ = true;
    return "";
  }

  std::int64_t refreshed(int rank) {
    const auto found = refreshes_.find(rank);
    return found == refreshes_.end() ? kLongAgo : found->second;
  }

  const DramTiming t_;
  const std::int64_t ranks_;
  std::int64_t last_command_ = -1;
  std::map<std::pair<int, int>, BankState> banks_;
  std::map<int, std::vector<std::int64_t>> activates_;
  std::map<int, std::int64_t> refreshes_;
  std::map<std::int64_t, int> nvdimm_;
  Burst last_burst_{};
  bool have_burst_ = false;
};

}  // namespace hmsim::testing
