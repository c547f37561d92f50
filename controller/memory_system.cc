// SPDX-License-Identifier: BSD-3-Clause
#include "controller/memory_system.h"

#include <algorithm>

#include "controller/channel/slow_memory.h"
#include "controller/channel/statistics_table.h"
#include "controller/channel_parts.h"
#include "controller/port/cxl_port.h"
#include "controller/preconditioned.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

}  // namespace

MemorySystem::MemorySystem(const SystemConfig& config, Kernel& kernel, std::uint64_t seed)
    : config_(config),
      map_(config),
      capacities_{config.dram_capacity(), config.nvdimm_capacity()},
      flushes_(requesters_) {
  const std::vector<ParameterError> errors = config.check();
  if (!errors.empty()) {
    throw InputError(join_errors(errors));
  }
  const std::string& file = config.nvdimm.precondition.load;
  if (config_.host.present()) {
    HostTarget& channels = *this;
    host_ = std::make_unique<HostQueue>(config_.host, config_.assignments, channels);
    host_->attach(kernel, requesters_);
  }
  for (const SystemConfig& part : config_.channel_configs()) {
    HostPath& path = *this;
    MemoryChannel& channel = channels_.add(part, path, seed);
    if (Front& front = channel.statistics().device.front;
        host_ != nullptr && front == Front::nothing) {
      front = Front::queue;
    }
    channel.attach(kernel, host_ == nullptr ? requesters_ : host_->stand_ins(), *this);
    flushes_.add(channel);
    if (SlowMemory* const memory = channel.slow_memory()) {
      slow_.push_back(memory);
    }
  }
  for (CxlPort* const port : channels_.ports()) {
    if (host_ != nullptr) {
      port->set_load_listener(*host_);
    }
  }
  first_of_nvdimm_ = channels_.size() - static_cast<std::size_t>(config.all_channels());
  if (host_ == nullptr && config.all_channels() == 1 && first_of_nvdimm_ <= 1) {
    only_ = {&channels_[0], &channels_[channels_.size() - 1]};
  }
  for (std::size_t queue = 0; queue < kMemoryClasses; ++queue) {
    introduce_schedulers(queue);
  }
  for (std::int64_t node = 0; !file.empty() && config.nvdimm.present && node < config.nodes;
       ++node) {
    load_preconditioned(file, config, seed,
                        [this, node](Archive& archive) { serialize_start(archive, node); });
  }
}

MemorySystem::Channels MemorySystem::nvdimm_channels(std::int64_t node) const {
  const auto count = static_cast<std::size_t>(config_.controller.channels);
  const std::size_t first = first_of_nvdimm_ + static_cast<std::size_t>(node) * count;
  return {first, first + count};
}

// Connects the schedulers of one queue of each node. With private buses the NVDIMM channels follow
// the DRAM channels.
void MemorySystem::introduce_schedulers(std::size_t queue) {
  const auto together = static_cast<std::size_t>(config_.controller.channels);
  for (std::size_t first = 0; together > 1 && first < channels_.size(); first += together) {
    std::vector<TransactionScheduler*> all;
    for (std::size_t i = first; i < first + together; ++i) {
      if (TransactionScheduler* const scheduler = channels_[i].schedulers()[queue]) {
        all.push_back(scheduler);
      }
    }
    for (TransactionScheduler* const scheduler : all) {
      scheduler->connect_peers(all);
    }
  }
}

MemorySystem::~MemorySystem() = default;

void MemorySystem::set_requesters(std::vector<Requester*> requesters) {
  requesters_ = std::move(requesters);
  users_ = requesters_.size();
  for (const auto& channel : channels_.all()) {
    channel->add_requesters(requesters_);
  }
  requesters_.push_back(&flushes_);
  if (host_ != nullptr) {
    host_->requesters_set();
  }
  for (const auto& channel : channels_.all()) {
    channel->requesters_set();
  }
}

MemoryChannel& MemorySystem::channel_of(MemoryClass memory, Address address) const {
  if (MemoryChannel* const only = only_of(memory)) {
    return *only;
  }
  if (memory == MemoryClass::dram) {
    return channels_[static_cast<std::size_t>(map_.dram_channel(address))];
  }
  return channels_[static_cast<std::size_t>(map_.nvdimm(address).channel) + first_of_nvdimm_];
}

