// SPDX-License-Identifier: BSD-3-Clause
// With a slow tier that saturates the bus by itself, does the guard of the harmonic arbiter let
// both classes progress, and does one class starve without it?
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/cc/controller/harness.h"
#include "tests/cc/policies/rig.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kGuard = 2000;     // cycles, as in configs/policies/hms.yaml
constexpr std::int64_t kCycles = 50'000;  // length of the run
constexpr int kMany = 96;                 // outstanding requests, of 128 entries
constexpr int kFew = 32;

// As in configs/pcm.yaml, without refreshes, at which a starved NVDIMM would get the bus.
Assignments pcm_under_harmonic(const char* guard) {
  const std::string table =
      table_text([](std::size_t) { return 1000; }, [](std::size_t) { return 1000; });
  return {{"nvdimm.kind", "pcm"},
          {"nvdimm.capacity", "4GiB"},
          {"nvdimm.media.command_time", "0ns"},
          {"nvdimm.media.banks", "16"},
          {"nvdimm.media.interleave", "64B"},
          {"dram.refresh", "false"},
          {"controller.queues", "split"},
          {"controller.queue_depth", "128"},
          {"controller.nvdimm_queue_depth", "128"},
          {"controller.arbiter", "harmonic"},
          {"policies.harmonic.table", table},
          {"policies.harmonic.guard", guard},
          {"policies.harmonic.dram_guard", "2000"},
          {"policies.harmonic.nvdimm_guard", "2000"}};
}

struct Outcome {
  std::array<std::int64_t, kMemoryClasses> served{};
  std::array<Cycle, kMemoryClasses> longest{};  // from admission to the last beat
};

// Two closed loops of reads: DRAM hits its rows, and the NVDIMM's lines are spread over all its
// banks. Both classes are equally close to their best, so the class with the fuller queue wins each
// contest.
Outcome contest(MemoryClass fuller, const char* guard) {
  ChannelUnderTest channel(pcm_under_harmonic(guard));
  std::array<std::int64_t, kMemoryClasses> sent{};
  const auto send = [&](MemoryClass memory) {
    const std::int64_t line = sent[static_cast<std::size_t>(memory)]++ % 65'536;
    channel.send(memory, Address(line * kLineBytes.value()));
  };
  Outcome outcome;
  bool ended = false;
  channel.on_done = [&](const Request& request) {
    const auto memory = static_cast<std::size_t>(request.memory);
    const Cycle wait = channel.finished_[request.id] - channel.admitted_[request.id];
    outcome.longest[memory] = later(outcome.longest[memory], wait);
    if (!ended) {
      ++outcome.served[memory];
      send(request.memory);
    }
  };
  for (const MemoryClass memory : {MemoryClass::dram, MemoryClass::nvdimm}) {
    for (int i = 0; i < (memory == fuller ? kMany : kFew); ++i) {
      send(memory);
    }
  }
  channel.run_to(Cycle(kCycles));
  ended = true;
  channel.drain();
  return outcome;
}

// The other class gets its kFew requests through once per guard time. No request waits longer than
// the guard plus the time in which the bus carries all outstanding requests.
TEST(HarmonicGuard, BothClassesProgressWithAFastSlowTier) {
  for (const MemoryClass fuller : {MemoryClass::dram, MemoryClass::nvdimm}) {
    const auto other = static_cast<std::size_t>(fuller == MemoryClass::dram);
    const Outcome guarded = contest(fuller, "true");
    const SystemConfig config = make_config(pcm_under_harmonic("true"));
    const DramTiming& t = config.dram.timing;
    const std::int64_t all = (kMany + kFew) * (t.burst + t.trtrs) + t.trp + t.trcd;
    const std::int64_t bound = kGuard + all + t.cl + t.burst;
    EXPECT_GE(guarded.served[other], kCycles / bound * kFew) << "fuller: " << !other;
    EXPECT_GT(guarded.served[1 - other], guarded.served[other]) << "fuller: " << !other;
    EXPECT_LE(guarded.longest[0], Cycle(bound)) << "fuller: " << !other;
    EXPECT_LE(guarded.longest[1], Cycle(bound)) << "fuller: " << !other;

    const Outcome unbounded = contest(fuller, "false");
    EXPECT_LT(unbounded.served[other], guarded.served[other] / 10) << "fuller: " << !other;
    EXPECT_GT(unbounded.longest[other], Cycle(2 * bound)) << "fuller: " << !other;
  }
}

}  // namespace
}  // namespace hmsim::testing
