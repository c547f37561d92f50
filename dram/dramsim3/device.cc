// SPDX-License-Identifier: BSD-3-Clause
// Timing model based on DRAMsim3's ChannelState. ChannelState only answers whether the next command
// of a request is legal in a given cycle. The earliest legal cycle is found by a search: rules only
// delay, so a command that is legal in one cycle is legal in all later ones.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "channel_state.h"
#include "core/archive.h"
#include "core/errors.h"
#include "dram/dramsim3/adapter.h"
#include "dram/dramsim3/device_config.h"

namespace hmsim {

namespace {

using Type = dramsim3::CommandType;

// DRAMsim3's command types by hmsim's commands. The model does not support power-down and
// self-refresh commands.
constexpr std::array<Type, 8> kTypes{Type::ACTIVATE, Type::PRECHARGE,    Type::READ, Type::WRITE,
                                     Type::REFRESH,  Type::REFRESH_BANK, Type::READ, Type::WRITE};
constexpr int kBankCommands = 4;  // activate, precharge, read, write

// Rows of all commands in DRAMsim3's state. The model only needs to know whether a bank is open, so
// every bank opens kRow. A read or write of kRow then hits; a request for kOtherRow needs a
// precharge.
constexpr int kRow = 0;
constexpr int kOtherRow = 1;

Type type_of(Command command) { return kTypes[static_cast<std::size_t>(command)]; }

// The NVDIMM is modelled as two spare ranks, one for reads and one for writes, so that only the
// data bus constrains its bursts. DRAMsim3's rules between ranks then apply to its bursts.
// Successive bursts in one direction use different bank groups.
constexpr int kSpareRanks = 2;

class Dramsim3Timing final : public TimingModel {
 public:
  Dramsim3Timing(const DramParameters& dram, const DramModelParameters& options)
      : ranks_(static_cast<int>(dram.ranks)),
        banks_per_rank_(static_cast<int>(dram.organisation.banks)),
        config_(dramsim3_config(dram, options, 1)),
        timing_(dramsim3_timing(*config_, options)),
        open_(static_cast<std::size_t>(ranks_ * banks_per_rank_)),
        bank_ready_(open_.size()) {
    config_->ranks += kSpareRanks;
    horizon_ = config_->tFAW;
    for (const auto* table :
         {&timing_.same_bank, &timing_.other_banks_same_bankgroup,
          &timing_.other_bankgroups_same_rank, &timing_.other_ranks, &timing_.same_rank}) {
      for (const auto& rules : *table) {
        for (const auto& rule : rules) {
          horizon_ = std::max<std::int64_t>(horizon_, rule.second);
        }
      }
    }
    start();
  }

  void issue(Command command, int bank, Cycle now) override {
    apply({command, bank, now.value()}, true);
    log_.push_back({command, bank, now.value()});
    while (log_.front().cycle + horizon_ < now.value()) {
      log_.pop_front();
    }
  }

  std::int64_t bank_ready(Command command, int bank) const override {
    return bank_ready_[static_cast<std::size_t>(bank)][static_cast<std::size_t>(command)];
  }
  Cycle rank_gate(Command command, int rank) const override {
    return is_nvdimm(command)
               ? first(question(type_of(command), spare(command), kRow), type_of(command))
               : first(question(Type::REFRESH, address(rank * banks_per_rank_), kRow),
                       Type::REFRESH);
  }
  Cycle earliest(Command command, int bank) const override {
    const Type asked = command == Command::write ? Type::WRITE : Type::READ;
    const int row = command == Command::precharge ? kOtherRow : kRow;
    return first(question(asked, address(bank), row), type_of(command));
  }

  void serialize(Archive& archive) override {
    archive.section("dramsim3");
    archive.fixed(open_, bank_ready_);
    archive(log_, last_, next_group_);
    check(archive);
    if (archive.loading()) {
      start();
      for (const Issued& issued : log_) {
        apply(issued, false);
      }
      for (std::size_t bank = 0; bank < open_.size(); ++bank) {
        if (open_[bank]) {
          state_->UpdateState(question(Type::ACTIVATE, address(static_cast<int>(bank)), kRow));
        }
      }
    }
  }

 private:
  struct Issued {
    Command command = Command::activate;
    int bank = 0;
    std::int64_t cycle = 0;
    void serialize(Archive& archive) { archive(command, bank, cycle); }
  };

  void check(const Archive& archive) const {
    const auto is_date = [](std::int64_t cycle) { return cycle < std::int64_t{1} << 51; };
    bool dated = is_date(last_);
    for (const auto& bank : bank_ready_) {
      dated = dated && std::all_of(bank.begin(), bank.end(), is_date);
    }
    for (const Issued& issued : log_) {
      dated = dated && issued.cycle >= 0 && is_date(issued.cycle);
      archive.check_index(issued.bank, open_.size(), "invalid bank");
    }
    archive.check(dated, "command in the far future");
    archive.check_indices(next_group_, static_cast<std::size_t>(config_->bankgroups),
                          "invalid bank group");
  }

