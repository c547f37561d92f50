// SPDX-License-Identifier: BSD-3-Clause
// Threads in a closed loop over a host and an array, and the rates that they measure.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel.h"
#include "core/random.h"
#include "storage/array.h"
#include "storage/host.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {

inline constexpr std::uint64_t kKib = 1024;

// The array and the software of one of the paper's versions.
struct Machine {
  ArrayDesign design;
  PathParameters path;
  Bytes capacity{std::int64_t{64} << 30};
};

inline Machine moneta(IoDriverKind driver) {
  Machine machine;
  machine.path.kind = driver;
  machine.path.driver = io_driver_of(driver);
  if (driver == IoDriverKind::moneta_2q || driver == IoDriverKind::moneta_balance) {
    machine.design.array.queues = 2;
  }
  if (driver == IoDriverKind::moneta_balance) {
    machine.design.array.order = QueueOrder::balance;
  }
  return machine;
}

// Answers each request after a constant time, without queueing.
class ConstantDevice final : public StorageDevice {
 public:
  explicit ConstantDevice(Tick latency) : latency_(latency) {}
  void listen(IoListener& listener) override { listener_ = &listener; }
  void submit(const IoRequest& request, Tick now) override {
    requests.push_back(request);
    events_.schedule(now + latency_, Event::end, request.tag);
  }
  bool takes_trims() const override { return trims; }
  Bytes capacity() const override { return Bytes(std::int64_t{64} << 30); }
  void register_statistics(StatisticRegistry&, const std::string&) override {}
  Tick next_event() const override { return events_.next_time(); }
  Tick advance(Tick now) override {
    while (events_.next_time() <= now) {
      listener_->on_io_done(events_.pop().payload, now);
    }
    return next_event();
  }
  void serialize(Archive& archive) override { archive(events_); }

  std::vector<IoRequest> requests;
  bool trims = false;

 private:
  enum class Event : std::uint8_t { end, last = end };
  Tick latency_;
  IoListener* listener_ = nullptr;
  EventQueue<Event> events_;
};

// The repeated request of one thread.
struct Load {
  std::uint64_t bytes = 4 * kKib;
  double reads = 1;
  std::uint64_t footprint = std::uint64_t{1} << 30;
  bool aligned = true;  // offsets are multiples of the size
};

struct ThreadResult {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  std::int64_t latency = 0;  // picoseconds, sum
};

// Runs the threads until `warmup`, and then counts until `end`.
class ClosedLoop final : private IoListener {
 public:
  ClosedLoop(const PathParameters& path, StorageDevice& device, std::vector<Load> threads,
             std::uint64_t seed = 1)
      : host(path, device), loads_(std::move(threads)), random_(seed) {
    client_ = host.join(*this);
    host.attach(Wakeup(kernel_, kernel_.attach(host)));
    begun_.resize(loads_.size());
    results.resize(loads_.size());
    host.register_statistics(registry_, "storage");
  }

  void run(Tick warmup, Tick end) {
    for (std::uint32_t i = 0; i < loads_.size(); ++i) {
      begin(i, Tick(0));
    }
    kernel_.run_until(warmup);
    registry_.reset(warmup);
    results.assign(loads_.size(), {});
    kernel_.run_until(end);
    registry_.account(end);
    seconds = static_cast<double>((end - warmup).value()) / 1e12;
  }
  // Sends `count` requests, one at a time per thread, and drains.
  void run_requests(std::uint64_t count) {
    left_ = count;
    for (std::uint32_t i = 0; i < loads_.size(); ++i) {
      begin(i, Tick(0));
    }
    while (kernel_.step(kNever)) {
    }
    registry_.account(kernel_.now());
    seconds = static_cast<double>(kernel_.now().value()) / 1e12;
  }

  double iops() const {
    double sum = 0;
    for (const ThreadResult& each : results) {
      sum += static_cast<double>(each.requests);
    }
    return sum / seconds;
  }
  double bandwidth() const {  // 10^9 bytes per second
    double sum = 0;
    for (const ThreadResult& each : results) {
      sum += static_cast<double>(each.bytes);
    }
    return sum / seconds / 1e9;
  }
  double latency_us() const {
    double sum = 0;
    double count = 0;
    for (const ThreadResult& each : results) {
      sum += static_cast<double>(each.latency);
      count += static_cast<double>(each.requests);
    }
    return sum / count / 1e6;
  }
  Tick now() const { return kernel_.now(); }
  double statistic(const std::string& path) const {
    return number_of(statistic_of(registry_, path));
  }

  Host host;
  std::vector<ThreadResult> results;
  double seconds = 0;

 private:
  void begin(std::uint32_t thread, Tick now) {
    if (left_ == 0) {
      return;
    }
    --left_;
    const Load& load = loads_[thread];
    const std::uint64_t unit = load.aligned ? load.bytes : 512;
    IoRequest request;
    request.bytes = load.bytes;
    request.offset = random_.below((load.footprint - load.bytes) / unit + 1) * unit;
    request.tag = thread;
    request.submitter = static_cast<std::uint16_t>(thread);
    const bool read = random_.chance(static_cast<std::uint64_t>(load.reads * 4'294'967'296.0));
    request.kind = read ? IoRequest::Kind::read : IoRequest::Kind::write;
    begun_[thread] = now;
    host.begin(client_, request, now);
  }
  void on_io_done(std::uint32_t thread, Tick now) override {
    ThreadResult& result = results[thread];
    ++result.requests;
    result.bytes += loads_[thread].bytes;
    result.latency += (now - begun_[thread]).value();
    begin(thread, now);
  }

  std::vector<Load> loads_;
  Random random_;
  Kernel kernel_;
  StatisticRegistry registry_;
  std::uint16_t client_ = 0;
  std::vector<Tick> begun_;
  std::uint64_t left_ = ~std::uint64_t{0};
};

inline std::vector<Load> threads(std::size_t count, std::uint64_t bytes, double reads) {
  return std::vector<Load>(count, Load{bytes, reads});
}

}  // namespace hmsim::testing
