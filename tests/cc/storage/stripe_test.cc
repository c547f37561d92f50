// SPDX-License-Identifier: BSD-3-Clause
// Does a stripe place every byte as in RAID-0, and reach the rate of its members up to its bus?
#include "storage/stripe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "storage/table_device.h"
#include "tests/cc/storage/device_rig.h"

namespace hmsim {
namespace {

using Kind = IoRequest::Kind;

constexpr std::uint64_t kMember = 1 << 20;

// Records requests and takes a microsecond for each.
class Notes final : public StorageDevice {
 public:
  void listen(IoListener& listener) override { listener_ = &listener; }
  void submit(const IoRequest& request, Tick now) override {
    seen.push_back(request);
    ends_.emplace_back(now + kMicrosecond, request.tag);
  }
  Bytes capacity() const override { return Bytes(static_cast<std::int64_t>(kMember)); }
  void register_statistics(StatisticRegistry& /*registry*/, const std::string& /*path*/) override {}
  Tick next_event() const override { return ends_.empty() ? kNever : ends_.front().first; }
  Tick advance(Tick now) override {
    while (next_event() <= now) {
      const auto [time, tag] = ends_.front();
      ends_.erase(ends_.begin());
      listener_->on_io_done(tag, time);
    }
    return next_event();
  }
  void serialize(Archive& /*archive*/) override {}

  std::vector<IoRequest> seen;

