// SPDX-License-Identifier: BSD-3-Clause
// DRAM-only channel whose controller and DRAM are modelled by another simulator.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "controller/channel/memory_channel.h"
#include "controller/config/address_map.h"
#include "controller/config/system_config.h"
#include "core/ring.h"
#include "dram/whole_dram.h"

namespace hmsim {

// Adapter of the other simulator (WholeDram) to the channel interface. While requests are in
// flight, the channel wakes on every clock edge. Otherwise it wakes `ranks` times per refresh
// interval, so that the other simulator's clock catches up. A write completes when the other
// simulator reports it, possibly before its data are in the DRAM. The channel cannot be
// checkpointed and has no command log.
class WholeChannel final : public MemoryChannel {
 public:
  WholeChannel(const SystemConfig& config, int index, std::unique_ptr<WholeDram> dram);

  void connect(Kernel& kernel, int component, const std::vector<Requester*>& requesters,
               const SourceProgress& progress) override;
  void send(const Request& request, Tick now) override;
  bool would_wait(MemoryClass memory) const override;
  bool idle() const override { return line_.empty() && under_way_.empty(); }
  void set_observer(CommandObserver* /*observer*/) override {}

  ChannelStatistics& statistics() override { return statistics_; }
  Cycle elapsed() const override;
  Tick clock_period() const override { return period_; }
  ChannelMeters meters() override {
    ChannelMeters own;
    own.burst_cycles = burst_;
    return own;
  }
  Tick now() const override { return kernel_->now(); }
  void reset_statistics(Tick now) override;

  Tick next_event() const override { return Tick(wake_.value() * period_.value()); }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  using Key = std::pair<std::uint64_t, bool>;  // address in the other simulator, write

  std::uint64_t translated(Address address) const;
  void complete();
  void admit();
  void count();

  const AddressMap map_;
  const Tick period_;
  const WholeCycles cycles_;
  const std::int64_t burst_;
  const DramOrganisation organisation_;
  const std::int64_t ranks_;
  const Cycle idle_wake_;
  std::unique_ptr<WholeDram> dram_;
  const std::vector<Requester*>* requesters_ = nullptr;
  Kernel* kernel_ = nullptr;
  Wakeup wakeup_;
  Ring<Request> line_;
  std::multimap<Key, Request> under_way_;  // equal keys oldest first
  Cycle ticked_{0};                        // cycles that the other simulator has simulated
  Cycle edge_{-1};
  Cycle wake_{0};
  bool advancing_ = false;
  Tick measured_from_{0};
  const std::int64_t most_held_;
  ChannelStatistics statistics_;
};

}  // namespace hmsim