// Completes the request.
inline void MemorySystem::accept(Request& request, Tick now) {
  request.arrival = now;
  ensure(Bytes(request.address.value()) < capacity(request.memory), "memory system", now,
         static_cast<std::int64_t>(next_id_), "request outside its memory");
  request.id = next_id_++;
}

void MemorySystem::send(Request& request, Tick now) {
  if (request.flush) {
    send_flush(request, {first_of_nvdimm_, channels_.size()}, now);
    return;
  }
  accept(request, now);
  if (MemoryChannel* const only = only_of(request.memory)) {
    only->send(request, now);
  } else {
    send_to_one(request, now);
  }
}

void MemorySystem::send_to_one(const Request& request, Tick now) {
  if (request.memory == MemoryClass::nvdimm && config_.host_maps()) {
    channel_of(request.memory, request.address).send(request, now);
  } else {
    route(request, now);
  }
}

// Channels order requests by their ids, so the order is that in which they got their places.
void MemorySystem::forward(Request request, Tick now) {
  request.id = next_id_++;
  request.entered = now;
  route(request, now);
}

void MemorySystem::originate(Request& request, Tick now) {
  request.id = next_id_++;
  request.arrival = now;
  request.entered = now;
  route(request, now);
}

void MemorySystem::route(const Request& request, Tick now) {
  if (host_ != nullptr) {
    host_->send(request, now);
  } else {
    channel_of(request.memory, request.address).send(request, now);
  }
}

Tier MemorySystem::tier_of(MemoryClass memory, Address address) const {
  const bool far =
      memory == MemoryClass::nvdimm ||
      (!channels_.expanders().empty() && config_.is_expander(map_.dram_channel(address)));
  return far ? Tier::slow : Tier::fast;
}

void MemorySystem::enter(const Request& request, Tick now) {
  if (request.flush) {
    send_parts(request, {first_of_nvdimm_, channels_.size()}, now);
  } else {
    channel_of(request.memory, request.address).send(request, now);
  }
}

bool MemorySystem::send_and_ask(Request& request, Tick now) {
  accept(request, now);
  if (MemoryChannel* const only = only_of(request.memory)) {
    only->send(request, now);
    return only->would_wait(request.memory);
  }
  send_to_one(request, now);
  return would_wait(request.memory, request.address);
}

void MemorySystem::send_flush(Request& request, std::int64_t node, Tick now) {
  send_flush(request, nvdimm_channels(node), now);
}

void MemorySystem::send_flush(Request& request, const Channels& to, Tick now) {
  ensure(config_.nvdimm.present, "memory system", now, static_cast<std::int64_t>(next_id_),
         "flush without an NVDIMM");
  request.arrival = now;
  request.id = next_id_;  // of its first part; channels compare the ids of a flush and of requests
  next_id_ += to.end - to.first;
  if (host_ != nullptr) {
    request.memory = MemoryClass::nvdimm;
    host_->send(request, now);
  } else {
    send_parts(request, to, now);
  }
}

void MemorySystem::send_parts(const Request& flush, const Channels& to, Tick now) {
  Request part = flushes_.begin(flush, to.first, to.end);
  for (std::size_t i = to.first; i < to.end; ++i) {
    part.id = flush.id + (i - to.first);
    channels_[i].send(part, now);
  }
}

Bytes MemorySystem::capacity(MemoryClass memory) const {
  return capacities_[static_cast<std::size_t>(memory)];
}

MemoryPort::Collections MemorySystem::collections() const {
  return collections({first_of_nvdimm_, channels_.size()});
}

MemoryPort::Collections MemorySystem::collections(std::int64_t node) const {
  return collections(nvdimm_channels(node));
}

MemoryPort::Collections MemorySystem::collections(const Channels& of) const {
  Collections sum;
  for (std::size_t i = of.first; i < of.end && !slow_.empty(); ++i) {
    const Collections own = slow_[i - first_of_nvdimm_]->collections();
    sum.begun += own.begun;
    sum.ended += own.ended;
  }
  return sum;
}

