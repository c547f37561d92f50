// SPDX-License-Identifier: BSD-3-Clause
// Do reads through the host's map return what writes of pages and of parts of pages wrote, among
// trims, collections, refreshes, failed programs and checkpoints? The oracle is a list of the
// contents that each line had.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/hbf_system.h"
#include "tests/cc/statistic.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kPages = 420;
constexpr int kParts = 10;           // of the random configurations
constexpr int kConfigurations = 24;  // in each part
constexpr int kSaved = 6;            // in each part, saved and loaded

// Stamps of a line's halves; 0: no data.
struct Content {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Content& other) const { return low == other.low && high == other.high; }
};

LineBytes bytes_of(const Content& content, Address line) {
  LineBytes bytes{};
  const auto place = static_cast<std::uint64_t>(line.value() / 64 + 1) << 24;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(place)) {
    const std::uint64_t stamp = i < 32 ? content.low : content.high;
    const std::uint64_t word = stamp == 0 ? 0 : stamp | place;
    std::memcpy(&bytes[i], &word, sizeof(word));
  }
  return bytes;
}

class Lines final : public Requester {
 public:
  // `in_pages`: only whole pages are written, so that a read has lines of one write.
  explicit Lines(const Assignments& assignments, bool in_pages = false)
      : memory(make_config(assignments), kernel, 5), in_pages_(in_pages) {
    memory.set_requesters({this});
    memory.register_statistics(registry);
  }

  enum class Part { all, low, high };
  // Part::low and high: of one line.
  void write(std::int64_t page, std::int64_t first, std::int64_t lines, Part part = Part::all) {
    ++stamp_;
    ++(lines == 64 ? whole : parts);
    for (std::int64_t line = page * 64 + first; line < page * 64 + first + lines; ++line) {
      Content content = history_of(line).back();
      content.low = part == Part::high ? content.low : stamp_;
      content.high = part == Part::low ? content.high : stamp_;
      history_of(line).push_back(content);
    }
    send(page, first, lines, true, {stamp_, part, {}});
  }
  void read(std::int64_t page, std::int64_t first, std::int64_t lines) {
    ++reads;
    Sent sent;
    for (std::int64_t line = page * 64 + first; line < page * 64 + first + lines; ++line) {
      sent.oldest[line] = history_of(line).size() - 1;
    }
    send(page, first, lines, false, sent);
  }
  void trim(std::int64_t page) {
    bool had = false;
    for (std::int64_t line = page * 64; line < page * 64 + 64; ++line) {
      had = had || !(history_of(line).back() == Content());
      history_of(line).push_back({});
    }
    const std::int64_t trimmed = memory.trim(Address(page * 4096), Bytes(4096), kernel.now());
    EXPECT_TRUE(!had || trimmed == 1);
  }
  void flush() {
    Request request;
    request.flush = true;
    request.tag = next_tag_++;
    sent_[request.tag] = {};
    memory.send(request, kernel.now());
  }

