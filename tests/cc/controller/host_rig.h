// SPDX-License-Identifier: BSD-3-Clause
// A host in front of a memory system with small NVDIMMs behind CXL ports.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/memory_rig.h"

namespace hmsim::testing {

inline const Assignments kCxl =
    with(kSmallNvdimm, {{"nvdimm.attach", "cxl"}, {"dram.refresh", "false"}});

// Sends requests, and records when they end.
class CxlHost final : public Requester {
 public:
  explicit CxlHost(const Assignments& more) : memory(make_config(with(kCxl, more)), kernel, kSeed) {
    memory.set_requesters({this});
  }
  std::uint64_t send(Address address, bool write, MemoryClass of = MemoryClass::nvdimm) {
    Request request;
    request.memory = of;
    request.address = address;
    request.write = write;
    request.tag = next_tag_++;
    memory.send(request, kernel.now());
    return request.tag;
  }
  void flush() {
    Request request;
    request.memory = MemoryClass::nvdimm;
    request.flush = true;
    request.tag = next_tag_++;
    memory.send(request, kernel.now());
  }
  void on_admit(const Request& request, Tick now) override { admitted[request.tag] = now; }
  void on_complete(const Request& request, Tick now) override {
    ++ends[request.tag];
    done[request.tag] = now;
    order.push_back(request);
  }
  void drain() {
    while (!memory.idle() && kernel.step(kNever)) {
    }
  }

  Kernel kernel;
  MemorySystem memory;
  std::map<std::uint32_t, Tick> admitted;
  std::map<std::uint32_t, Tick> done;
  std::map<std::uint32_t, int> ends;
  std::vector<Request> order;

 private:
  std::uint32_t next_tag_ = 0;
};

}  // namespace hmsim::testing
