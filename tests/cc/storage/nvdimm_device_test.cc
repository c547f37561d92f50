// SPDX-License-Identifier: BSD-3-Clause
// Does the NVDIMM as a storage device send the right lines at the right times?
#include "storage/nvdimm_device.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "storage/block_ledger.h"
#include "storage/nvdimm_host.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/states.h"

namespace hmsim::testing {
namespace {

constexpr Tick kLatency = 100 * kNanosecond;
constexpr std::uint64_t kPage = 4'096;

NvdimmDeviceParameters device_of(NvdimmDriverKind kind, std::int64_t window = 64) {
  NvdimmDeviceParameters parameters;
  parameters.driver = driver_of(kind);
  parameters.fence = Fence::block;
  parameters.window = window;
  return parameters;
}

// A device on a port that answers after a fixed time, without software.
class Rig final : public IoListener, public testing::Saved<Rig> {
 public:
  explicit Rig(const NvdimmDeviceParameters& device, std::size_t slots = 1'000,
               Bytes largest_request = kLineBytes, bool block_access = false)
      : port(slots, fixed(kLatency)), io({PathParameters(), device}) {
    port.set_capacity(Bytes(0), Bytes(1 << 20));
    port.set_largest_request(largest_request);
    port.blocks = block_access;
    io.device.connect(port, 0);
    io.host.attach(Wakeup(kernel, kernel.attach(io.host)));
    client_ = io.host.join(*this);
    port.connect({&io.device}, Wakeup(kernel, kernel.attach(port)));
    kernel.notify_all();
  }

  void begin(IoRequest::Kind kind, std::uint64_t offset, std::uint64_t bytes, bool fua = false) {
    IoRequest request;
    request.kind = kind;
    request.offset = offset;
    request.bytes = bytes;
    request.fua = fua;
    request.tag = tags_++;
    io.host.begin(client_, request, kernel.now());
  }
  void read(std::uint64_t offset, std::uint64_t bytes) {
    begin(IoRequest::Kind::read, offset, bytes);
  }
  void write(std::uint64_t offset, std::uint64_t bytes) {
    begin(IoRequest::Kind::write, offset, bytes);
  }
  void flush(bool fua = false) { begin(IoRequest::Kind::flush, 0, 0, fua); }
  void drain() {
    while (kernel.step(kNever)) {
    }
  }

  // Returns the sent accesses as kinds with counts and times in latencies: "W64@0 R8@1".
  std::string sent() const {
    std::string text;
    std::string last;
    int count = 0;
    const auto add = [&] {
      text += count == 0 ? ""
                         : (text.empty() ? "" : " ") + last.substr(0, 1) + std::to_string(count) +
                               last.substr(1);
    };
    for (const Sent& each : port.log) {
      const std::string kind = each.flush ? "F" : each.write ? "W" : "R";
      const std::string now = kind + "@" + std::to_string(each.time.value() / kLatency.value());
      if (now != last) {
        add();
        count = 0;
        last = now;
      }
      ++count;
    }
    add();
    return text;
  }

  void serialize(Archive& archive) {
    io.host.serialize(archive);
    port.serialize(archive);
    kernel.serialize(archive);
  }

  Kernel kernel;
  FakePort port;
  NvdimmHost io;
  std::map<std::uint32_t, std::int64_t> ended;  // tags, and end times in latencies
  std::int64_t blocks = 0;

 private:
  void on_io_done(std::uint32_t tag, Tick now) override {
    EXPECT_EQ(ended.count(tag), 0u) << "a request ends twice";
    ended[tag] = now.value() / kLatency.value();
  }
  void on_blocks_done(std::int64_t count, Tick) override { blocks += count; }

