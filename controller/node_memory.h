// SPDX-License-Identifier: BSD-3-Clause
// The memory of one node that has a separate memory. Addresses start at 0 and map to the node's
// part of the system's addresses.
#pragma once

#include <cstdint>

#include "controller/memory_system.h"

namespace hmsim {

class NodeMemory final : public MemoryPort {
 public:
  NodeMemory(MemorySystem& system, std::int64_t node) : system_(system), node_(node) {}

  void send(Request& request, Tick now) override {
    if (request.flush) {
      system_.send_flush(request, node_, now);
      return;
    }
    request.address += offset(request.memory);
    system_.send(request, now);
  }
  Bytes capacity(MemoryClass memory) const override {
    return Bytes(system_.capacity(memory).value() / system_.config().nodes);
  }
  Bytes largest_request(MemoryClass memory) const override {
    return system_.largest_request(memory);
  }
  NvdimmTraits nvdimm_traits() const override {
    const NvdimmTraits all = system_.nvdimm_traits();
    return {all.block_access, all.entries / system_.config().nodes};
  }
  std::int64_t trim(Address address, Bytes size, Tick now) override {
    return system_.trim(address + offset(MemoryClass::nvdimm), size, now);
  }
  Collections collections() const override { return system_.collections(node_); }

 private:
  Address offset(MemoryClass memory) const { return Address(capacity(memory).value() * node_); }

  MemorySystem& system_;
  std::int64_t node_;
};

}  // namespace hmsim
