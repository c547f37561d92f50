// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel.h"

#include <algorithm>

#include "core/errors.h"

namespace hmsim {

namespace {

std::unique_ptr<TransactionScheduler> make_scheduler(const std::string& name,
                                                     const Assignments& assignments) {
  auto policy = create_policy(PolicyKind::transaction_scheduler, name, assignments);
  return std::unique_ptr<TransactionScheduler>(
      static_cast<TransactionScheduler*>(policy.release()));
}

std::unique_ptr<BusArbiter> make_arbiter(const std::string& name, const Assignments& assignments) {
  auto policy = create_policy(PolicyKind::bus_arbiter, name, assignments);
  return std::unique_ptr<BusArbiter>(static_cast<BusArbiter*>(policy.release()));
}

// Beyond the burst itself, between bursts of different drivers: read to write is the longest
// unless the write latency exceeds the read latency.
Cycle longest_turnaround(const DramParameters& dram) {
  const DramTiming& timing = dram.timing;
  return Cycle(timing.trtrs + (timing.cl > timing.cwl ? timing.cl - timing.cwl
                                                      : timing.cwl - timing.cl));
}

}  // namespace

Channel::Channel(const SystemConfig& config, int index, std::uint64_t seed)
    : controller_(config.controller),
      dram_(config.dram),
      map_(config),
      index_(index),
      period_(config.dram.clock_period()),
      banks_per_rank_(static_cast<int>(config.dram.organisation.banks)),
      nvdimm_rank_(static_cast<int>(config.dram.ranks)),
      split_(config.controller.split()),
      two_level_(config.controller.structure == QueueStructure::two_level),
      drained_(config.controller.writes == WriteMode::drained),
      turnaround_(config.controller.contest == Contest::ready ? longest_turnaround(config.dram)
                                                              : Cycle(0)),
      engine_(ddr3_rules(config.dram), nvdimm_rank_ + 1, banks_per_rank_),
      pool_(static_cast<std::size_t>(config.transaction_slots())),
      line_order_(pool_.size()),
      banks_(static_cast<std::size_t>(nvdimm_rank_ * banks_per_rank_)),
      active_(banks_.size(), false),
      command_queue_free_(static_cast<std::size_t>(nvdimm_rank_) + 1,
                          config.controller.command_queue_depth),
      refresh_due_(static_cast<std::size_t>(nvdimm_rank_), kNeverCycle),
      open_banks_(static_cast<std::size_t>(nvdimm_rank_), 0),
      statistics_(static_cast<std::int64_t>(pool_.size())) {
  schedulers_[0] = make_scheduler(controller_.scheduler, config.assignments);
  if (split_) {
    schedulers_[1] = make_scheduler(controller_.nvdimm_scheduler, config.assignments);
  }
  arbiter_ = make_arbiter(controller_.arbiter, config.assignments);
  queues_[0].free_slots = controller_.queue_depth;
  queues_[1].free_slots = split_ ? controller_.nvdimm_queue_depth : 0;
  active_banks_.reserve(banks_.size());
  staged_.reserve(pool_.size());
  if (config.nvdimm.present) {
    nvdimm_ = std::make_unique<Nvdimm>(config.nvdimm, *this, seed);
    pseudo_banks_.resize(static_cast<std::size_t>(config.nvdimm.luns()));
  }
  if (dram_.refresh) {
    for (int rank = 0; rank < nvdimm_rank_; ++rank) {
      const std::int64_t due = dram_.timing.trefi * (rank + 1) / nvdimm_rank_;
      refresh_due_[static_cast<std::size_t>(rank)] = Cycle(due);
      wake_by(Cycle(due));
    }
  }
}

void Channel::attach(Kernel& kernel, const std::vector<Requester*>& requesters) {
  kernel_ = &kernel;
  requesters_ = &requesters;
  if (nvdimm_ != nullptr) {
    nvdimm_->attach(kernel);
  }
  const int id = kernel.attach(*this);
  wakeup_ = Wakeup(kernel, id);
  wakeup_.notify();
}

Cycle Channel::edge_from(Tick time) const {
  const Cycle edge((time.value() + period_.value() - 1) / period_.value());
  return later(edge, edge_ + Cycle(1));
}

void Channel::send(const Request& request, Tick now) {
  queue_of(request.memory).line.push(request);
  if (!advancing_) {  // else this edge's admission is still to come
    wake_by(edge_from(now));
    wakeup_.notify();
  }
}

bool Channel::would_wait(MemoryClass memory) const {
  const Queue& queue = queues_[owner_of(memory)];
  return static_cast<std::int64_t>(queue.line.size()) >= queue.free_slots;
}

bool Channel::idle() const {
  return pool_.all_free() && queues_[0].line.empty() && queues_[1].line.empty() &&
         (nvdimm_ == nullptr || nvdimm_->idle());
}

void Channel::advance(Tick now) {
  edge_ = now == next_event() ? wake_ : Cycle(now / period_);
  wake_ = kNeverCycle;
  command_bus_taken_ = false;
  advancing_ = true;
  complete();
  deliver_ack();
  refresh();
  admit();
  advancing_ = false;
  if (two_level_) {
    stage();
  }
  update_schedulers();
  update_drain();
  issue();
  update_drain();
  wake_by(next_wake());
}

void Channel::complete() {
  const Tick now = time_of(edge_);
  while (!finishes_.empty() && finishes_.front().cycle <= edge_) {
    const TransactionId id = finishes_.front().id;
    finishes_.pop();
    const Transaction done = pool_[id];
    const Request& request = done.request;
    const std::int64_t latency = (now - request.arrival).value();
    if (is_nvdimm(done)) {
      nvdimm_->finish(static_cast<std::uint32_t>(id), now);
      ++(request.write ? statistics_.nvdimm_writes : statistics_.nvdimm_reads);
      statistics_.nvdimm_line_latency.add(latency);
    } else {
      ++(request.write ? statistics_.dram_writes : statistics_.dram_reads);
      (request.write ? statistics_.dram_write_latency : statistics_.dram_read_latency).add(latency);
    }
    scheduler_of(request.memory).on_complete(view(done), now);
    pool_.release(id);
    if (two_level_) {
      command_queue_free_[static_cast<std::size_t>(done.rank)] += kEntriesPerTransaction;
    } else {
      ++command_queue_free_[static_cast<std::size_t>(done.rank)];
      ++queue_of(request.memory).free_slots;
      count(request.memory, -1);
    }
    (*requesters_)[request.agent]->on_complete(request, now);
  }
}

void Channel::on_ack(std::uint32_t tag, Tick now) {
  acks_.push(tag);
  wake_by(edge_from(now));
  wakeup_.notify();
}

// One ack an edge: it needs the address lines. In `auto` mode the data follow by themselves, so the
// NVDIMM holds the ack back until their place on the data bus is free.
void Channel::deliver_ack() {
  if (acks_.empty()) {
    return;
  }
  const auto id = static_cast<TransactionId>(acks_.front());
  Transaction& transaction = pool_[id];
  const Command burst = transaction.request.write ? Command::nvdimm_write : Command::nvdimm_read;
  if (controller_.ack == AckMode::automatic &&
      engine_.earliest(burst, nvdimm_rank_, nvdimm_rank_ * banks_per_rank_) > edge_) {
    return;
  }
  acks_.pop();
  --outstanding_;
  command_bus_taken_ = controller_.ack_slots > 0;
  statistics_.ack_cycles += command_bus_taken_ ? 1 : 0;
  record(ChannelCommand::nvdimm_ack, nvdimm_rank_, transaction.bank, transaction.row,
         static_cast<std::int64_t>(transaction.request.id));
  scheduler_of(MemoryClass::nvdimm).on_ack(view(transaction), time_of(edge_));
  if (controller_.ack == AckMode::automatic) {
    issue_data(id, burst);
    return;
  }
  transaction.state = TransactionState::ready;
  transaction.grant_from = edge_ + Cycle(1);
  PseudoBank& bank = pseudo_banks_[static_cast<std::size_t>(transaction.bank)];
  bank.ready.insert(pool_, id, bank.last_page);
}

// A rank whose refresh is due takes no other command: its banks are precharged, then it refreshes.
void Channel::refresh() {
  for (int rank = 0; rank < nvdimm_rank_; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const int first = rank * banks_per_rank_;
    if (edge_ < refresh_due_[r] || command_bus_taken_) {
      continue;
    }
    if (open_banks_[r] == 0) {
      if (engine_.earliest(Command::refresh, rank, first) <= edge_) {
        engine_.issue(Command::refresh, rank, first, edge_);
        refresh_due_[r] += Cycle(dram_.timing.trefi);
        ++statistics_.refreshes;
        ++statistics_.command_cycles;
        command_bus_taken_ = true;
        record(ChannelCommand::refresh, rank, -1, -1, -1);
      }
      continue;
    }
    for (int bank = first; bank < first + banks_per_rank_ && !command_bus_taken_; ++bank) {
      if (banks_[static_cast<std::size_t>(bank)].open_row != kNoRow &&
          engine_.earliest(Command::precharge, rank, bank) <= edge_) {
        precharge(bank, -1);
        ++statistics_.command_cycles;
        command_bus_taken_ = true;
      }
    }
  }
}

void Channel::admit() {
  bool admitted = true;
  while (admitted) {  // a requester may send more from within on_admit
    admitted = false;
    for (Queue& queue : queues_) {
      while (queue.free_slots > 0 && !queue.line.empty()) {
        const Request request = queue.line.front();
        queue.line.pop();
        --queue.free_slots;
        admit(request);
        admitted = true;
      }
    }
  }
}

void Channel::admit(const Request& request) {
  const TransactionId id = pool_.take();
  Transaction& transaction = pool_[id];
  transaction.request = request;
  if (request.memory == MemoryClass::nvdimm) {
    transaction.local = map_.nvdimm(request.address).address;
    transaction.row = transaction.local / Address(kPageBytes.value());
    transaction.rank = nvdimm_rank_;
    transaction.bank = static_cast<std::int32_t>(
        transaction.row % static_cast<std::int64_t>(pseudo_banks_.size()));
  } else {
    const DramPlace place = map_.dram(request.address);
    transaction.row = place.row;
    transaction.rank = place.rank;
    transaction.bank = place.rank * banks_per_rank_ + place.bank;
    transaction.column = place.column;
  }
  count(request.memory, 1);
  const Tick now = time_of(edge_);
  scheduler_of(request.memory).on_enqueue(view(transaction), now);
  (*requesters_)[request.agent]->on_admit(request, now);
  if (two_level_) {
    transaction.state = TransactionState::staged;
    staged_.push_back(id);
  } else {
    order_line(id);
  }
}

// Lets the transaction compete, or holds it behind an older one to the same line.
void Channel::order_line(TransactionId id) {
  Transaction& transaction = pool_[id];
  const TransactionId before =
      line_order_.exchange(LineOrder::line_of(transaction.request), id);
  if (before == kNoTransaction) {
    compete(id);
    return;
  }
  transaction.state = TransactionState::held;
  transaction.predecessor = before;
  pool_[before].successor = id;
  if (!transaction.request.write && side_of(pool_[before]) == 1) {
    expedite(before);
  }
}

// A drained write that a read waits for goes with the reads, and so do those it waits for itself.
void Channel::expedite(TransactionId id) {
  for (; id != kNoTransaction; id = pool_[id].predecessor) {
    Transaction& transaction = pool_[id];
    if (side_of(transaction) == 1 && transaction.state == TransactionState::queued) {
      Bank& bank = banks_[static_cast<std::size_t>(transaction.bank)];
      bank.queued[1].remove(pool_, id);
      bank.queued[0].insert(pool_, id, bank.open_row);
      --queued_writes_;
      ++queued_reads_;
    }
    transaction.urgent = true;
  }
}

void Channel::compete(TransactionId id) {
  Transaction& transaction = pool_[id];
  transaction.state = TransactionState::queued;
  set_keys(transaction);
  const auto index = static_cast<std::size_t>(transaction.bank);
  if (is_nvdimm(transaction)) {
    pseudo_banks_[index].queued.insert(pool_, id, pseudo_banks_[index].last_page);
    return;
  }
  const std::size_t side = side_of(transaction);
  banks_[index].queued[side].insert(pool_, id, banks_[index].open_row);
  ++(side == 0 ? queued_reads_ : queued_writes_);
  if (!active_[index]) {
    active_[index] = true;
    active_banks_.push_back(index);
  }
}

// DRAMSim2's way: once a cycle the first transaction whose command queue has room moves there.
void Channel::stage() {
  for (auto id = staged_.begin(); id != staged_.end(); ++id) {
    const Transaction& transaction = pool_[*id];
    std::int64_t& room = command_queue_free_[static_cast<std::size_t>(transaction.rank)];
    if (room >= kEntriesPerTransaction) {
      room -= kEntriesPerTransaction;
      ++queue_of(transaction.request.memory).free_slots;
      count(transaction.request.memory, -1);
      const TransactionId moved = *id;
      staged_.erase(id);
      order_line(moved);
      wake_by(edge_ + Cycle(1));
      return;
    }
  }
}

void Channel::update_schedulers() {
  const Tick now = time_of(edge_);
  for (std::size_t i = 0; i < schedulers_.size() && schedulers_[i] != nullptr; ++i) {
    TransactionScheduler& scheduler = *schedulers_[i];
    if (scheduler.next_change() <= now) {
      scheduler.change(now);
    }
    if (scheduler.epoch() != epochs_[i]) {
      epochs_[i] = scheduler.epoch();
      rebuild_keys(scheduler);
    }
  }
}

void Channel::rebuild_keys(TransactionScheduler& scheduler) {
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    Transaction& transaction = pool_[static_cast<TransactionId>(i)];
    const bool competes = transaction.state == TransactionState::queued ||
                          transaction.state == TransactionState::ready;
    if (competes && &scheduler_of(transaction.request.memory) == &scheduler) {
      set_keys(transaction);
    }
  }
  for (Bank& bank : banks_) {
    bank.queued[0].rebuild(pool_);
    bank.queued[1].rebuild(pool_);
  }
  for (PseudoBank& bank : pseudo_banks_) {
    bank.queued.rebuild(pool_);
    bank.ready.rebuild(pool_);
  }
}

