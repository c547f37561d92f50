// SPDX-License-Identifier: BSD-3-Clause
// A memory system of HBM and HBF under test: sends requests, and records their ends and statuses.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "controller/memory_system.h"
#include "nvdimm/hbf/hbf_status.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/hbf_rig.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {

// 4 banks of 16 blocks of 16 pages.
inline const Assignments kHostFtl = keys_from(
    "hbf.ftl=host hbf.banks=4 nvdimm.capacity=4MiB nvdimm.nand.pages_per_block=16 "
    "nvdimm.ftl.over_provisioning=60 controller.channels=1");

class HbfSystem final : public Requester {
 public:
  explicit HbfSystem(const Assignments& assignments) : memory(make_config(assignments), kernel, 5) {
    memory.set_requesters({this});
    memory.register_statistics(registry);
  }
  std::uint32_t send(MemoryClass of, std::int64_t address, bool write, int lines = 1) {
    Request request;
    request.memory = of;
    request.address = Address(address);
    request.write = write;
    request.lines = static_cast<std::uint8_t>(lines);
    return send(request);
  }
  std::uint32_t send(Request request) {
    request.tag = static_cast<std::uint32_t>(done.size());
    done.push_back(kNever);
    memory.send(request, kernel.now());
    return request.tag;
  }
  void write_page(std::int64_t page) {
    send(MemoryClass::nvdimm, page * kPageBytes.value(), true, kLinesPerPage);
  }
  void read_page(std::int64_t page) {
    send(MemoryClass::nvdimm, page * kPageBytes.value(), false, kLinesPerPage);
  }
  void on_complete(const Request& request, Tick now) override {
    EXPECT_EQ(done[request.tag], kNever);
    EXPECT_EQ(request.agent, 0);
    done[request.tag] = now;
    if (request.memory == MemoryClass::nvdimm && !request.write) {
      statuses[static_cast<HbfStatus>(request.status)] += 1;
    }
  }
  std::string saved() {
    Archive archive;
    kernel.serialize(archive);
    memory.serialize(archive);
    return archive.bytes();
  }
  void load(const std::string& bytes) {
    Archive archive(bytes);
    kernel.serialize(archive);
    memory.serialize(archive);
    EXPECT_TRUE(archive.at_end());
  }
  // After load() of its bytes: expects the same answers as `other` from now on, to the end of both.
  void expect_end_of(HbfSystem& other) {
    kernel.notify_all();
    done = other.done;
    statuses = other.statuses;
    other.drain();
    drain();
    EXPECT_EQ(other.done, done);
    EXPECT_EQ(other.statuses, statuses);
  }
  void drain() {
    while (!memory.idle() && kernel.step(kNever)) {
    }
    EXPECT_EQ(std::count(done.begin(), done.end(), kNever), 0);
  }
  double value(const std::string& path) const { return number_of(statistic_of(registry, path)); }

  Kernel kernel;
  MemorySystem memory;
  StatisticRegistry registry;
  std::vector<Tick> done;
  std::map<HbfStatus, int> statuses;
};

}  // namespace hmsim::testing