  void on_complete(const Request& request, Tick now) override {
    const auto own = sent_.find(request.tag);
    ends.emplace_back(request.tag, now);
    ASSERT_NE(own, sent_.end()) << "answered twice";
    if (request.flush) {
      EXPECT_EQ(sent_.begin()->first, request.tag) << "a flush before an earlier request";
    } else if (!request.write) {
      EXPECT_TRUE(own->second.oldest.empty()) << "lines without data";
      const bool erased = static_cast<HbfStatus>(request.status) == HbfStatus::erased_page;
      EXPECT_TRUE(!erased || !own->second.got_data) << "data of an erased page";
      EXPECT_TRUE(!in_pages_ || erased || own->second.got_data) << "no data";
    } else {
      EXPECT_EQ(static_cast<HbfStatus>(request.status), HbfStatus::done);
    }
    sent_.erase(own);
  }
  LineData write_data(const Request& request) const override {
    const Sent& own = sent_.at(request.tag);
    LineData data;
    data.bytes = bytes_of({own.stamp, own.stamp}, request.address);
    if (own.part != Part::all) {
      data.mask = own.part == Part::low ? ~std::uint64_t{0} >> 32 : ~std::uint64_t{0} << 32;
    }
    return data;
  }
  // A line has the contents after the latest write sent before the read, or after one sent since.
  void on_read_data(const Request& request, const LineBytes& bytes) override {
    Sent& own = sent_.at(request.tag);
    const std::int64_t line = request.address.value() / 64;
    const auto oldest = own.oldest.find(line);
    ASSERT_NE(oldest, own.oldest.end()) << "a line twice";
    const std::vector<Content>& all = history_of(line);
    const auto found =
        std::find_if(all.begin() + static_cast<std::ptrdiff_t>(oldest->second), all.end(),
                     [&](const Content& each) { return bytes_of(each, request.address) == bytes; });
    ASSERT_NE(found, all.end()) << "request " << request.tag << " got other bytes for line "
                                << line % 64 << " of page " << line / 64;
    own.stamp = own.got_any ? own.stamp : found->low;
    own.got_any = true;
    EXPECT_TRUE(!in_pages_ || own.stamp == found->low) << "lines of two writes";
    exact += oldest->second + 1 == all.size() && all.size() > 1 ? 1 : 0;
    own.got_data = own.got_data || bytes != LineBytes{};
    own.oldest.erase(oldest);
  }
  void expect_contents() const {
    for (std::size_t line = 0; line < history_.size(); ++line) {
      if (!history_[line].empty()) {
        const Address at(static_cast<std::int64_t>(line) * 64);
        EXPECT_EQ(memory.peek(MemoryClass::nvdimm, at), bytes_of(history_[line].back(), at))
            << "line " << line % 64 << " of page " << line / 64;
      }
    }
  }
  void drain() {
    while (!memory.idle() && kernel.step(kNever)) {
    }
    EXPECT_TRUE(sent_.empty());
  }
  std::string saved() {
    Archive archive;
    memory.serialize(archive);
    kernel.serialize(archive);
    return archive.bytes();
  }
  void continue_from(Lines& other) {
    Archive archive(other.saved());
    memory.serialize(archive);
    kernel.serialize(archive);
    ends = other.ends;
    stamp_ = other.stamp_;
    next_tag_ = other.next_tag_;
    sent_ = other.sent_;
    history_ = other.history_;
  }
  std::string statistics() const {
    std::string text;
    for (const Statistic& each : registry.read()) {
      text +=
          each.path + " " + std::to_string(each.count) + " " + std::to_string(each.value) + "\n";
    }
    return text;
  }
  std::int64_t value(const std::string& path) const {
    return static_cast<std::int64_t>(statistic_of(registry, path).count);
  }

  Kernel kernel;
  MemorySystem memory;
  StatisticRegistry registry;
  std::int64_t parts = 0;
  std::int64_t whole = 0;
  std::int64_t reads = 0;
  std::vector<std::pair<std::uint32_t, Tick>> ends;  // of requests, by tag
  int exact = 0;  // lines read for which one content only was right

 private:
  struct Sent {
    std::uint64_t stamp = 0;  // read: of the first line
    Part part = Part::all;
    std::map<std::int64_t, std::size_t> oldest;  // read: by line, first right index of its history
    bool got_any = false;
    bool got_data = false;
  };

  std::vector<Content>& history_of(std::int64_t line) {
    std::vector<Content>& contents = history_[static_cast<std::size_t>(line)];
    if (contents.empty()) {
      contents.emplace_back();
    }
    return contents;
  }
  void send(std::int64_t page, std::int64_t first, std::int64_t lines, bool write,
            const Sent& sent) {
    Request request;
    request.memory = MemoryClass::nvdimm;
    request.address = Address(page * 4096 + first * 64);
    request.write = write;
    request.lines = static_cast<std::uint8_t>(lines);
    request.tag = next_tag_++;
    sent_[request.tag] = sent;
    memory.send(request, kernel.now());
  }

  const bool in_pages_;
  std::uint64_t stamp_ = 0;
  std::uint32_t next_tag_ = 0;
  std::map<std::uint32_t, Sent> sent_;                      // not done, by tag
  std::vector<std::vector<Content>> history_{kPages * 64};  // by line
};

