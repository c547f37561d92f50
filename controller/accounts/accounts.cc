// SPDX-License-Identifier: BSD-3-Clause
#include "controller/accounts/accounts.h"

namespace hmsim {

namespace {

ChannelCommand record_of(Command power_command) {
  switch (power_command) {
    case Command::power_down_enter:
      return ChannelCommand::power_down_enter;
    case Command::power_down_exit:
      return ChannelCommand::power_down_exit;
    case Command::self_refresh_enter:
      return ChannelCommand::self_refresh_enter;
    default:
      return ChannelCommand::self_refresh_exit;
  }
}

}  // namespace

void Accounts::managed(int rank, Cycle edge) {
  ++statistics_.command_cycles;
  bus_.refreshed(rank, 0, edge);
  energy_.refreshed(rank, edge);
  latency_.refreshed(rank, 0, edge, refresh_);
  record(ChannelCommand::refresh_management, rank, -1, -1, -1, edge);
}

void Accounts::power_changed(int rank, Command command, Cycle edge) {
  const bool power_down = command == Command::power_down_enter;
  const bool self_refresh = command == Command::self_refresh_enter;
  ++statistics_.command_cycles;
  statistics_.power_downs += power_down ? 1 : 0;
  statistics_.self_refreshes += self_refresh ? 1 : 0;
  latency_.rescheduled(rank, refresh_);
  if (power_down || self_refresh) {
    energy_.sleeps(rank, self_refresh, edge);
  } else {
    energy_.wakes(rank, edge);
  }
  record(record_of(command), rank, -1, -1, -1, edge);
}

void Accounts::show(const Transaction& done, Tick gc_blocked, Cycle edge) {
  const Tick issued = layout_.time_of(edge - latency_.transfer(done.request.write));
  const bool row_hit = !is_nvdimm(done) && !done.activated;
  request_observer_->on_request({done.request, layout_.index, done.rank, layout_.bank_in_rank(done),
                                 row_hit, layout_.time_of(done.admitted),
                                 row_hit ? issued : layout_.time_of(latency_.first_command(done)),
                                 issued, layout_.time_of(edge),
                                 latency_.parts(done, edge, gc_blocked)});
}

void Accounts::reset(Tick now) {
  measured_from_ = now;
  statistics_.reset(now);
  bus_.reset(Cycle(now / layout_.period));
  latency_.reset();
  energy_.reset(Cycle(now / layout_.period));
}

void Accounts::serialize(Archive& archive) {
  archive(held_, last_drivers_, measured_from_);
  statistics_.fold(layout_.period);
  archive(statistics_, bus_, latency_, energy_);
}

}  // namespace hmsim