void Channel::set_keys(Transaction& transaction) {
  RequestView seen = view(transaction);
  const TransactionScheduler& scheduler = scheduler_of(transaction.request.memory);
  seen.row_hit = false;
  transaction.key_miss = scheduler.key(seen);
  seen.row_hit = true;
  transaction.key_hit = scheduler.key(seen);
}

void Channel::update_drain() {
  if (!drained_) {
    return;
  }
  if (draining_) {
    draining_ = queued_writes_ > 0 && (queued_writes_ > controller_.drain_low || queued_reads_ == 0);
  } else {
    draining_ = queued_writes_ >= controller_.drain_high ||
                (queued_reads_ == 0 && queued_writes_ > 0);
  }
}

void Channel::count(MemoryClass memory, int change) {
  std::int64_t& pending = pending_[static_cast<std::size_t>(memory)];
  pending += change;
  (memory == MemoryClass::dram ? statistics_.dram_occupancy : statistics_.nvdimm_occupancy)
      .set(pending, time_of(edge_));
}

RequestView Channel::view(const Transaction& transaction) const {
  const Request& request = transaction.request;
  const auto index = static_cast<std::size_t>(transaction.bank);
  const bool nvdimm = is_nvdimm(transaction);
  return {request.id,
          request.arrival,
          request.memory,
          request.write,
          request.source,
          transaction.rank,
          nvdimm ? transaction.bank : transaction.bank % banks_per_rank_,
          transaction.row,
          transaction.row == (nvdimm ? pseudo_banks_[index].last_page : banks_[index].open_row)};
}

