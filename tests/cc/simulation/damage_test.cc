// SPDX-License-Identifier: BSD-3-Clause
// Is the saved state of an agent that somebody has changed refused, or harmless?
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cc/agents/harness.h"
#include "tests/cc/agents/programs.h"
#include "tests/cc/words.h"

namespace hmsim::testing {
namespace {

std::string lines(int count, Random& random, const std::function<std::string(Random&, int)>& line) {
  std::string trace;
  for (int i = 0; i < count; ++i) {
    trace += line(random, i) + "\n";
  }
  return trace;
}

std::vector<Bench> benches(std::uint64_t seed = 3) {
  Random random(seed);
  // One draw after another, so that every compiler makes the same traffic.
  const auto word = [](std::uint64_t value) { return std::to_string(value); };
  const std::string misses = lines(400, random, [&](Random& r, int i) {
    std::string line = word(r.below(60));
    line += " " + word(r.below(1 << 24));
    line += i % 3 == 0 ? " " + word(r.below(1 << 24)) : "";
    return line;
  });
  const std::string blocks = lines(60, random, [&](Random& r, int i) {
    std::string line = std::to_string(i * 2'000);
    line += " " + word(r.below(5));
    line += " " + word(r.next() >> 20);
    line += " " + word(r.below(40) + 1);
    line += " " + word(r.below(2));
    return line;
  });
  const std::string job =
      "thread a 3\ncompute 900\nread 3 2\nload 0x40\nwake x\nsleep 1us\nwrite 40 3\nsync\nstore 0\n"
      "thread b 3\nwait x\ncompute 500\nread 90\nwrite 20\nload 0x8000\nwrite 30\nload 0x9000\n";
  const Assignments job_keys{{"path", "t"},     {"format", "job"}, {"tasks", "3"},
                             {"cores", "0, 1"}, {"flushers", "2"}, {"dirty_ratio", "0.000002"}};
  // Streams through both memories, some of whose lines are overwritten.
  std::string stream = "thread c\nread 5 2\nwrite 5\n";
  for (int i = 0; i < 40; ++i) {
    stream += "load " + word(0x80000 + static_cast<std::uint64_t>(i) * 64) + "\n";
    stream += i % 9 == 0 ? "store " + word(0x80000 + i * 64 + 320) + "\n" : "";
  }
  Bench prefetched{"job", job_keys, job + stream};
  prefetched.frontend.node.prefetch = {3, 9, 2, 3, 5, 7};
  prefetched.frontend.node.persistence = Persistence::module;
  std::vector<Bench> list{
      {"job", job_keys, job},
      prefetched,
      {"llc_trace", {{"path", "t"}, {"format", "ramulator"}, {"mshrs", "3"}}, misses},
      {"block_trace",
       {{"path", "t"}, {"format", "mqsim"}, {"window", "20"}, {"driver", "pmbd"}},
       blocks},
      {"io_pattern",
       {{"requests", "90"},
        {"size", "4KiB, 12KiB"},
        {"read_share", "0.5"},
        {"access", random.below(2) == 0 ? "zipf" : "sequential"},
        {"regions", "per_thread"},
        {"depth", "3"},
        {"flush_every", "2"},
        {"footprint", "1MiB"}}},
      {"cpu_trace", keys_of({}, small_caches(4)), text_of(random_program(random, 2'000, true))},
      {"synthetic",
       {{"requests", "900"}, {"pattern", "strided"}, {"interval", "13ns"}, {"target", "nvdimm"}}},
      {"pattern", {{"requests", "900"}, {"target", "nvdimm"}}},
      {"synthetic_core",
       {{"pattern", "pointer_chase"}, {"instructions", "20000"}, {"rpki", "40"}}}};
  for (Bench& bench : list) {
    bench.slots = 24;
    bench.translation = TranslationKind::first_touch;
    bench.latency = [](const Request& request) {
      return Tick(static_cast<std::int64_t>(
          mix64(static_cast<std::uint64_t>(request.address.value())) % 400'000));
    };
  }
  return list;
}

void run_to_the_middle(AgentUnderTest& test) {
  for (int i = 0; i < 400; ++i) {
    test.kernel.step(kNever);
  }
}

// As a simulation loads it, the rest of which is sound.
void load(AgentUnderTest& test, const std::string& state) {
  Archive archive(state);
  test.serialize_agents(archive);
  for (const Agent* each : test.all) {
    archive.check(each->next_event() >= test.kernel.now(), "an event lies in the past");
  }
  test.kernel.notify_all();
}

std::string saved(AgentUnderTest& test) {
  Archive archive;
  test.serialize_agents(archive);
  return archive.bytes();
}

TEST(AgentDamage, WhatHoldsTogetherIsTaken) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    for (const Bench& bench : benches(seed)) {
      SCOPED_TRACE(bench.kind + std::string(", seed ") + std::to_string(seed));
      AgentUnderTest test(bench);
      for (int i = 0; i < 1'000; ++i) {
        test.kernel.step(kNever);
        ASSERT_NO_THROW(load(test, saved(test)));
      }
    }
  }
}

TEST(AgentDamage, NoWordIsTrusted) {
  for (const Bench& bench : benches()) {
    SCOPED_TRACE(bench.kind);
    AgentUnderTest test(bench);
    run_to_the_middle(test);
    const Sweep done = sweep(saved(test), 150, [&](const std::string& state) {
      AgentUnderTest other(bench);
      run_to_the_middle(other);
      load(other, state);
      for (int i = 0; i < 300 && other.kernel.step(kNever); ++i) {
      }
    });
    EXPECT_GT(done.refused, 0);
  }
}

}  // namespace
}  // namespace hmsim::testing
