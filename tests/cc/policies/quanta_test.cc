// SPDX-License-Identifier: BSD-3-Clause
// Do monitors measure the right values over several quanta or windows, and which counts do they
// reject?
#include <gtest/gtest.h>

#include "policies/monitors/locality.h"
#include "policies/monitors/nvdimm_pattern.h"
#include "policies/monitors/parallelism.h"
#include "policies/monitors/service.h"
#include "policies/monitors/sources.h"
#include "tests/cc/policies/rig.h"
#include "tests/cc/states.h"
#include "tests/cc/words.h"

namespace hmsim {
namespace {

using testing::kCycle;
using testing::nvdimm_line;

ChannelShape of_banks(int banks) {
  ChannelShape shape{};
  shape.clock_period = kCycle;
  shape.burst = 4 * kCycle;
  shape.ranks = 1;
  shape.banks_per_rank = banks;
  shape.pseudo_banks = 1;
  return shape;
}

Service of_unit(const char* unit, const ChannelShape& shape) {
  Service service;
  ParameterSet parameters;
  service.declare(parameters);
  EXPECT_TRUE(parameters.apply({{"nvdimm_service", unit}}).empty());
  service.connect(shape);
  return service;
}

// A command in flight in three quanta counts in each quantum for the part of its time in that
// quantum.
TEST(Service, IsDividedAmongTheQuantaOfABusyBank) {
  Service service = of_unit("bank", of_banks(0));
  const RequestView request = nvdimm_line(0, false);
  service.command(0, request, 100 * kCycle);
  service.close(600 * kCycle);
  EXPECT_EQ(service.cycles(0), 500);
  service.close(900 * kCycle);
  EXPECT_EQ(service.cycles(0), 300);
  service.issue(0, request, false);
  service.complete(0, request, 950 * kCycle);
  service.command(0, request, 980 * kCycle);
  service.complete(0, request, 1000 * kCycle);
  service.close(1100 * kCycle);
  EXPECT_EQ(service.cycles(0), 50 + 20);
  EXPECT_EQ(service.cycles(1), 0) << "it was never seen";
}

TEST(Parallelism, IsAMeanOfEachQuantum) {
  Parallelism parallelism;
  parallelism.connect(of_banks(8));
  EXPECT_EQ(parallelism.mean(0), 0);
  parallelism.arrive(0, 1, 250 * kCycle);
  parallelism.arrive(0, 1, 300 * kCycle);  // the bank counts once
  parallelism.close(1000 * kCycle);
  EXPECT_EQ(parallelism.mean(0), 750);
  parallelism.arrive(0, 2, 1500 * kCycle);
  parallelism.leave(0, 1, 1600 * kCycle);
  parallelism.close(2000 * kCycle);
  EXPECT_EQ(parallelism.mean(0), 1500);
  parallelism.leave(0, 2, 2100 * kCycle);
  parallelism.leave(0, 1, 2500 * kCycle);
  parallelism.close(3000 * kCycle);
  EXPECT_EQ(parallelism.mean(0), 600);
  EXPECT_EQ(parallelism.mean(1), 0) << "it was never seen";
}

// At most one name for each core and class.
TEST(Sources, NamesAreBoundByCoresAndClasses) {
  for (const std::int64_t last : {(1 << 17) - 1, 1 << 17}) {
    Sources sources;
    sources.introduce(last);
    Archive archive;
    sources.serialize(archive);
    Sources loaded;
    EXPECT_EQ(testing::takes_all_of(archive.bytes(), loaded), last < 1 << 17) << last;
  }
}

TEST(PageStreams, ASavedStreamContinues) {
  PageStreams saved;
  saved.add(10);
  saved.add(20);
  PageStreams loaded;
  testing::copy_state(saved, loaded);
  EXPECT_EQ(loaded.add(11), PageStreams::Touch::sequential);
  EXPECT_EQ(loaded.add(20), PageStreams::Touch::same_page);
  EXPECT_EQ(loaded.add(30), PageStreams::Touch::random);
}

}  // namespace
}  // namespace hmsim
