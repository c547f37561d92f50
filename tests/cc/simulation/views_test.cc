// SPDX-License-Identifier: BSD-3-Clause
// Do cores, the memory port and the channels' accounts agree on the time of each request, and does
// a wrong time show?
//
//   application  from the issue of a load to the edge of its core's clock at which its data is used
//   interface    from the call of the memory port to the return
//   simulator    from the entry into the controller's queue to the last data beat
//
// application = interface + look-ups of caches + wait for the edge
// interface = admission (wait for an entry of the queue) + simulator
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "agents/application_observer.h"
#include "controller/accounts/request_observer.h"
#include "controller/memory_system.h"
#include "simulation/configuration.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"

namespace hmsim::testing {
namespace {

// Clock of a core. Edges are computed apart from core/clock.h, which cores use.
struct Clock {
  std::int64_t rate = 0;    // edges per millisecond
  std::int64_t lookup = 0;  // edges from the issue of a load to its request

  // Returns the edge that is `more` edges after the first one at or after `time`.
  Tick edge(Tick time, std::int64_t more = 0) const {
    const std::int64_t whole = kMillisecond.value();
    const std::int64_t number =
        (time <= Tick(0) ? 0 : (time.value() - 1) * rate / whole + 1) + more;
    return Tick((number * whole + rate - 1) / rate);
  }
};

// Times of a request; kNever: not seen.
struct Passage {
  bool write = false;
  bool load = false;  // the application sees it
  Clock clock;
  Tick issued{kNever};  // application
  Tick usable{kNever};
  Tick sent{kNever};  // interface
  Tick admitted{kNever};
  Tick returned{kNever};
  Tick began{kNever};  // simulator
  Tick done{kNever};
  Tick waited{0};  // for an entry of the queue
  Tick parts{0};   // sum of the parts of the latency
};

bool agrees(const Passage& each) {
  const bool seen = each.sent != kNever && each.admitted != kNever && each.returned != kNever &&
                    each.began != kNever && each.done != kNever;
  const Tick inside = each.done - each.began;
  const Tick outside = each.returned - each.sent;
  if (!seen || each.sent > each.admitted || each.began > each.done || each.done > each.returned ||
      each.waited != each.admitted - each.sent || outside != each.waited + inside ||
      each.parts != each.done - each.sent) {
    return false;
  }
  if (!each.load) {
    return true;
  }
  const Tick looked_up = each.clock.edge(each.issued, each.clock.lookup) - each.issued;
  const Tick waited = each.clock.edge(each.returned) - each.returned;
  return each.issued <= each.sent && each.returned <= each.usable &&
         each.usable - each.issued == looked_up + outside + waited;
}

// Stands between agents and memory, and observes both.
class Views final : public ApplicationObserver,
                    public RequestObserver,
                    public MemoryPort,
                    public Requester {
 public:
  explicit Views(MemorySystem& memory) : memory_(memory) {}
  void connect(std::vector<Requester*> requesters) {
    memory_.set_requesters(std::vector<Requester*>(requesters.size(), this));
    memory_.set_request_observer(*this);
    requesters_ = std::move(requesters);
  }

  void on_core(std::size_t agent, std::int64_t rate, std::int64_t lookup) override {
    clocks_[agent] = {rate, lookup};
  }
  void on_issue(std::size_t agent, std::uint32_t tag, bool /*prefetch*/, Tick at) override {
    issued_[{agent, tag}] = at;
  }
  void on_usable(std::size_t agent, std::uint32_t tag, Tick at) override {
    issued_.erase({agent, tag});
    passages[last_].usable = at;
  }

  void send(Request& request, Tick now) override {
    memory_.send(request, now);
    Passage& own = passages[request.id];
    own.sent = now;
    own.write = request.write;
    const auto issue = issued_.find({request.agent, request.tag});
    if (!request.write && issue != issued_.end()) {
      own.load = true;
      own.issued = issue->second;
      own.clock = clocks_.at(request.agent);
    }
  }
  Bytes capacity(MemoryClass memory) const override { return memory_.capacity(memory); }
  void on_admit(const Request& request, Tick now) override {
    passages[request.id].admitted = now;
    requesters_[request.agent]->on_admit(request, now);
  }
  void on_complete(const Request& request, Tick now) override {
    last_ = request.id;
    passages[last_].returned = now;
    requesters_[request.agent]->on_complete(request, now);
  }

  void on_request(const RequestRecord& record) override {
    Passage& own = passages[record.request.id];
    own.began = record.admitted;
    own.done = record.done;
    own.waited = record.parts[static_cast<std::size_t>(LatencyPart::admission)];
    own.parts = std::accumulate(record.parts.begin(), record.parts.end(), Tick(0));
  }

  std::map<std::uint64_t, Passage> passages;  // by request

 private:
  MemorySystem& memory_;
  std::vector<Requester*> requesters_;
  std::map<std::size_t, Clock> clocks_;  // by agent
  std::map<std::pair<std::size_t, std::uint32_t>, Tick> issued_;
  std::uint64_t last_ = 0;  // request that returned last
};

// Returns the passages of all requests of one agent, and of the node's core that runs it.
std::vector<Passage> passages_of(const Assignments& agent, const std::string& trace,
                                 const Assignments& config) {
  const Configuration configuration(config);
  configuration.throw_if_wrong();
  const Agents agents = create_agents(configuration.frontend(), {agent});
  Node node(configuration.frontend(), agents[0]->placement().cores_of(0));
  Kernel kernel;
  std::vector<Agent*> all{agents[0].get()};
  for (std::size_t i = 0; i < node.size(); ++i) {
    all.push_back(&node.core(i));
  }
  std::vector<Wakeup> wakeups;
  for (Agent* each : all) {
    wakeups.emplace_back(kernel, kernel.attach(*each));
  }
  MemorySystem memory(configuration.system(), kernel, 1);
  Translation translation(configuration.frontend().translation, memory.capacity(MemoryClass::dram),
                          1);
  Views views(memory);
  std::vector<Requester*> requesters(all.begin(), all.end());
  AgentEnvironment environment;
  std::unique_ptr<NvdimmHost> io;
  if (const std::optional<NvdimmIo> own = agents[0]->nvdimm_io(0)) {
    io = std::make_unique<NvdimmHost>(*own);
    io->device.connect(views, static_cast<std::uint16_t>(requesters.size()));
    io->host.attach(Wakeup(kernel, kernel.attach(io->host)));
    requesters.push_back(&io->device);
    environment.storage = &io->host;
  }
  views.connect(requesters);
  environment.port = &views;
  environment.translation = &translation;
  environment.node = &node;
  environment.nodes = {environment};
  environment.application = &views;
  environment.trace = text_source(trace);
  for (std::size_t i = all.size(); i-- > 0;) {
    all[i]->set_default_random_stream(static_cast<std::int64_t>(i));
    all[i]->connect(i, environment, wakeups[i]);
    all[i]->begin_measuring(Tick(0));
  }
  kernel.notify_all();
  while (!agents[0]->finished_once() && kernel.step(kNever)) {
  }
  StatisticRegistry registry;
  memory.register_statistics(registry);
  std::int64_t counted = 0;
  for (const Statistic& each : registry.read()) {
    const bool requests = each.path == "dram.reads" || each.path == "dram.writes" ||
                          each.path == "nvdimm.reads" || each.path == "nvdimm.writes";
    counted += requests ? static_cast<std::int64_t>(each.count) : 0;
  }
  std::vector<Passage> ended;  // those in flight at the end have no return
  for (const auto& [id, passage] : views.passages) {
    if (passage.returned != kNever || passage.done != kNever) {
      ended.push_back(passage);
    }
  }
  EXPECT_EQ(counted, static_cast<std::int64_t>(ended.size())) << "the channels' own counters";
  return ended;
}

const Assignments kDdr3 = keys_from(
    "dram.preset=ddr3_1600_4gb_x8 dram.ranks=4 nvdimm.present=false frontend.translation=modulo "
    "controller.queue_depth=32 controller.page_policy=open_page");

Assignments plus(Assignments keys, const Assignments& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

std::vector<Passage> random_loads(const char* mshrs, const char* writes, const Assignments& more) {
  return passages_of({{"kind", "synthetic_core"},
                      {"rpki", "800"},
                      {"wpki", writes},
                      {"pattern", "random"},
                      {"instructions", "4000"},
                      {"mshrs", mshrs}},
                     "", plus(kDdr3, more));
}

// A record of ChampSim's format is a load of one line; each needs the line before.
std::vector<Passage> chase(const char* frequency, const Assignments& more = {}) {
  std::string trace;
  for (std::uint64_t line = 1; line <= 500; ++line) {
    trace += little_endian(64, 8) + std::string("\0\0\1\0\1\0\0\0", 8) + std::string(16, '\0') +
             little_endian(8192 * line, 8) + std::string(24, '\0');
  }
  return passages_of({{"kind", "cpu_trace"}, {"path", "chase"}, {"format", "champsim"}}, trace,
                     plus(plus(kDdr3, {{"controller.page_policy", "closed_page"},
                                       {"dram.refresh", "false"},
                                       {"frontend.core.frequency", frequency},
                                       {"frontend.core.width", "1"}}),
                          more));
}

void expect_agreement(const std::vector<Passage>& passages, bool loads = true) {
  ASSERT_GT(passages.size(), 100U);
  std::size_t seen = 0;
  for (const Passage& each : passages) {
    ASSERT_TRUE(agrees(each)) << "sent at " << each.sent.value() << " ps";
    seen += each.load ? 1 : 0;
  }
  EXPECT_EQ(seen > 0, loads);
}

TEST(Views, AgreeBelowAndAboveAFullQueue) {
  const std::vector<Passage> below = random_loads("8", "0", {});
  const std::vector<Passage> above = random_loads("128", "200", {});
  expect_agreement(below);
  expect_agreement(above);
  const auto longest = [](const std::vector<Passage>& passages) {
    Tick most{0};
    for (const Passage& each : passages) {
      most = later(most, each.waited);
    }
    return most;
  };
  EXPECT_LE(longest(below), Tick(1'250)) << "for the next edge of the DRAM's clock";
  EXPECT_GT(longest(above), Tick(10'000));
}

// At 800 MHz all edges of the core are the DRAM's.
TEST(Views, AgreeOnAChaseThroughCachesAtAnyClock) {
  for (const char* frequency : {"800MHz", "1600MHz", "3333MHz"}) {
    expect_agreement(chase(frequency));
  }
  for (const Passage& each : chase("800MHz")) {
    EXPECT_EQ((each.done - each.began).value(), 26 * 1'250) << "tRCD + CL + BL/2";
  }
}

TEST(Views, AgreeOnAJobWithAnNvdimm) {
  std::string program = "thread main 2\n";
  for (int i = 0; i < 40; ++i) {
    program += "compute 500\n" + std::string(i % 3 == 0 ? "write " : "read ") +
               std::to_string(i * 7 % 64) + "\nload " + std::to_string(i * 4096) + "\n";
  }
  expect_agreement(
      passages_of({{"kind", "job"}, {"path", "x.job"}, {"format", "job"}}, program,
                  keys_from("nvdimm.capacity=256MiB nvdimm.ftl.over_provisioning=15 "
                            "nvdimm.buffer.read_size=1MiB nvdimm.buffer.write_size=1MiB "
                            "nvdimm.precondition.fill=0.02 frontend.translation=modulo")));
}

TEST(Views, RequestsLeaveInOrderUnderStrictFcfs) {
  const auto overtaken = [](const char* scheduler) {
    Tick last{0};
    int count = 0;
    for (const Passage& each : random_loads("8", "200", {{"controller.scheduler", scheduler}})) {
      count += each.done < last ? 1 : 0;
      last = later(last, each.done);
    }
    return count;
  };
  EXPECT_EQ(overtaken("fcfs_strict"), 0);
  EXPECT_GT(overtaken("fr_fcfs"), 0);
}

// Each changes one time of a right passage, as a wrong model would.
TEST(Views, DisagreeIfATimeIsWrong) {
  Passage right;
  for (const Passage& each : chase("3333MHz")) {
    right = each;
  }
  ASSERT_TRUE(agrees(right));
  const auto found = [&](auto change) {
    Passage wrong = right;
    change(wrong);
    return !agrees(wrong);
  };
  EXPECT_TRUE(found([](Passage& p) { p.clock.lookup += 1; })) << "look-ups of another core";
  EXPECT_TRUE(found([](Passage& p) { p.clock.rate /= 2; })) << "a clock that is not scaled";
  EXPECT_TRUE(found([](Passage& p) { p.done = p.began + (p.done - p.began) * 4 / 5; }))
      << "a latency in cycles";
  EXPECT_TRUE(found([](Passage& p) { p.returned += Tick(5'000); })) << "an undeclared part";
  EXPECT_TRUE(found([](Passage& p) { p.returned = p.done - Tick(1); })) << "a return before data";
  EXPECT_TRUE(found([](Passage& p) { p.waited += Tick(1); })) << "a wait that is not accounted";
  EXPECT_TRUE(found([](Passage& p) { p.parts -= Tick(1); })) << "a part that is missing";
  EXPECT_TRUE(found([](Passage& p) { p.done = kNever; })) << "a request that one view lacks";
  EXPECT_TRUE(found([](Passage& p) { p.usable += Tick(300); })) << "data that is used late";
}

}  // namespace
}  // namespace hmsim::testing
