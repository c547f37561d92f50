// SPDX-License-Identifier: BSD-3-Clause
// Do the host's and the memory's views of packets agree, and is each wrong model found?
#include "embed/packet_views.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/errors.h"
#include "tests/cc/embed/gate_host.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {
namespace {

using Sums = std::map<std::string, std::int64_t>;

Sums sums_of(const PacketViews& views, Tick now) {
  const PacketViews::Values values = views.values(now);
  return {values.begin(), values.end()};
}

std::int64_t residue_of(const Sums& sums) {
  std::int64_t residue = 0;
  for (const auto& [name, value] : sums) {
    residue += name.rfind("residue.", 0) == 0 ? std::abs(value) : 0;
  }
  return residue;
}

// A host whose clock is right, or wrong by a factor.
class Watched final : public GateHost {
 public:
  explicit Watched(Tick from = Tick(0), std::int64_t scale = 1)
      : gate(*this, system(kSplit), kSeed, true), views(gate.config()), now(from), scale_(scale) {
    gate.observe_lines(views);
    gate.resume(now);
    views.begin(seen());
  }
  void on_done(std::uint64_t id) override { views.done(id, seen()); }
  void on_room(MemoryClass /*memory*/) override {}
  void on_taken(const GatePacket& packet, Tick /*time*/) override { views.taken(packet, seen()); }

  void send(MemoryClass memory, std::int64_t address, bool write, std::int64_t size) {
    GatePacket packet;
    packet.memory = memory;
    packet.address = Address(address);
    packet.size = size;
    packet.write = write;
    packet.id = next_id++;
    taken += gate.offer(packet, now) ? 1 : 0;
  }
  void run_to(Tick time) {
    while (gate.next_event() <= time) {
      now = gate.next_event();
      gate.advance(now);
    }
    now = time;
  }
  Tick seen() const { return scale_ * now; }

  MemoryGate gate;
  PacketViews views;
  Tick now;
  std::int64_t taken = 0;
  std::uint64_t next_id = 0;

 private:
  std::int64_t scale_;
};

// Both memories, reads and writes, parts of lines and several lines, some of them in flight when
// the window begins. The host's time has an offset, as after a functional phase.
void traffic(Watched& host) {
  for (int i = 0; i < 200; ++i) {
    const MemoryClass memory = i % 5 == 0 ? kNvdimm : kDram;
    host.send(memory, i * 1'000, i % 3 == 0, i % 7 == 0 ? 200 : 8);
    host.run_to(host.now + Tick(13'337));
    if (i == 100) {
      host.views.begin(host.seen());
    }
  }
  host.run_to(host.now + 100 * kMicrosecond);
}

TEST(PacketViews, HostAndMemoryAgreeOnEachPacket) {
  Watched host(777 * kMicrosecond + Tick(123));
  traffic(host);
  const Sums sums = sums_of(host.views, host.now);
  EXPECT_EQ(residue_of(sums), 0);
  EXPECT_GT(sums.at("read.packets"), 40);
  EXPECT_GT(sums.at("write.packets"), 20);
  EXPECT_EQ(sums.at("read.interface_ps") + sums.at("write.interface_ps"),
            sums.at("read.simulator_ps") + sums.at("write.simulator_ps") + sums.at("admission_ps"));
  // A packet of 8 bytes at a multiple of 1,000 touches one line, as 8 divides both.
  EXPECT_GT(sums.at("read.lines") * 64, sums.at("read.bytes"));
  EXPECT_EQ(sums.at("in_flight"), 0);
}

TEST(PacketViews, CountsAreThoseOfTheMemory) {
  Watched host;
  for (int i = 0; i < 50; ++i) {
    host.send(kDram, i * 64, false, 64);
    host.run_to(host.now + kMicrosecond);
  }
  const Sums sums = sums_of(host.views, host.now);
  EXPECT_EQ(sums.at("read.packets"), 50);
  EXPECT_EQ(sums.at("read.bytes"), 50 * 64);
  EXPECT_EQ(statistic_of(host.gate.statistics(host.now), "dram.reads").count, 50U);
}

// Wrong models: the host's clock is scaled twice; it returns packets late; it loses one; the
// channels' accounts have another latency.
TEST(PacketViews, FindsAClockOfAnotherUnit) {
  Watched host(Tick(0), 2);
  traffic(host);
  EXPECT_GT(sums_of(host.views, host.seen()).at("residue.times_ps"), 0);
}

TEST(PacketViews, FindsALateReturn) {
  Watched host;
  host.send(kDram, 0, false, 64);
  while (host.gate.next_event() <= kMicrosecond) {
    const Tick event = host.gate.next_event();
    host.now = event + Tick(500);  // the host processes each event 500 ps late
    host.gate.advance(event);
  }
  EXPECT_EQ(sums_of(host.views, host.now).at("residue.times_ps"), 500);
}

TEST(PacketViews, FindsAnUnknownPacket) {
  Watched host;
  host.views.done(99, Tick(5));
  EXPECT_EQ(sums_of(host.views, Tick(5)).at("residue.unseen"), 1);
}

TEST(PacketViews, RejectsLinksWithoutTimeAccounts) {
  const Assignments parameters = system({{"nvdimm.attach", "cxl"}});
  Host host(parameters);
  EXPECT_THROW(PacketViews(host.gate.config()), InputError);
}

}  // namespace
}  // namespace hmsim::testing
