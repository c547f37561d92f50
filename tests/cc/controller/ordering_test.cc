// SPDX-License-Identifier: BSD-3-Clause
// Does a channel fulfil the policy interface's promises to policies that the caller provides?
#include "controller/channel/ordering.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {
namespace {

// Events that a policy received.
struct Notes {
  std::vector<std::pair<std::uint64_t, bool>> ended;  // id, row_hit
  std::map<std::uint64_t, bool> hits;                 // row_hit of on_issue(), by id
};

template <class Kind>
class Noting : public Kind {
 public:
  void on_issue(const RequestView& request, Tick) override {
    notes->hits[request.id] = request.row_hit;
  }
  void on_complete(const RequestView& request, Tick) override {
    notes->ended.emplace_back(request.id, request.row_hit);
  }
  Notes* notes = nullptr;
};

class NotingScheduler final : public Noting<TransactionScheduler> {
 public:
  std::uint64_t key(const RequestView& request) const override { return request.row_hit ? 1 : 0; }
};

class NotingArbiter final : public Noting<BusArbiter> {
 public:
  MemoryClass choose(const ArbiterView& view) override {
    return view.dram.id < view.nvdimm.id ? MemoryClass::dram : MemoryClass::nvdimm;
  }
};

template <class P>
std::function<std::unique_ptr<Policy>()> noting(Notes& notes) {
  return [&notes] {
    auto policy = make_policy<P>();
    static_cast<P&>(*policy).notes = &notes;
    return policy;
  };
}

struct Watched {
  explicit Watched(const Assignments& more) : channel(config_of(with(kSmallNvdimm, more), *this)) {}
  static SystemConfig config_of(const Assignments& assignments, Watched& notes) {
    SystemConfig config = make_config(assignments);
    config.makers["controller.scheduler"] = noting<NotingScheduler>(notes.scheduler);
    config.makers["controller.nvdimm_scheduler"] = noting<NotingScheduler>(notes.nvdimm_scheduler);
    config.makers["controller.arbiter"] = noting<NotingArbiter>(notes.arbiter);
    return config;
  }