const Assignments kStored = with(
    kHbf,
    with(kHostFtl, keys_from("system.store_data=true nvdimm.nand.program_time=20us "
                             "nvdimm.nand.erase_time=200us nvdimm.ftl.over_provisioning=120")));

// One draw per statement, so that every compiler draws the same.
Assignments drawn(Random& random) {
  Assignments all = kStored;
  const auto pick = [&](const char* name, const std::vector<const char*>& values) {
    const std::string value = values[random.below(values.size())];
    all = with(all, {{name, value}});
    return value;
  };
  pick("hbf.pending_writes", {"1", "2", "3", "8", "64"});
  pick("hbf.accumulate", {"1ps", "3us", "60us", "300us", "1ms"});
  pick("hbf.map_in", {"none", "hbm"});
  pick("hbf.copies", {"1", "4"});
  pick("hbf.streams", {"1", "2"});
  pick("host.queue", {"none", "none", "shared"});
  pick("controller.nvdimm_queue_depth", {"1", "7", "4096"});
  pick("nvdimm.gc.scheduler", {"reactive", "preemptive", "proactive", "background"});
  pick("nvdimm.ftl.allocation", {"dynamic", "static"});
  pick("nvdimm.nand.program_failure", {"0", "0", "0.01"});
  if (pick("hbf.refresh", {"no_refresh", "no_refresh", "paced_refresh"}) != "no_refresh") {
    pick("hbf.refresh_every", {"5ms", "20ms"});
  }
  if (pick("nvdimm.precondition.fill", {"0", "1", "1"}) == "1") {
    pick("nvdimm.precondition.overwrite", {"0.5", "1"});
  }
  if (pick("controller.channels", {"1", "1", "2"}) == "2") {
    all = with(all, {{"nvdimm.capacity", "3MiB"}, {"nvdimm.ftl.over_provisioning", "220"}});
  }
  return all;
}

void run(Lines& lines, Random& random, int requests, std::int64_t pause) {
  const auto below = [&random](std::int64_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
  };
  std::int64_t walk = 4 * below(kPages * 16);  // writes of lines in order, which complete pages
  for (int i = 0; i < requests; ++i) {
    const std::int64_t page = below(3) == 0 ? below(8) : below(kPages);
    const std::int64_t first = below(64);
    const std::int64_t length = 1 + below(below(4) == 0 ? 64 - first : 1);
    const std::int64_t what = below(100);
    if (what < 2) {
      lines.trim(page);
    } else if (what < 3) {
      lines.flush();
    } else if (what < 10) {
      lines.write(page, 0, 64);
    } else if (what < 35) {
      lines.write(page, first, length);
    } else if (what < 40) {
      lines.write(page, first, 1, below(2) == 0 ? Lines::Part::low : Lines::Part::high);
    } else if (what < 60) {
      for (int part = 0; part < 8; ++part, walk = (walk + 4) % (kPages * 64)) {
        lines.write(walk / 64, walk % 64, 4);
      }
    } else if (what < 80) {
      lines.read(page, first, length);
    } else {  // what was written last, or a part of it
      const std::int64_t last = (walk + kPages * 64 - 4) % (kPages * 64);
      lines.read(last / 64, last % 64, 1 + below(4));
    }
    if (below(2) == 0) {
      lines.kernel.run_until(lines.kernel.now() + Tick(below(pause)));
    }
    if (i % 200 == 0) {
      lines.expect_contents();
    }
  }
}

// `pause`: longest time between requests, in picoseconds.
void run_pages(Lines& store, Random& random, int requests, std::uint64_t pause) {
  const auto below = [&random](std::int64_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
  };
  for (int i = 0; i < requests; ++i) {
    const std::int64_t page = below(3) == 0 ? below(16) : below(kPages);
    const std::int64_t what = below(40);
    if (what == 0) {
      store.trim(page);
    } else if (what < 22) {
      store.write(page, 0, 64);
    } else {
      const std::int64_t first = below(64);
      store.read(page, first, 1 + below(64 - first));
    }
    store.kernel.run_until(store.kernel.now() + Tick(below(static_cast<std::int64_t>(pause))));
    if (i % 500 == 0) {
      store.expect_contents();
    }
  }
}

