// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/channel.h"

#include <algorithm>

#include "controller/dram_backend.h"
#include "core/errors.h"

namespace hmsim {

namespace {

// The policy that a parameter names, or the caller's in its place.
template <class Kind>
std::unique_ptr<Kind> make(const SystemConfig& config, PolicyKind kind, const char* parameter,
                           const std::string& name) {
  const auto maker = config.makers.find(parameter);
  std::unique_ptr<Policy> policy = maker != config.makers.end()
                                       ? maker->second()
                                       : create_policy(kind, name, config.assignments);
  return std::unique_ptr<Kind>(static_cast<Kind*>(policy.release()));
}

std::unique_ptr<TransactionScheduler> make_scheduler(const SystemConfig& config,
                                                     const char* parameter,
                                                     const std::string& name) {
  return make<TransactionScheduler>(config, PolicyKind::transaction_scheduler, parameter, name);
}

std::unique_ptr<PagePolicy> make_page_policy(const std::string& name,
                                             const Assignments& assignments) {
  auto policy = create_policy(PolicyKind::page_policy, name, assignments);
  return std::unique_ptr<PagePolicy>(static_cast<PagePolicy*>(policy.release()));
}

// Beyond the burst itself, between bursts of different drivers: read to write is the longest
// unless the write latency exceeds the read latency.
Cycle longest_turnaround(const DramParameters& dram) {
  const DramTiming& timing = dram.timing;
  return Cycle(timing.trtrs +
               (timing.cl > timing.cwl ? timing.cl - timing.cwl : timing.cwl - timing.cl));
}

}  // namespace

Channel::Channel(const SystemConfig& config, int index, std::uint64_t seed,
                 const std::vector<TimingRule>* rules)
    : MemoryChannel(config.store_data),
      controller_(config.controller),
      dram_(config.dram),
      map_(config),
      index_(index),
      period_(config.dram.clock_period()),
      cycles_(period_),
      banks_per_rank_(static_cast<int>(config.dram.organisation.banks)),
      nvdimm_rank_(static_cast<int>(config.dram.ranks)),
      split_(config.controller.split()),
      two_level_(config.controller.structure == QueueStructure::two_level),
      drained_(config.controller.writes == WriteMode::drained),
      command_queues_fill_(!two_level_ && (drained_ || config.transaction_slots() >
                                                           config.controller.command_queue_depth)),
      posts_writes_(config.controller.posts_writes()),
      turnaround_(config.controller.contest == Contest::ready ? longest_turnaround(config.dram)
                                                              : Cycle(0)),
      grants_(config.controller.grants()),
      ack_takes_slot_(config.controller.ack_takes_slot()),
      ack_to_burst_(grants_ ? config.controller.grant_delay() : 0),
      pool_(static_cast<std::size_t>(config.transaction_slots())),
      owned_banks_(rules == nullptr
                       ? dram_backend(config.dram_model.backend).make_banks(config, pool_)
                       : make_native_banks(config, pool_, *rules)),
      engine_(owned_banks_->timing()),
      line_order_(pool_.size()),
      banks_(*owned_banks_),
      native_(dynamic_cast<NativeBanks*>(owned_banks_.get())),
      refresh_(config.dram, engine_, banks_),
      drain_(config.controller, config.dram, refresh_),
      power_(config.dram, engine_, banks_, refresh_),
      pages_(make_page_policy(config.controller.page_policy, config.assignments), engine_, banks_,
             static_cast<std::size_t>(nvdimm_rank_ * banks_per_rank_), period_),
      counts_waiting_(refresh_.elastic() || pages_.active()),
      endpoint_(nvdimm_rank_,
                config.nvdimm.present ? design_of(config.nvdimm.kind).units(config.nvdimm) : 1,
                config.controller.outstanding_limit(), posts_writes_, engine_, pool_),
      credits_(config.nvdimm.posted_writes, Cycle(config.controller.response_cycles)),
      command_queue_free_(static_cast<std::size_t>(nvdimm_rank_) + 1,
                          config.controller.command_queue_depth),
      guard_(pool_.size()),
      statistics_(static_cast<std::int64_t>(pool_.size())),
      bus_(config.dram, period_),
      latency_(config.dram, period_, refresh_),
      energy_(config.dram) {
  schedulers_[0] = make_scheduler(config, "controller.scheduler", controller_.scheduler);
  if (split_) {
    schedulers_[1] =
        make_scheduler(config, "controller.nvdimm_scheduler", controller_.nvdimm_scheduler);
  }
  endpoint_.order_commands_by_key(scheduler_of(MemoryClass::nvdimm).orders_commands());
  arbiter_ =
      make<BusArbiter>(config, PolicyKind::bus_arbiter, "controller.arbiter", controller_.arbiter);
  told_ = schedulers_[0]->hooks() | (split_ ? schedulers_[1]->hooks() : 0U) | arbiter_->hooks();
  queues_[0].free_slots = controller_.queue_depth;
  queues_[1].free_slots = split_ ? controller_.nvdimm_queue_depth : 0;
  staged_.reserve(pool_.size());
  if (config.nvdimm.present) {
    nvdimm_ = design_of(config.nvdimm.kind).make(config.nvdimm, *this, seed, config.assignments);
    nvdimm_->keep_next_in(nvdimm_due_);
  }
  shape_ = shape(config.nvdimm);
  wake_by(later(Cycle(0), refresh_.next(Cycle(0))));
  if (power_.active()) {
    wake_by(power_.next(Cycle(0)));
  }
}

ChannelShape Channel::shape(const NvdimmParameters& nvdimm) const {
  const DramTiming& timing = dram_.timing;
  const auto cycles = [this](std::int64_t count) { return time_of(Cycle(count)); };
  ChannelShape shape;
  shape.clock_period = period_;
  shape.slots = static_cast<std::uint32_t>(pool_.size());
  shape.dram_slots = static_cast<int>(controller_.queue_depth);
  shape.nvdimm_slots = static_cast<int>(controller_.slots_for_nvdimm());
  shape.ranks = nvdimm_rank_;
  shape.banks_per_rank = banks_per_rank_;
  shape.burst = cycles(timing.burst);
  shape.read_to_write = cycles(timing.cl + timing.trtrs - timing.cwl);
  shape.write_to_read = cycles(timing.cwl + timing.twtr);
  shape.rank_switch = cycles(timing.trtrs);
  shape.row_miss = cycles(timing.trp + timing.trcd);
  if (nvdimm.present) {
    const NvdimmDesign& design = design_of(nvdimm.kind);
    shape.pseudo_banks = static_cast<int>(design.units(nvdimm));
    shape.nvdimm_hit_delay = design.hit_delay(nvdimm);
    shape.nvdimm_read_time = design.miss_delay(nvdimm);
  }
  return shape;
}

void Channel::attach(Kernel& kernel, const std::vector<Requester*>& requesters,
                     const SourceProgress& progress) {
  for (const auto& scheduler : schedulers_) {
    if (scheduler != nullptr) {
      scheduler->connect(shape_, progress);
    }
  }
  arbiter_->connect(shape_, progress);
  limit_waiting();
  change_schedulers();
  set_apart();
  kernel_ = &kernel;
  requesters_ = &requesters;
  wakeup_ = Wakeup(kernel, kernel.attach(*this));
  if (nvdimm_ != nullptr) {
    nvdimm_->attach(kernel, wakeup_);
  }
  wakeup_.notify();
}

bool Channel::idle() const {
  return pool_.all_free() && queues_[0].line.empty() && queues_[1].line.empty() &&
         (nvdimm_ == nullptr || nvdimm_->idle());
}

// What phases this channel needs, once its policies are connected.
void Channel::set_apart() {
  const bool guarded = guard_.active();
  bool asked = false;
  for (std::size_t i = 0; i < (split_ ? 2 : 1); ++i) {
    orders_[i] = schedulers_[i]->fixed_order();
    asked = asked || orders_[i] == FixedOrder::none;
  }
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    hit_keys_[static_cast<std::size_t>(memory)] =
        orders_[owner_of(memory)] == FixedOrder::hits_first ? 1 : 0;
  }
  const bool more = two_level_ || drained_ || posts_writes_ || counts_waiting_ || power_.active();
  phases_ = more ? Phases::all : guarded || asked ? Phases::keyed : Phases::plain;
}

