// SPDX-License-Identifier: BSD-3-Clause
#include "controller/memory_system.h"

#include <algorithm>

#include "controller/dram_backend.h"
#include "controller/hbf/hbf_channel.h"
#include "controller/hbf/hbf_ftl.h"
#include "controller/port/cxl_port.h"
#include "controller/preconditioned.h"
#include "core/errors.h"
#include "nvdimm/design.h"

namespace hmsim {

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
        ftls_.back()->attach(kernel, flash->device());
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
  route(request, now);
}

void MemorySystem::originate(Request& request, Tick now) {
  request.id = next_id_++;
  request.arrival = now;
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
  return std::any_of(channels_.begin(), channels_.end(), [](const auto& channel) {
    return channel->nvdimm() != nullptr && channel->would_wait(MemoryClass::nvdimm);
  });
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

// Returns whether a request is a part of the FTL's work, which stands for a user's request or for
// none.
bool MemorySystem::is_of_ftl(const Request& request) const {
  const std::size_t first = requesters_.size() - 1 - 3 * ftls_.size();  // three of each FTL
  return request.agent >= first && request.agent + std::size_t{1} < requesters_.size();
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
    all.erase(std::remove_if(
                  all.begin(), all.end(),
                  [this](const Requester::Outstanding& each) { return is_of_ftl(each.request); }),
              all.end());
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

void MemorySystem::check_loaded(const Archive& archive, bool off) const {
  for (const auto& channel : channels_) {
    const NvdimmModule* const module = channel->nvdimm();
    archive.check(module == nullptr || module->off() == off, "power state of an NVDIMM differs");
  }
  for (const Requester::Outstanding& each : outstanding()) {
    archive.check_index(each.request.agent, requesters_.size(), "request without a requester");
  }
}

}  // namespace hmsim