bool MemorySystem::would_wait(MemoryClass memory, Address address) const {
  return (host_ != nullptr && host_->would_wait(memory, address)) ||
         channel_of(memory, address).would_wait(memory);
}

bool MemorySystem::flush_would_wait() const {
  constexpr MemoryClass kNvdimm = MemoryClass::nvdimm;
  bool waits = host_ != nullptr && host_->would_wait(kNvdimm, Address(0));
  for (std::size_t i = first_of_nvdimm_; config_.nvdimm.present && i < channels_.size(); ++i) {
    waits = waits || channels_[i].would_wait(kNvdimm);
  }
  return waits;
}

bool MemorySystem::idle() const {
  const auto idles = [](const auto& each) { return each->idle(); };
  return (host_ == nullptr || host_->idle()) &&
         std::all_of(channels_.all().begin(), channels_.all().end(), idles);
}

void MemorySystem::add_observer(CommandObserver& observer) {
  observers_.add(observer);
  for (const auto& channel : channels_.all()) {
    channel->set_observer(observers_.target());
  }
}

void MemorySystem::set_request_observer(RequestObserver& observer) {
  for (const auto& channel : channels_.all()) {
    channel->set_request_observer(&observer);
  }
}

NvdimmModules MemorySystem::nvdimms(std::size_t channel) const {
  SlowMemory* const memory = channels_[channel].slow_memory();
  return memory == nullptr ? NvdimmModules{} : memory->modules();
}

std::vector<Requester::Outstanding> MemorySystem::outstanding() const {
  std::vector<Requester::Outstanding> all;
  flushes_.list_outstanding(all);
  if (host_ != nullptr) {
    host_->list_outstanding(all);
  }
  for (const auto& channel : channels_.all()) {
    channel->list_outstanding(all);
  }
  // Parts of the FTLs' work stand for a user's request, which they list, or for none.
  const auto of_ftl = [this](const Requester::Outstanding& each) {
    return each.request.agent >= users_ && each.request.agent + 1U < requesters_.size();
  };
  all.erase(std::remove_if(all.begin(), all.end(), of_ftl), all.end());
  return all;
}

std::vector<ClassServices> MemorySystem::services() const {
  std::vector<ClassServices> all;
  for (const auto& channel : channels_.all()) {
    all.push_back(channel->services());
  }
  return all;
}

void MemorySystem::write_before(const std::vector<std::int64_t>& pages) {
  const std::vector<std::vector<LogicalPage>> parts = by_channel(pages);
  for (std::size_t i = 0; i < slow_.size(); ++i) {
    slow_[i]->write_before(parts[i]);
  }
}

void MemorySystem::hold_read(const std::vector<std::int64_t>& pages) {
  const std::vector<std::vector<LogicalPage>> parts = by_channel(pages);
  for (std::size_t i = 0; i < slow_.size(); ++i) {
    slow_[i]->hold_read(parts[i]);
  }
}

void MemorySystem::hold_written(const std::vector<std::int64_t>& pages) {
  const std::vector<std::vector<LogicalPage>> parts = by_channel(pages);
  for (std::size_t i = 0; i < slow_.size(); ++i) {
    slow_[i]->hold_written(parts[i]);
  }
}

std::vector<std::vector<LogicalPage>> MemorySystem::by_channel(
    const std::vector<std::int64_t>& pages) const {
  std::vector<std::vector<LogicalPage>> parts(slow_.size());
  for (const std::int64_t page : pages) {
    const NvdimmPlace place = map_.nvdimm(Address(page * kPageBytes.value()));
    parts[static_cast<std::size_t>(place.channel)].emplace_back(place.page);
  }
  return parts;
}

LineBytes MemorySystem::peek(MemoryClass memory, Address line) const {
  if (memory == MemoryClass::dram) {
    return channel_of(memory, line).dram_bytes()->read(line);
  }
  const NvdimmPlace place = map_.nvdimm(line);
  return slow_of(place).peek(place.address);
}

std::int64_t MemorySystem::trim(Address address, Bytes size, Tick now) {
  const std::int64_t page = kPageBytes.value();
  const std::int64_t end = address.value() + size.value();
  std::int64_t pages = 0;
  for (std::int64_t at = (address.value() + page - 1) / page * page; at + page <= end; at += page) {
    const NvdimmPlace place = map_.nvdimm(Address(at));
    pages += slow_of(place).trim(LogicalPage(place.page), now);
  }
  return pages;
}

