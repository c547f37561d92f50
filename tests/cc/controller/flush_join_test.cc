// SPDX-License-Identifier: BSD-3-Clause
// Does a flush of several NVDIMMs end when its parts on all channels are done?
#include "controller/flush_join.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/errors.h"

namespace hmsim {
namespace {

// A channel without function.
class Stub final : public MemoryChannel {
 public:
  Stub() : MemoryChannel(false) {}
  void connect(Kernel&, int, const std::vector<Requester*>&, const SourceProgress&) override {}
  void send(const Request&, Tick) override {}
  void pass_flush(Tick) override { ++passed; }
  bool would_wait(MemoryClass) const override { return false; }
  bool idle() const override { return true; }
  void set_observer(CommandObserver*) override {}
  ChannelStatistics& statistics() override { return statistics_; }
  Cycle elapsed() const override { return Cycle(0); }
  Tick clock_period() const override { return Tick(1); }
  std::int64_t burst_cycles() const override { return 1; }
  Tick now() const override { return Tick(0); }
  void reset_statistics(Tick) override {}
  Tick next_event() const override { return kNever; }
  Tick advance(Tick) override { return kNever; }
  void serialize(Archive&) override {}

  int passed = 0;

 private:
  ChannelStatistics statistics_{1};
};

struct Ended final : Requester {
  void on_complete(const Request&, Tick) override { ++flushes; }
  int flushes = 0;
};

// Three channels, with a flush in progress on the last two.
struct Rig {
  Rig() {
    for (int i = 0; i < 3; ++i) {
      channels.push_back(std::make_unique<Stub>());
    }
    part = join.begin(Request(), 1, 3);
  }
  Stub& channel(std::size_t index) { return static_cast<Stub&>(*channels[index]); }

  Ended ended;
  const std::vector<Requester*> requesters{&ended};
  FlushJoin::Channels channels;
  FlushJoin join{requesters, channels};
  Request part;
};

TEST(FlushJoin, PassesOnAllItsChannelsOnceTheLastPartIsDone) {
  Rig rig;
  rig.join.on_complete(rig.part, Tick(1));
  EXPECT_EQ(rig.channel(1).passed + rig.channel(2).passed + rig.ended.flushes, 0);
  rig.join.on_complete(rig.part, Tick(2));
  EXPECT_EQ(rig.channel(0).passed, 0);
  EXPECT_EQ(rig.channel(1).passed, 1);
  EXPECT_EQ(rig.channel(2).passed, 1);
  EXPECT_EQ(rig.ended.flushes, 1);
}

TEST(FlushJoin, APartOfNoFlushIsAFault) {
  Rig rig;
  rig.part.tag = 7;
  EXPECT_THROW(rig.join.on_complete(rig.part, Tick(1)), Fault);
}

}  // namespace
}  // namespace hmsim
