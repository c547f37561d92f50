// SPDX-License-Identifier: BSD-3-Clause
// One agent under test with a memory of chosen latencies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/agent.h"
#include "agents/node/node.h"
#include "agents/translation.h"
#include "core/archive.h"
#include "core/errors.h"
#include "core/event_queue.h"
#include "core/kernel.h"
#include "storage/nvdimm_host.h"
#include "tests/cc/states.h"
#include "tests/cc/statistic.h"
#include "traces/record_columns.h"

namespace hmsim::testing {

// A request as the port received it.
struct Sent {
  Tick time;
  MemoryClass memory;
  std::int64_t address;
  bool write;
  std::uint64_t epoch = 0;
  bool flush = false;
  std::uint16_t source = 0;
  std::uint8_t lines = 1;

  friend bool operator==(const Sent& a, const Sent& b) {
    return a.time == b.time && a.memory == b.memory && a.address == b.address &&
           a.write == b.write && a.epoch == b.epoch && a.flush == b.flush;
  }
};

// Memory port with a queue of `slots` entries. A request keeps its entry for the time that
// `latency` returns. Requests that find the queue full wait outside, in order.
class FakePort final : public MemoryPort, public Component {
 public:
  using Latency = std::function<Tick(const Request&)>;

  FakePort(std::size_t slots, Latency latency) : slots_(slots), latency_(std::move(latency)) {}

  // `requesters` is indexed by Request::agent.
  void connect(std::vector<Requester*> requesters, Wakeup wakeup) {
    requesters_ = std::move(requesters);
    wakeup_ = wakeup;
  }
  void set_capacity(Bytes dram, Bytes nvdimm) { capacity_ = {dram, nvdimm}; }
  void set_largest_request(Bytes size) { largest_request_ = size; }
  Bytes largest_request(MemoryClass /*memory*/) const override { return largest_request_; }
  NvdimmTraits nvdimm_traits() const override { return {blocks}; }
  bool blocks = false;

  void send(Request& request, Tick now) override {
    log.push_back({now, request.memory, request.address.value(), request.write, request.epoch,
                   request.flush, request.source, request.lines});
    outside_.push_back(request);
    most_outside = std::max(most_outside, outside_.size());
    admit(now);
    wakeup_.notify();
  }
  Bytes capacity(MemoryClass memory) const override {
    return memory == MemoryClass::dram ? capacity_.first : capacity_.second;
  }

  std::int64_t trim(Address address, Bytes size, Tick /*now*/) override {
    if (size > Bytes(0)) {
      trims.emplace_back(address.value(), size.value());
    }
    return 0;
  }

  Tick next_event() const override { return done_.next_time(); }
  Tick advance(Tick now) override {
    while (done_.next_time() <= now) {
      const Request request = inside_[done_.pop().payload];
      --used_;
      requesters_[request.agent]->on_complete(request, now);
      admit(now);
    }
    return next_event();
  }
  void serialize(Archive& archive) override { archive(outside_, inside_, used_, done_); }

  std::size_t used() const { return used_; }
  std::vector<Sent> log;
  std::vector<std::pair<std::int64_t, std::int64_t>> trims;  // address, size
  std::size_t most_outside = 0;

 private:
  void admit(Tick now) {
    while (!admitting_ && used_ < slots_ && !outside_.empty()) {
      admitting_ = true;
      const Request request = outside_.front();
      outside_.pop_front();
      ++used_;
      inside_.push_back(request);
      done_.schedule(now + latency_(request), 0, static_cast<std::uint32_t>(inside_.size() - 1));
      requesters_[request.agent]->on_admit(request, now);
      admitting_ = false;
    }
  }

