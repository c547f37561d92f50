// SPDX-License-Identifier: BSD-3-Clause
// A channel with a part in front of it, which answers for it: to the kernel both are one component.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "controller/channel/memory_channel.h"

namespace hmsim {

class ChannelFront : public MemoryChannel {
 public:
  void connect(Kernel& kernel, int component, const std::vector<Requester*>& requesters,
               const SourceProgress& progress) override {
    device_->connect(kernel, component, requesters, progress);
  }
  void add_requesters(std::vector<Requester*>& requesters) override {
    device_->add_requesters(requesters);
  }
  bool would_wait(MemoryClass memory) const override { return device_->would_wait(memory); }
  ClassServices services() const override { return device_->services(); }
  void set_observer(CommandObserver* observer) override { device_->set_observer(observer); }
  void set_request_observer(RequestObserver* observer) override {
    device_->set_request_observer(observer);
  }
  SlowMemory* slow_memory() override { return device_->slow_memory(); }
  std::array<TransactionScheduler*, kMemoryClasses> schedulers() override {
    return device_->schedulers();
  }
  std::vector<PolicyCounter> arbiter_counters() override { return device_->arbiter_counters(); }
  ChannelStatistics& statistics() override { return device_->statistics(); }
  Cycle elapsed() const override { return device_->elapsed(); }
  Tick clock_period() const override { return device_->clock_period(); }
  ChannelMeters meters() override { return device_->meters(); }
  Tick now() const override { return device_->now(); }
  void reset_statistics(Tick now) override { device_->reset_statistics(now); }
  LineStore* dram_bytes() override { return device_->dram_bytes(); }

  Tick next_event() const override { return device_->next_event(); }
  Tick advance(Tick now) override { return device_->advance(now); }
  Tick catch_up(Tick time) override { return device_->catch_up(time); }

 protected:
  explicit ChannelFront(std::unique_ptr<MemoryChannel> device)
      : MemoryChannel(false), device_(std::move(device)) {}

  const std::unique_ptr<MemoryChannel> device_;
};

}  // namespace hmsim
