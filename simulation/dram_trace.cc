// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/dram_trace.h"

#include <algorithm>

#include "controller/memory_system.h"
#include "core/errors.h"
#include "simulation/configuration.h"

namespace hmsim {

namespace {

class Player final : public Component, public Requester {
 public:
  Player(const DramTrace& trace, Tick period) : trace_(trace), period_(period) {
    next_ = trace.addresses.empty() ? kNever : due();
  }

  void connect(MemoryPort& port) { port_ = &port; }
  bool done() const { return completed_ == trace_.addresses.size(); }
  Tick last() const { return last_; }

  Tick next_event() const override { return next_; }
  Tick advance(Tick now) override {
    do {
      send(now);
    } while (timed() && left() && due() <= now);
    next_ = timed() && left() ? due() : kNever;
    return next_;
  }
  void on_admit(const Request& /*request*/, Tick now) override {
    if (!timed() && left()) {
      send(now);
    }
  }
  void on_complete(const Request& /*request*/, Tick now) override {
    ++completed_;
    last_ = now;
  }
  void serialize(Archive& /*archive*/) override {}

 private:
  bool timed() const { return !trace_.cycles.empty(); }
  bool left() const { return sent_ < trace_.addresses.size(); }
  Tick due() const { return timed() ? period_ * trace_.cycles[sent_] : Tick(0); }
  void send(Tick now) {
    Request request;
    request.address = Address(trace_.addresses[sent_]);
    request.write = trace_.writes[sent_] != 0;
    ++sent_;
    port_->send(request, now);
  }

  const DramTrace& trace_;
  const Tick period_;
  MemoryPort* port_ = nullptr;
  std::size_t sent_ = 0;
  std::size_t completed_ = 0;
  Tick next_;
  Tick last_{0};
};

class Recorder final : public CommandObserver {
 public:
  explicit Recorder(std::vector<CommandRecord>& records) : records_(records) {}
  void on_command(const CommandRecord& record) override { records_.push_back(record); }

 private:
  std::vector<CommandRecord>& records_;
};

void check(const DramTrace& trace, Bytes capacity) {
  const std::size_t count = trace.addresses.size();
  if (trace.writes.size() != count || (!trace.cycles.empty() && trace.cycles.size() != count)) {
    throw InputError("the lists of a DRAM trace must have equal lengths");
  }
  for (const std::int64_t address : trace.addresses) {
    if (address < 0 || address % kLineBytes.value() != 0 || Bytes(address) >= capacity) {
      throw InputError("address " + std::to_string(address) + " is not a line in DRAM");
    }
  }
  if (!std::is_sorted(trace.cycles.begin(), trace.cycles.end()) ||
      (!trace.cycles.empty() && trace.cycles.front() < 0)) {
    throw InputError("the cycles of a DRAM trace must ascend from 0");
  }
}

}  // namespace

DramTraceResult run_dram_trace(const Assignments& config, const DramTrace& trace, bool log) {
  const Configuration configuration(config);
  configuration.throw_if_wrong();
  const SystemConfig& system = configuration.system();
  check(trace, system.dram_capacity());

  Kernel kernel;
  const Tick period = system.dram.clock_period();
  Player player(trace, period);
  const int id = kernel.attach(player);
  MemorySystem memory(system, kernel, 1);
  memory.set_requesters({&player});
  player.connect(memory);
  DramTraceResult result;
  Recorder recorder(result.commands);
  if (log) {
    memory.add_observer(recorder);
  }
  StatisticRegistry registry;
  memory.register_statistics(registry);
  registry.reset(Tick(0));
  kernel.notify(id);
  while (!player.done()) {
    ensure(kernel.step(kNever), "DRAM trace", kernel.now(), -1,
           "no event is left, but requests have not completed");
  }
  result.cycles = Cycle(player.last() / period);
  result.statistics = registry.read();
  return result;
}

}  // namespace hmsim
