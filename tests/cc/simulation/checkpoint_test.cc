// SPDX-License-Identifier: BSD-3-Clause
// Does a run that was saved and loaded equal an uninterrupted run?
#include "core/checkpoint.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/assignments.h"

namespace hmsim::testing {
namespace {

std::string ramulator_trace() {
  std::string trace;
  Random random(5);
  for (int i = 0; i < 400; ++i) {
    trace += std::to_string(random.below(60)) + " " + std::to_string(random.below(1 << 24));
    trace += i % 3 == 0 ? " " + std::to_string(random.below(1 << 24)) + "\n" : "\n";
  }
  return trace;
}

std::string mqsim_trace() {
  std::string trace;
  Random random(6);
  for (int i = 0; i < 60; ++i) {
    trace += std::to_string(i * 2'000) + " " + std::to_string(random.below(5)) + " " +
             std::to_string(random.next() >> 20) + " " + std::to_string(random.below(40) + 1) +
             " " + std::to_string(random.below(2)) + "\n";
  }
  return trace;
}

std::string load_store_trace() {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += (i % 3 == 0 ? "ST " : "LD ") + std::to_string(i * 1'237 % 5'000 * 64) + "\n";
  }
  return text;
}

std::string dramsim3_trace() {
  std::string trace;
  Random random(7);
  for (int i = 0; i < 700; ++i) {
    trace += std::to_string(random.below(1 << 30)) + (random.below(2) == 0 ? " READ " : " WRITE ") +
             std::to_string(3 * i) + "\n";
  }
  return trace;
}

std::vector<Bench> benches() {
  const Assignments block{{"path", "t"}, {"format", "mqsim"}, {"window", "20"}};
  Assignments timed_block = block;
  timed_block.insert(timed_block.end(), {{"replay", "timed"}, {"threads", "2"}});
  Assignments inferred_block = block;
  inferred_block.insert(inferred_block.end(), {{"replay", "inferred"}, {"old_response", "5us"}});
  std::vector<Bench> list{
      {"llc_trace", {{"path", "t"}, {"format", "ramulator"}}, ramulator_trace()},
      {"llc_trace",
       {{"path", "t"}, {"format", "ramulator"}, {"mshrs", "3"}, {"instructions", "9000"}},
       ramulator_trace()},
      {"block_trace", block, mqsim_trace()},
      {"block_trace", timed_block, mqsim_trace()},
      {"block_trace", inferred_block, mqsim_trace()},
      {"memory_trace", {{"path", "t"}, {"format", "dramsim3"}}, dramsim3_trace()},
      {"memory_trace",
       {{"path", "t"}, {"format", "dramsim3"}, {"mode", "timed"}},
       dramsim3_trace()},
      {"memory_trace",
       {{"path", "t"}, {"format", "ramulator2_ls"}, {"mode", "timed"}, {"interval", "13ns"}},
       load_store_trace()},
      {"llc_trace",
       {{"path", "t"}, {"format", "ramulator2_ls"}, {"instructions_per_request", "30"}},
       load_store_trace()},
      {"synthetic", {{"requests", "900"}, {"read_ratio", "0.6"}, {"footprint", "1MiB"}}},
      {"synthetic",
       {{"requests", "900"}, {"pattern", "strided"}, {"interval", "13ns"}, {"target", "nvdimm"}}},
      {"io_pattern",
       {{"requests", "60"},
        {"access", "zipf"},
        {"read_share", "0.5"},
        {"size", "4KiB/2, 16KiB"},
        {"depth", "3"},
        {"flush_every", "4"},
        {"footprint", "1MiB"}}},
      {"io_pattern",
       {{"requests", "60"}, {"access", "sequential"}, {"regions", "per_thread"}, {"window", "9"}}},
      {"io_pattern", keys_from("requests=60 arrivals=poisson arrival_rate=2e6 queue=5 start=3us "
                               "fua=true read_share=0.5 threads=2")},
      {"io_pattern", keys_from("requests=60 think_time=4us think_every=3 depth=2 threads=2")},
      {"io_pattern",
       {{"requests", "0"},
        {"size", "4KiB, 16KiB"},
        {"random_map", "shuffle"},
        {"footprint", "256KiB"},
        {"passes", "2"},
        {"duration", "1s"},
        {"read_share", "0.5"}}},
      {"synthetic_core",
       keys_from("pattern=pointer_chase dependence=0.5 instructions=20000 rpki=40")}};
  const Assignments model = keys_from(
      "layers=2 width=64 kv_heads=2 head_size=64 vocabulary=16 feed_forward=64 flops=10 batch=2 "
      "context=30 outstanding=3 lines=5 prefill=true output=3 steps=4");
  for (const char* kv : {"dram", "nvdimm"}) {
    Assignments keys = model;
    keys.emplace_back("kv", kv);
    list.push_back({"llm_decode", keys});
  }
  for (Bench& bench : list) {
    bench.slots = 24;
    bench.piece = 100;
    bench.translation = TranslationKind::first_touch;
    bench.latency = [](const Request& request) {
      return Tick(static_cast<std::int64_t>(
          mix64(static_cast<std::uint64_t>(request.address.value())) % 400'000));
    };
  }
  return list;
}

TEST(Checkpoint, EveryAgentContinuesExactly) {
  int number = 0;
  for (const Bench& bench : benches()) {
    SCOPED_TRACE(bench.kind + " " + std::to_string(number++));
    AgentUnderTest whole(bench);
    int steps = 0;
    for (int after = 0; after < 300; after += whole.agent->finished_once() ? 1 : 0) {
      ASSERT_TRUE(whole.kernel.step(kNever));
      ++steps;
    }
    for (const int at : {1, steps / 20, steps / 3, steps - 302, steps - 1}) {
      AgentUnderTest first(bench);
      for (int i = 0; i < at; ++i) {
        first.kernel.step(kNever);
      }
      const std::string saved = first.save();
      AgentUnderTest second(bench);
      second.load(saved);
      EXPECT_EQ(second.save(), saved);
      for (int i = at; i < steps; ++i) {
        ASSERT_TRUE(second.kernel.step(kNever));
      }
      std::vector<Sent> log = first.port.log;
      log.insert(log.end(), second.port.log.begin(), second.port.log.end());
      EXPECT_TRUE(log == whole.port.log) << "at " << at;
      EXPECT_EQ(second.save(), whole.save()) << "at " << at;
      const Tick now = whole.kernel.now();
      EXPECT_EQ(second.kernel.now(), now);
      EXPECT_EQ(second.agent->progress(now), whole.agent->progress(now));
      EXPECT_EQ(second.agent->measured_time(now), whole.agent->measured_time(now));
    }
  }
}

TEST(Checkpoint, DamagedAndForeignCheckpointsAreRejected) {
  const std::string state(1'000, 's');
  const std::string sealed = seal_checkpoint(state, 42);
  EXPECT_EQ(open_checkpoint(sealed, 42), state);
  EXPECT_THROW(open_checkpoint(sealed, 43), InputError);
  EXPECT_THROW(open_checkpoint("", 42), InputError);
  EXPECT_THROW(open_checkpoint(std::string(100, 'x'), 42), InputError);
  EXPECT_THROW(open_checkpoint(sealed.substr(0, sealed.size() - 1), 42), InputError);
  EXPECT_THROW(open_checkpoint(sealed + "x", 42), InputError);
  for (std::size_t at = 0; at < sealed.size(); at += 7) {
    std::string damaged = sealed;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_THROW(open_checkpoint(damaged, 42), InputError) << at;
  }
}

}  // namespace
}  // namespace hmsim::testing
