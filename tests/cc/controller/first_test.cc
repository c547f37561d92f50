// SPDX-License-Identifier: BSD-3-Clause
// How do I test the controller? A first test, explained line by line: one read of a closed bank.
//
// Build and run it alone:
//   scons build/gcc-release/hmsim_tests
//   build/gcc-release/hmsim_tests --gtest_filter='First.*'

// The framework: TEST, EXPECT_EQ (continues after a failure) and ASSERT_EQ (leaves the function).
// `assert_commands`, `assert_gap` and `only` inspect a command log. `ChannelUnderTest` is a
// complete channel; the test sends requests and sees its commands.
#include <gtest/gtest.h>

// `assert_commands`, `assert_gap` and `only`: what tests ask of a command log.
#include "tests/cc/controller/command_log.h"
// `ChannelUnderTest`: a whole channel whose requests we send, and whose commands we see.
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {  // not visible to other tests

using C = ChannelCommand;

// A test name has two parts: the subject and the claim about it. The list of tests then shows which
// claim fails.
TEST(First, AReadOfAClosedBankIsAnActivateAndThenARead) {
  // A channel takes the same keys as a YAML file, with the same defaults: DDR3-1600 11-11-11, so a
  // cycle is 1.25 ns. `kDramOnly` removes the NVDIMM.
  ChannelUnderTest channel(kDramOnly);

  // The clock is at 0, and no bank has an open row. A request is for one line of 64 bytes. `dram`
  // returns the address of a row, bank and column, so the test does not depend on the address map.
  // The value that `send` returns identifies the request.
  const Address line = channel.dram(/*row=*/5, /*bank=*/0, /*column=*/0);
  const std::uint64_t id = channel.send(MemoryClass::dram, line);

  // Time passes only in `run_to`. 200 cycles are longer than a read and shorter than the 6240
  // cycles before the first refresh.
  channel.run_to(Cycle(200));

  // The log holds every command that the channel issued, with its cycle. Here the row is activated
  // at once and read tRCD = 11 cycles later. A failure shows both lists, line by line.
  assert_commands(channel.log_, {{C::activate, 0}, {C::read, 11}});

  // The data follow CL = 11 cycles after the read and take 4: a burst of 8 at double data rate.
  // Write expected numbers as sums that show their origin, not as 26.
  EXPECT_EQ(channel.finished_.at(id), Cycle(11 + 11 + 4));

  // A protocol checker, which shares no code with the channel, has checked every command as well.
  // The destructor of `channel` fails the test if a rule of the part was broken.
}

// Another request to the same bank: the open row determines its latency.
TEST(First, AnotherRowOfTheBankIsClosedFirst) {
  ChannelUnderTest channel(kDramOnly);
  channel.send(MemoryClass::dram, channel.dram(5, 0, 0));
  channel.run_to(Cycle(200));

  // Earlier commands do not matter here; an empty log keeps the next assertion short.
  channel.log_.clear();
  channel.send(MemoryClass::dram, channel.dram(6, 0, 0));
  channel.run_to(Cycle(400));

  // The last argument is the cycle from which cycles are counted: here that of the send.
  assert_commands(channel.log_, {{C::precharge, 0}, {C::activate, 11}, {C::read, 22}}, Cycle(200));

  // If only a distance matters, assert only that: here 11 cycles (tRP) from command 0 to command 1.
  assert_gap(channel.log_, 0, 1, 11);
}

}  // namespace
}  // namespace hmsim::testing
