// SPDX-License-Identifier: BSD-3-Clause
// The loop over edges, and selection between the memory classes.
#include "controller/channel/channel_edge.h"

#include "controller/channel/fast/deferred_commands.h"

namespace hmsim {

// Returns the arbiter's choice. Precondition: both classes have a data-bus command.
MemoryClass Channel::arbitrate(const Best& dram, const Best& nvdimm) {
  const auto [winner, asked] =
      ordering_.arbitrate(dram, nvdimm, admission_.held(), clock_.now(),
                          [this](const Transaction& each) { return would_hit(each); });
  if (asked) {
    accounts_.arbitrated(winner);
  }
  return winner;
}

// Issues a command when both classes may have one, or when transactions may be overdue.
[[gnu::noinline]] void Channel::issue_of_both(Features features) {
  const Cycle edge = clock_.edge();
  Candidates candidates;
  // A near command matters only if the other class has a legal one.
  nvdimm_.collect(edge, edge >= dram_.banks().next() ? layout_.turnaround : Cycle(0), candidates);
  dram_.collect(edge, candidates.legal[1] != nullptr ? layout_.turnaround : Cycle(0), candidates);
  if (features != Features::none) {
    reserve(candidates);
  }
  if (const Best* const winner = bus_.select(
          candidates,
          [this](const Best& dram, const Best& nvdimm) { return arbitrate(dram, nvdimm); })) {
    bus_.take_command(edge);
    if (is_nvdimm(winner->command)) {
      issue_grant(*winner->transaction, features);
      return;
    }
    Transaction& transaction = *winner->transaction;
    const Command command = winner->command;
    dram_.with_banks([&](auto& banks) { issue_column(banks, transaction, command, features); });
    leave_line(transaction, features);
    return;
  }
  dram_.collect_others(edge, candidates);
  nvdimm_.collect_others(candidates);
  if (candidates.other != nullptr) {
    bus_.take_command(edge);
    const Best& other = *candidates.other;
    if (is_nvdimm(other.command)) {
      send_command(*other.transaction);
    } else {
      dram_.with_banks(
          [&](auto& banks) { issue_row(banks, *other.transaction, other.command, features); });
    }
  }
}

// Issues a column command and a row command (activate or precharge) on separate command buses, as
// far as each finds the slots that it needs.
[[gnu::noinline]] void Channel::issue_on_slots() {
  const Cycle edge = clock_.edge();
  DramBanks& banks = dram_.banks();
  Candidates candidates;
  banks.collect(edge, Cycle(0), candidates);
  reserve(candidates);
  if (const Best* const column = candidates.legal[0]) {
    Transaction& transaction = *column->transaction;
    issue_column(banks, transaction, column->command, Features::any);
    leave_line(transaction, Features::any);
  }
  if (!dram_.slots()->row_slot_taken(edge)) {
    banks.collect_others(edge, candidates);
  }
  if (candidates.other != nullptr) {
    const Best other = *candidates.other;
    issue_row(banks, *other.transaction, other.command, Features::any);
  }
  bus_.set_command_taken(dram_.slots()->row_slot_taken(edge));
}

// Issues a command of the NVDIMM. Precondition: no DRAM command is legal or near.
[[gnu::flatten]] void Channel::issue_of_nvdimm(Features features) {
  NvdimmEndpoint& endpoint = nvdimm_.endpoint();
  if (Transaction* const burst = endpoint.select_burst(clock_.edge())) {
    bus_.take_command(clock_.edge());
    bus_.clear_promise();
    issue_grant(*burst, features);
  } else if (endpoint.may_send()) {
    bus_.take_command(clock_.edge());
    send_command(endpoint.select_command());
  }
}

// Sends a read, write or flush command, which the NVDIMM answers with an ack.
void Channel::send_command(Transaction& transaction) {
  const Tick end = clock_.time_of(clock_.edge() + layout_.command_slots);
  if (transaction.request.flush) {
    transaction.started = true;
    nvdimm_.endpoint().command_sent(transaction);
    accounts_.command_sent(transaction, clock_.edge());
    nvdimm_.flush(transaction, end);
    return;
  }
  const bool row_hit = ordering_.wanted(TransactionPolicy::kCommand) && would_hit(transaction);
  nvdimm_.endpoint().command_sent(transaction);
  transaction.state = TransactionState::waiting;
  accounts_.command_sent(transaction, clock_.edge());
  ordering_.notify(TransactionPolicy::kCommand, &TransactionPolicy::on_command, transaction,
                   clock_.edge(), [row_hit] { return row_hit; });
  nvdimm_.command(transaction, end);
}

// Advances the NVDIMM up to the next edge; at equal times the NVDIMM acts first. Returns false if
// the kernel must run another component before.
HMSIM_INLINE bool Channel::advance_nvdimm(Tick& now) {
  for (Tick due = nvdimm_.due(); due <= clock_.next_time(); due = nvdimm_.due()) {
    if (due != now && !clock_.wakeup().try_advance(due)) {
      return false;
    }
    now = due;
    nvdimm_.advance(due);
  }
  return true;
}

template <Features features, class Banks>
[[gnu::flatten, gnu::noinline]] Tick Channel::run_edges(Banks& banks, Tick now) {
  if (features == Features::none && fast_.defers_commands) {
    DeferredCommands::make_due(*this, clock_.first_edge(now));
  }
  for (bool first = true; advance_nvdimm(now) && (clock_.next_time() == now ||
                                                  clock_.wakeup().try_advance(clock_.next_time()));
       first = false) {
    clock_.begin_next();
    edge<features>(banks, first);
    now = clock_.now();
  }
  return next_event();
}

// If called early, it still processes the edge at `now`.
Tick Channel::advance(Tick now) {
  if (next_event() > now) {
    clock_.wake_at(Cycle(now / layout_.period));
  }
  if (features_ == Features::none) {
    return run_edges<Features::none>(*dram_.native(), now);
  }
  if (features_ == Features::keys) {
    return run_edges<Features::keys>(*dram_.native(), now);
  }
  return dram_.native() != nullptr ? run_edges<Features::any>(*dram_.native(), now)
                                   : run_edges<Features::any>(dram_.banks(), now);
}

Tick Channel::catch_up(Tick time) {
  if (!fast_.defers()) {
    return Tick(-1);
  }
  DeferredCommands::make_any_before(*this, clock_.first_edge(time));
  return clock_.now();
}

}  // namespace hmsim
