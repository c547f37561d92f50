// SPDX-License-Identifier: BSD-3-Clause
// How does one test the controller? A first test, explained line by line: one read of a closed
// bank.
//
// Build and run it alone:
//   scons build/gcc-release/hmsim_tests
//   build/gcc-release/hmsim_tests --gtest_filter='First.*'

// The framework: TEST, EXPECT_EQ (goes on after a failure) and ASSERT_EQ (ends the function).
#include <gtest/gtest.h>

// `assert_commands`, `assert_gap` and `only`: what tests ask of a command log.
#include "tests/cc/controller/command_log.h"
// `ChannelUnderTest`: a whole channel whose requests we send, and whose commands we see.
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {
namespace {  // nothing here is seen by other tests

using C = ChannelCommand;

// The name has two parts, the subject and what is claimed of it. A claim that fails can then be
// read from the list of tests alone.
TEST(First, AReadOfAClosedBankIsAnActivateAndThenARead) {
  // A channel is made from the same keys as a YAML file has; what is not given has its default:
  // DDR3-1600 11-11-11, so that a cycle is 1.25 ns. `kDramOnly` leaves the NVDIMM away.
  ChannelUnderTest channel(kDramOnly);

  // Nothing has happened yet: the clock stands at 0, and no bank has an open row. A request is for
  // one line of 64 bytes. `dram` returns the address of a row, a bank and a column, so that the
  // test need not know the address map. The number that `send` returns names the request later.
  const Address line = channel.dram(/*row=*/5, /*bank=*/0, /*column=*/0);
  const std::uint64_t id = channel.send(MemoryClass::dram, line);

  // Time passes only when the test lets it. 200 cycles are more than a read takes, and fewer than
  // the 6240 after which the first refresh would come between.
  channel.run_to(Cycle(200));

  // The log holds every command that the channel issued, with its cycle. Here the row is opened at
  // once, and read tRCD = 11 cycles later. On failure both lists are shown, line by line.
  assert_commands(channel.log_, {{C::activate, 0}, {C::read, 11}});

  // The data come CL = 11 cycles after the read and take 4: a burst of 8 at double data rate. Where
  // a number comes from is written as a sum, not as 26.
  EXPECT_EQ(channel.finished_.at(id), Cycle(11 + 11 + 4));

  // A protocol checker, which shares no code with the channel, has judged every command as well:
  // the destructor of `channel` fails the test when a rule of the part was broken.
}

// The same bank again: what was left open decides what the next request costs.
TEST(First, AnotherRowOfTheBankIsClosedFirst) {
  ChannelUnderTest channel(kDramOnly);
  channel.send(MemoryClass::dram, channel.dram(5, 0, 0));
  channel.run_to(Cycle(200));

  // What went before is of no interest: an empty log makes the next assertion short.
  channel.log_.clear();
  channel.send(MemoryClass::dram, channel.dram(6, 0, 0));
  channel.run_to(Cycle(400));

  // Cycles may be counted from any other; here from the one on which the request was sent.
  assert_commands(channel.log_, {{C::precharge, 0}, {C::activate, 11}, {C::read, 22}}, Cycle(200));

  // Where only a distance matters, say the distance: from command 0 to command 1, tRP.
  assert_gap(channel.log_, 0, 1, 11);
}

}  // namespace
}  // namespace hmsim::testing