void Channel::on_ack(std::uint32_t tag, Tick now) {
  if (at_rest()) {
    rouse_for_ack(tag, now);
    return;
  }
  ensure(tag < pool_.size() && NvdimmEndpoint::awaits_ack(pool_[tag]), "channel", now, -1,
         "an ack for nobody");
  const Cycle edge = edge_from(now);
  latency_.acknowledged(pool_[tag], edge + ack_to_burst_);
  endpoint_.raise_ack(pool_[tag]);
  calm_until_ = Cycle(0);
  wake_by(edge);
}

// When anything is next due, as far as it is known.
Cycle Channel::next_event(Cycle soonest) {
  Cycle next = earlier(earlier(banks_.next(), refresh_.next(soonest)), finishes_.next());
  if (endpoint_.has_ack()) {
    next = earlier(next, next_ack(soonest));
  }
  if (phases_ != Phases::plain) {
    next = earlier(next, next_special(soonest));
  }
  if (next > soonest && endpoint_.active()) {
    next = earlier(next, endpoint_.next(soonest));
  }
  return next;
}

Cycle Channel::next_special(Cycle soonest) {
  if (keys_changed()) {
    return soonest;
  }
  Cycle next = earlier(next_policy_change_, guard_.next());
  if (posts_writes_) {
    next = earlier(next, next_response(soonest));
  }
  next = earlier(next, pages_.next());
  if (drained_) {
    next = earlier(next, drain_.next(edge_));
  }
  if (power_.active()) {
    next = earlier(next, power_.next(soonest));
  }
  return next;
}

Cycle Channel::next_ack(Cycle edge) const {
  return grants_ ? edge : later(edge, endpoint_.earliest_burst(endpoint_.first_ack()));
}

Cycle Channel::elapsed() const { return Cycle((kernel_->now() - measured_from_) / period_); }

void Channel::reset_statistics(Tick now) {
  measured_from_ = now;
  statistics_.reset(now);
  bus_.reset(Cycle(now / period_));
  latency_.reset();
  energy_.reset(Cycle(now / period_));
}

}  // namespace hmsim
