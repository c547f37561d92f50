// SPDX-License-Identifier: BSD-3-Clause
// One HBF channel under test: sends requests, and records when they end and what its flash does.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "controller/hbf/hbf_channel.h"
#include "core/random.h"
#include "nvdimm/nand/flash_observer.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {

// 16 banks of 8 blocks of 256 pages beside HBM3.
inline const Assignments kHbf = keys_from(
    "nvdimm.attach=hbf nvdimm.capacity=128MiB nvdimm.nand.preset=hbf_256 "
    "dram.preset=hbm3_6400_4h_2gb_x32 dram.ranks=2 dram.refresh=false controller.queues=split "
    "controller.arbiter=oldest_first controller.nvdimm_queue_depth=4096");

// Adds a drawn value of each choice to assignments.
inline Assignments drawn_from(
    Random& random, Assignments all,
    const std::vector<std::pair<const char*, std::vector<const char*>>>& choices) {
  for (const auto& [name, values] : choices) {
    all.emplace_back(name, values[random.below(values.size())]);
  }
  return all;
}

class HbfRig final : public Requester, public SourceProgress, public FlashObserver {
 public:
  HbfRig() : HbfRig(Assignments{}) {}
  explicit HbfRig(const Assignments& more)
      : config(make_config(with(kHbf, more)).channel_configs().back()), channel(config, 0, 5) {
    channel.attach(kernel, requesters_, *this);
    channel.register_statistics(registry, {&channel});
    channel.device().flash().add_observer(*this);
  }

  // Lets another requester take the answers.
  void answer_to(Requester& other) { requesters_[0] = &other; }

  // Sends a request at the present time. Returns its number.
  std::uint32_t send(std::int64_t address, bool write, int lines) {
    Request request;
    request.memory = MemoryClass::nvdimm;
    request.address = Address(address);
    request.write = write;
    request.lines = static_cast<std::uint8_t>(lines);
    request.tag = static_cast<std::uint32_t>(sent.size());
    request.id = request.tag;
    request.arrival = kernel.now();
    sent.push_back(kernel.now());
    done.push_back(kNever);
    status.push_back(HbfStatus::done);
    channel.send(request, kernel.now());
    return request.tag;
  }
  std::uint32_t read(std::int64_t page, int lines = kLinesPerPage) {
    return send(page * kPageBytes.value(), false, lines);
  }
  std::uint32_t write(std::int64_t page) { return send(page * kPageBytes.value(), true, 64); }

  void on_complete(const Request& request, Tick now) override {
    EXPECT_EQ(done[request.tag], kNever) << "answered twice";
    done[request.tag] = now;
    status[request.tag] = static_cast<HbfStatus>(request.status);
    order.push_back(request);
    if (then) {
      then(request);
    }
  }
  void on_flash(const FlashRecord& record) override { log.push_back(record); }
  void on_programmed(std::uint64_t /*block*/, std::uint32_t /*pages*/) override {}
  void on_bad(std::uint64_t /*block*/) override {}
  std::int64_t instructions(std::uint16_t /*source*/) const override { return 0; }

  void drain() {
    while (!channel.idle() && kernel.step(kNever)) {
    }
  }
  // Runs until the request is over, and returns its latency in picoseconds.
  std::int64_t latency(std::uint32_t request) {
    drain();
    return (done[request] - sent[request]).value();
  }
  std::int64_t value(const std::string& path) const {
    return std::llround(number_of(statistic_of(registry, path)));
  }
  std::int64_t senses() const { return value("nvdimm.nand.reads"); }

  const SystemConfig config;
  Kernel kernel;
  HbfChannel channel;
  StatisticRegistry registry;
  std::vector<Tick> sent;
  std::vector<Tick> done;
  std::vector<HbfStatus> status;
  std::vector<Request> order;
  std::vector<FlashRecord> log;
  std::function<void(const Request&)> then;

 private:
  std::vector<Requester*> requesters_{this};
};

}  // namespace hmsim::testing
