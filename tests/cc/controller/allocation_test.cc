// SPDX-License-Identifier: BSD-3-Clause
// Does a request cost a heap allocation? It must not once queues and pools have reached their full
// size. The test program's operator new counts allocations.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "controller/memory_system.h"
#include "core/random.h"
#include "tests/cc/controller/harness.h"

namespace {

std::uint64_t allocations = 0;

void* allocate(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace hmsim::testing {
namespace {

constexpr std::uint64_t kWarmup = 20'000;
constexpr std::uint64_t kMeasured = 100'000;
constexpr std::uint64_t kFootprintLines = (std::uint64_t{1} << 30) / 64;

// Keeps one request waiting outside, so that the queue is always full.
class Saturating final : public Component, public Requester {
 public:
  Saturating(MemoryClass memory, bool random) : memory_(memory), random_lines_(random) {}

  void connect(MemoryPort& port) { port_ = &port; }
  std::uint64_t completed() const { return completed_; }

  Tick next_event() const override { return sent_ == 0 ? Tick(0) : kNever; }
  Tick advance(Tick now) override {
    send(now);
    return next_event();
  }
  void on_admit(const Request& /*request*/, Tick now) override { send(now); }
  void on_complete(const Request& /*request*/, Tick /*now*/) override { ++completed_; }
  void serialize(Archive& /*archive*/) override {}

 private:
  void send(Tick now) {
    const std::uint64_t lines = memory_ == MemoryClass::nvdimm
                                    ? static_cast<std::uint64_t>(kLinesPerPage)
                                    : kFootprintLines;
    const std::uint64_t line = random_lines_ ? random_.below(lines) : sent_ % lines;
    Request request;
    request.memory = memory_;
    request.address = Address(static_cast<std::int64_t>(line) * kLineBytes.value());
    request.write = random_lines_ && random_.below(3) == 0;
    ++sent_;
    port_->send(request, now);
  }

  const MemoryClass memory_;
  const bool random_lines_;
  MemoryPort* port_ = nullptr;
  Random random_{1};
  std::uint64_t sent_ = 0;
  std::uint64_t completed_ = 0;
};

std::uint64_t allocations_of(const Assignments& assignments, MemoryClass memory, bool random) {
  const SystemConfig config = make_config(assignments);
  Kernel kernel;
  Saturating requester(memory, random);
  const int id = kernel.attach(requester);
  MemorySystem system(config, kernel, 1);
  system.set_requesters({&requester});
  requester.connect(system);
  kernel.notify(id);
  const auto run_to = [&](std::uint64_t requests) {
    while (requester.completed() < requests) {
      kernel.step(kNever);
    }
  };
  run_to(kWarmup);
  const std::uint64_t before = allocations;
  run_to(kWarmup + kMeasured);
  return allocations - before;
}

const Assignments kDram{{"nvdimm.present", "false"}, {"dram.ranks", "4"}};

TEST(Allocation, IsCounted) {
  const std::uint64_t before = allocations;
  const std::vector<int> something(1000);
  EXPECT_EQ(allocations, before + 1);
}

TEST(Allocation, NoneForAStreamOverDram) {
  EXPECT_EQ(allocations_of(kDram, MemoryClass::dram, false), 0U);
}

TEST(Allocation, NoneForRandomReadsAndWritesOverDram) {
  EXPECT_EQ(allocations_of(kDram, MemoryClass::dram, true), 0U);
}

TEST(Allocation, NoneForLinesOfAResidentNvdimmPage) {
  EXPECT_EQ(allocations_of({}, MemoryClass::nvdimm, false), 0U);
}

}  // namespace
}  // namespace hmsim::testing
