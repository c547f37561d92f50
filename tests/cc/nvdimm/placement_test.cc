// SPDX-License-Identifier: BSD-3-Clause
// Do placement policies separate pages, does write amplification follow from the separation, and do
// all placement and victim policies work in timed runs?
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nvdimm/precondition.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

constexpr const char* kAll[] = {"single", "by_handle", "hot_cold_frequency", "hot_cold_recency",
                                "round_robin_streams"};
constexpr std::uint32_t kBlocks = 1024;
constexpr std::uint32_t kPages = 64;
constexpr std::uint64_t kSpare = 28;  // percent

// Write amplification of uniform overwrites with greedy victims and infinitely many blocks.
// `space`: pages of full blocks by valid page. A block with i valid pages loses one after V / i
// writes of the host, where V is the number in all blocks. So a block is a victim after V times the
// sum below.
double greedy(double space) {
  double sum = 1.0 / kPages;
  for (std::uint32_t valid = kPages - 1; valid > 0; --valid) {
    // A share of victims has lost one page more: space = amplification x (sum + share / valid).
    const double missing = space * (kPages - valid) - kPages * sum;
    const double step = static_cast<double>(kPages) / valid - space;
    if (missing <= step) {
      return kPages / (kPages - valid + missing / step);
    }
    sum += 1.0 / valid;
  }
  return 1;
}

// A share of the pages gets a share of the writes, in percent; both are uniform within.
struct Populations {
  std::uint64_t hot;
  std::uint64_t writes;
};

// The least amplification with separate blocks for both populations: the best split of the spare
// space, each part a uniform drive.
double best_split(double space, const Populations& of) {
  const double pages = static_cast<double>(of.hot) / 100;
  const double writes = static_cast<double>(of.writes) / 100;
  double best = greedy(space);
  for (double hot = 1.01 * pages; hot < space - (1 - pages); hot += 0.005) {
    const double cold = greedy((space - hot) / (1 - pages));
    best = std::min(best, writes * greedy(hot / pages) + (1 - writes) * cold);
  }
  return best;
}

// Pages below `hot` have one stream, the rest another, copies as well. `wrong`: copies are swapped.
class Known final : public PagePlacement {
 public:
  Known(std::uint64_t hot, bool wrong) : hot_(hot), wrong_(wrong) {}
  std::uint32_t host(const HostWrite& write) const override { return write.page < hot_ ? 0 : 1; }
  std::uint32_t copy(const CopiedPage& page) const override {
    return (page.page < hot_) != wrong_ ? 0 : 1;
  }

 private:
  std::uint64_t hot_;
  bool wrong_;
};

FtlShape shape_of(std::uint32_t streams) {
  FtlShape shape = one_lun(kBlocks, kPages, kSpare);
  shape.shared_frontier = false;
  shape.streams = streams;
  return shape;
}

// Pages of full blocks by valid page: the others are free, or open for the streams and copies.
double space_of(const FtlShape& shape) {
  const double others = shape.gc_threshold - 1 + (shape.streams + 1) / 2.0;
  return (kBlocks - others) * kPages / static_cast<double>(shape.logical_pages);
}

double amplification(const Populations& of, std::unique_ptr<PagePlacement> policy,
                     const char* victim = "greedy") {
  UntimedRun run{5, 3};
  run.hot_pages = of.hot;
  run.hot_writes = of.writes;
  return untimed_amplification(shape_of(2), victim, {}, run, std::move(policy));
}

// No page is hotter than others, so separation neither gains nor costs.
TEST(Placement, UniformOverwritesAmplifyEquallyUnderEveryPolicy) {
  for (const char* policy : kAll) {
    const double expected = greedy(space_of(shape_of(2)));
    EXPECT_NEAR(amplification({50, 50}, page_placement(policy, {})), expected, 0.01 * expected)
        << policy;
  }
}

