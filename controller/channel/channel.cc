// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/channel.h"

#include "controller/channel/channel_commands.h"
#include "controller/channel/fast/deferred_commands.h"
#include "core/errors.h"

namespace hmsim {

namespace {

DramDevices make_devices(const SystemConfig& config, TransactionPool& pool,
                         const std::vector<TimingRule>* rules) {
  return rules == nullptr ? dram_backend(config.dram_model.backend).make_devices(config, pool)
                          : make_native_devices(config, pool, *rules);
}

}  // namespace

Channel::Channel(const SystemConfig& config, int index, std::uint64_t seed,
                 const std::vector<TimingRule>* rules)
    : MemoryChannel(config.store_data),
      layout_(config, index),
      clock_(layout_.period),
      admission_(layout_, static_cast<std::size_t>(config.transaction_slots())),
      devices_(make_devices(config, admission_.pool(), rules)),
      dram_(config, layout_, devices_),
      nvdimm_(config, layout_, devices_, admission_.pool(), *this, seed),
      ordering_(config, layout_, admission_.pool().size()),
      bus_(layout_.dram, layout_.dram.has_own_buses()),
      accounts_(layout_, admission_.pool().size(), dram_.refresh()),
      shape_(layout_.shape(config.nvdimms(), admission_.pool().size())) {
  nvdimm_.endpoint().order_commands_by_key(ordering_.orders_nvdimm_commands());
  clock_.wake_by(later(Cycle(0), dram_.refresh().next(Cycle(0))));
  if (dram_.power().active()) {
    clock_.wake_by(dram_.power().next(Cycle(0)));
  }
}

void Channel::connect(Kernel& kernel, int component, const std::vector<Requester*>& requesters,
                      const SourceProgress& progress) {
  ordering_.connect(shape_, progress, clock_);
  choose_features();
  admission_.set_requesters(requesters);
  clock_.attach(kernel, component);
  nvdimm_.attach(kernel, clock_.wakeup());
  clock_.wakeup().notify();
}

// Selects the features that this channel needs. Precondition: its policies are connected.
void Channel::choose_features() {
  const bool more = layout_.two_level || layout_.drained || layout_.posts_writes ||
                    layout_.blocks || layout_.dram.command_slots() > 1 ||
                    layout_.dram.refresh_management || dram_.uses_free_slots() ||
                    dram_.slots() != nullptr || dram_.native() == nullptr;
  if (more || features_ == Features::any) {
    features_ = Features::any;
  } else if (ordering_.changes()) {
    features_ = Features::keys;
  }
}

bool Channel::idle() const {
  return admission_.pool().all_free() && admission_.none_waiting() && nvdimm_.idle();
}

ChannelMeters Channel::meters() {
  const DramParameters& dram = layout_.dram;
  RefreshManagement* const management = dram_.management().active() ? &dram_.management() : nullptr;
  return {&accounts_.bus(),  &accounts_.latency(), &accounts_.energy(), management,
          dram.line_share(), dram.command_buses(), dram.command_slots()};
}

ClassServices Channel::services() const {
  const ChannelStatistics& counted = accounts_.statistics();
  return {{{counted.dram_reads + counted.dram_writes, admission_.held()[0] > 0},
           {counted.nvdimm_reads + counted.nvdimm_writes, nvdimm_.endpoint().awaits_bus()}}};
}

// Adds a request to its line. If no admission is open, the request is admitted on the next edge.
// Rare cases are separate functions in tail position, so that the common path saves no registers.
void Channel::send(const Request& request, Tick now) {
  if (!admission_.try_enqueue(request)) {
    send_to_longer_line(request, now);
  } else if (!admission_.is_open() && (!clock_.is_next_from(now) || fast_.defers())) {
    wake_for_request(now);
  }
}

[[gnu::noinline]] void Channel::send_to_longer_line(const Request& request, Tick now) {
  admission_.make_room(request.memory);
  send(request, now);
}

// Notifies the kernel if the request makes the next edge earlier.
void Channel::wake_for_request(Tick now) {
  const Cycle edge = clock_.edge_from(now);
  if (fast_.defers()) {
    wake_from_deferral(edge);
  } else if (edge < clock_.next()) {
    clock_.wake_by(edge);
    clock_.wakeup().notify(next_event());
  }
}

// Processes the deferred edges before a request may be admitted on `edge`.
[[gnu::noinline]] void Channel::wake_from_deferral(Cycle edge) {
  if (fast_.defers_commands) {
    DeferredCommands::wake(*this, edge);
    return;
  }
  DeferredRefresh::make_before(*this, edge);
  clock_.wake_by(edge);
  clock_.wakeup().notify(next_event());
}

void Channel::on_ack(std::uint32_t tag, Tick now) {
  if (fast_.defers()) {
    DeferredCommands::make_any_before(*this, clock_.edge_from(now));
  }
  const Cycle edge = clock_.edge_from(now);
  ensure(tag < admission_.pool().size() && NvdimmEndpoint::awaits_ack(admission_.pool()[tag]),
         "channel", now, -1, "ack without a transaction");
  Transaction& transaction = admission_.pool()[tag];
  accounts_.acknowledged(transaction, edge + layout_.ack_to_burst);
  nvdimm_.endpoint().raise_ack(transaction);
  fast_.end_window();
  clock_.wake_by(edge);
}

void Channel::on_credit(Tick now) {
  nvdimm_.credits().add_pending();
  fast_.end_window();
  clock_.wake_by(clock_.edge_from(now));
}

// Lists and counts of transactions are rebuilt from the state of each transaction, so they are
// consistent for any file content.
void Channel::serialize(Archive& archive) {
  archive.section("channel");
  archive(clock_);
  admission_.serialize(archive, layout_);
  archive(bus_, dram_, nvdimm_);
  ordering_.serialize(archive, admission_.pool().size());
  const std::vector<Transaction*> held = admission_.pool().held();
  if (archive.loading()) {
    for (Transaction* each : held) {
      place(archive, *each);
    }
  }
  ordering_.serialize_views(archive, held, features_ != Features::none);
  nvdimm_.serialize_barrier(archive, admission_.pool());
  if (archive.loading()) {
    restore(archive, held);
  }
  archive(accounts_);
  nvdimm_.serialize_module(archive);
  if (dram_bytes_ != nullptr) {
    dram_bytes_->serialize(archive);
  }
}

// Rebuilds all lists and counts from the transactions in the file.
void Channel::restore(Archive& archive, const std::vector<Transaction*>& held) {
  fast_ = FastState();
  admission_.restore(archive, layout_);
  for (int rank = 0; rank < layout_.nvdimm_rank + layout_.nvdimms; ++rank) {
    if (layout_.command_queues_fill && !admission_.has_room(rank)) {
      dram_.banks().hold(rank, true);
    }
  }
  for (Transaction* each : held) {
    if (!is_nvdimm(*each) && each->state == TransactionState::queued) {
      dram_.restore(*each);
    }
  }
  nvdimm_.restore(held, admission_.pool());
  bus_.restore(held);
  ordering_.restore(archive, held);
  dram_.restored(clock_.edge());
}

// Locates a transaction as admission does. A flush has no location.
void Channel::place(Archive& archive, Transaction& transaction) const {
  const TransactionState state = transaction.state;
  if (transaction.request.flush) {
    archive.check(state == TransactionState::barred, "flush that is not a barrier");
    transaction.rank = layout_.nvdimm_rank;
    transaction.bank = 0;
  } else {
    locate(transaction);
  }
  const bool of_nvdimm = state == TransactionState::barred || state == TransactionState::waiting ||
                         state == TransactionState::ready || state == TransactionState::follows;
  archive.check(is_nvdimm(transaction) || !of_nvdimm, "DRAM request in wait for an ack");
  archive.check(state != (layout_.grants ? TransactionState::follows : TransactionState::ready),
                "transaction whose data follow otherwise than in this system");
  const std::uint8_t lines = transaction.request.lines;
  const bool counts = layout_.blocks && is_nvdimm(transaction);
  const bool begun = state == TransactionState::ready || state == TransactionState::follows;
  archive.check(!counts || (state == TransactionState::transfer ? transaction.bursts == lines
                            : begun                             ? transaction.bursts < lines
                                                                : transaction.bursts == 0),
                "transaction with other bursts than lines");
}

// Lists all unfinished requests, except a flush that is done on this channel but still holds its
// slot.
void Channel::list_outstanding(std::vector<Requester::Outstanding>& requests) const {
  const Transaction* const ended = nvdimm_.barrier().ended(admission_.pool());
  admission_.each_request([&](const Request& request, const Cycle* admitted) {
    if (ended != nullptr && &request == &ended->request) {
      return;
    }
    std::optional<Tick> since;
    if (admitted != nullptr) {
      since = admitted->value() * layout_.period;
    }
    requests.push_back({request, admitted != nullptr, since});
  });
}

}  // namespace hmsim
