// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/whole_channel.h"

#include "core/errors.h"

namespace hmsim {

namespace {

// Returns an upper bound on the requests in the other simulator's queues and in transfer, for the
// occupancy statistic.
std::int64_t most_held(const SystemConfig& config) {
  constexpr std::int64_t kUnderWay = 256;
  return 2 * config.controller.queue_depth +
         config.dram.ranks * config.dram.organisation.banks * config.dram_model.command_queue +
         kUnderWay;
}

}  // namespace

WholeChannel::WholeChannel(const SystemConfig& config, int /*index*/,
                           std::unique_ptr<WholeDram> dram)
    : MemoryChannel(config.store_data),
      map_(config),
      period_(config.dram.clock_period()),
      cycles_(period_),
      burst_(config.dram.timing.burst),
      organisation_(config.dram.organisation),
      ranks_(config.dram.ranks),
      idle_wake_(config.dram.timing.trefi / config.dram.ranks),
      dram_(std::move(dram)),
      most_held_(most_held(config)),
      statistics_(most_held_) {}

void WholeChannel::connect(Kernel& kernel, int component, const std::vector<Requester*>& requesters,
                           const SourceProgress& /*progress*/) {
  kernel_ = &kernel;
  requesters_ = &requesters;
  wakeup_ = Wakeup(kernel, component);
  wakeup_.notify();
}

std::uint64_t WholeChannel::translated(Address address) const {
  const DramPlace place = map_.dram(address);
  const std::int64_t line = ((place.row * organisation_.banks + place.bank) * ranks_ + place.rank) *
                                organisation_.columns +
                            place.column;
  return static_cast<std::uint64_t>(line * kLineBytes.value());
}

void WholeChannel::send(const Request& request, Tick now) {
  line_.push(request);
  if (!advancing_) {
    const Cycle edge((now.value() + period_.value() - 1) / period_.value());
    wake_ = earlier(wake_, later(edge, edge_ + Cycle(1)));
    wakeup_.notify();
  }
}

// Whether the other simulator accepts the waiting requests is known only on the next edge.
bool WholeChannel::would_wait(MemoryClass /*memory*/) const {
  return !line_.empty() || !dram_->accepts(false) || !dram_->accepts(true);
}

Cycle WholeChannel::elapsed() const { return Cycle((kernel_->now() - measured_from_) / period_); }

Tick WholeChannel::advance(Tick now) {
  edge_ = Cycle(now / period_);
  for (; ticked_ < edge_; ticked_ += Cycle(1)) {
    dram_->tick();
  }
  advancing_ = true;
  complete();
  admit();
  advancing_ = false;
  dram_->tick();
  ticked_ += Cycle(1);
  count();
  wake_ = edge_ + (idle() ? idle_wake_ : Cycle(1));
  return next_event();
}

void WholeChannel::complete() {
  const Tick now(edge_.value() * period_.value());
  while (const std::optional<WholeDram::Done> done = dram_->take_done()) {
    const auto found = under_way_.lower_bound({done->address, done->write});
    ensure(found != under_way_.end() && found->first == Key(done->address, done->write),
           "whole channel", now, -1, "completion without a request");
    const Request request = found->second;
    under_way_.erase(found);
    ++(request.write ? statistics_.dram_writes : statistics_.dram_reads);
    statistics_.finished(request, statistics_.latency_of(request), now, cycles_);
    if (dram_bytes_ != nullptr) {
      exchange_dram(request, *(*requesters_)[request.agent]);
    }
    (*requesters_)[request.agent]->on_complete(request, now);
  }
}

void WholeChannel::admit() {
  const Tick now(edge_.value() * period_.value());
  while (!line_.empty() && dram_->accepts(line_.front().write)) {
    const Request request = line_.front();
    line_.pop();
    const std::uint64_t address = translated(request.address);
    under_way_.emplace(Key(address, request.write), request);
    dram_->add(address, request.write);
    (*requesters_)[request.agent]->on_admit(request, now);
  }
  statistics_.dram_occupancy.set(earlier(dram_->held(), most_held_), now);
}

void WholeChannel::count() {
  const WholeDram::Counters counters = dram_->counters();
  statistics_.row_hits = counters.row_hits;
  statistics_.activates = counters.activates;
  statistics_.precharges = counters.precharges;
  statistics_.refreshes = counters.refreshes;
  statistics_.dram_data_cycles = counters.column_commands * static_cast<Counter>(burst_);
}

void WholeChannel::reset_statistics(Tick now) {
  measured_from_ = now;
  statistics_.reset(now);
  dram_->reset_counters();
}

void WholeChannel::serialize(Archive& /*archive*/) {
  throw InputError("dram.backend: dramsim3_full does not support checkpoints");
}

}  // namespace hmsim