// Greedy victims of both populations have equally many valid pages. So perfect separation gives
// both the same spare space by valid page, and the amplification of uniform overwrites. Victims of
// the cold one may have one page more, which is worth 4 %.
TEST(Placement, SeparatedPopulationsAreUniformDrives) {
  for (const Populations of : {Populations{20, 80}, Populations{10, 90}}) {
    const FtlShape shape = shape_of(2);
    const double uniform = greedy(space_of(shape));
    const double least = best_split(space_of(shape), of);
    const std::uint64_t hot = shape.logical_pages * of.hot / 100;
    const double mixed = amplification(of, page_placement("single", {}));
    const double apart = amplification(of, std::make_unique<Known>(hot, false));
    EXPECT_NEAR(apart, uniform, 0.05 * uniform);
    EXPECT_LT(least, apart);
    EXPECT_GT(mixed, 1.08 * apart);
    // Age distinguishes hot blocks, which will soon lose more pages, from cold ones.
    EXPECT_LT(amplification(of, page_placement("single", {}), "cost_benefit"), 0.97 * mixed);
    const double most = apart + 0.75 * (mixed - apart);
    for (const char* policy : {"hot_cold_frequency", "hot_cold_recency"}) {
      const double measured = amplification(of, page_placement(policy, {}));
      EXPECT_GT(measured, least) << policy;
      EXPECT_LT(measured, most) << policy;
      const double aged = amplification(of, page_placement(policy, {}), "cost_benefit");
      EXPECT_GT(aged, least) << policy;
      EXPECT_LT(aged, 0.9 * apart) << policy;
    }
    // Wrong models: streams that mean nothing, and copies in the other population's blocks.
    EXPECT_GT(amplification(of, page_placement("round_robin_streams", {})), most);
    EXPECT_GT(amplification(of, std::make_unique<Known>(hot, true)), most);
  }
}

TEST(Placement, FrequencyGradesStreamsByHalvedCounts) {
  const auto policy = page_placement("hot_cold_frequency", {});
  policy->connect({100, 3, 1});
  std::uint64_t time = 0;
  const auto write = [&](std::uint64_t page) { policy->on_write({page, 0, time++}); };
  for (int i = 0; i < 4; ++i) {
    write(5);
  }
  EXPECT_EQ(policy->copy({5, 0, time}), 0u);
  EXPECT_EQ(policy->host({6, 0, time}), 2u);
  write(6);
  EXPECT_EQ(policy->host({6, 0, time}), 1u) << "the second write counts";
  EXPECT_EQ(policy->copy({6, 0, time}), 2u);
  EXPECT_EQ(policy->copy({5, 0, 100}), 1u) << "halved to 2";
  EXPECT_EQ(policy->copy({5, 0, 200}), 2u);
}

TEST(Placement, RecencyPromotesACandidateAndDemotesTheOldest) {
  const auto policy =
      page_placement("hot_cold_recency", {{"policies.hot_cold_recency.hot", "0.02"}});
  policy->connect({100, 3, 1});
  const auto write = [&](std::uint64_t page) { policy->on_write({page, 0, 0}); };
  const auto stream = [&](std::uint64_t page) { return policy->copy({page, 0, 0}); };
  EXPECT_EQ(policy->host({1, 0, 0}), 2u);
  write(1);
  EXPECT_EQ(stream(1), 1u);
  EXPECT_EQ(policy->host({1, 0, 0}), 0u);
  write(1);
  EXPECT_EQ(stream(1), 0u);
  for (const std::uint64_t page : {2, 2, 3, 3}) {
    write(page);
  }
  EXPECT_EQ(stream(1), 1u) << "two pages are hot at most";
  EXPECT_EQ(stream(2), 0u);
  EXPECT_EQ(stream(3), 0u);
  for (std::uint64_t page = 10; page < 30; ++page) {
    write(page);
  }
  EXPECT_EQ(stream(1), 2u) << "forgotten";
}

struct Way {
  const char* page_size;
  const char* partial_writes;
  const char* allocation;
  const char* scheduler;
  const char* victim;
};

NvdimmParameters timed(const std::string& policy, const Way& way) {
  NvdimmParameters parameters = small_nvdimm();
  ParameterSet set;
  parameters.declare(set);
  const Assignments assignments{{"nvdimm.capacity", "4MiB"},
                                {"nvdimm.nand.page_size", way.page_size},
                                {"nvdimm.nand.pages_per_block", "8"},
                                {"nvdimm.nand.chips", "2"},
                                {"nvdimm.buffer.write_size", "256KiB"},
                                {"nvdimm.ftl.partial_writes", way.partial_writes},
                                {"nvdimm.ftl.allocation", way.allocation},
                                {"nvdimm.gc.scheduler", way.scheduler},
                                {"nvdimm.ftl.victim", way.victim},
                                {"nvdimm.ftl.over_provisioning", "150"},
                                {"nvdimm.ftl.placement", policy},
                                {"nvdimm.ftl.streams", "3"}};
  EXPECT_TRUE(set.apply(assignments).empty()) << join_errors(set.apply(assignments));
  parameters.precondition.fill = 1;
  parameters.precondition.overwrite = 2;
  return parameters;
}