  std::uint16_t client_ = 0;
  std::uint32_t tags_ = 0;
};

using Ended = std::map<std::uint32_t, std::int64_t>;

TEST(NvdimmDevice, AWindowBoundsTheLinesOfARequest) {
  Rig rig(device_of(NvdimmDriverKind::nd_pmem, 24));
  rig.read(64, 2 * kPage);
  rig.drain();
  EXPECT_EQ(rig.sent(), "R24@0 R24@1 R24@2 R24@3 R24@4 R8@5");
  EXPECT_EQ(rig.ended, (Ended{{0, 6}}));
  EXPECT_EQ(rig.blocks, 3) << "a page and two parts of pages";
  EXPECT_EQ(rig.io.device.completed(), 128u);
  EXPECT_EQ(rig.io.device.response_times().count(), 3u);
}

TEST(NvdimmDevice, AnAccessIsAsLargeAsTheMemoryTakes) {
  Rig rig(device_of(NvdimmDriverKind::nd_pmem, 2), 1'000, kPageBytes);
  rig.read(64, 2 * kPage);
  rig.write(4 * kPage, 128);
  rig.drain();
  EXPECT_EQ(rig.sent(), "R2@0 W1@0 R1@1");
  std::vector<std::pair<std::int64_t, int>> accesses;
  for (const Sent& each : rig.port.log) {
    accesses.emplace_back(each.address, each.lines);
  }
  EXPECT_EQ(accesses, (std::vector<std::pair<std::int64_t, int>>{
                          {64, 63}, {4'096, 64}, {16'384, 2}, {8'192, 1}}));
  EXPECT_EQ(rig.blocks, 4);
}

// Only non-temporal copies of block drivers are blocks. An accepted block does not end its request.
TEST(NvdimmDevice, BlockDriversSendPagesAndOtherCopiesLines) {
  const auto sent = [](NvdimmDriverKind kind, CopyKind copy, std::int64_t end) {
    NvdimmDeviceParameters parameters = device_of(kind);
    parameters.driver.copy = copy;
    parameters.driver.map_time = parameters.driver.fault_time = Tick(0);
    Rig rig(parameters, 1'000, kPageBytes, true);
    rig.write(0, 2 * kPage);
    rig.drain();
    EXPECT_EQ(rig.ended, (Ended{{0, end}}));
    return rig.sent();
  };
  constexpr auto kNonTemporal = CopyKind::non_temporal;
  EXPECT_EQ(sent(NvdimmDriverKind::nd_pmem, kNonTemporal, 1), "W2@0");
  EXPECT_EQ(sent(NvdimmDriverKind::pmbd, kNonTemporal, 2), "W1@0 W1@1");
  EXPECT_EQ(sent(NvdimmDriverKind::nd_pmem, CopyKind::write_back, 4), "R64@0 W64@1 R64@2 W64@3");
  EXPECT_EQ(sent(NvdimmDriverKind::dax, kNonTemporal, 0), "W128@0");
}

TEST(NvdimmDevice, LinesAreItsGranularity) {
  Rig rig(device_of(NvdimmDriverKind::nd_pmem));
  rig.read(64, 64);
  EXPECT_THROW(rig.read(32, 64), InputError);
  EXPECT_THROW(rig.read((1 << 20) - 64, 128), InputError);
  rig.drain();
  EXPECT_EQ(rig.sent(), "R1@0");
}

TEST(NvdimmDevice, WritesFollowTheReadsOfTheirPage) {
  NvdimmDeviceParameters parameters = device_of(NvdimmDriverKind::nd_pmem);
  parameters.driver.copy = CopyKind::write_back;
  Rig rig(parameters);
  rig.write(0, kPage + 128);
  rig.drain();
  EXPECT_EQ(rig.sent(), "R64@0 W64@1 R2@2 W2@3");
  EXPECT_EQ(rig.port.log.front().epoch, 0u);
  EXPECT_EQ(rig.port.log.back().epoch, 1u) << "the first page's fence";
}

TEST(NvdimmDevice, AcceptedWritesEndTheirRequestBeforeTheirBlocks) {
  NvdimmDeviceParameters parameters = device_of(NvdimmDriverKind::dax);
  parameters.driver.copy = CopyKind::non_temporal;
  parameters.driver.fault_time = Tick(0);
  Rig rig(parameters, 48);
  rig.write(0, kPage);
  EXPECT_TRUE(rig.ended.empty());
  rig.kernel.run_until(kLatency);
  EXPECT_EQ(rig.ended, (Ended{{0, 1}})) << "when the last line has an entry";
  EXPECT_EQ(rig.blocks, 0);
  rig.drain();
  EXPECT_EQ(rig.blocks, 1);
  EXPECT_EQ(rig.io.device.response_times().max(), 2 * kLatency.value());
}

TEST(NvdimmDevice, FaultsAndMapsTakeTimeOnTheirOwnThread) {
  NvdimmDeviceParameters parameters = device_of(NvdimmDriverKind::dax);
  parameters.driver.fault_time = 10 * kLatency;
  Rig rig(parameters);
  rig.read(0, 64);
  rig.read(kPage, 64);  // of the same thread: after the first one's fault
  rig.read(64, 64);     // the page is present
  rig.drain();
  EXPECT_EQ(rig.sent(), "R1@0 R1@10 R1@20");
}

TEST(NvdimmDevice, AFlushCommandDoesNotWait) {
  Rig rig(device_of(NvdimmDriverKind::nd_pmem));
  rig.write(0, 64);
  rig.flush();
  rig.write(kPage, 64);
  rig.drain();
  EXPECT_EQ(rig.sent(), "W1@0 F1@0 W1@0");
  EXPECT_EQ(rig.port.log.back().epoch, 2u) << "a fence and a flush";
}

TEST(NvdimmDevice, ADriversFlushWaitsForWritesAndDelaysLaterOnes) {
  NvdimmDeviceParameters parameters = device_of(NvdimmDriverKind::pmbd);
  parameters.driver.map_time = Tick(0);
  parameters.driver.write_end = WriteEnd::done;
  Rig rig(parameters);
  rig.write(0, 64);      // 0
  rig.flush();           // 1
  rig.write(kPage, 64);  // 2
  rig.read(0, 64);       // 3
  rig.flush(true);       // 4: a request's own flush
  rig.flush();           // 5
  rig.drain();
  EXPECT_EQ(rig.sent(), "W1@0 R1@0 W1@1");
  EXPECT_EQ(rig.ended, (Ended{{0, 1}, {1, 1}, {2, 2}, {3, 1}, {4, 0}, {5, 2}}));
}

TEST(NvdimmDevice, TrimsGoToTheMemoryAtOnce) {
  Rig rig(device_of(NvdimmDriverKind::nd_pmem));
  rig.begin(IoRequest::Kind::trim, kPage, 2 * kPage);
  rig.drain();
  EXPECT_EQ(rig.port.trims, (std::vector<std::pair<std::int64_t, std::int64_t>>{{4'096, 8'192}}));
  EXPECT_EQ(rig.ended, (Ended{{0, 0}}));
  EXPECT_EQ(rig.io.host.counts().of[0].requests + rig.io.host.counts().of[1].requests, 0u);
}

// Expects run(A + B) = run(A), save, load into another rig, run(B).
TEST(NvdimmDevice, CheckpointsHoldRequestsInFlight) {
  for (const NvdimmDriverKind kind :
       {NvdimmDriverKind::nd_pmem, NvdimmDriverKind::pmbd, NvdimmDriverKind::dax}) {
    const auto begin_all = [](Rig& rig) {
      rig.write(0, 3 * kPage);
      rig.read(kPage + 64, kPage);
      rig.flush();
      rig.write(8 * kPage, 640);
    };
    for (int steps = 0; steps < 40; steps += 3) {
      Rig whole(device_of(kind, 10), 20);
      begin_all(whole);
      for (int i = 0; i < steps; ++i) {
        whole.kernel.step(kNever);
      }
      const std::string saved = whole.save();
      const std::size_t before = whole.port.log.size();
      const std::size_t ended = whole.ended.size();
      whole.drain();
      Rig rest(device_of(kind, 10), 20);
      rest.load(saved);
      ASSERT_EQ(rest.save(), saved);
      rest.drain();
      ASSERT_EQ(rest.port.log,
                std::vector<Sent>(whole.port.log.begin() + static_cast<std::ptrdiff_t>(before),
                                  whole.port.log.end()));
      ASSERT_EQ(rest.ended.size() + ended, whole.ended.size());
      ASSERT_EQ(rest.kernel.now(), whole.kernel.now());
      ASSERT_EQ(rest.save(), whole.save());
    }
  }
}

TEST(BlockLedger, ReportsABlocksLastAccess) {
  BlockLedger ledger;
  const std::uint32_t block = ledger.open(5, 2, Tick(100), 3, true);
  EXPECT_EQ(ledger.place_of(block), 5u);
  EXPECT_FALSE(ledger.end_access(block));
  EXPECT_TRUE(ledger.end_access(block));
  ledger.close(block, Tick(400), 4);
  EXPECT_EQ(ledger.times().max(), 300);
  EXPECT_EQ(ledger.times_in_collections().count(), 1u);
  EXPECT_EQ(ledger.open(6, 1, Tick(500), 4, false), block);
  ledger.end_access(block);
  ledger.close(block, Tick(600), 4);
  EXPECT_EQ(ledger.times().count(), 1u) << "not measured";
  EXPECT_THROW(ledger.place_of(7), Fault);
}

}  // namespace
}  // namespace hmsim::testing
