// SPDX-License-Identifier: BSD-3-Clause
#include "controller/memory_system.h"

#include <algorithm>

#include "controller/channel/dram_backend.h"
#include "controller/channel/statistics_table.h"
#include "controller/hbf/hbf_channel.h"
#include "controller/host_ftl/hbf_ftl.h"
#include "controller/port/cxl_port.h"
#include "controller/preconditioned.h"
#include "core/errors.h"
#include "nvdimm/design.h"
#include "nvdimm/module/module.h"

namespace hmsim {

namespace {

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

}  // namespace

MemorySystem::MemorySystem(const SystemConfig& config, Kernel& kernel, std::uint64_t seed)
    : config_(config), map_(config), capacities_{config.dram_capacity(), config.nvdimm_capacity()} {
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
  const std::vector<SystemConfig> parts = config_.channel_configs();
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const auto channel = static_cast<std::int64_t>(index) % config.controller.channels;
    const std::uint64_t own_seed = seed + static_cast<std::uint64_t>(channel);
    std::unique_ptr<MemoryChannel> made;
    if (config.port.is_hbf() && parts[index].nvdimm.present) {
      auto flash = std::make_unique<HbfChannel>(parts[index], static_cast<int>(index), own_seed);
      hbf_.push_back(flash.get());
      if (config.nvdimm.hbf.ftl == HbfMapping::host) {
        HostPath& path = *this;
        ftls_.push_back(std::make_unique<HbfFtl>(parts[index], channel, path, own_seed));
        ftls_.back()->attach(kernel, *flash);
      }
      made = std::move(flash);
    } else {
      made = dram_backend(parts[index].dram_model.backend)
                 .make_channel(parts[index], static_cast<int>(index), own_seed);
    }
    if (config.port.is_cxl() && parts[index].nvdimm.present) {
      auto port = std::make_unique<CxlPort>(config.port, std::move(made), config.store_data);
      ports_.push_back(port.get());
      if (host_ != nullptr) {
        port->set_load_listener(*host_);
      }
      made = std::move(port);
    } else if (index < static_cast<std::size_t>(config.all_channels()) &&
               config.is_expander(channel)) {
      auto port =
          std::make_unique<CxlPort>(config.expander.link, std::move(made), config.store_data);
      expanders_.push_back(port.get());
      made = std::move(port);
    }
    if (Front& front = made->statistics().device.front;
        host_ != nullptr && front == Front::nothing) {
      front = Front::queue;
    }
    channels_.push_back(std::move(made));
    channels_.back()->attach(kernel, host_ == nullptr ? requesters_ : host_->stand_ins(), *this);
  }
  first_of_nvdimm_ = channels_.size() - static_cast<std::size_t>(config.all_channels());
  if (host_ == nullptr && config.all_channels() == 1 && first_of_nvdimm_ <= 1) {
    only_ = {channels_.front().get(), ftls_.empty() ? channels_.back().get() : nullptr};
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const bool behind_ftl = !ftls_.empty() && i >= first_of_nvdimm_;
    gates_.push_back(behind_ftl ? static_cast<FlushGate*>(ftls_[i - first_of_nvdimm_].get())
                                : channels_[i].get());
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
      if (TransactionScheduler* const scheduler = channels_[i]->schedulers()[queue]) {
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
  for (const auto& ftl : ftls_) {
    ftl->set_requesters(requesters_, requesters_.size());
    requesters_.push_back(ftl.get());
    requesters_.push_back(&ftl->copier());
    requesters_.push_back(&ftl->gatherer());
  }
  requesters_.push_back(&flushes_);
  if (host_ != nullptr) {
    host_->requesters_set();
  }
  for (const auto& channel : channels_) {
    channel->requesters_set();
  }
}

MemoryChannel& MemorySystem::channel_of(MemoryClass memory, Address address) const {
  if (MemoryChannel* const only = only_of(memory)) {
    return *only;
  }
  if (memory == MemoryClass::dram) {
    return *channels_[static_cast<std::size_t>(map_.dram_channel(address))];
  }
  return *channels_[static_cast<std::size_t>(map_.nvdimm(address).channel) + first_of_nvdimm_];
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
  if (HbfFtl* const ftl = ftl_of(request.memory, request.address)) {
    ftl->send(request, now);
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

HostTier MemorySystem::tier_of(MemoryClass memory, Address address) const {
  const bool far = memory == MemoryClass::nvdimm ||
                   (!expanders_.empty() && config_.is_expander(map_.dram_channel(address)));
  return far ? HostTier::slow : HostTier::fast;
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
    if (ftls_.empty()) {
      channels_[i]->send(part, now);
    } else {
      ftls_[i - first_of_nvdimm_]->send_flush(part, now);
    }
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
  for (std::size_t i = of.first; i < of.end && !ftls_.empty(); ++i) {
    const HbfCollector& collector = ftls_[i - first_of_nvdimm_]->collector();
    sum.begun += collector.begun();
    sum.ended += collector.ended();
  }
  for (std::size_t i = of.first; i < of.end; ++i) {
    if (const NvdimmModule* nvdimm = channels_[i]->nvdimm()) {
      sum.begun += nvdimm->collections_begun();
      sum.ended += nvdimm->collections_ended();
    }
  }
  return sum;
}

bool MemorySystem::would_wait(MemoryClass memory, Address address) const {
  const HbfFtl* const ftl = ftl_of(memory, address);
  return (host_ != nullptr && host_->would_wait(memory, address)) ||
         (ftl != nullptr && ftl->would_wait()) || channel_of(memory, address).would_wait(memory);
}

bool MemorySystem::flush_would_wait() const {
  constexpr MemoryClass kNvdimm = MemoryClass::nvdimm;
  bool waits = host_ != nullptr && host_->would_wait(kNvdimm, Address(0));
  for (std::size_t i = first_of_nvdimm_; config_.nvdimm.present && i < channels_.size(); ++i) {
    waits = waits || channels_[i]->would_wait(kNvdimm) ||
            (!ftls_.empty() && ftls_[i - first_of_nvdimm_]->would_wait());
  }
  return waits;
}

bool MemorySystem::idle() const {
  const auto idles = [](const auto& each) { return each->idle(); };
  return (host_ == nullptr || host_->idle()) &&
         std::all_of(channels_.begin(), channels_.end(), idles) &&
         std::all_of(ftls_.begin(), ftls_.end(), idles);
}

void MemorySystem::add_observer(CommandObserver& observer) {
  observers_.add(observer);
  for (const auto& channel : channels_) {
    channel->set_observer(observers_.target());
  }
}

void MemorySystem::set_request_observer(RequestObserver& observer) {
  for (const auto& channel : channels_) {
    channel->set_request_observer(&observer);
  }
}

NvdimmModules MemorySystem::nvdimms(std::size_t channel) const {
  return channels_[channel]->nvdimms();
}

std::vector<Requester::Outstanding> MemorySystem::outstanding() const {
  std::vector<Requester::Outstanding> all;
  flushes_.list_outstanding(all);
  if (host_ != nullptr) {
    host_->list_outstanding(all);
  }
  for (const auto& channel : channels_) {
    channel->list_outstanding(all);
  }
  if (!ftls_.empty()) {
    // Parts of the FTLs' work stand for a user's request or for none. Each FTL is three requesters.
    const std::size_t last = requesters_.size() - 1;
    const auto of_ftl = [last,
                         first = last - 3 * ftls_.size()](const Requester::Outstanding& each) {
      return each.request.agent >= first && each.request.agent < last;
    };
    all.erase(std::remove_if(all.begin(), all.end(), of_ftl), all.end());
    for (const auto& ftl : ftls_) {
      ftl->list_outstanding(all);
    }
  }
  return all;
}

std::vector<ClassServices> MemorySystem::services() const {
  std::vector<ClassServices> all;
  for (const auto& channel : channels_) {
    all.push_back(channel->services());
  }
  return all;
}

void MemorySystem::write_before(const std::vector<std::int64_t>& pages) {
  const std::vector<std::vector<LogicalPage>> parts = by_channel(pages);
  for (std::size_t i = first_of_nvdimm_; i < channels_.size(); ++i) {
    channels_[i]->nvdimm()->write_before(parts[i]);
  }
}

void MemorySystem::hold_read(const std::vector<std::int64_t>& pages) {
  const std::vector<std::vector<LogicalPage>> parts = by_channel(pages);
  for (std::size_t i = first_of_nvdimm_; i < channels_.size(); ++i) {
    channels_[i]->nvdimm()->hold_read(parts[i]);
  }
}

void MemorySystem::hold_written(const std::vector<std::int64_t>& pages) {
  const std::vector<std::vector<LogicalPage>> parts = by_channel(pages);
  for (std::size_t i = first_of_nvdimm_; i < channels_.size(); ++i) {
    channels_[i]->nvdimm()->hold_written(parts[i]);
  }
}

std::vector<std::vector<LogicalPage>> MemorySystem::by_channel(
    const std::vector<std::int64_t>& pages) const {
  std::vector<std::vector<LogicalPage>> parts(channels_.size());
  for (const std::int64_t page : pages) {
    const NvdimmPlace place = map_.nvdimm(Address(page * kPageBytes.value()));
    parts[static_cast<std::size_t>(place.channel) + first_of_nvdimm_].emplace_back(place.page);
  }
  return parts;
}

LineBytes MemorySystem::peek(MemoryClass memory, Address line) const {
  MemoryChannel& channel = channel_of(memory, line);
  if (memory == MemoryClass::dram) {
    return channel.dram_bytes()->read(line);
  }
  const Address own = map_.nvdimm(line).address;
  if (const HbfFtl* const ftl = ftl_of(memory, line)) {
    return ftl->peek(own);
  }
  return channel.nvdimm() == nullptr ? channel.peek_flash(own) : channel.nvdimm()->peek(own);
}

std::int64_t MemorySystem::trim(Address address, Bytes size, Tick now) {
  if (!hbf_.empty() && ftls_.empty()) {
    return 0;  // physical pages
  }
  const std::int64_t page = kPageBytes.value();
  const std::int64_t end = address.value() + size.value();
  std::int64_t pages = 0;
  for (std::int64_t at = (address.value() + page - 1) / page * page; at + page <= end; at += page) {
    if (!ftls_.empty()) {
      const NvdimmPlace place = map_.nvdimm(Address(at));
      pages += ftls_[static_cast<std::size_t>(place.channel)]->trim(place.page, now) ? 1 : 0;
      continue;
    }
    NvdimmModule& nvdimm = *channel_of(MemoryClass::nvdimm, Address(at)).nvdimm();
    pages += nvdimm.trim(map_.nvdimm(Address(at)).address, kPageBytes, now);
  }
  return pages;
}

// Writes are spared in order of arrival. The data of a command for several lines move only after
// its ack, so such a write is lost as a whole.
void MemorySystem::spare_writes() {
  if (!hbf_.empty()) {
    return;  // nothing that is not programmed survives
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
    channel_of(write.memory, write.address)
        .nvdimm()
        ->spare(map_.nvdimm(write.address).address, requesters_[write.agent]->write_data(write));
  }
}

void MemorySystem::power_fail(Tick now, Tick save_for, std::optional<std::size_t> interrupted) {
  for (const auto& ftl : ftls_) {
    ftl->lose_power();
  }
  std::size_t number = 0;
  for (const auto& channel : channels_) {
    channel->dram_bytes()->clear();
    channel->lose_power(now);
    for (NvdimmModule* const nvdimm : channel->nvdimms()) {
      nvdimm->power_fail(now, interrupted.value_or(number) == number ? save_for : kNever);
      ++number;
    }
  }
}

bool MemorySystem::restore(MemorySystem& before, Tick now, Tick recover_for) {
  bool complete = true;
  for (const auto& ftl : ftls_) {
    ftl->lose_power();  // of preconditioned pages too
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    channels_[i]->restore_flash(*before.channels_[i]);
    if (channels_[i]->nvdimm() != nullptr) {
      NvdimmModule& old = *before.channels_[i]->nvdimm();
      complete = channels_[i]->nvdimm()->restore(old, now, recover_for) && complete;
    }
  }
  return complete;
}

void MemorySystem::register_statistics(StatisticRegistry& registry) {
  std::vector<MemoryChannel*> channels;
  for (const auto& channel : channels_) {
    channels.push_back(channel.get());
  }
  const auto on_bus = static_cast<std::int64_t>(channels_.size() - ports_.size() - hbf_.size());
  register_channel_statistics(registry, channels, config_.all_channels(), on_bus);
  if (config_.nvdimm.present) {
    registry.counter("nvdimm.flushes", "requests", "flushes completed", {&flushes_.flushes()});
    registry.histogram("nvdimm.flush_latency_ns", "ns",
                       "flush, from its arrival at the controller to its ack by all NVDIMMs",
                       kPicosecondsPerNanosecond, {&flushes_.latency()});
    if (hbf_.empty()) {
      register_nvdimm_statistics(registry);
    } else {
      std::vector<HbfFtl*> ftls;
      for (const auto& ftl : ftls_) {
        ftls.push_back(ftl.get());
      }
      register_hbf_channel_statistics(registry, hbf_);
      register_hbf_ftl_statistics(registry, ftls, hbf_);
    }
  }
  if (host_ != nullptr) {
    host_->register_statistics(registry);
  }
  if (!ports_.empty()) {
    register_port_statistics(registry, {"cxl.", "nvdimm.latency."}, ports_);
    register_load_statistics(registry, ports_);
  }
  if (!expanders_.empty()) {
    register_port_statistics(registry, {"expander.", "dram.latency."}, expanders_);
  }
}

// Registers statistics over all NVDIMMs; with several per channel, also over those with the same
// number.
void MemorySystem::register_nvdimm_statistics(StatisticRegistry& registry) {
  const NvdimmDesign& first = design_of(config_.nvdimm.kind);
  NvdimmModules alike;   // same design as the first
  NvdimmModules others;  // the other design
  std::vector<NvdimmModules> by_number(static_cast<std::size_t>(config_.population.count));
  for (const auto& channel : channels_) {
    const NvdimmModules modules = channel->nvdimms();
    for (std::size_t number = 0; number < modules.size(); ++number) {
      const bool like = &design_of(modules[number]->parameters().kind) == &first;
      (like ? alike : others).push_back(modules[number]);
      by_number[number].push_back(modules[number]);
    }
  }
  first.register_statistics(registry, alike);
  if (!others.empty()) {
    const NvdimmDesign& design = design_of(others.front()->parameters().kind);
    const StatisticRegistry::Scope apart(registry, "nvdimm.power.", "nvdimm.unlike.power.");
    design.register_statistics(registry, others);
  }
  for (std::size_t number = 0; by_number.size() > 1 && number < by_number.size(); ++number) {
    const StatisticRegistry::Scope own(registry, "nvdimm.",
                                       "nvdimm.device" + std::to_string(number) + ".");
    const NvdimmModules& modules = by_number[number];
    design_of(modules.front()->parameters().kind).register_statistics(registry, modules);
  }
}

void MemorySystem::serialize(Archive& archive) {
  archive.section("memory system");
  archive(next_id_, flushes_);
  if (host_ != nullptr) {
    host_->serialize(archive);
  }
  for (const auto& channel : channels_) {
    channel->serialize(archive);
  }
  for (const auto& ftl : ftls_) {
    ftl->serialize(archive);
  }
}

void MemorySystem::check_loaded(const Archive& archive, bool off) const {
  for (const auto& channel : channels_) {
    const NvdimmModule* const module = channel->nvdimm();
    archive.check(module == nullptr || module->off() == off, "power state of an NVDIMM differs");
  }
  for (const Requester::Outstanding& each : outstanding()) {
    archive.check_index(each.request.agent, requesters_.size(), "request without a requester");
  }
}

void MemorySystem::serialize_start(Archive& archive, std::int64_t node) {
  const Channels own = nvdimm_channels(node);
  for (std::size_t i = own.first; i < own.end; ++i) {
    channels_[i]->nvdimm()->serialize_start(archive);
  }
}

std::string MemorySystem::preconditioned(std::uint64_t seed) {
  Archive archive;
  serialize_start(archive, 0);
  return seal_preconditioned(config_, seed, archive.bytes());
}

}  // namespace hmsim