constexpr Way kWays[] = {
    {"4KiB", "combine", "dynamic", "reactive", "greedy"},
    {"16KiB", "combine", "dynamic", "proactive", "fifo"},
    {"16KiB", "combine", "static", "reactive", "random_victim"},
    {"16KiB", "merge", "dynamic", "reactive", "d_choices"},
    {"8KiB", "pad", "dynamic", "reactive", "cost_benefit"},
    {"16KiB", "combine", "dynamic", "reactive_copyback", "greedy"},
};

TEST(Placement, AllWorkInTimedRunsAndResume) {
  for (const std::string policy : kAll) {
    for (const Way& way : kWays) {
      SCOPED_TRACE(policy + " " + way.page_size + " " + way.partial_writes + " " + way.allocation +
                   " " + way.scheduler + " " + way.victim);
      const NvdimmParameters parameters = timed(policy, way);
      Rig rig(parameters);
      Random random(6);
      const auto pages = static_cast<std::uint64_t>(rig.nvdimm().ftl().shape().logical_pages);
      rig.run(4000, 16, [&](std::int64_t, Address& address, bool& write) {
        const std::uint64_t among = random.below(4) == 0 ? pages : pages / 8;
        address = line_address(static_cast<std::int64_t>(random.below(among)));
        write = true;
      });
      rig.drain();
      EXPECT_GT(rig.statistics().ftl.gc_count, 0u);
      const FtlShape& shape = rig.nvdimm().ftl().shape();
      const FtlCensus census = rig.census();
      EXPECT_EQ(census.in_flight, 0u);
      EXPECT_EQ(census.valid, shape.logical_pages);
      EXPECT_EQ(census.free + census.valid + census.invalid, shape.places());
      Archive saved;
      rig.nvdimm().serialize(saved);
      Rig other(parameters, 2);
      Archive loaded(saved.bytes());
      other.nvdimm().serialize(loaded);
      Archive again;
      other.nvdimm().serialize(again);
      EXPECT_EQ(again.bytes(), saved.bytes());
    }
  }
}

// The latest handle of a page counts: flash pages of even numbers have handle 0, the others 4,
// which are streams 0 and 1 of 3. No full block mixes them, also if a batch begins with a page that
// has left the buffer.
TEST(Placement, HandlesReachTheBlocks) {
  for (const Way& way : {kWays[1], kWays[3]}) {
    NvdimmParameters parameters = timed("by_handle", way);
    parameters.precondition.fill = 0;
    Rig rig(parameters);
    const auto write = [&](std::int64_t page, std::uint16_t handle) {
      const std::size_t seen = rig.acks.size();
      rig.nvdimm().command(0, line_address(page), true, rig.now());
      while (rig.acks.size() == seen && rig.kernel().step(kNever)) {
      }
      rig.nvdimm().set_handle(0, handle);
      rig.nvdimm().finish(0, rig.now());
    };
    for (std::int64_t i = 0; i < 400; ++i) {
      const std::int64_t page = i < 200 ? i : 399 - i;
      write(page, 2);
      write(page, page / 4 % 2 == 0 ? 0 : 4);
    }
    rig.drain();
    const Ftl& ftl = rig.nvdimm().ftl();
    std::vector<std::uint32_t> programmed(2);
    for (std::int64_t page = 0; page < 200; ++page) {
      const PhysicalPage at = ftl.pages().place(LogicalPage(page));
      if (at != kNowhere) {
        const auto odd = static_cast<std::uint32_t>(page / 4 % 2);
        ++programmed[odd];
        EXPECT_EQ(ftl.blocks(ftl.shape().lun_of(at))[ftl.shape().block_of(at)].stream, odd) << page;
      }
    }
    EXPECT_GT(programmed[0], 20u);
    EXPECT_GT(programmed[1], 20u);
  }
}

// The message names both ways out.
TEST(Placement, TooManyStreamsGiveOneError) {
  NvdimmParameters parameters = timed("by_handle", kWays[0]);
  const auto number_after = [&](const char* text) {
    const std::vector<ParameterError> errors = parameters.check();
    EXPECT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors.at(0).name, "nvdimm.ftl.streams");
    const std::size_t at = errors[0].message.find(text);
    EXPECT_NE(at, std::string::npos) << errors[0].message;
    return std::stod(errors[0].message.substr(at + std::strlen(text)));
  };
  parameters.ftl.streams = 64;  // with as many blocks in a LUN, no over-provisioning is enough
  const auto most = static_cast<std::int64_t>(number_after("room for "));
  EXPECT_GT(most, 3);
  parameters.ftl.streams = most;
  EXPECT_TRUE(parameters.check().empty());
  parameters.ftl.streams = most + 1;
  parameters.ftl.over_provisioning = number_after("; ");
  EXPECT_TRUE(parameters.check().empty());
}

}  // namespace
}  // namespace hmsim