 private:
  IoListener* listener_ = nullptr;
  std::vector<std::pair<Tick, std::uint32_t>> ends_;
};

TableParameters table() {
  TableParameters parameters;
  parameters.read = "512B=10us, 64KiB=100us";
  parameters.write = "512B=20us, 64KiB=200us";
  return parameters;
}

std::unique_ptr<Stripe> make_stripe(const StripeParameters& parameters) {
  std::vector<std::unique_ptr<StorageDevice>> members;
  for (std::int64_t i = 0; i < parameters.members; ++i) {
    members.push_back(
        std::make_unique<TableDevice>(table(), Bytes(static_cast<std::int64_t>(kMember))));
  }
  return std::make_unique<Stripe>(parameters, std::move(members));
}

// Lays the bytes out one sector at a time, like dealing cards: each member in turn gets a unit.
TEST(Stripe, EverySectorIsOnTheMemberOfItsUnit) {
  constexpr std::uint64_t kSector = 512;
  for (const std::size_t count : {1, 3, 4}) {
    for (const std::uint64_t unit : {kSector, 7 * kSector, 16 * kSector}) {
      std::map<std::uint64_t, std::pair<std::size_t, std::uint64_t>> dealt;
      std::vector<std::uint64_t> piles(count);
      std::uint64_t sectors = 0;
      while (piles.back() + unit <= kMember) {
        for (std::size_t member = 0; member < count; ++member) {
          for (std::uint64_t i = 0; i < unit; i += kSector) {
            dealt[sectors++ * kSector] = {member, piles[member]};
            piles[member] += kSector;
          }
        }
      }
      std::vector<std::unique_ptr<StorageDevice>> members;
      std::vector<Notes*> notes;
      for (std::size_t i = 0; i < count; ++i) {
        auto one = std::make_unique<Notes>();
        notes.push_back(one.get());
        members.push_back(std::move(one));
      }
      StripeParameters parameters;
      parameters.members = static_cast<std::int64_t>(count);
      parameters.unit = Bytes(static_cast<std::int64_t>(unit));
      Stripe stripe(parameters, std::move(members));
      ASSERT_EQ(stripe.capacity().value(), static_cast<std::int64_t>(sectors * kSector));
      DeviceRig rig(stripe);
      Random random(11);
      for (int i = 0; i < 300; ++i) {
        const std::uint64_t bytes = kSector * (1 + random.below(64));
        const std::uint64_t offset = kSector * random.below(sectors - bytes / kSector + 1);
        for (Notes* one : notes) {
          one->seen.clear();
        }
        rig.read(offset, bytes);
        // Sector by sector, each exactly once.
        std::map<std::pair<std::size_t, std::uint64_t>, int> got;
        for (std::size_t member = 0; member < count; ++member) {
          for (const IoRequest& piece : notes[member]->seen) {
            ASSERT_LE(piece.offset % unit + piece.bytes, unit) << "a piece crosses an edge";
            for (std::uint64_t at = 0; at < piece.bytes; at += kSector) {
              ++got[{member, piece.offset + at}];
            }
          }
        }
        ASSERT_EQ(got.size(), bytes / kSector);
        for (std::uint64_t at = offset; at < offset + bytes; at += kSector) {
          ASSERT_EQ(got[dealt.at(at)], 1);
        }
      }
    }
  }
}

// With units of 8 KiB, a 4 KiB request at 6 KiB is two pieces on two members, in parallel.
TEST(Stripe, ARequestOverAnEdgeIsTwoPieces) {
  StripeParameters parameters;
  parameters.members = 2;
  parameters.unit = Bytes(8192);
  auto stripe = make_stripe(parameters);
  DeviceRig rig(*stripe);
  const Tick half = TimeTable::parse(table().read).value.value()(2048);
  EXPECT_EQ(rig.read(6144, 4096), half);
}

// N saturated members are N times as fast as one, up to the bus (exact).
TEST(Stripe, RunsAtTheRateOfAllMembersUpToTheBus) {
  constexpr std::uint64_t kUnit = 65536;
  constexpr std::uint64_t kUnits = 12;
  for (const Kind kind : {Kind::read, Kind::write}) {
    const Tick one = kind == Kind::read ? 100 * kMicrosecond : 200 * kMicrosecond;
    for (const std::int64_t members : {1, 2, 4}) {
      for (const Tick bus : {Tick(0), 500 * kNanosecond, 2 * kMicrosecond}) {
        StripeParameters parameters;
        parameters.members = members;
        parameters.bus = bus;
        auto stripe = make_stripe(parameters);
        DeviceRig rig(*stripe);
        rig.send(kind, 0, kUnit * kUnits);
        rig.drain();
        const Tick move = 64 * bus;
        const std::int64_t rounds = static_cast<std::int64_t>(kUnits) / members;
        // Members and bus form a pipeline of rounds. The slower stage determines the time of each
        // round; the faster stage adds one round.
        const Tick round = members * move;
        EXPECT_EQ(rig.now(), round <= one ? rounds * one + round : one + rounds * round)
            << members << " members, " << bus.value() << " ps a KiB";
      }
    }
  }
}

// Rates of many parallel random requests, against members' queues computed by hand (no bus).
TEST(Stripe, RandomRequestsEndWhenTheirSlowestPieceDoes) {
  constexpr std::uint64_t kUnit = 4096;
  StripeParameters parameters;
  parameters.members = 4;
  parameters.unit = Bytes(kUnit);
  auto stripe = make_stripe(parameters);
  DeviceRig rig(*stripe);
  const TimeTable reads = TimeTable::parse(table().read).value.value();
  const TimeTable writes = TimeTable::parse(table().write).value.value();
  std::vector<Tick> busy(4, Tick(0));
  std::vector<Tick> expected;
  Random random(17);
  for (int i = 0; i < 3000; ++i) {
    IoRequest request = any_request(random, 4 * kMember, 32768);
    request.barrier = false;
    request.kind = i % 3 == 0 ? Kind::write : Kind::read;
    request.bytes = later<std::uint64_t>(request.bytes, 512);
    rig.send(request);
    Tick end{0};
    for (std::uint64_t at = request.offset; at < request.offset + request.bytes;) {
      const std::uint64_t unit = at / kUnit;
      const std::uint64_t next = std::min((unit + 1) * kUnit, request.offset + request.bytes);
      Tick& member = busy[unit % 4];
      member += (request.kind == Kind::read ? reads : writes)(next - at);
      end = later(end, member);
      at = next;
    }
    expected.push_back(end);
  }
  rig.drain();
  for (std::uint32_t tag = 0; tag < expected.size(); ++tag) {
    ASSERT_EQ(rig.ended.at(tag), expected[tag]) << tag;
  }
}

TEST(Stripe, AFlushGoesToAllMembersAndABarrierHoldsOverAll) {
  StripeParameters parameters;
  parameters.members = 4;
  auto stripe = make_stripe(parameters);
  DeviceRig rig(*stripe);
  const std::uint32_t first = rig.send(Kind::write, 0, 65536);          // 200 us, member 0
  const std::uint32_t wall = rig.send(Kind::read, 65536, 65536, true);  // member 1
  const std::uint32_t behind = rig.send(Kind::read, 2 * 65536, 65536);  // member 2
  rig.drain();
  EXPECT_EQ(rig.ended.at(first), 200 * kMicrosecond);
  EXPECT_EQ(rig.ended.at(wall), 300 * kMicrosecond);
  EXPECT_EQ(rig.ended.at(behind), 400 * kMicrosecond);
  EXPECT_EQ(rig.alone(Kind::flush, 0, 0), table().flush);
}

TEST(Stripe, ContinuesFromACheckpoint) {
  StripeParameters parameters;
  parameters.members = 3;
  parameters.unit = Bytes(4096);
  parameters.bus = 3 * kMicrosecond;
  const auto make = [&] { return make_stripe(parameters); };
  expect_exact_resume(make, 60, 32768);
}

}  // namespace
}  // namespace hmsim
