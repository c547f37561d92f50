// SPDX-License-Identifier: BSD-3-Clause
// A channel behind a CXL port: a device with a controller, reached over a link with one lane each
// way.
//
//   request  port (waits for a credit), lane down, queue of the device
//   read     its data cross the lane up
//   write    answered when the device's queue has taken it, because the device keeps it on a power
//            failure; its end is not reported by a message
//   flush    answered when it is done
//
// The device is NVDIMMs or DRAM.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "controller/accounts/answer_path.h"
#include "controller/memory_channel.h"
#include "controller/port/device_load.h"
#include "controller/port/flit_lane.h"
#include "controller/port/port_parameters.h"
#include "core/pool.h"
#include "core/ring.h"
#include "core/statistics.h"

namespace hmsim {

struct PortStatistics {
  Histogram credit_wait;                       // picoseconds, of requests that crossed the link
  std::array<Histogram, 2> link_time;          // picoseconds, both ways; reads, writes
  std::array<Counter, kLoadLevels> answers{};  // by the level that they carry

  void serialize(Archive& archive) { archive(credit_wait, link_time, answers); }
};

class CxlPort final : public MemoryChannel, private Requester, private AnswerPath {
 public:
  CxlPort(const PortParameters& parameters, std::unique_ptr<MemoryChannel> device, bool store_data);

  void attach(Kernel& kernel, const std::vector<Requester*>& requesters,
              const SourceProgress& progress) override;
  void requesters_set() override;
  // Sets the receiver of the load levels. It must outlive the port.
  void set_load_listener(LoadListener& listener) { load_listener_ = &listener; }

  void send(const Request& request, Tick now) override;
  void pass_flush(Tick now) override { device_->pass_flush(now); }
  bool would_wait(MemoryClass /*memory*/) const override {
    return credits_ == 0 && (credit_returns_.empty() || credit_returns_.front() > now());
  }
  bool idle() const override { return crossings_.used() == 0 && device_->idle(); }
  ClassServices services() const override { return device_->services(); }
  void list_outstanding(std::vector<Outstanding>& requests) const override;
  // The internal bus of a device with an NVDIMM is no memory bus: observers of commands see
  // nothing.
  void set_observer(CommandObserver* observer) override {
    if (device_->nvdimm() == nullptr) {
      device_->set_observer(observer);
    }
  }
  // Records have the device's view: a request arrives at the end of the lane down, and is done when
  // its data are at the lane up.
  void set_request_observer(RequestObserver* observer) override {
    device_->set_request_observer(observer);
  }

  std::vector<NvdimmModule*> nvdimms() override { return device_->nvdimms(); }
  NvdimmModule* nvdimm() override { return device_->nvdimm(); }
  const BusAccounting* accounting() const override { return device_->accounting(); }
  LatencySplit* latency_split() override { return device_->latency_split(); }
  const EnergyMeter* energy() const override { return device_->energy(); }
  std::array<TransactionScheduler*, kMemoryClasses> schedulers() override {
    return device_->schedulers();
  }
  std::vector<PolicyCounter> arbiter_counters() override { return device_->arbiter_counters(); }
  ChannelStatistics& statistics() override { return device_->statistics(); }
  Cycle elapsed() const override { return device_->elapsed(); }
  Tick clock_period() const override { return device_->clock_period(); }
  std::int64_t burst_cycles() const override { return device_->burst_cycles(); }
  std::int64_t command_buses() const override { return device_->command_buses(); }
  std::int64_t command_slots() const override { return device_->command_slots(); }
  RefreshManagement* management() override { return device_->management(); }
  LineStore* dram_bytes() override { return device_->dram_bytes(); }
  Tick now() const override { return device_->now(); }
  void reset_statistics(Tick now) override;

  const FlitLane& down() const { return down_; }
  const FlitLane& up() const { return up_; }
  PortStatistics& port_statistics() { return statistics_; }
  Tick measured_from() const { return measured_from_; }

  Tick next_event() const override;
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  enum class Stage : std::uint8_t { waiting, travelling, device, done, last = done };

  // A request between its arrival at the port and its end.
  struct Crossing {
    Request request;  // as its sender sent it
    Tick down{0};     // time on the lane down
    Stage stage = Stage::waiting;
    bool admitted = false;  // the device's queue has taken it
    void serialize(Archive& archive) { archive(request, down, stage, admitted); }
  };
  struct Arrival {  // at the device
    Tick time{0};
    std::uint32_t crossing = 0;
    void serialize(Archive& archive) { archive(time, crossing); }
  };
  enum class News : std::uint8_t { admitted, done, last = done };
  struct Answer {  // at the host
    Tick time{0};
    std::uint32_t crossing = 0;
    News news = News::admitted;
    LoadLevel load = LoadLevel::light;
    void serialize(Archive& archive) { archive(time, crossing, news, load); }
  };

  // From the device.
  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;
  LineData write_data(const Request& request) const override;
  void on_read_data(const Request& request, const LineBytes& bytes) override;
  Tick link_time(const Request& request, Tick now) const override;

  static FlitMessage message_to_device(const Request& request) {
    return request.write ? FlitMessage::data : FlitMessage::header;
  }
  // Returns when the host learns of the end of a request that ends at `now`.
  Tick end_known(const Request& request, Tick now) const {
    return request.write || request.flush ? up_.piggyback(now)
                                          : up_.arrival(FlitMessage::data, now);
  }
  void cross(std::uint32_t index, Tick now);
  void take_credits(Tick now);
  void use_credits(Tick now);
  void answer(Tick time, std::uint32_t crossing, News news, Tick now);
  void deliver(const Answer& answer, Tick now);
  Request at_device(std::uint32_t index) const;
  Requester& requester_of(const Request& request) const { return *(*requesters_)[request.agent]; }

  const bool store_data_;
  std::unique_ptr<MemoryChannel> device_;
  const std::vector<Requester*>* requesters_ = nullptr;
  std::vector<Requester*> stand_ins_;  // this object, for each requester
  LoadListener* load_listener_ = nullptr;
  Wakeup wakeup_;
  FlitLane down_;
  FlitLane up_;
  DeviceLoad load_;
  std::int64_t credits_;
  Ring<Tick> credit_returns_;  // times at which further credits are at the host, in order
  Pool<Crossing> crossings_;
  std::vector<LineBytes> read_bytes_;  // data mode: by crossing
  Ring<std::uint32_t> waiting_;        // for a credit
  Ring<Arrival> arrivals_;             // on the lane down, in order of time
  Ring<Answer> answers_;               // on the lane up, in order of time
  PortStatistics statistics_;
  Tick measured_from_{0};
};

}  // namespace hmsim
