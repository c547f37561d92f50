// SPDX-License-Identifier: BSD-3-Clause
#include "controller/polled_banks.h"

namespace hmsim {

PolledBanks::PolledBanks(const DramParameters& dram, TimingModel& timing, TransactionPool& pool)
    : DramBanks(dram, pool), timing_(timing), slots_(banks_.size()) {}

void PolledBanks::column(TransactionId id, std::size_t side, Command command, Cycle now) {
  timing_.issue(command, pool_[id].bank, now);
  remove(id, side, now);
  look_ahead();
}

void PolledBanks::activate(std::int32_t bank, std::int64_t row, Cycle now) {
  timing_.issue(Command::activate, bank, now);
  set_open(bank, true);
  row_changed(bank, row, now);
  look_ahead();
}

void PolledBanks::precharge(std::int32_t bank, Cycle now) {
  timing_.issue(Command::precharge, bank, now);
  set_open(bank, false);
  row_changed(bank, kNoRow, now);
  look_ahead();
}

void PolledBanks::update(std::int32_t index, Cycle /*now*/) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  slot.competes = competes(index);
  if (!slot.competes) {
    return;
  }
  slot.candidate = best_of(index);
  slot.ready_at = timing_.bank_ready(slot.candidate.command, index);
  ask(static_cast<std::size_t>(index));
  next_ = earlier(next_, slot.legal_at);
}

void PolledBanks::ask(std::size_t bank) {
  slots_[bank].legal_at =
      timing_.earliest(slots_[bank].candidate.command, static_cast<int>(bank)).value();
}

// The candidate of a competing bank whose next command the device takes by `horizon`, or nullptr.
const Best* PolledBanks::legal_by(std::size_t index, std::int64_t now, std::int64_t horizon) {
  Slot& slot = slots_[index];
  if (!slot.competes || slot.ready_at > now || slot.legal_at > horizon ||
      !may_go(static_cast<std::int32_t>(index), slot.candidate)) {
    return nullptr;
  }
  ask(index);
  return slot.legal_at > horizon ? nullptr : &slot.candidate;
}

const Best* PolledBanks::select(Cycle edge) {
  Candidates candidates;
  collect(edge, Cycle(0), candidates);
  if (candidates.legal[0] != nullptr) {
    return candidates.legal[0];
  }
  collect_others(edge, candidates);
  return candidates.other;
}

void PolledBanks::collect(Cycle edge, Cycle turnaround, Candidates& candidates) {
  const std::int64_t now = edge.value();
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    if (reserves_data_bus(slots_[index].candidate.command)) {
      if (const Best* const best = legal_by(index, now, now + turnaround.value())) {
        Candidates::consider(
            (slots_[index].legal_at <= now ? candidates.legal : candidates.near)[0], *best);
      }
    }
  }
}

void PolledBanks::collect_others(Cycle edge, Candidates& candidates) {
  const std::int64_t now = edge.value();
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    if (!reserves_data_bus(slots_[index].candidate.command)) {
      if (const Best* const best = legal_by(index, now, now)) {
        Candidates::consider_older(candidates.other, *best);
      }
    }
  }
  look_ahead();
}

void PolledBanks::look_ahead() {
  std::int64_t next = kNeverCycle.value();
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    if (slots_[index].competes) {
      ask(index);
      next = earlier(next, slots_[index].legal_at);
    }
  }
  next_ = next;
}

}  // namespace hmsim