TEST(HbfData, ReadsThroughTheMapReturnTheLatestWrite) {
  std::uint64_t collected = 0;
  for (const Assignments& more :
       {Assignments{}, Assignments{{"nvdimm.nand.program_failure", "0.01"}},
        keys_from(
            "nvdimm.nand.program_failure=0.01 nvdimm.ftl.frontier=shared hbf.pending_writes=3"),
        keys_from("hbf.map_in=hbm nvdimm.gc.scheduler=proactive nvdimm.nand.program_failure=0.01"),
        keys_from(
            "hbf.refresh=paced_refresh hbf.refresh_every=5ms nvdimm.nand.program_failure=0.003"),
        keys_from("hbf.refresh_reads=5 hbf.refresh=deadline_refresh hbf.refresh_every=4ms "
                  "nvdimm.gc.scheduler=preemptive host.queue=shared"),
        keys_from("controller.channels=2 nvdimm.capacity=3MiB nvdimm.ftl.allocation=static "
                  "nvdimm.nand.program_failure=0.003")}) {
    for (const std::uint64_t pause : {3'000'000, 12'000'000}) {
      SCOPED_TRACE((more.empty() ? "plain" : more.back().first) + " " + std::to_string(pause));
      Lines store(with(kStored, more), true);
      Random random(pause);
      run_pages(store, random, 6000, pause);
      store.expect_contents();
      store.drain();
      store.expect_contents();
      EXPECT_GT(store.exact, 500);
      EXPECT_GT(store.value("nvdimm.ftl.gc_pages"), 50);
      collected += store.value("nvdimm.ftl.gc_pages");
      EXPECT_EQ(store.value("hbf.replay.blocks") + store.value("hbf.refresh.blocks") > 5,
                !more.empty());
      for (std::int64_t page = 0; page < kPages; ++page) {
        store.read(page, 0, 64);
      }
      store.drain();
      if (::testing::Test::HasFailure()) {
        return;
      }
    }
  }
  EXPECT_GT(collected, 5000);
}

// The lines of HBM that the FTL uses for timing hold a user's bytes.
TEST(HbfData, CopiesLeaveTheBytesOfTheHbmAlone) {
  Lines store(with(kStored, {{"hbf.map_in", "hbm"}}), true);
  Random random(3);
  run_pages(store, random, 4000, 3'000'000);
  store.drain();
  EXPECT_GT(store.value("hbf.gc.hbm_writes"), 1000);
  const std::int64_t end = store.memory.capacity(MemoryClass::dram).value();
  for (std::int64_t line = end - (std::int64_t{1} << 20); line < end; line += 64) {
    ASSERT_EQ(store.memory.peek(MemoryClass::dram, Address(line)), LineBytes{});
  }
}

// The map is lost with the HBM. A new system finds nothing, and can use the flash.
TEST(HbfData, APowerFailureLosesTheMap) {
  Random random(8);
  for (int round = 0; round < 20; ++round) {
    Lines before(kStored, true);
    run_pages(before, random, 300 + 100 * round, 3'000'000);
    before.memory.spare_writes();
    before.memory.power_fail(before.kernel.now());
    Lines after(kStored, true);
    EXPECT_TRUE(after.memory.restore(before.memory, after.kernel.now()));
    for (std::int64_t page = 0; page < kPages; ++page) {
      const Address line(page * 4096);
      ASSERT_EQ(before.memory.peek(MemoryClass::nvdimm, line), LineBytes{});
      ASSERT_EQ(after.memory.peek(MemoryClass::nvdimm, line), LineBytes{});
      after.read(page, 0, 64);
    }
    after.drain();
    run_pages(after, random, 1500, 3'000'000);
    after.drain();
    after.expect_contents();
  }
}

