// SPDX-License-Identifier: BSD-3-Clause
// When does the host write the parts of a page of HBF that it gathers, at which cost, and when are
// they answered?
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/hbf_system.h"

namespace hmsim::testing {
namespace {

constexpr MemoryClass kFlash = MemoryClass::nvdimm;
// Latencies of an idle channel (docs/hbf.md). The block is erased.
constexpr std::int64_t kPageRead = 4'586'000;
constexpr std::int64_t kPageWrite = 75'586'001;
constexpr std::int64_t kAccumulate = 1'000'000'000;

void expect_near(std::int64_t time, std::int64_t form, std::int64_t rounding) {
  EXPECT_LE(time, form + rounding);
  EXPECT_GE(time, form - rounding);
}

Assignments host(const Assignments& more = {}) { return with(kHbf, with(kHostFtl, more)); }

class Parts {
 public:
  Parts() : Parts(Assignments{}) {}
  explicit Parts(const Assignments& more) : system(host(more)) {}

  // Sends a write of one line of a page. Returns its number.
  std::uint32_t write(std::int64_t page, std::int64_t line, int lines = 1) {
    return system.send(kFlash, page * 4096 + line * 64, true, lines);
  }
  std::uint32_t read(std::int64_t page, std::int64_t line, int lines = 1) {
    return system.send(kFlash, page * 4096 + line * 64, false, lines);
  }
  // Writes whole pages, and waits for the end.
  void fill(std::int64_t first, std::int64_t pages) {
    for (std::int64_t page = first; page < first + pages; ++page) {
      system.write_page(page);
    }
    system.drain();
  }
  // Returns picoseconds from `begin` to the end of a request.
  std::int64_t latency(std::uint32_t request, Tick begin = Tick(0)) const {
    return (system.done[request] - begin).value();
  }
  Tick now() const { return system.kernel.now(); }
  void expect(const std::string& name, double value) const {
    EXPECT_EQ(system.value(name), value) << name;
  }

