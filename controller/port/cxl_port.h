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
// The device is NVDIMMs or DRAM. To the kernel it is a part of the port. At equal times the port
// acts first.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "controller/accounts/repeated_times.h"
#include "controller/channel/channel_front.h"
#include "controller/config/port_parameters.h"
#include "controller/link/device_load.h"
#include "controller/link/in_flight.h"
#include "controller/port/flit_lane.h"
#include "controller/port/link_credits.h"
#include "controller/port/link_records.h"
#include "core/ring.h"
#include "core/statistics.h"

namespace hmsim {

struct PortStatistics {
  RepeatedTimes credit_wait;                   // of requests that crossed the link
  std::array<RepeatedTimes, 2> link_time;      // both ways; reads, writes
  std::array<Counter, kLoadLevels> answers{};  // by the level that they carry

  void fold() {
    credit_wait.fold();
    link_time[0].fold();
    link_time[1].fold();
  }
  void serialize(Archive& archive) { archive(credit_wait, link_time, answers); }
};

class CxlPort final : public ChannelFront, private Requester {
 public:
  CxlPort(const PortParameters& parameters, std::unique_ptr<MemoryChannel> device, bool store_data);

  void connect(Kernel& kernel, int component, const std::vector<Requester*>& requesters,
               const SourceProgress& progress) override;
  void requesters_set() override;
  // Sets the receiver of the load levels. It must outlive the port.
  void set_load_listener(LoadListener& listener) { load_listener_ = &listener; }

  void send(const Request& request, Tick now) override;
  void pass_flush(Tick now) override;
  bool would_wait(MemoryClass /*memory*/) const override { return !credits_.available(now()); }
  bool idle() const override {
    return waiting_.empty() && arrivals_.empty() && answers_.empty() && device_->idle();
  }
  void list_outstanding(std::vector<Outstanding>& requests) const override;
  // The internal bus of a device with an NVDIMM is no memory bus: observers of commands see
  // nothing.
  void set_observer(CommandObserver* observer) override {
    if (device_->slow_memory() == nullptr) {
      device_->set_observer(observer);
    }
  }
  // Times of a record are the device's: a request arrives at the end of the lane down, and is done
  // when its data are at the lane up.
  void set_request_observer(RequestObserver* observer) override {
    device_->set_request_observer(records_.lead_to(observer));
  }

  void reset_statistics(Tick now) override;

  const FlitLane& down() const { return down_; }
  const FlitLane& up() const { return up_; }
  PortStatistics& port_statistics() { return statistics_; }
  Tick measured_from() const { return measured_from_; }

  Tick next_event() const override { return earlier(next_, device_->next_event()); }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  enum class News : std::uint8_t { admitted, done, last = done };
  struct Answer {
    Request request;  // as its sender sent it, but with its time on the link
    News news = News::admitted;
    LoadLevel load = LoadLevel::light;
    void serialize(Archive& archive) { archive(request, news, load); }
  };

  // From the device.
  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;
  LineData write_data(const Request& request) const override;
  void on_read_data(const Request& request, const LineBytes& bytes) override;

  // Returns whether the answer to a request that is done has its bytes in read_bytes_.
  bool carries_bytes(const Request& request) const {
    return store_data_ && !request.write && !request.flush;
  }
  // Sends a request to the device, and informs its sender. Precondition: there is a credit.
  void cross(const Request& request, Tick now);
  void wait(const Request& request);
  void use_credits(Tick now);
  void return_credit(Tick time);
  void accept_write(const Request& request, Tick now);
  void end_without_data(const Request& request, Tick now);
  void end(const Request& request, Tick time, RepeatedTimes& link_times, Tick now);
  void answer(const Request& request, News news, Tick time, Tick now);
  void deliver(const Answer& answer, Tick now);
  void schedule(Tick event);
  Tick next_of_port() const;
  void act(Tick now);
  Requester& requester_of(const Request& request) const { return *(*requesters_)[request.agent]; }

  const bool store_data_;
  const std::vector<Requester*>* requesters_ = nullptr;
  std::vector<Requester*> stand_ins_;  // this object, for each requester
  LoadListener* load_listener_ = nullptr;
  Wakeup wakeup_;
  FlitLane down_;
  FlitLane up_;
  DeviceLoad load_;
  LinkCredits credits_;
  ChannelStatistics& counts_;  // the device's
  LinkRecords records_;
  Ring<Request> waiting_;       // for a credit
  InFlight<Request> arrivals_;  // on the lane down, as the device sees them
  InFlight<Answer> answers_;    // on the lane up
  Ring<LineBytes> read_bytes_;  // data mode: of reads in answers_
  Tick next_ = kNever;          // the port's own next event
  PortStatistics statistics_;
  Tick measured_from_{0};
};

// Beginnings of the statistics' names: of the link, and of the parts of a request's latency.
struct PortPaths {
  std::string link;
  std::string latency;
};

// Registers the statistics of all ports together.
void register_port_statistics(StatisticRegistry& registry, const PortPaths& paths,
                              const std::vector<CxlPort*>& ports);
// Registers the load levels that answers of the ports carried.
void register_load_statistics(StatisticRegistry& registry, const std::vector<CxlPort*>& ports);

}  // namespace hmsim
