// SPDX-License-Identifier: BSD-3-Clause
// One channel under test: sends requests at chosen cycles and records its commands and completions.
// The protocol checker checks every command.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "check/protocol_checker.h"
#include "controller/channel/channel.h"
#include "controller/channel/slow_memory.h"
#include "core/errors.h"

namespace hmsim::testing {

// Sets `config` up from the assignments. Returns their errors.
inline std::vector<ParameterError> configure(SystemConfig& config, const Assignments& assignments) {
  ParameterSet parameters;
  std::vector<std::unique_ptr<Policy>> policies;
  config.declare(parameters);
  declare_all_policies(parameters, policies);
  std::vector<ParameterError> errors = parameters.apply(assignments);
  config.assignments = assignments;
  config.resolve_presets();
  for (const ParameterError& error : config.check()) {
    errors.push_back(error);
  }
  return errors;
}

inline SystemConfig make_config(const Assignments& assignments) {
  SystemConfig config;
  const std::vector<ParameterError> errors = configure(config, assignments);
  if (!errors.empty()) {
    throw InputError(join_errors(errors));
  }
  return config;
}

// For tests without NVDIMM traffic.
inline const Assignments kDramOnly{{"nvdimm.present", "false"}};

class ChannelUnderTest final : public Requester, public CommandObserver, public SourceProgress {
 public:
  enum class Paths : std::uint8_t { fast, reference };

  explicit ChannelUnderTest(const Assignments& assignments, Paths paths = Paths::fast)
      : ChannelUnderTest(make_config(assignments), nullptr, paths) {}
  explicit ChannelUnderTest(const SystemConfig& config,
                            const std::vector<TimingRule>* rules = nullptr,
                            Paths paths = Paths::fast)
      : config_(config), channel_(config_, 0, 1, rules), checker_(config_), requesters_{this} {
    if (paths == Paths::reference) {
      channel_.use_reference_paths();
    }
    channel_.attach(kernel_, requesters_, *this);
    channel_.set_observer(this);
    checker_.watch(0, nvdimms());
  }
  NvdimmModules nvdimms() {
    SlowMemory* const memory = channel_.slow_memory();
    return memory == nullptr ? NvdimmModules{} : memory->modules();
  }
  ~ChannelUnderTest() override {
    if (!violations_expected_) {
      checker_.finish(kernel_.now(), channel_.idle());
      EXPECT_EQ(first_violation().describe(), Violation().describe());
    }
  }

  // Removes command log and checker, as in most users' runs.
  void observe_nothing() {
    channel_.set_observer(nullptr);
    violations_expected_ = true;
  }

  std::int64_t instructions(std::uint16_t source) const override {
    return source < instructions_.size() ? instructions_[source] : 0;
  }
  std::vector<std::int64_t> instructions_;  // by source, for policies that query them

  Violation first_violation() const {
    const std::vector<Violation>& first = checker_.violations().first();
    return first.empty() ? Violation() : first.front();
  }

  // Returns the address of a DRAM line. Assumes the map row|bank|rank|column|channel.
  Address dram(std::int64_t row, std::int64_t bank, std::int64_t column,
               std::int64_t rank = 0) const {
    const DramOrganisation& part = config_.dram.organisation;
    const std::int64_t line =
        ((row * part.banks + bank) * config_.dram.ranks + rank) * part.columns + column;
    return Address(line * kLineBytes.value());
  }

  std::uint64_t send(MemoryClass memory, Address address, bool write = false,
                     std::uint16_t source = 0, std::uint64_t epoch = 0, std::uint8_t lines = 1) {
    Request request;
    request.lines = lines;
    request.epoch = epoch;
    request.id = next_id_++;
    request.memory = memory;
    request.address = address;
    request.write = write;
    request.source = source;
    request.arrival = kernel_.now();
    channel_.send(request, kernel_.now());
    return request.id;
  }

  std::uint64_t flush() {
    Request request;
    request.id = next_id_++;
    request.memory = MemoryClass::nvdimm;
    request.flush = true;
    request.arrival = kernel_.now();
    channel_.send(request, kernel_.now());
    return request.id;
  }

  // save() returns a checkpoint; load() continues from one.
  std::string save() {
    Archive archive;
    serialize(archive);
    return archive.bytes();
  }
  void load(const std::string& state) {
    Archive archive(state);
    serialize(archive);
    ASSERT_TRUE(archive.at_end());
  }

  void run_before(Cycle cycle) {
    kernel_.run_until(cycle.value() * channel_.clock_period() - Tick(1));
  }
  void run_to(Cycle cycle) { kernel_.run_until(cycle.value() * channel_.clock_period()); }
  // Processes every edge before `cycle`, whether or not the channel asks for it. A request sent at
  // `cycle` itself may still be admitted on that edge.
  void poll_to(Cycle cycle) {
    const Tick period = channel_.clock_period();
    for (Cycle edge(kernel_.now() / period); edge < cycle; ++edge) {
      run_to(edge);
      if (channel_.last_edge() < edge) {
        channel_.advance(edge.value() * period);
      }
    }
    run_to(cycle);
  }
  void drain(Cycle limit = Cycle(1'000'000)) {
    while (!channel_.idle() && kernel_.step(limit.value() * channel_.clock_period())) {
    }
  }

  void on_admit(const Request& request, Tick now) override {
    admitted_[request.id] = Cycle(now / channel_.clock_period());
  }
  // A flush of this single channel passes with its ack.
  void on_complete(const Request& request, Tick now) override {
    if (request.flush) {
      channel_.pass_flush(now);
    }
    finished_[request.id] = Cycle(now / channel_.clock_period());
    order_.push_back(request.id);
    ++completions_[request.id];
    if (on_done) {
      on_done(request);
    }
  }
  void on_command(const CommandRecord& record) override {
    log_.push_back(record);
    checker_.on_command(record);
  }

  std::function<void(const Request&)> on_done;
  SystemConfig config_;
  Kernel kernel_;
  Channel channel_;
  ProtocolChecker checker_;
  bool violations_expected_ = false;
  std::vector<CommandRecord> log_;
  std::map<std::uint64_t, Cycle> admitted_;
  std::map<std::uint64_t, Cycle> finished_;
  std::map<std::uint64_t, int> completions_;
  std::vector<std::uint64_t> order_;
  std::uint64_t next_id_ = 0;

 private:
  void serialize(Archive& archive) { archive(channel_, kernel_, checker_); }

  std::vector<Requester*> requesters_;
};

inline bool operator==(const CommandRecord& a, const CommandRecord& b) {
  return a.cycle == b.cycle && a.command == b.command && a.rank == b.rank && a.bank == b.bank &&
         a.row == b.row && a.request == b.request && a.lines == b.lines;
}

}  // namespace hmsim::testing
