// SPDX-License-Identifier: BSD-3-Clause
// Sums over DRAM records: does a thread that passes over them meet the same steps, instructions and
// loads as one that takes each step?
#include "traces/stretch_sums.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/traces/causal_trace.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kAll = std::int64_t{1} << 24;  // slots

// Returns records of two vCPUs with long stretches of DRAM records, bios, wakes and other causes.
Words random_machine(Random& random) {
  const auto below = [&](std::uint64_t end) { return random.below(end); };
  Words words{runs(1, Leave::goes_on, 0), runs(2, Leave::goes_on, 1)};
  for (int step = 0; step < 40; ++step) {
    const auto vcpu = static_cast<unsigned>(below(2));
    switch (below(6)) {
      case 0:
        words.push_back(wakes(2 - vcpu, vcpu));
        break;
      case 1:
        words.push_back(escape(EscapeCode::use, below(50), vcpu));
        break;
      case 2:
        words.push_back(escape(EscapeCode::fence, 0, vcpu));
        break;
      case 3:  // a block request of vCPU 0, with DRAM records between its lines
        words.push_back(begins_bio(1, BioOperation::read));
        for (std::uint64_t line = 0; line < 8; ++line) {
          words.push_back(hmsim_record(kNvdimmLine | line, 0, 0, 3));
          words.push_back(misses(line, 2));
        }
        words.push_back(ends_bio());
        break;
      default:
        for (std::uint64_t i = below(700); i > 0; --i) {
          const std::uint64_t kind = below(4) == 0 ? 1 : 0;
          const unsigned own = below(8) == 0 ? 1 - vcpu : vcpu;
          words.push_back(hmsim_record(below(1'000), kind, own, 1 + below(90)));
        }
    }
  }
  return words;
}

CausalJob job_of(const std::string& trace, bool sums) {
  return {find_format("hmsim")->misses({text_source(trace), 0, "x", trace.size()}, std::nullopt),
          0,
          0,
          true,
          "x",
          sums};
}

// Steps of a thread other than DRAM misses, with the instructions and loads before each.
struct Walk {
  std::vector<std::string> steps;
  std::int64_t instructions = 0;
  std::int64_t loads = 0;

  // Adds a step. Returns false at the thread's end.
  bool add(const JobRecord& record) {
    instructions += record.gap;
    if (record.action == JobAction::miss) {
      loads += record.miss.load ? 1 : 0;
      return true;
    }
    steps.push_back(std::to_string(static_cast<int>(record.action)) + " of " +
                    std::to_string(record.first_line) + " after " + std::to_string(instructions) +
                    " with " + std::to_string(loads));
    return record.action != JobAction::end;
  }
};

Walk step_by_step(CausalJob& job, std::uint32_t thread) {
  Walk walk;
  JobPlace place = job.begin(thread);
  while (walk.add(job.next(place))) {
  }
  return walk;
}

TEST(StretchSums, AThreadThatSkipsMeetsTheSameSteps) {
  std::int64_t skipped = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const std::string trace = causal_trace(random_machine(random), 2, 500);
    CausalJob plain = job_of(trace, false);
    CausalJob job = job_of(trace, true);
    for (std::uint32_t thread = 0; thread < job.threads(); ++thread) {
      Walk walk;
      JobPlace place = job.begin(thread);
      do {
        const std::int64_t most =
            random.below(3) == 0 ? kAll : 1 + static_cast<std::int64_t>(random.below(20'000));
        const Stretch stretch = job.skip(place, most, {7, 2});
        EXPECT_LE(stretch.slots({7, 2}), most);
        walk.instructions += stretch.instructions;
        walk.loads += stretch.loads;
        skipped += stretch.loads;
      } while (walk.add(job.next(place)));
      EXPECT_EQ(walk.steps, step_by_step(plain, thread).steps) << seed;
    }
  }
  EXPECT_GT(skipped, 100'000);
}

TEST(StretchSums, SkipsEndAtTheSameRecordsWithThemAsWithout) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const std::string trace = causal_trace(random_machine(random), 2, 500);
    CausalJob plain = job_of(trace, false);
    CausalJob job = job_of(trace, true);
    for (std::uint32_t thread = 0; thread < job.threads(); ++thread) {
      JobPlace place = job.begin(thread);
      JobPlace other = place;
      do {
        const auto most = static_cast<std::int64_t>(1 + random.below(30'000));
        const SkipRate rate{static_cast<std::int64_t>(random.below(40)), 3};
        const Stretch stretch = job.skip(place, most, rate);
        const Stretch without = plain.skip(other, most, rate);
        ASSERT_EQ(place.record, other.record) << seed;
        ASSERT_EQ(stretch.instructions, without.instructions);
        ASSERT_EQ(stretch.loads, without.loads);
        plain.next(other);
      } while (job.next(place).action != JobAction::end);
    }
  }
}

TEST(StretchSums, LongStretchesHavePartsAndShortOnesNone) {
  StretchSums sums;
  Words words{runs(1, Leave::goes_on)};
  words.insert(words.end(), 20, misses(1, 5));
  words.push_back(wakes(2));
  words.insert(words.end(), 300, misses(1, 5));
  words.push_back(wakes(2));
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    sums.add(i, words[i]);
  }
  const StretchSums::Parts& parts = sums.parts(0);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].first, 22u);
  EXPECT_EQ(parts[1].first, parts[0].last);
  EXPECT_EQ(parts[1].last, words.size() - 1);
  EXPECT_EQ(parts[0].instructions + parts[1].instructions, 1'500);
  EXPECT_EQ(parts[0].loads + parts[1].loads, 300);
  EXPECT_EQ(sums.at_or_after(0, 0)->first, 22u);
  EXPECT_EQ(sums.at_or_after(0, 23)->first, parts[1].first);
  EXPECT_TRUE(sums.parts(1).empty());
}

}  // namespace
}  // namespace hmsim::testing
