// SPDX-License-Identifier: BSD-3-Clause
// Pages that the host begins to write in phases only.
#include <gtest/gtest.h>

#include <cstdint>

#include "core/archive.h"
#include "core/errors.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/hbf_rig.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kProgram = 75'586'001;  // of an idle channel, from the sending
constexpr std::int64_t kPeriod = 1'000'000'000;
const Assignments kPhases{{"hbf.write_period", "1ms"}, {"hbf.write_phase", "100us"}};

TEST(HbfPhases, AWriteWaitsForTheNextPhase) {
  for (const std::int64_t at : {0, 99'999'999, 100'000'000, 500'000'000, 999'999'999}) {
    HbfRig rig(kPhases);
    rig.kernel.run_until(Tick(at));
    const bool open = at < 100'000'000;
    EXPECT_EQ(rig.latency(rig.write(0)), kProgram + (open ? 0 : kPeriod - at)) << at;
  }
}

TEST(HbfPhases, APageThatHasBegunContinues) {
  HbfRig rig(with(kPhases, {{"hbf.accumulate", "10ms"}}));
  rig.send(0, true, 32);
  rig.kernel.run_until(Tick(300'000'000));
  const std::uint32_t rest = rig.send(32 * 64, true, 32);
  const std::uint32_t other = rig.write(1);
  rig.drain();
  EXPECT_LT(rig.done[rest], Tick(300'000'000 + kProgram));
  EXPECT_EQ(rig.done[other], Tick(kPeriod + kProgram));
}

// A new page that waits for its phase does not stop the parts of a begun one, which would be late.
TEST(HbfPhases, APageThatHasBegunPassesANewOne) {
  HbfRig rig(with(kPhases, {{"hbf.accumulate", "500us"}}));
  rig.send(0, true, 32);
  rig.kernel.run_until(Tick(300'000'000));
  const std::uint32_t other = rig.write(1);
  const std::uint32_t rest = rig.send(32 * 64, true, 32);
  rig.drain();
  EXPECT_EQ(rig.status[rest], HbfStatus::done);
  EXPECT_LT(rig.done[rest], Tick(300'000'000 + kProgram));
  EXPECT_EQ(rig.done[other], Tick(kPeriod + kProgram));
}

// All of hbf.pending_writes are taken. If new pages stopped the second halves, the first ones would
// be late.
TEST(HbfPhases, PartsOfBegunPagesPassWhileNoPageMayBegin) {
  HbfRig rig(Assignments{{"hbf.pending_writes", "2"}});
  for (const std::int64_t half : {0, 1}) {
    for (const std::int64_t page : {0, 1, 2, 3}) {
      rig.send((page * 2 + half) * 2048, true, 32);
    }
  }
  rig.drain();
  for (const HbfStatus status : rig.status) {
    EXPECT_EQ(status, HbfStatus::done);
  }
}

TEST(HbfPhases, ReadsDoNotWait) {
  HbfRig rig(kPhases);
  rig.kernel.run_until(Tick(200'000'000));
  rig.write(0);
  rig.write(1);
  EXPECT_LT(rig.latency(rig.read(2)), kPeriod);
  EXPECT_EQ(rig.done[2] - rig.sent[2], Tick(4'586'001));
}

// A saved channel sends its writes in the phase in which it would have sent them.
TEST(HbfPhases, AreKeptInASavedState) {
  const auto run = [](bool saved) {
    HbfRig rig(kPhases);
    rig.kernel.run_until(Tick(200'000'000));
    rig.write(0);
    rig.kernel.run_until(Tick(400'000'000));
    if (saved) {
      Archive out;
      rig.channel.serialize(out);
      HbfRig other(kPhases);
      Archive in(out.bytes());
      other.sent = rig.sent;
      other.done = rig.done;
      other.status = rig.status;
      other.channel.serialize(in);
      other.kernel.notify_all();
      other.drain();
      return other.done[0];
    }
    rig.drain();
    return rig.done[0];
  };
  EXPECT_EQ(run(false), Tick(kPeriod + kProgram));
  EXPECT_EQ(run(true), run(false));
}

TEST(HbfPhases, RejectsAPhaseThatIsEmptyOrTooLong) {
  const Assignments period{{"hbf.write_period", "1ms"}};
  EXPECT_THROW(HbfRig(with(period, {{"hbf.write_phase", "0s"}})), InputError);
  EXPECT_THROW(HbfRig(with(period, {{"hbf.write_phase", "2ms"}})), InputError);
}

}  // namespace
}  // namespace hmsim::testing
