// SPDX-License-Identifier: BSD-3-Clause
// The complete memory side: all channels and one port to them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/accounts/observer_list.h"
#include "controller/channel_set.h"
#include "controller/config/address_map.h"
#include "controller/config/system_config.h"
#include "controller/flush_join.h"
#include "controller/host/host_queue.h"
#include "core/kernel.h"
#include "core/request.h"
#include "core/statistics.h"
#include "policies/policy.h"

namespace hmsim {

class NvdimmModule;
class RequestObserver;
class SlowMemory;

class MemorySystem final : public MemoryPort,
                           private SourceProgress,
                           private HostTarget,
                           private HostPath {
 public:
  // Attaches its channels and NVDIMMs to the kernel. Attach requesters before, so that they act
  // first at equal times. Throws InputError if the configuration is inconsistent.
  MemorySystem(const SystemConfig& config, Kernel& kernel, std::uint64_t seed);
  ~MemorySystem() override;

  // Sets the requesters, which Request::agent indexes. They must outlive the memory system.
  void set_requesters(std::vector<Requester*> requesters);

  // Sets the counter of cores' progress that policies query. It must outlive the memory system.
  void set_progress(const SourceProgress& progress) { progress_ = &progress; }

  // Sends a request to its channel. A flush goes to every NVDIMM, and is a barrier in every channel
  // that has one. Precondition of a flush: at least one NVDIMM is present.
  void send(Request& request, Tick now) override;
  // Same as send(), but not for flushes. Then returns would_wait() of the request's queue.
  bool send_and_ask(Request& request, Tick now);
  Bytes capacity(MemoryClass memory) const override;
  Bytes largest_request(MemoryClass memory) const override {
    return memory == MemoryClass::nvdimm && config_.page_requests() ? kPageBytes : kLineBytes;
  }
  NvdimmTraits nvdimm_traits() const override {
    return {config_.block_access(), config_.nvdimm_slots() * config_.all_channels()};
  }
  Collections collections() const override;

  // Same as send() for a flush, and as collections(), but only for the NVDIMMs of one node. `node`:
  // less than config().nodes.
  void send_flush(Request& request, std::int64_t node, Tick now);
  Collections collections(std::int64_t node) const;

  // Returns whether a request to this address would have to wait outside.
  bool would_wait(MemoryClass memory, Address address) const;
  // Returns whether a request to any channel of NVDIMMs would have to. False without NVDIMMs.
  bool flush_would_wait() const;
  bool idle() const;  // no request waits, is queued or in flight, and no flash operation runs
  std::vector<Requester::Outstanding> outstanding() const;  // all unfinished requests
  std::vector<ClassServices> services() const;              // by channel

  std::int64_t trim(Address address, Bytes size, Tick now) override;

  // Adds an observer of every command on every channel. It must outlive the memory system. Without
  // observers there is no cost.
  void add_observer(CommandObserver& observer);

  std::size_t channels() const { return channels_.size(); }
  // Returns the NVDIMMs of a channel, by number.
  std::vector<NvdimmModule*> nvdimms(std::size_t channel) const;

  // Sets the observer of every completed request from now on. At most one.
  void set_request_observer(RequestObserver& observer);

  const SystemConfig& config() const { return config_; }

  // Data mode: returns the contents of a line as a read would.
  LineBytes peek(MemoryClass memory, Address line) const;
  // Data mode, immediately before power_fail(): NVDIMMs still receive the writes that hold a slot
  // of a queue.
  void spare_writes();
  // Data mode: power fails at `now`. NVDIMM writes that are done or spared are safe. Afterwards
  // only peek() and restore() from this system are allowed. NvdimmModule describes interruptions of
  // save and recovery (`save_for`). `interrupted`: the one NVDIMM, numbered channel by channel,
  // whose save is interrupted; by default all.
  void power_fail(Tick now, Tick save_for = kNever,
                  std::optional<std::size_t> interrupted = std::nullopt);
  // Data mode, before any request: continues with the flash of a memory system of the same geometry
  // after a power failure. Returns false if a recovery was interrupted.
  bool restore(MemorySystem& before, Tick now, Tick recover_for = kNever);

  std::uint64_t requests() const { return next_id_; }  // sent so far
  // Before any request: returns the contents of a file for nvdimm.precondition.load. `seed` is this
  // system's.
  std::string preconditioned(std::uint64_t seed);

  // Before any request, with an NVDIMM: writes these pages, by number and in this order, to its
  // flash.
  void write_before(const std::vector<std::int64_t>& pages);
  // Before any request, with an NVDIMM: fills its buffers with these pages, by number, as if they
  // had been read or written, as far as they fit. The first page is evicted last.
  void hold_read(const std::vector<std::int64_t>& pages);
  void hold_written(const std::vector<std::int64_t>& pages);

  void register_statistics(StatisticRegistry& registry);
  void serialize(Archive& archive);
  // After loading, once the requesters are loaded as well: checks that each request has a requester
  // and that the power state matches the host's.
  void check_loaded(const Archive& archive, bool off) const;

 private:
  std::int64_t instructions(std::uint16_t source) const override {
    return progress_ == nullptr ? 0 : progress_->instructions(source);
  }
  std::vector<std::vector<LogicalPage>> by_channel(const std::vector<std::int64_t>& pages) const;
  // A range of consecutive channels.
  struct Channels {
    std::size_t first;
    std::size_t end;
  };
  // Returns the channels of a node's NVDIMMs, which are also those of its DRAM if both share a bus.
  Channels nvdimm_channels(std::int64_t node) const;

  void serialize_start(Archive& archive, std::int64_t node);
  void send_flush(Request& request, const Channels& to, Tick now);
  // Sends a request to its channel among several, or to the host queue, which a host's FTL is in
  // front of. Kept out of send(), whose registers it would save for a single channel too.
  [[gnu::noinline]] void send_to_one(const Request& request, Tick now);
  void send_parts(const Request& flush, const Channels& to, Tick now);
  // Sends a request to the host queue or to its channel.
  void route(const Request& request, Tick now);
  void enter(const Request& request, Tick now) override;
  Tier tier_of(MemoryClass memory, Address address) const override;
  void forward(Request request, Tick now) override;
  void originate(Request& request, Tick now) override;
  Collections collections(const Channels& of) const;
  void introduce_schedulers(std::size_t queue);
  void accept(Request& request, Tick now);
  MemoryChannel& channel_of(MemoryClass memory, Address address) const;
  SlowMemory& slow_of(const NvdimmPlace& place) const {
    return *slow_[static_cast<std::size_t>(place.channel)];
  }
  MemoryChannel* only_of(MemoryClass memory) const {
    return only_[static_cast<std::size_t>(memory)];
  }

  const SystemConfig config_;
  const AddressMap map_;
  const std::array<Bytes, kMemoryClasses> capacities_;
  std::vector<Requester*> requesters_;
  std::size_t users_ = 0;  // the first of requesters_; FTLs and flushes_ follow
  FlushJoin flushes_;
  const SourceProgress* progress_ = nullptr;
  ObserverList observers_;
  std::unique_ptr<HostQueue> host_;  // or nullptr
  ChannelSet channels_;
  std::vector<SlowMemory*> slow_;  // of the last channels, from first_of_nvdimm_ on; none may be
  // By class: its only channel if nothing is in front of it, or nullptr.
  std::array<MemoryChannel*, kMemoryClasses> only_{};
  std::size_t first_of_nvdimm_ = 0;  // index in channels_
  std::uint64_t next_id_ = 0;
};

}  // namespace hmsim