TEST(HbfData, ASavedRunHoldsTheBytesOfItsCopies) {
  const Assignments config = with(kStored, {{"nvdimm.nand.program_failure", "0.01"}});
  Lines whole(config, true);
  Random random(6);
  for (int round = 0; round < 40; ++round) {
    run_pages(whole, random, 100 + 40 * round, 3'000'000);
    Lines resumed(config, true);
    resumed.continue_from(whole);
    ASSERT_TRUE(whole.saved() == resumed.saved()) << "round " << round;
  }
  EXPECT_GT(whole.value("nvdimm.ftl.gc_pages"), 50);
}

// Parts that came in = parts in pages that went out; pages of users = whole pages + gathered ones.
void expect_conservation(const Lines& lines, bool failures) {
  const std::int64_t writes = lines.value("hbf.parts.writes");
  const std::int64_t joined = writes - lines.parts;  // whole pages
  const std::int64_t pages = lines.value("hbf.parts.pages");
  EXPECT_GE(joined, 0);
  EXPECT_EQ(writes, lines.value("hbf.parts.written") + lines.value("hbf.parts.discarded"));
  EXPECT_LE(lines.value("hbf.parts.fills") + lines.value("hbf.parts.padded"),
            pages + lines.value("hbf.parts.discarded"));
  EXPECT_EQ(lines.value("nvdimm.ftl.host_pages"), lines.whole - joined + pages);
  if (!failures) {
    EXPECT_EQ(lines.value("hbf.requests.user"), lines.reads - lines.value("hbf.parts.reads") +
                                                    lines.value("hbf.parts.fills") +
                                                    lines.value("nvdimm.ftl.host_pages"));
  }
}

class HbfPartData : public ::testing::TestWithParam<int> {};

TEST_P(HbfPartData, ReadsReturnTheLatestWriteOfEachLine) {
  std::int64_t collected = 0;
  std::int64_t replayed = 0;
  std::int64_t exact = 0;
  std::map<std::string, std::int64_t> seen;
  for (int seed = GetParam() * kConfigurations; seed < (GetParam() + 1) * kConfigurations; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    const Assignments config = drawn(random);
    const std::int64_t pause = random.below(2) == 0 ? 3'000'000 : 30'000'000;
    Lines lines(config);
    run(lines, random, 400, pause);
    lines.expect_contents();
    lines.drain();
    lines.expect_contents();
    exact += lines.exact;
    expect_conservation(lines, lines.value("hbf.status.program_failed") > 0);
    collected += lines.value("nvdimm.ftl.gc_pages");
    replayed += lines.value("hbf.replay.blocks");
    for (const char* count : {"fills", "padded", "reads", "discarded", "pages"}) {
      seen[count] += lines.value(std::string("hbf.parts.") + count);
    }
    for (std::int64_t page = 0; page < kPages; ++page) {
      lines.read(page, 0, 64);
    }
    lines.drain();
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(collected, 500);
  EXPECT_GT(replayed, 0);
  EXPECT_GT(exact, 4'000);
  for (const auto& [name, count] : seen) {
    EXPECT_GT(count, 10) << name;
  }
}

// A run that is saved and loaded at any time continues with the same bytes at the same times.
TEST_P(HbfPartData, ASavedRunContinuesBitForBit) {
  for (int seed = GetParam() * kSaved; seed < (GetParam() + 1) * kSaved; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(1000 + seed));
    const Assignments config = drawn(random);
    Lines whole(config);
    run(whole, random, 200 + seed, 3'000'000);
    Lines resumed(config);
    resumed.continue_from(whole);
    ASSERT_TRUE(whole.saved() == resumed.saved());
    Random same = random;
    run(whole, random, 100, 3'000'000);
    run(resumed, same, 100, 3'000'000);
    whole.drain();
    resumed.drain();
    ASSERT_EQ(whole.ends, resumed.ends);
    ASSERT_EQ(whole.statistics(), resumed.statistics());
  }
}

INSTANTIATE_TEST_SUITE_P(Part, HbfPartData, ::testing::Range(0, kParts));

}  // namespace
}  // namespace hmsim::testing