  std::size_t slots_;
  Latency latency_;
  Bytes largest_request_ = kLineBytes;
  std::pair<Bytes, Bytes> capacity_{Bytes(std::int64_t{1} << 31), Bytes(std::int64_t{1} << 35)};
  std::vector<Requester*> requesters_;
  Wakeup wakeup_;
  bool admitting_ = false;
  std::deque<Request> outside_;
  std::vector<Request> inside_;
  std::size_t used_ = 0;
  EventQueue<int> done_;
};

// Returns a source that delivers a trace in memory in pieces.
inline TraceSource text_source(std::string text, std::size_t piece = 1 << 20) {
  return [text = std::move(text), piece](std::size_t, std::uint64_t offset) {
    return offset < text.size() ? text.substr(offset, piece) : std::string();
  };
}

inline std::unique_ptr<Agent> make_agent_of(const std::string& kind, const Assignments& keys,
                                            const FrontendParameters& defaults = {}) {
  std::unique_ptr<Agent> agent = find_agent(kind)->make(defaults);
  ParameterSet parameters;
  agent->declare(parameters);
  std::vector<ParameterError> errors = parameters.apply(keys);
  for (const ParameterError& error : agent->check()) {
    errors.push_back(error);
  }
  if (!errors.empty()) {
    throw InputError(join_errors(errors));
  }
  return agent;
}

inline FakePort::Latency fixed(Tick latency) {
  return [latency](const Request&) { return latency; };
}

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> (8 * i));
  }
  return text;
}

// Traces in hmsim's own format, as the reader receives them.
inline std::uint64_t hmsim_record(std::uint64_t low, std::uint64_t kind, std::uint64_t vcpu,
                                  std::uint64_t high) {
  return low | kind << 40 | vcpu << 42 | high << 45;
}

inline std::string hmsim_trace(const std::vector<std::uint64_t>& records, unsigned vcpus = 2,
                               std::uint64_t flags = 0, std::size_t block_records = 1 << 16) {
  std::string index;
  std::string blocks;
  std::uint64_t total = 0;
  for (std::size_t first = 0; first < records.size(); first += block_records) {
    const std::size_t last = std::min(first + block_records, records.size());
    const std::vector<std::uint64_t> part(records.begin() + static_cast<std::ptrdiff_t>(first),
                                          records.begin() + static_cast<std::ptrdiff_t>(last));
    std::array<std::uint64_t, kRecordVcpus> instructions{};
    for (const std::uint64_t record : part) {
      instructions[record_vcpu(record)] += record_instructions(record);
      total += record_instructions(record);
    }
    for (unsigned vcpu = 0; vcpu < vcpus; ++vcpu) {
      index += little_endian(instructions[vcpu], 8);
    }
    blocks += pack_records(part);
  }
  const std::uint64_t version = (flags & 4) != 0 ? 3 : 2;
  return "HMSIMTRC" + little_endian(version, 2) + little_endian(flags, 2) + little_endian(6, 1) +
         little_endian(vcpus, 1) + little_endian(0, 2) + little_endian(records.size(), 8) +
         little_endian(total, 8) + std::string(8, '\0') + std::string(24, 'p') +
         little_endian(block_records, 4) +
         little_endian((records.size() + block_records - 1) / block_records, 4) +
         std::string(16, '\0') + index + blocks;
}

// A copy has all lines of a page in flight, so that a page takes one latency.
inline FrontendParameters whole_pages() {
  FrontendParameters frontend;
  frontend.block.window = kLinesPerPage;
  return frontend;
}

struct Bench {
  std::string kind;
  Assignments keys;
  std::string trace = {};
  std::size_t slots = 1'000'000;
  FakePort::Latency latency = fixed(100 * kNanosecond);
  std::size_t piece = 1 << 20;
  Bytes dram = Bytes(std::int64_t{1} << 31);
  Bytes nvdimm = Bytes(std::int64_t{1} << 35);
  TranslationKind translation = TranslationKind::modulo;
  FrontendParameters frontend = whole_pages();
};

