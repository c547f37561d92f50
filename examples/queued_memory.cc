// SPDX-License-Identifier: BSD-3-Clause
// hmsim as the memory of a simulator that ticks, as ChampSim drives its DRAM: a read, a write and a
// prefetch queue, operated once a cycle, with a warm-up that takes no time.
//
//     g++ -std=c++17 queued_memory.cc $(hmsim library) -o queued_memory
//     hmsim check mascots16 --flat > machine.txt && ./queued_memory machine.txt
#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "hmsim.h"

namespace {

constexpr std::int64_t kCyclePs = 250;  // 4 GHz
constexpr std::size_t kQueueSize = 64;

// A memory with queues in front of it.
class QueuedMemory {
 public:
  enum class Queue { reads, writes, prefetches };
  using Returned = std::function<void(std::uint64_t address, std::int64_t cycle)>;

  // `returned`: called when the data of a read or prefetch arrive.
  QueuedMemory(const char* path, Returned returned) : returned_(std::move(returned)) {
    const hmsim_host host{this, on_done, nullptr, nullptr};
    if (hmsim_create_from_file(path, 1, 0, &host, &memory_) != HMSIM_OK) {
      const std::string error = hmsim_error(memory_);
      hmsim_destroy(memory_);
      throw std::runtime_error(error);
    }
  }
  ~QueuedMemory() { hmsim_destroy(memory_); }
  QueuedMemory(const QueuedMemory&) = delete;
  QueuedMemory& operator=(const QueuedMemory&) = delete;

  // Returns false if the queue is full.
  bool add(Queue queue, std::uint64_t address) {
    if (warm_up_) {
      if (queue != Queue::writes) {
        returned_(address, cycle_);
      }
      return true;
    }
    if (of(queue).size() == kQueueSize) {
      return false;
    }
    of(queue).push_back(address);
    return true;
  }

  // One cycle: returns data, then sends what fits, reads first.
  void operate() {
    ++cycle_;
    check(hmsim_run(memory_, cycle_ * kCyclePs));
    for (const Queue queue : {Queue::reads, Queue::prefetches, Queue::writes}) {
      while (!of(queue).empty() && send(queue, of(queue).front())) {
        of(queue).pop_front();
      }
    }
  }

  void end_warm_up() {
    warm_up_ = false;
    check(hmsim_reset_statistics(memory_, cycle_ * kCyclePs));
  }

  bool idle() const {
    return queues_[0].empty() && queues_[1].empty() && queues_[2].empty() &&
           hmsim_idle(memory_) != 0;
  }
  std::int64_t cycle() const { return cycle_; }
  double statistic(const char* name) {
    double value = 0;
    check(hmsim_statistic(memory_, name, cycle_ * kCyclePs, &value));
    return value;
  }

 private:
  std::deque<std::uint64_t>& of(Queue queue) { return queues_[static_cast<std::size_t>(queue)]; }
  bool send(Queue queue, std::uint64_t address) {
    // The id is the address; its lowest bit is set if a client waits for the data.
    const std::uint64_t id = address | (queue == Queue::writes ? 0 : 1);
    const hmsim_request request{id, address, 64, HMSIM_DRAM, queue == Queue::writes ? 1 : 0, 0};
    const hmsim_status status = hmsim_send(memory_, &request, cycle_ * kCyclePs);
    if (status != HMSIM_WAITS && status != HMSIM_FULL) {
      check(status);
    }
    return status != HMSIM_FULL;
  }

  // Sends to DRAM only, whose requests do not fail.
  static void on_done(void* context, std::uint64_t id, hmsim_answer /*answer*/,
                      std::int64_t /*time*/) {
    auto& self = *static_cast<QueuedMemory*>(context);
    if ((id & 1) != 0) {
      self.returned_(id & ~std::uint64_t{1}, self.cycle_);
    }
  }

  void check(hmsim_status status) const {
    if (status != HMSIM_OK) {
      throw std::runtime_error(hmsim_error(memory_));
    }
  }

  Returned returned_;
  hmsim_memory* memory_ = nullptr;
  std::array<std::deque<std::uint64_t>, 3> queues_;
  std::int64_t cycle_ = 0;
  bool warm_up_ = true;
};

int run(const char* path) {
  std::int64_t returned = 0;
  QueuedMemory memory(path, [&](std::uint64_t, std::int64_t) { ++returned; });
  std::uint64_t state = 1;
  const auto next = [&] {
    return (state = state * 6364136223846793005U + 1) >> 40 << 6;
  };  // within 1 GiB
  for (int i = 0; i < 1000; ++i) {
    memory.add(QueuedMemory::Queue::reads, next());
  }
  memory.end_warm_up();
  returned = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto queue = static_cast<QueuedMemory::Queue>(i % 3);
    const std::uint64_t address = next();
    while (!memory.add(queue, address)) {
      memory.operate();
    }
    memory.operate();
  }
  while (!memory.idle()) {
    memory.operate();
  }
  std::printf("%lld cycles, %lld lines returned, %.0f reads, %.0f writes, %.1f ns a read\n",
              static_cast<long long>(memory.cycle()), static_cast<long long>(returned),
              memory.statistic("dram.reads"), memory.statistic("dram.writes"),
              memory.statistic("dram.read_latency_ns.mean"));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "machine.txt");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "queued_memory: %s\n", error.what());
    return 2;
  }
}