  // Resets the state. All DRAM banks are closed. Each bank group of the spare ranks has one open
  // bank, so that the NVDIMM's bursts need no activate.
  void start() {
    state_.emplace(*config_, timing_);
    for (int rank = ranks_; rank < ranks_ + kSpareRanks; ++rank) {
      for (int group = 0; group < config_->bankgroups; ++group) {
        state_->UpdateState(question(Type::ACTIVATE, {0, rank, group, 0, kRow, 0}, kRow));
      }
    }
  }

  static dramsim3::Command question(Type type, dramsim3::Address address, int row) {
    address.row = row;
    return {type, address, 0};
  }
  dramsim3::Address address(int bank) const {
    const int in_rank = bank % banks_per_rank_;
    return {0,
            bank / banks_per_rank_,
            in_rank / config_->banks_per_group,
            in_rank % config_->banks_per_group,
            kRow,
            0};
  }
  // Returns the address that accounts for the NVDIMM's next burst in this direction.
  dramsim3::Address spare(Command command) const {
    const bool write = command == Command::nvdimm_write;
    return {0, ranks_ + (write ? 1 : 0), next_group_[write ? 1 : 0], 0, kRow, 0};
  }

  // `live`: the command is issued now, not replayed, so the banks' states are updated too.
  void apply(const Issued& issued, bool live) {
    const auto clock = static_cast<std::uint64_t>(issued.cycle);
    const Type type = type_of(issued.command);
    last_ = std::max(last_, issued.cycle);
    if (is_nvdimm(issued.command)) {
      state_->UpdateTiming(question(type, spare(issued.command), kRow), clock);
      int& group = next_group_[issued.command == Command::nvdimm_write ? 1 : 0];
      group = (group + 1) % config_->bankgroups;
      return;
    }
    const dramsim3::Command command = question(type, address(issued.bank), kRow);
    state_->UpdateTiming(command, clock);
    if (!live) {
      return;
    }
    state_->UpdateState(command);
    const auto bank = static_cast<std::size_t>(issued.bank);
    if (issued.command == Command::activate || issued.command == Command::precharge) {
      open_[bank] = issued.command == Command::activate;
    }
    if (issued.command != Command::refresh) {
      note_bank_rules(issued, bank);
    }
  }

  // Records DRAMsim3's rules within a bank that concern its rows; column spacing is excluded.
  void note_bank_rules(const Issued& issued, std::size_t bank) {
    const bool column = reserves_data_bus(issued.command);
    for (const auto& [following, cycles] :
         timing_.same_bank[static_cast<std::size_t>(type_of(issued.command))]) {
      for (int command = 0; command < kBankCommands; ++command) {
        const Type type = type_of(static_cast<Command>(command));
        if (following == type && (!column || type == Type::PRECHARGE)) {
          std::int64_t& ready = bank_ready_[bank][static_cast<std::size_t>(command)];
          ready = std::max(ready, issued.cycle + cycles);
        }
      }
    }
  }

  bool legal(const dramsim3::Command& question, Type expected, std::int64_t cycle) const {
    const dramsim3::Command answer =
        state_->GetReadyCommand(question, static_cast<std::uint64_t>(cycle));
    ensure(!answer.IsValid() || answer.cmd_type == expected, "dramsim3", Tick(cycle), -1,
           "state of a bank differs from its controller's");
    return answer.IsValid();
  }

  // Returns the first cycle, not before the last command, in which the command is legal.
  Cycle first(const dramsim3::Command& question, Type expected) const {
    if (legal(question, expected, last_)) {
      return Cycle(last_);
    }
    std::int64_t not_yet = last_;
    std::int64_t step = 1;
    while (!legal(question, expected, not_yet + step)) {
      ensure(step <= horizon_, "dramsim3", Tick(not_yet), -1, "a command never becomes legal");
      not_yet += step;
      step *= 2;
    }
    std::int64_t then = not_yet + step;
    while (not_yet + 1 < then) {
      const std::int64_t middle = not_yet + (then - not_yet) / 2;
      (legal(question, expected, middle) ? then : not_yet) = middle;
    }
    return Cycle(then);
  }

  const int ranks_;
  const int banks_per_rank_;
  std::unique_ptr<dramsim3::Config> config_;
  const dramsim3::Timing timing_;
  std::int64_t horizon_ = 0;  // longest reach of any rule, in cycles
  std::optional<dramsim3::ChannelState> state_;
  std::deque<Issued> log_;  // commands within horizon_, because ChannelState itself cannot be saved
  std::vector<bool> open_;
  std::vector<std::array<std::int64_t, kBankCommands>> bank_ready_;
  std::int64_t last_ = 0;  // cycle of the last command
  std::array<int, kSpareRanks> next_group_{};
};

}  // namespace

std::unique_ptr<TimingModel> make_dramsim3_timing(const DramParameters& dram,
                                                  const DramModelParameters& options) {
  return std::make_unique<Dramsim3Timing>(dram, options);
}

}  // namespace hmsim