class AgentUnderTest : public testing::Saved<AgentUnderTest> {
 public:
  explicit AgentUnderTest(const Bench& bench)
      : port(bench.slots, bench.latency),
        translation(bench.translation, bench.dram, 1),
        agent(make_agent_of(bench.kind, bench.keys, bench.frontend)),
        node(bench.frontend, agent->placement().cores_of(0)) {
    port.set_capacity(bench.dram, bench.nvdimm);
    all.push_back(agent.get());
    for (std::size_t i = 0; i < node.size(); ++i) {
      all.push_back(&node.core(i));
    }
    std::vector<Wakeup> wakeups;
    for (Agent* each : all) {
      wakeups.emplace_back(kernel, kernel.attach(*each));
    }
    AgentEnvironment environment;
    std::vector<Requester*> requesters(all.begin(), all.end());
    if (const std::optional<NvdimmIo> own = agent->nvdimm_io(0)) {
      io = std::make_unique<NvdimmHost>(*own);
      io->device.connect(port, static_cast<std::uint16_t>(requesters.size()));
      io->host.attach(Wakeup(kernel, kernel.attach(io->host)));
      requesters.push_back(&io->device);
      environment.storage = &io->host;
    }
    port.connect(requesters, Wakeup(kernel, kernel.attach(port)));
    environment.port = &port;
    environment.translation = &translation;
    environment.node = &node;
    environment.nodes = {environment};
    environment.trace = text_source(bench.trace, bench.piece);
    for (std::size_t i = all.size(); i-- > 0;) {
      all[i]->set_default_random_stream(static_cast<std::int64_t>(i));
      all[i]->connect(i, environment, wakeups[i]);
    }
    for (Agent* each : all) {
      each->begin_measuring(Tick(0));
    }
    kernel.notify_all();
  }

  // Runs until the agent has finished. Returns false if it has not when no event remains, or after
  // `most_steps` steps.
  bool finish(std::uint64_t most_steps = 10'000'000) {
    for (std::uint64_t i = 0; i < most_steps && !agent->finished_once(); ++i) {
      if (!kernel.step(kNever)) {
        return false;
      }
    }
    return agent->finished_once();
  }

  // Serializes the agent and, if it runs on a node, the node's cores.
  void serialize_agents(Archive& archive) {
    node.serialize(archive);
    for (Agent* each : all) {
      each->serialize(archive);
    }
  }
  void serialize(Archive& archive) {
    serialize_agents(archive);
    if (io != nullptr) {
      io->host.serialize(archive);
    }
    translation.serialize(archive);
    port.serialize(archive);
    kernel.serialize(archive);
  }

  Kernel kernel;
  FakePort port;
  Translation translation;
  std::unique_ptr<Agent> agent;
  Node node;
  std::vector<Agent*> all;         // the agent and the cores
  std::unique_ptr<NvdimmHost> io;  // for an agent with block I/O
};

inline std::map<std::string, double> statistics_of(Agent& agent) {
  StatisticRegistry registry;
  agent.register_statistics(registry, "core.0");
  std::map<std::string, double> values;
  for (const Statistic& statistic : registry.read()) {
    values[statistic.path] = number_of(statistic);
  }
  return values;
}

// Expects that agents which continue from a checkpoint, after each of these parts of the whole
// time, end like one that was not interrupted.
inline void expect_exact_resume(const Bench& bench, const std::vector<int>& parts) {
  AgentUnderTest whole(bench);
  ASSERT_TRUE(whole.finish());
  for (const int part : parts) {
    AgentUnderTest first(bench);
    first.kernel.run_until(whole.kernel.now() / part);
    AgentUnderTest second(bench);
    second.load(first.save());
    ASSERT_TRUE(second.finish());
    ASSERT_EQ(second.kernel.now(), whole.kernel.now());
    ASSERT_EQ(first.port.log.size() + second.port.log.size(), whole.port.log.size());
    EXPECT_TRUE(
        std::equal(second.port.log.begin(), second.port.log.end(),
                   whole.port.log.end() - (second.port.log.end() - second.port.log.begin())));
    EXPECT_EQ(second.agent->weighted_rate(), whole.agent->weighted_rate());
    EXPECT_EQ(second.agent->progress(second.kernel.now()),
              whole.agent->progress(whole.kernel.now()));
    EXPECT_EQ(statistics_of(*second.agent), statistics_of(*whole.agent));
  }
}

}  // namespace hmsim::testing
