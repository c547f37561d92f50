// SPDX-License-Identifier: BSD-3-Clause
// Indexes of traces with causes: does a part open with an index exactly as without?
#include "traces/cause_index.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/errors.h"
#include "core/random.h"
#include "tests/cc/traces/causal_trace.h"

namespace hmsim::testing {
namespace {

constexpr std::uint64_t kNvdimmLine = std::uint64_t{1} << 39;

std::string index_of(const std::string& trace) {
  RecordBlocks blocks(TraceReader(text_source(trace), 0, "x", trace.size()));
  return CauseIndex::bytes_of(blocks);
}

// Returns records of two vCPUs that switch threads, wake, sleep, write and name.
Words random_machine(Random& random) {
  constexpr std::uint64_t kThreads = 6;
  const auto below = [&](std::uint64_t end) { return random.below(end); };
  Words words;
  for (std::uint64_t i = below(4); i > 0; --i) {
    words.push_back(written(below(20), 1 + below(9)));
  }
  std::array<std::uint64_t, 2> current{};
  for (int step = 0; step < 400; ++step) {
    const auto vcpu = static_cast<unsigned>(below(2));
    const std::uint64_t thread = 1 + below(kThreads);
    switch (below(8)) {
      case 0:
        if (thread != current[0] && thread != current[1]) {
          words.push_back(runs(thread, static_cast<Leave>(below(2)), vcpu));
          current[vcpu] = thread;
        }
        break;
      case 1:
        words.push_back(wakes(thread, vcpu));
        break;
      case 2:
        words.push_back(alarms(thread, 1 + below(90), vcpu));
        break;
      case 3:
        words.push_back(escape(EscapeCode::name, thread | (97 + below(26)) << 16, vcpu));
        break;
      case 4:
        words.push_back(computes(below(40), vcpu));
        break;
      case 5:
        words.push_back(misses(words.size(), below(30), vcpu));
        break;
      default:
        words.push_back(hmsim_record(kNvdimmLine | below(40) * 16, 1 + below(2), vcpu, below(9)));
    }
  }
  return words;
}

std::string described(CausalJob& job) {
  std::string text;
  for (const std::uint64_t page : job.written_before()) {
    text += std::to_string(page) + " ";
  }
  for (std::uint32_t thread = 0; thread < job.threads(); ++thread) {
    text += job.name_of(thread) + ":" + std::to_string(job.begin(thread).record) + " ";
  }
  return text;
}

std::string steps_of(const std::string& trace, std::uint64_t skip, std::uint64_t length) {
  try {
    CausalJob job(
        find_format("hmsim")->misses({text_source(trace), 0, "x", trace.size()}, std::nullopt),
        skip, length, false, "x");
    std::string text = described(job);
    for (std::uint32_t thread = 0; thread < job.threads(); ++thread) {
      JobPlace place = job.begin(thread);
      for (JobRecord record;
           (record = job.next(place)).action != JobAction::end || record.gap > 0;) {
        text += std::to_string(record.gap) + "/" + std::to_string(static_cast<int>(record.action)) +
                "/" + std::to_string(place.record) + " ";
      }
    }
    return text;
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(CauseIndex, PartsOpenEquallyWithAndWithoutOne) {
  int stretches = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const std::string trace = causal_trace(random_machine(random), 2, 1 + seed % 40);
    const std::string indexed = trace + index_of(trace);
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t skip = random.below(4'000);
      const std::uint64_t length = random.below(2) == 0 ? 0 : 1 + random.below(2'000);
      const std::string without = steps_of(trace, skip, length);
      ASSERT_EQ(without, steps_of(indexed, skip, length)) << seed << " " << skip;
      stretches += without.size() > 100 ? 1 : 0;
    }
  }
  EXPECT_GT(stretches, 1'000);
}

TEST(CauseIndex, HoldsOneOfSuccessiveWritesToAPage) {
  const auto writes = [](std::uint64_t page) {
    return hmsim_record(kNvdimmLine | page * 64, 1, 0, 1);
  };
  const std::string trace = causal_trace(
      {runs(1, Leave::goes_on), writes(3), writes(3), writes(4), writes(3), computes(5)}, 1, 4);
  const std::string bytes = index_of(trace);
  // Magic, blocks, two counts; a run and three writes.
  EXPECT_EQ(bytes.size(), 8u * (2 + 2 + 4));
}

TEST(CauseIndex, DamagedBytesAreRejected) {
  const std::string trace = causal_trace({runs(1, Leave::goes_on), misses(1, 1), wakes(2)}, 1, 2);
  const std::string bytes = index_of(trace);
  ASSERT_TRUE(CauseIndex::parse(bytes, 2));
  EXPECT_FALSE(CauseIndex::parse(bytes, 3));
  EXPECT_FALSE(CauseIndex::parse("", 2));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(CauseIndex::parse(bytes.substr(0, length), 2)) << length;
  }
  for (const std::size_t at : {0, 8, 16, 23, 31}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    EXPECT_FALSE(CauseIndex::parse(damaged, 2)) << at;
  }
}

}  // namespace
}  // namespace hmsim::testing
