// SPDX-License-Identifier: BSD-3-Clause
// Does a flush of several NVDIMMs hold together with the parts of it that are under way?
#include "controller/flush_join.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/errors.h"

namespace hmsim {
namespace {

// A channel that has nothing but, perhaps, a flush that its NVDIMM has acknowledged.
class Stub final : public MemoryChannel {
 public:
  Stub() : MemoryChannel(false) {}
  void attach(Kernel&, const std::vector<Requester*>&, const SourceProgress&) override {}
  void send(const Request&, Tick) override {}
  void pass_flush(Tick) override { ++passed; }
  const Request* acknowledged_flush() const override { return acknowledged ? &part : nullptr; }
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

  bool acknowledged = false;
  Request part;
  int passed = 0;

 private:
  ChannelStatistics statistics_{1};
};

struct Ended final : Requester {
  void on_complete(const Request&, Tick) override { ++flushes; }
  int flushes = 0;
};

// Three channels, of which a flush under way is for the last two.
struct Rig {
  Rig() {
    for (int i = 0; i < 3; ++i) {
      channels.push_back(std::make_unique<Stub>());
    }
    part = join.begin(Request(), 1, 3);
  }
  Stub& channel(std::size_t index) { return static_cast<Stub&>(*channels[index]); }
  void acknowledge(std::size_t index) {
    channel(index).acknowledged = true;
    channel(index).part = part;
  }
  // With so many parts that are under way.
  bool loads(std::size_t parts) const {
    const std::vector<Requester::Outstanding> requests(parts, {part, true});
    try {
      join.check_outstanding(Archive(std::string()), requests);
    } catch (const InputError&) {
      return false;
    }
    return true;
  }

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

TEST(FlushJoin, ASavedFlushWaitsForAsManyPartsAsAreUnderWay) {
  for (const std::size_t parts : {0, 1, 2, 3}) {
    EXPECT_EQ(Rig().loads(parts), parts == 2) << parts;
  }
}

TEST(FlushJoin, ASavedFlushHasEachPartOnItsChannel) {
  Rig rig;
  rig.join.on_complete(rig.part, Tick(1));
  EXPECT_FALSE(rig.loads(1)) << "a part is on no channel";
  rig.acknowledge(1);
  EXPECT_TRUE(rig.loads(1));
  rig.acknowledge(2);
  EXPECT_FALSE(rig.loads(1)) << "a part is there twice";
  rig.channel(1).acknowledged = false;
  EXPECT_TRUE(rig.loads(1));
  rig.channel(2).acknowledged = false;
  rig.acknowledge(0);
  EXPECT_FALSE(rig.loads(1)) << "it is not for this channel";
}

TEST(FlushJoin, AChannelWaitsForAFlushThatIsUnderWay) {
  Rig rig;
  rig.join.on_complete(rig.part, Tick(1));
  rig.join.on_complete(rig.part, Tick(2));
  EXPECT_TRUE(rig.loads(0));
  rig.acknowledge(1);
  EXPECT_FALSE(rig.loads(0)) << "it is over";
  rig.part.tag = 7;
  rig.acknowledge(1);
  EXPECT_FALSE(rig.loads(0)) << "there was none";
}

}  // namespace
}  // namespace hmsim