// Writes are spared in order of arrival. The data of a command for several lines move only after
// its ack, so such a write is lost as a whole.
void MemorySystem::spare_writes() {
  if (slow_.empty() || !slow_.front()->spares_writes()) {
    return;
  }
  std::vector<Request> writes;
  for (const Requester::Outstanding& each : outstanding()) {
    if (each.admitted && each.request.write && each.request.lines == 1 &&
        each.request.memory == MemoryClass::nvdimm) {
      writes.push_back(each.request);
    }
  }
  std::sort(writes.begin(), writes.end(),
            [](const Request& a, const Request& b) { return a.id < b.id; });
  for (const Request& write : writes) {
    const NvdimmPlace place = map_.nvdimm(write.address);
    slow_of(place).spare(place.address, requesters_[write.agent]->write_data(write));
  }
}

void MemorySystem::power_fail(Tick now, Tick save_for, std::optional<std::size_t> interrupted) {
  for (const auto& channel : channels_.all()) {
    channel->dram_bytes()->clear();
  }
  std::size_t number = 0;
  for (SlowMemory* const memory : slow_) {
    memory->power_fail({now, save_for, interrupted}, number);
    number += memory->modules().size();
  }
}

bool MemorySystem::restore(MemorySystem& before, Tick now, Tick recover_for) {
  bool complete = true;
  for (std::size_t i = 0; i < slow_.size(); ++i) {
    complete = slow_[i]->restore(*before.slow_[i], now, recover_for) && complete;
  }
  return complete;
}

void MemorySystem::register_statistics(StatisticRegistry& registry) {
  std::vector<MemoryChannel*> channels;
  for (const auto& channel : channels_.all()) {
    channels.push_back(channel.get());
  }
  const std::size_t on_bus =
      config_.nvdimm.present && !config_.port.on_bus() ? first_of_nvdimm_ : channels.size();
  register_channel_statistics(registry, channels, config_.all_channels(),
                              static_cast<std::int64_t>(on_bus));
  if (!slow_.empty()) {
    registry.counter("nvdimm.flushes", "requests", "flushes completed", {&flushes_.flushes()});
    registry.histogram("nvdimm.flush_latency_ns", "ns",
                       "flush, from its arrival at the controller to its ack by all NVDIMMs",
                       kPicosecondsPerNanosecond, {&flushes_.latency()});
    slow_.front()->register_statistics(registry, slow_);
  }
  if (host_ != nullptr) {
    host_->register_statistics(registry);
  }
  if (!channels_.ports().empty()) {
    register_port_statistics(registry, {"cxl.", "nvdimm.latency."}, channels_.ports());
    register_load_statistics(registry, channels_.ports());
  }
  if (!channels_.expanders().empty()) {
    register_port_statistics(registry, {"expander.", "dram.latency."}, channels_.expanders());
  }
  register_each_channel(registry, channels_, slow_, config_);
}

void MemorySystem::serialize(Archive& archive) {
  archive.section("memory system");
  archive(next_id_, flushes_);
  if (host_ != nullptr) {
    host_->serialize(archive);
  }
  for (const auto& channel : channels_.all()) {
    channel->serialize(archive);
  }
}

void MemorySystem::check_loaded(const Archive& archive, bool off) const {
  for (const SlowMemory* const memory : slow_) {
    archive.check(memory->modules().empty() || memory->is_off() == off,
                  "power state of an NVDIMM differs");
  }
  for (const Requester::Outstanding& each : outstanding()) {
    archive.check_index(each.request.agent, requesters_.size(), "request without a requester");
  }
}

void MemorySystem::serialize_start(Archive& archive, std::int64_t node) {
  const Channels own = nvdimm_channels(node);
  for (std::size_t i = own.first; i < own.end && !slow_.empty(); ++i) {
    slow_[i - first_of_nvdimm_]->serialize_start(archive);
  }
}

std::string MemorySystem::preconditioned(std::uint64_t seed) {
  Archive archive;
  serialize_start(archive, 0);
  return seal_preconditioned(config_, seed, archive.bytes());
}

}  // namespace hmsim
