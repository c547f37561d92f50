// SPDX-License-Identifier: BSD-3-Clause
// One channel of high bandwidth flash beside an HBM channel: the host's queue, a link with one lane
// each way, and the device. It shares nothing with the HBM channel's buses.
//
//   admission  in order of arrival, while the queue has a free entry
//   sending    by the queue's order; a read while fewer than hbf.outstanding are unanswered, a
//              write if its page is pending or one of hbf.pending_writes is free
//   to device  a command's header, and a write's data
//   to host    a read's data; the answer to a write takes no bytes
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/accounts/channel_statistics.h"
#include "controller/channel/memory_channel.h"
#include "controller/channel/slow_memory.h"
#include "controller/config/system_config.h"
#include "controller/hbf/hbf_bytes.h"
#include "controller/hbf/hbf_queue.h"
#include "controller/hbf/hbf_records.h"
#include "controller/hbf/pending_pages.h"
#include "controller/link/byte_lane.h"
#include "controller/link/in_flight.h"
#include "core/kernel.h"
#include "core/ring.h"
#include "nvdimm/hbf/hbf_device.h"

namespace hmsim {

class HbfChannel final : public MemoryChannel, public SlowMemory, private HbfHost {
 public:
  HbfChannel(const SystemConfig& config, int index, std::uint64_t seed);

  void connect(Kernel& kernel, int component, const std::vector<Requester*>& requesters,
               const SourceProgress& progress) override;
  void send(const Request& request, Tick now) override;
  void pass_flush(Tick now) override;
  bool would_wait(MemoryClass memory) const override;
  bool idle() const override;
  void list_outstanding(std::vector<Requester::Outstanding>& requests) const override;
  // Its commands are not those of a memory bus: observers of commands see nothing.
  void set_observer(CommandObserver* /*observer*/) override {}
  void set_request_observer(RequestObserver* observer) override { records_.lead_to(observer); }

  std::array<TransactionScheduler*, kMemoryClasses> schedulers() override {
    return {nullptr, queue_.scheduler()};
  }
  ChannelStatistics& statistics() override { return statistics_; }
  Cycle elapsed() const override { return Cycle((now() - measured_from_) / period_.period()); }
  Tick clock_period() const override { return period_.period(); }
  Tick now() const override { return kernel_->now(); }
  void reset_statistics(Tick now) override;

  SlowMemory* slow_memory() override { return this; }
  void register_statistics(StatisticRegistry& registry,
                           const std::vector<SlowMemory*>& all) override;
  LineBytes peek(Address line) const override { return device_.peek(line); }
  // Only programmed pages survive.
  void power_fail(const PowerFailure& failure, std::size_t /*first*/) override {
    device_.lose_power(failure.now);
  }
  bool restore(SlowMemory& before, Tick /*now*/, Tick /*recover_for*/) override {
    device_.restore(static_cast<HbfChannel&>(before).device_);
    return true;
  }

  HbfDevice& device() { return device_; }

  Tick next_event() const override { return schedule_.next; }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  // A request on the way to the device, or an answer on the way to the host.
  struct Passage {
    std::uint32_t slot = 0;
    std::uint32_t unit = 0;  // writes: of its pending page
    bool first = false;      // writes: it begins the page
    void serialize(Archive& archive) { archive(slot, unit, first); }
  };
  // When the channel acts next.
  struct Schedule {
    Tick next = kNever;      // event
    Tick others = kNever;    // the next event that is not the device's
    Tick wake = kNever;      // a call from outside
    Tick phase = kNever;     // writes may be sent again
    bool may_send = false;   // requests, credits or pages came since send_waiting()
    bool informed = false;   // other components, in the present advance()
    bool admitting = false;  // requests that come now are admitted by the present act()
  };

  void on_answer(std::uint32_t tag, HbfStatus status, bool pending, Tick begun, Tick now) override;

  void wake(Tick now);
  Tick find_others() const;
  void act(Tick now);
  void admit(Tick now);
  void send_waiting(Tick now);
  bool may_begin_pages(Tick now) const {
    return hbf_.write_period == Tick(0) || now % hbf_.write_period < hbf_.write_phase;
  }
  Transaction* next_write(Tick now);
  void send_read(Transaction& transaction, Tick now);
  void send_write(Transaction& transaction, Tick now);
  void sent(Transaction& transaction, Tick now);
  void arrive(const Passage& passage, Tick now);
  void deliver(const Passage& passage, Tick now);
  Bytes returned(const Request& request) const;
  Requester& requester_of(const Request& request) const { return *(*requesters_)[request.agent]; }
  Tick measured() const { return now() - measured_from_; }

  const HbfParameters hbf_;
  const AddressMap map_;
  const WholeCycles period_;  // for latencies and policies
  HbfQueue queue_;
  HbfDevice device_;
  PendingPages pending_;
  const SystemConfig config_;
  const std::vector<Requester*>* requesters_ = nullptr;
  Kernel* kernel_ = nullptr;
  Wakeup wakeup_;
  ByteLane to_device_;
  ByteLane to_host_;
  Ring<Request> line_;       // outside the queue
  bool flush_sent_ = false;  // the first request of line_ is a flush that has been answered
  std::vector<std::uint32_t> units_;  // of pending pages, by slot of a write
  std::int64_t outstanding_ = 0;
  InFlight<Passage> commands_;
  InFlight<Passage> answers_;
  HbfBytes bytes_;
  HbfRecords records_;
  Schedule schedule_;
  Counter header_bytes_ = 0;
  std::array<Counter, kRequestOrigins> origins_{};  // requests answered
  Tick measured_from_{0};
  ChannelStatistics statistics_;
};

}  // namespace hmsim