void Channel::record(ChannelCommand command, int rank, int bank, std::int64_t row,
                     std::int64_t request) {
  if (observer_ != nullptr) {
    observer_->on_command({edge_, command, index_, rank, bank, row, request});
  }
}

Cycle Channel::elapsed() const { return Cycle((kernel_->now() - measured_from_) / period_); }

void Channel::reset_statistics(Tick now) {
  measured_from_ = now;
  statistics_.dram_occupancy.reset(now);
  statistics_.nvdimm_occupancy.reset(now);
}

void Channel::serialize(Archive& archive) {
  archive.section("channel");
  engine_.serialize(archive);
  archive & pool_ & queues_[0] & queues_[1] & line_order_ & banks_ & active_banks_ & active_ &
      pseudo_banks_ & epochs_ & finishes_ & acks_ & staged_ & command_queue_free_ &
      refresh_due_ & open_banks_ & pending_ & outstanding_ & queued_reads_ & queued_writes_ &
      draining_ & promised_ & command_bus_taken_ & edge_ & wake_ & last_driver_ & measured_from_;
  statistics_.serialize(archive);
  for (const auto& scheduler : schedulers_) {
    if (scheduler != nullptr) {
      scheduler->serialize(archive);
    }
  }
  arbiter_->serialize(archive);
  if (nvdimm_ != nullptr) {
    nvdimm_->serialize(archive);
  }
}

}  // namespace hmsim
