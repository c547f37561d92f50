// SPDX-License-Identifier: BSD-3-Clause
// Does a block agent's trace reach the storage, as it reaches the NVDIMM without one?
#include <gtest/gtest.h>

#include "simulation/simulation.h"
#include "tests/cc/simulation/values.h"

namespace hmsim::testing {
namespace {

const Assignments kMoneta = keys_from(
    "nvdimm.present=false dram.refresh=false storage.kind=array storage.capacity=1GiB "
    "storage.path.driver=none storage.memory.start_gap=off");

std::unique_ptr<Simulation> run(const std::string& format, const std::string& trace,
                                const Assignments& keys = {}, const Assignments& more = {}) {
  return run_blocks(with(kMoneta, more), format, trace, keys);
}

// 4 KB on an idle device: link, ring, controller, end.
constexpr std::int64_t kWrite =
    1'310'000 + 4 * 602'000 + 4 * 280'000 + 2'900'000 + 360'000 + 100'000;
constexpr std::int64_t kRead = 3'000'000 + 4 * (115'000 + 430'000 + 650'000) + 100'000;
constexpr std::int64_t kFlush = 100'000;

TEST(Storage, ATracesRequestsTakeTheDevicesTime) {
  const auto simulation = run("mqsim", "0 0 0 8 1\n9 0 80 8 0\n9 0 800 8 1\n", {{"threads", "1"}});
  EXPECT_EQ(simulation->now().value(), 2 * kRead + kWrite);
  EXPECT_EQ(value_of(*simulation, "storage.reads"), 2);
  EXPECT_EQ(value_of(*simulation, "storage.writes"), 1);
  EXPECT_EQ(value_of(*simulation, "storage.write_bytes"), 4'096);
  EXPECT_EQ(value_of(*simulation, "agent.0.progress"), 3);
  EXPECT_EQ(value_of(*simulation, "sim.requests"), 3);
}

TEST(Storage, FlushesAreSeparateRequestsAndTrimsTakeNoTime) {
  const std::string trace =
      "fio version 2 iolog\nf add\nf open\nf write 0 4096\nf sync\nf trim 0 4096\nf read 0 4096\n"
      "f close\n";
  const auto simulation = run("fio", trace, {{"threads", "1"}});
  EXPECT_EQ(simulation->now().value(), kWrite + kFlush + kRead);
  EXPECT_EQ(value_of(*simulation, "storage.flushes"), 1);
}

const Assignments kDrive = keys_from(
    "storage.kind=flash storage.capacity=4MiB storage.flash.capacity=8MiB "
    "storage.flash.ftl.over_provisioning=40 storage.flash.nand.channels=2 "
    "storage.flash.nand.pages_per_block=16 storage.flash.buffer.read_size=64KiB "
    "storage.flash.buffer.write_size=64KiB storage.flash.buffer.flush=writeback");

TEST(Storage, TrimsReachTheFtlOfADriveAndNoOtherDevice) {
  const std::string trace =
      "fio version 2 iolog\nf add\nf open\nf write 0 65536\nf sync\nf trim 4096 32768\n"
      "f read 0 4096\nf close\n";
  const auto drive = run("fio", trace, {{"threads", "1"}}, kDrive);
  EXPECT_EQ(value_of(*drive, "storage.trims"), 1);
  EXPECT_EQ(value_of(*drive, "storage.ignored_trims"), 0);
  EXPECT_EQ(value_of(*drive, "storage.device.trims"), 1);
  EXPECT_EQ(value_of(*drive, "storage.device.flash.ftl.trimmed_pages"), 8);
  const auto array = run("fio", trace, {{"threads", "1"}});
  EXPECT_EQ(value_of(*array, "storage.trims"), 1);
  EXPECT_EQ(value_of(*array, "storage.ignored_trims"), 1);
}

// A flush waits for the writes of all threads, and later requests wait for the flush.
TEST(Storage, AFlushIsABarrierForAllThreads) {
  const std::string trace =
      "fio version 2 iolog\nf add\nf open\nf write 0 4096\nf sync\nf read 8192 4096\nf close\n";
  const auto simulation = run("fio", trace, {{"threads", "3"}});
  EXPECT_EQ(simulation->now().value(), kWrite + kFlush + kRead);
}

TEST(Storage, ARequestBeyondTheEndWrapsToTheStart) {
  const std::uint64_t last = (std::uint64_t{1} << 30) / 512 - 8;
  const auto simulation =
      run("mqsim", "0 0 " + std::to_string(last) + " 16 0\n", {{"threads", "1"}});
  EXPECT_EQ(simulation->now().value(), 2 * kWrite);
  EXPECT_EQ(value_of(*simulation, "storage.writes"), 2);
  EXPECT_EQ(value_of(*simulation, "frontend.address_wraps"), 1);
  EXPECT_EQ(value_of(*simulation, "agent.0.progress"), 2);
}

// A program may write a few bytes, but a device has sectors of 512 bytes.
TEST(Storage, RequestsTakeWholeSectors) {
  const std::string trace =
      "fio version 2 iolog\nf add\nf open\nf write 100 64\nf read 1000 100\nf close\n";
  const auto simulation = run("fio", trace, {{"threads", "1"}});
  EXPECT_EQ(value_of(*simulation, "storage.write_bytes"), 512);
  EXPECT_EQ(value_of(*simulation, "storage.read_bytes"), 1'024);
}

// Two agents share the device and its contexts.
TEST(Storage, AgentsShareTheDevice) {
  const Assignments agent{
      {"kind", "block_trace"}, {"path", "t"}, {"format", "mqsim"}, {"threads", "1"}};
  Simulation simulation(kMoneta, {agent, agent}, RunOptions(), text_source("0 0 0 8 0\n"));
  while (!simulation.run(1'000)) {
  }
  EXPECT_EQ(value_of(simulation, "storage.writes"), 2);
  // The second write's data cross the link after the first one's, and the same controller writes
  // its row afterwards.
  EXPECT_EQ(simulation.now().value(), kWrite + 3'260'000);
}

TEST(Storage, WithoutNvdimmOrStorageABlockAgentIsRejected) {
  EXPECT_THROW(run("mqsim", "0 0 0 8 0\n", {}, {{"storage.kind", "none"}}), InputError);
}

}  // namespace
}  // namespace hmsim::testing