  Notes scheduler;
  Notes nvdimm_scheduler;
  Notes arbiter;
  ChannelUnderTest channel;
};

const std::vector<Assignments> kQueues{
    {{"controller.queues", "unified"}},
    {{"controller.queues", "split"}, {"controller.arbiter", "round_robin"}},
    keys_from("controller.queues=split controller.arbiter=round_robin controller.queue_depth=4 "
              "controller.nvdimm_queue_depth=4"),
    {{"controller.ack", "auto"}, {"controller.starvation_limit", "300ns"}},
    {{"controller.ack", "nvdimm_p"}, {"controller.starvation_limit", "300ns"}},
    {{"controller.structure", "two_level"}, {"controller.writes", "drained"}}};

// A request's row hit is the same at the end of its burst as at its start, across a checkpoint.
TEST(Ordering, ACompletionStatesWhetherItsRequestHitItsRow) {
  for (std::size_t which = 0; which < kQueues.size(); ++which) {
    SCOPED_TRACE(which);
    Watched running(kQueues[which]);
    RandomTraffic traffic(running.channel, which + 1, 12);
    Cycle now{0};
    std::vector<std::string> states;
    for (int i = 0; i < 60; ++i) {
      traffic.burst();
      now += traffic.pause();
      running.channel.run_to(now);
      states.push_back(running.channel.save());
    }
    running.channel.drain();
    std::size_t hits = 0;
    for (const auto& [id, hit] : running.arbiter.ended) {
      EXPECT_EQ(hit, running.arbiter.hits.at(id)) << id;
      hits += hit ? 1 : 0;
    }
    EXPECT_GT(hits, 0u);
    EXPECT_LT(hits, running.arbiter.ended.size());
    std::size_t begun = 0;
    for (std::size_t i = 0; i < states.size(); i += 5) {
      Watched loaded(kQueues[which]);
      loaded.channel.load(states[i]);
      loaded.channel.drain();
      for (const auto& [id, hit] : loaded.arbiter.ended) {
        if (loaded.arbiter.hits.count(id) == 0) {  // its burst had begun before the save
          ++begun;
          EXPECT_EQ(hit, running.arbiter.hits.at(id)) << "request " << id << " of state " << i;
        }
      }
    }
    EXPECT_GT(begun, 0u);
  }
}

// Hits first, or oldest first: a scheduler with such a fixed order is not asked for keys.
template <FixedOrder kOrder>
class Simple final : public TransactionScheduler {
 public:
  std::uint64_t key(const RequestView&) const override {
    ADD_FAILURE() << "asked for a key";
    return 7;
  }
  bool withholds(const RequestView&) const override {
    ADD_FAILURE() << "asked whether it withholds";
    return true;
  }
  FixedOrder fixed_order() const override { return kOrder; }
};

template <FixedOrder kOrder>
void expect_as(const char* scheduler, const Assignments& more) {
  const Assignments assignments =
      with(with(kSmallNvdimm, more), {{"controller.scheduler", scheduler}});
  SystemConfig config = make_config(assignments);
  config.makers["controller.scheduler"] = [] { return make_policy<Simple<kOrder>>(); };
  ChannelUnderTest simple(config);
  ChannelUnderTest named(assignments);
  RandomTraffic one(simple, 5);
  RandomTraffic other(named, 5);
  Cycle now{0};
  for (int i = 0; i < 100; ++i) {
    one.burst();
    other.burst();
    now += one.pause();
    other.pause();
    simple.run_to(now);
    named.run_to(now);
  }
  simple.drain();
  named.drain();
  EXPECT_EQ(simple.finished_, named.finished_);
  EXPECT_EQ(simple.order_, named.order_);
}

TEST(Ordering, ASchedulerOfFixedOrderIsNeverAsked) {
  for (const Assignments& more :
       {Assignments{}, Assignments{{"controller.starvation_limit", "2us"}},
        Assignments{{"controller.writes", "drained"}},
        Assignments{{"controller.page_policy", "closed_page"}}}) {
    expect_as<FixedOrder::hits_first>("fr_fcfs", more);
    expect_as<FixedOrder::arrival>("fcfs", more);
  }
}

class NoProgress final : public SourceProgress {
 public:
  std::int64_t instructions(std::uint16_t) const override { return 0; }
};

// The arbiter is asked if no transaction is overdue. Otherwise the overdue one goes first, or the
// older of two.
TEST(Ordering, OverdueRequestsGoFirstInOrderOfAge) {
  const SystemConfig config = make_config(
      with(kSmallNvdimm, {{"controller.queues", "split"}, {"controller.arbiter", "dram_first"}}));
  const ChannelLayout layout(config, 0);
  const ChannelShape shape = layout.shape(config.nvdimms(), 8);
  const NoProgress progress;
  const EdgeClock clock(layout.period);
  Ordering ordering(config, layout, 8);
  ordering.connect(shape, progress, clock);
  for (const bool dram_is_older : {false, true}) {
    for (const bool dram_overdue : {false, true}) {
      for (const bool nvdimm_overdue : {false, true}) {
        Transaction dram;
        dram.request.id = dram_is_older ? 3 : 9;
        dram.overdue = dram_overdue;
        Transaction nvdimm;
        nvdimm.request.id = 5;
        nvdimm.request.memory = MemoryClass::nvdimm;
        nvdimm.slot = 1;
        nvdimm.rank = layout.nvdimm_rank;
        nvdimm.overdue = nvdimm_overdue;
        const auto [winner, asked] = ordering.arbitrate(
            {&dram, Command::read, 0, dram.request.id}, {&nvdimm, Command::read, 0, 5}, {1, 1},
            Tick(0), [](const Transaction&) { return false; });
        EXPECT_EQ(asked, !dram_overdue && !nvdimm_overdue);
        const bool dram_first = asked || (dram_overdue && (!nvdimm_overdue || dram_is_older));
        EXPECT_EQ(winner, dram_first ? MemoryClass::dram : MemoryClass::nvdimm)
            << dram_is_older << dram_overdue << nvdimm_overdue;
      }
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