  HbfSystem system;
};

TEST(HbfPartWrites, ACompletePageIsOneProgramAndNoRead) {
  Parts parts;
  for (int line = 0; line < 64; ++line) {
    parts.write(5, (line * 37 + 11) % 64);
  }
  parts.system.drain();
  for (std::uint32_t part = 0; part < 64; ++part) {
    expect_near(parts.latency(part), kPageWrite, 500);
  }
  parts.expect("nvdimm.nand.programs", 1);
  parts.expect("nvdimm.nand.reads", 0);
  parts.expect("hbf.parts.pages", 1);
  parts.expect("hbf.parts.written", 64);
  parts.expect("hbf.parts.padded", 0);
  parts.expect("hbf.to_device.bytes", 4096 + 64);
}

// The same time as of a whole page that is sent when the last part is.
TEST(HbfPartWrites, ACompletePageTakesTheTimeOfAWholeOne) {
  Parts whole;
  const std::uint32_t page = whole.write(5, 0, 64);
  whole.system.drain();
  Parts parts;
  parts.write(5, 0, 63);
  parts.system.kernel.run_until(Tick(700'000));
  parts.write(5, 63);
  parts.system.drain();
  EXPECT_EQ(parts.latency(0), parts.latency(1));
  EXPECT_EQ(parts.latency(1, Tick(700'000)), whole.latency(page));
}

// A lone part of a page with data: hbf.accumulate, then a page read, then a page write.
TEST(HbfPartWrites, ALonePartIsReadModifyWrite) {
  for (const auto& [accumulate, time] : std::vector<std::pair<const char*, std::int64_t>>{
           {"1ps", 1}, {"20us", 20'000'000}, {"1ms", kAccumulate}}) {
    SCOPED_TRACE(accumulate);
    Parts parts(Assignments{{"hbf.accumulate", accumulate}});
    parts.fill(0, 1);
    const std::int64_t write = parts.latency(0);
    const std::uint32_t read = parts.read(0, 0, 64);
    const Tick first = parts.now();
    parts.system.drain();
    const std::int64_t sense = parts.latency(read, first);
    expect_near(sense, kPageRead, 500);
    expect_near(write, kPageWrite, 500);
    // Another page, whose sense is not in the page cache.
    Parts lone(Assignments{{"hbf.accumulate", accumulate}});
    lone.fill(0, 1);
    const Tick begin = lone.now();
    const std::uint32_t part = lone.write(0, 9);
    lone.system.drain();
    EXPECT_EQ(lone.latency(part, begin), time + sense + write);
    lone.expect("nvdimm.nand.reads", 1);
    lone.expect("nvdimm.nand.programs", 2);
    lone.expect("hbf.parts.fills", 1);
    lone.expect("hbf.requests.user", 3);
  }
}

const Statistic& histogram(const std::vector<Statistic>& statistics, const std::string& path) {
  return *std::find_if(statistics.begin(), statistics.end(),
                       [&](const Statistic& each) { return each.path == path; });
}

// Requesters see the time from their requests' arrival to the answer, in buffers and at the map
// too. The FTL's own requests count only at the channel.
TEST(HbfPartWrites, LatenciesAreThoseOfUsersRequests) {
  Parts parts({{"hbf.accumulate", "20us"}, {"hbf.map_in", "hbm"}, {"hbf.pending_writes", "4"}});
  Random random(7);
  std::vector<Tick> sent;
  for (int i = 0; i < 3'000; ++i) {
    const auto page = static_cast<std::int64_t>(random.below(600));
    const auto line = static_cast<std::int64_t>(random.below(63));
    const std::uint64_t kind = random.below(4);
    sent.push_back(parts.now());
    if (kind == 0) {
      parts.read(page, line, 2);
    } else {
      parts.write(page, kind == 1 ? 0 : line, kind == 1 ? 64 : 1);
    }
    const Tick pause(static_cast<std::int64_t>(random.below(40'000'000)));
    parts.system.kernel.run_until(parts.now() + pause);
  }
  parts.system.drain();
  double sum = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    sum += static_cast<double>((parts.system.done[i] - sent[i]).value()) / 1'000;
  }
  const std::vector<Statistic> all = parts.system.registry.read();
  const Statistic& seen = histogram(all, "nvdimm.line_latency_ns");
  EXPECT_EQ(seen.count, sent.size());
  EXPECT_NEAR(seen.summary[0].second * static_cast<double>(sent.size()), sum, 1e-9 * sum);
  const Statistic& device = histogram(all, "nvdimm.device_line_latency_ns");
  EXPECT_GT(parts.system.value("hbf.requests.collection"), 0);
  EXPECT_EQ(static_cast<double>(device.count), parts.system.value("hbf.requests.user") +
                                                   parts.system.value("hbf.requests.collection"));
}

// The wait of a lone part in its buffer does not count as time of the device.
TEST(HbfPartWrites, TheDevicesLatencyIsThatOfThePage) {
  Parts lone;
  lone.write(7, 3);
  lone.system.drain();
  const std::vector<Statistic> all = lone.system.registry.read();
  const auto mean = [&](const char* path) {
    return std::llround(1'000 * histogram(all, path).summary[0].second);
  };
  expect_near(mean("nvdimm.line_latency_ns"), kAccumulate + kPageWrite, 500);
  expect_near(mean("nvdimm.device_line_latency_ns"), kPageWrite, 500);
}

TEST(HbfPartWrites, APageWithoutDataIsPadded) {
  Parts parts;
  const std::uint32_t part = parts.write(7, 3, 2);
  parts.system.drain();
  expect_near(parts.latency(part), kAccumulate + kPageWrite, 500);
  parts.expect("nvdimm.nand.reads", 0);
  parts.expect("nvdimm.nand.programs", 1);
  parts.expect("hbf.parts.padded", 1);
}

// The time is that of the first part, and a trimmed page has no data.
TEST(HbfPartWrites, TheTimeBeginsWithTheFirstPart) {
  Parts parts;
  parts.fill(7, 1);
  parts.system.memory.trim(Address(7 * 4096), Bytes(4096), parts.now());
  const Tick begin = parts.now();
  const std::uint32_t first = parts.write(7, 3);
  parts.system.kernel.run_until(begin + Tick(kAccumulate - 1));
  const std::uint32_t last = parts.write(7, 4);
  parts.system.drain();
  expect_near(parts.latency(first, begin), kAccumulate + kPageWrite, 500);
  EXPECT_EQ(parts.latency(first), parts.latency(last));
  parts.expect("hbf.parts.pages", 1);
  parts.expect("hbf.parts.padded", 1);
}

// With b buffers in use, a further page makes half of them end their gathering, oldest first.
TEST(HbfPartWrites, AFurtherPageEndsTheGatheringOfTheOldest) {
  for (const auto& [buffers, ended] :
       std::vector<std::pair<const char*, int>>{{"1", 1}, {"2", 1}, {"5", 3}, {"8", 4}}) {
    SCOPED_TRACE(buffers);
    Parts parts(Assignments{{"hbf.pending_writes", buffers}});
    const int count = std::stoi(buffers);
    for (int page = 0; page < count; ++page) {
      parts.write(page, 0);
      parts.system.kernel.run_until(Tick(1000 * (page + 1)));
    }
    parts.expect("hbf.parts.pages", 0);
    const std::uint32_t next = parts.write(count, 0);
    parts.system.kernel.run_until(Tick(200'000'000));
    parts.expect("hbf.parts.pages", ended);
    for (int page = 0; page < count; ++page) {
      EXPECT_EQ(parts.system.done[static_cast<std::size_t>(page)] == kNever, page >= ended) << page;
    }
    EXPECT_EQ(parts.system.done[next], kNever);
    parts.system.drain();
    parts.expect("hbf.parts.pages", count + 1);
    parts.expect("hbf.parts.written", count + 1);
  }
}

// Parts that wait for a buffer are not admitted, and their page's later requests wait with them.
TEST(HbfPartWrites, PartsWaitOutsideForABuffer) {
  Parts parts(Assignments{{"hbf.pending_writes", "1"}});
  parts.write(0, 0);
  parts.write(1, 0);
  parts.write(1, 1);
  const std::uint32_t other = parts.read(2, 0);
  const std::uint32_t same = parts.read(1, 1);
  parts.system.kernel.run_until(Tick(60'000'000));
  int admitted = 0;
  for (const Requester::Outstanding& each : parts.system.memory.outstanding()) {
    admitted += each.admitted ? 1 : 0;
  }
  EXPECT_EQ(parts.system.memory.outstanding().size(), 4U);
  EXPECT_EQ(admitted, 1);
  EXPECT_LT(parts.latency(other), kPageRead + 500);
  parts.system.drain();
  expect_near(parts.latency(same), kPageWrite, 1000);
  parts.expect("hbf.parts.reads", 1);
}

TEST(HbfPartWrites, ReadsOfGatheredLinesAreAnsweredAtOnce) {
  Parts parts;
  parts.fill(0, 1);
  parts.write(0, 4, 4);
  const Tick begin = parts.now();
  const std::uint32_t inside = parts.read(0, 5, 2);
  const std::uint32_t beside = parts.read(0, 8, 4);
  const std::uint32_t around = parts.read(0, 3, 2);
  parts.system.drain();
  EXPECT_EQ(parts.latency(inside, begin), 0);
  EXPECT_LE(parts.latency(beside, begin), kPageRead);
  // It ends the gathering and waits for the page; then the device has it.
  EXPECT_GT(parts.latency(around, begin), kPageRead);
  EXPECT_LT(parts.latency(around, begin), 3 * kPageRead);
  EXPECT_LT(parts.latency(1, begin), 2 * kPageRead + kPageWrite);
  parts.expect("hbf.parts.reads", 1);
  parts.expect("hbf.parts.fills", 1);
}

// A whole page over gathered parts is their page; they are answered with it.
TEST(HbfPartWrites, AWholePageCompletesAGatheringOne) {
  Parts parts;
  parts.fill(0, 1);
  const Tick begin = parts.now();
  const std::uint32_t part = parts.write(0, 4);
  const std::uint32_t page = parts.write(0, 0, 64);
  parts.system.drain();
  expect_near(parts.latency(page, begin), kPageWrite, 500);
  EXPECT_EQ(parts.system.done[part], parts.system.done[page]);
  parts.expect("hbf.parts.writes", 2);
  parts.expect("hbf.parts.fills", 0);
  parts.expect("nvdimm.nand.programs", 2);
}

TEST(HbfPartWrites, ATrimAnswersGatheredParts) {
  Parts parts;
  parts.fill(0, 1);
  const std::uint32_t part = parts.write(0, 4);
  parts.system.kernel.run_until(parts.now() + Tick(1000));
  const Tick begin = parts.now();
  EXPECT_EQ(parts.system.memory.trim(Address(0), Bytes(4096), begin), 1);
  parts.system.drain();
  EXPECT_EQ(parts.latency(part, begin), 0);
  parts.expect("hbf.parts.discarded", 1);
  parts.expect("nvdimm.nand.programs", 1);
}

TEST(HbfPartWrites, AFlushEndsAllGathering) {
  Parts parts;
  for (int page = 0; page < 3; ++page) {
    parts.write(page, page);
  }
  Request flush;
  flush.flush = true;
  const std::uint32_t end = parts.system.send(flush);
  parts.write(3, 0);
  parts.system.drain();
  expect_near(parts.latency(end), kPageWrite, 100'000);
  for (std::uint32_t part = 0; part < 3; ++part) {
    EXPECT_LE(parts.system.done[part], parts.system.done[end]);
  }
  EXPECT_GT(parts.latency(end + 1), kAccumulate + kPageWrite);
}

TEST(HbfPartWrites, AFailedProgramAnswersNoPart) {
  Parts parts(Assignments{{"nvdimm.nand.program_failure", "0.01"},
                          {"nvdimm.ftl.over_provisioning", "120"}});
  for (int page = 0; page < 300; ++page) {
    parts.write(page, page % 64);
  }
  parts.system.drain();
  parts.expect("hbf.parts.written", 300);
  parts.expect("nvdimm.ftl.host_pages", 300);
  EXPECT_GT(parts.system.value("hbf.replay.writes"), 0);
}

// Whole pages alone go past the buffers.
TEST(HbfPartWrites, WholePagesDoNotGather) {
  Parts parts;
  parts.fill(0, 40);
  parts.expect("hbf.parts.writes", 0);
  parts.expect("nvdimm.ftl.host_pages", 40);
}

}  // namespace
}  // namespace hmsim::testing
