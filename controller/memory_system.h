// SPDX-License-Identifier: BSD-3-Clause
// The memory side as a whole: all channels behind one port.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/accounts/observer_list.h"
#include "controller/address_map.h"
#include "controller/flush_join.h"
#include "controller/memory_channel.h"
#include "controller/system_config.h"
#include "core/kernel.h"
#include "core/request.h"
#include "core/statistics.h"
#include "policies/policy.h"

namespace hmsim {

class NvdimmModule;
class RequestObserver;

class MemorySystem final : public MemoryPort, private SourceProgress {
 public:
  // Attaches its channels and NVDIMMs to the kernel: attach requesters before, so that at equal
  // times they act first. Throws InputError when the configuration does not fit together.
  MemorySystem(const SystemConfig& config, Kernel& kernel, std::uint64_t seed);
  ~MemorySystem() override;

  // Request::agent indexes this list; the requesters must outlive the memory system.
  void set_requesters(std::vector<Requester*> requesters);

  // Who counts what cores have done, for policies that ask; it must outlive the memory system.
  void set_progress(const SourceProgress& progress) { progress_ = &progress; }

  // A flush goes to all NVDIMMs; there must be one. It is a barrier over all of their channels.
  void send(Request& request, Tick now) override;
  Bytes capacity(MemoryClass memory) const override;
  Collections collections() const override;

  // The same for the NVDIMMs of one node, of config().nodes.
  void send_flush(Request& request, std::int64_t node, Tick now);
  Collections collections(std::int64_t node) const;

  // True when a request to this address would have to wait outside.
  bool would_wait(MemoryClass memory, Address address) const;
  bool flush_would_wait() const;
  bool idle() const;  // no request waits, is queued or under way, and no flash operation runs
  std::vector<Requester::Outstanding> outstanding() const;  // all requests that are not done
  std::vector<ClassServices> services() const;              // of each channel

  std::int64_t trim(Address address, Bytes size, Tick now) override;

  // To be told of every command on every channel, for as long as this lives. Costs nothing without
  // observers.
  void add_observer(CommandObserver& observer);

  // The NVDIMM of a channel, or nullptr.
  std::size_t channels() const { return channels_.size(); }
  // By number.
  std::vector<NvdimmModule*> nvdimms(std::size_t channel) const;

  // To be told of every request that is done, from now on; there is one observer at most.
  void set_request_observer(RequestObserver& observer);

  const SystemConfig& config() const { return config_; }

  // Data mode: what a reader of the line would get.
  LineBytes peek(MemoryClass memory, Address line) const;
  // Data mode, just before power_fail(): NVDIMMs still get the writes that hold an entry of a
  // queue.
  void spare_writes();
  // Data mode: power goes at `now`. NVDIMM writes that are done, or spared, are safe. Then only
  // peek(), and restore() from it, make sense. Of an interruption of the save, and of the recovery:
  // NvdimmModule.
  // `interrupted`: of all NVDIMMs, channel by channel, the only one whose save is.
  void power_fail(Tick now, Tick save_for = kNever,
                  std::optional<std::size_t> interrupted = std::nullopt);
  // Data mode, before any request: goes on with the flash of a memory system of the same geometry
  // that had a power failure. False: a recovery was interrupted.
  bool restore(MemorySystem& before, Tick now, Tick recover_for = kNever);

  std::uint64_t requests() const { return next_id_; }  // sent so far
  // Before any request: the content of a file for nvdimm.precondition.load. `seed`: this system's.
  std::string preconditioned(std::uint64_t seed);

  // Before any request, with an NVDIMM: its flash is written these pages, by number, in this order.
  void write_before(const std::vector<std::int64_t>& pages);
  // Before any request, with an NVDIMM: its buffers hold these pages of it, by number, as if they
  // had been read, or written, as many as fit. The first is given up last.
  void hold_read(const std::vector<std::int64_t>& pages);
  void hold_written(const std::vector<std::int64_t>& pages);

  void register_statistics(StatisticRegistry& registry);
  void serialize(Archive& archive);
  // Loading, once the requesters are loaded too: each waits for what is under way, and power is on
  // or off as the host has it.
  void check_loaded(const Archive& archive, bool off) const;

 private:
  std::int64_t instructions(std::uint16_t source) const override {
    return progress_ == nullptr ? 0 : progress_->instructions(source);
  }
  void register_nvdimm_statistics(StatisticRegistry& registry);
  std::vector<std::vector<LogicalPage>> by_channel(const std::vector<std::int64_t>& pages) const;
  // Channels that follow one another.
  struct Channels {
    std::size_t first;
    std::size_t end;
  };
  // Those of a node's NVDIMMs, and of its DRAM, too, where both share a bus.
  Channels nvdimm_channels(std::int64_t node) const;

  void serialize_start(Archive& archive, std::int64_t node);
  void send_flush(Request& request, const Channels& to, Tick now);
  Collections collections(const Channels& of) const;
  void introduce_schedulers(std::size_t queue);
  MemoryChannel& channel_of(MemoryClass memory, Address address) const;

  const SystemConfig config_;
  const AddressMap map_;
  const std::array<Bytes, kMemoryClasses> capacities_;
  std::vector<Requester*> requesters_;
  FlushJoin flushes_{requesters_, channels_};
  const SourceProgress* progress_ = nullptr;
  ObserverList observers_;
  std::vector<std::unique_ptr<MemoryChannel>> channels_;
  MemoryChannel* only_ = nullptr;    // of channels_, where there is one
  std::size_t first_of_nvdimm_ = 0;  // of channels_
  std::uint64_t next_id_ = 0;
};

}  // namespace hmsim
