// SPDX-License-Identifier: BSD-3-Clause
#include "dram/energy.h"

#include <algorithm>

#include "core/units.h"

namespace hmsim {

namespace {

// Charge beyond the standby current, in microamperes x cycles per device.
struct Charges {
  std::int64_t activate;
  std::int64_t read;
  std::int64_t write;
  std::int64_t refresh;
};

// TN-41-01: IDD0 flows from activate to activate. Active standby during tRAS and precharged standby
// during the rest are subtracted from it. All other currents flow on top of active standby.
Charges charges(const DramParameters& dram) {
  const DramPower& p = dram.power;
  const DramTiming& t = dram.timing;
  const bool same_bank = dram.refresh_mode == RefreshMode::same_bank;
  return {p.idd0 * t.trc - (p.idd3n * t.tras + p.idd2n * (t.trc - t.tras)),
          (p.idd4r - p.idd3n) * t.burst, (p.idd4w - p.idd3n) * t.burst,
          same_bank ? (p.idd5c - p.idd3n) * t.trfcsb : (p.idd5 - p.idd3n) * t.trfc};
}

}  // namespace

DramEnergy& DramEnergy::operator+=(const DramEnergy& other) {
  activate += other.activate;
  read += other.read;
  write += other.write;
  refresh += other.refresh;
  active_standby += other.active_standby;
  precharged_standby += other.precharged_standby;
  power_down += other.power_down;
  self_refresh += other.self_refresh;
  return *this;
}

EnergyMeter::EnergyMeter(const DramParameters& dram)
    : refresh_time_(dram.refresh_mode == RefreshMode::same_bank ? dram.timing.trfcsb
                                                                : dram.timing.trfc),
      ranks_(static_cast<std::size_t>(dram.ranks)) {
  constexpr double kMicro = 1e-6;
  constexpr double kPico = 1e-12;
  const DramPower& p = dram.power;
  // Energy of one microampere for one cycle in all devices of a rank.
  const double unit = static_cast<double>(dram.organisation.devices) *
                      (static_cast<double>(p.vdd) * kMicro) * kMicro *
                      (static_cast<double>(dram.timing.tck_ps) * kPico);
  const auto joules = [unit](std::int64_t charge) { return static_cast<double>(charge) * unit; };
  const Charges charge = charges(dram);
  activate_ = joules(charge.activate);
  read_ = joules(charge.read);
  write_ = joules(charge.write);
  refresh_ = joules(charge.refresh);
  standby_ = {joules(p.idd2n), joules(p.idd3n), joules(p.idd2p), joules(p.idd6)};
}

DramEnergy EnergyMeter::energy(int rank, Cycle now) const {
  Rank state = ranks_[static_cast<std::size_t>(rank)];
  pass(state, now);
  const auto spent = [&](State where) {
    const auto index = static_cast<std::size_t>(where);
    return static_cast<double>(state.cycles[index]) * standby_[index];
  };
  DramEnergy energy;
  energy.activate = static_cast<double>(state.activates) * activate_;
  energy.read = static_cast<double>(state.accesses[0]) * read_;
  energy.write = static_cast<double>(state.accesses[1]) * write_;
  energy.refresh = static_cast<double>(state.refreshes) * refresh_;
  energy.active_standby = spent(State::active);
  energy.precharged_standby = spent(State::precharged);
  energy.power_down = spent(State::power_down);
  energy.self_refresh = spent(State::self_refresh);
  return energy;
}

void EnergyMeter::reset(Cycle now) {
  for (Rank& rank : ranks_) {
    pass(rank, now);
    rank.activates = rank.refreshes = 0;
    rank.accesses = {};
    rank.cycles = {};
  }
}

std::vector<ParameterError> power_errors(const DramParameters& dram) {
  const Charges charge = charges(dram);
  std::vector<ParameterError> errors;
  const auto check = [&errors](const char* name, std::int64_t value, const char* what,
                               std::int64_t least) {
    if (value < 0) {
      errors.push_back({name, std::string(what) + ", " + kCurrents.format(least)});
    }
  };
  const std::int64_t cycle = std::max<std::int64_t>(dram.timing.trc, 1);
  check("dram.power.IDD0", charge.activate, "must be at least the standby current in that time",
        dram.power.idd0 + (cycle - 1 - charge.activate) / cycle);
  const std::int64_t standby = dram.power.idd3n;
  check("dram.power.IDD4R", charge.read, "must be at least IDD3N", standby);
  check("dram.power.IDD4W", charge.write, "must be at least IDD3N", standby);
  check(dram.refresh_mode == RefreshMode::same_bank ? "dram.power.IDD5C" : "dram.power.IDD5",
        charge.refresh, "must be at least IDD3N", standby);
  return errors;
}

}  // namespace hmsim
