// SPDX-License-Identifier: BSD-3-Clause
// Do reads through the host's map return what was written, while blocks are collected, refreshed
// and replayed? The oracle is a list of the stamps that each page got.
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/hbf_system.h"
#include "tests/cc/statistic.h"
#include "tests/cc/words.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kPages = 420;
constexpr std::uint64_t kNothing = 0;  // stamp of a page without data

class Store final : public Requester {
 public:
  explicit Store(const Assignments& assignments) : memory(make_config(assignments), kernel, 5) {
    memory.set_requesters({this});
    memory.register_statistics(registry);
    for (std::int64_t page = 0; page < kPages; ++page) {
      history[page] = {kNothing};
    }
  }

  void write(std::int64_t page) {
    history[page].push_back(++stamps_);
    send(page, 0, 64, true, stamps_);
  }
  void read(std::int64_t page, std::int64_t first, std::int64_t lines) {
    send(page, first, lines, false, history[page].size() - 1);
  }
  void trim(std::int64_t page) {
    history[page].push_back(kNothing);
    memory.trim(Address(page * 4096), Bytes(4096), kernel.now());
  }

  void on_complete(const Request& request, Tick /*now*/) override {
    ++ended;
    const Sent& own = sent_.at(request.tag);
    if (!request.write) {
      EXPECT_EQ(own.lines, request.lines) << "lines without data";
      const bool erased = static_cast<HbfStatus>(request.status) == HbfStatus::erased_page;
      EXPECT_EQ(erased, own.value == kNothing) << "request " << request.tag;
    }
    sent_.erase(request.tag);
  }
  LineData write_data(const Request& request) const override {
    const Sent& own = sent_.at(request.tag);
    LineData data;
    for (std::size_t i = 0; i < 64; ++i) {
      data.bytes[i] =
          static_cast<std::uint8_t>(stamped(own.value, request.address) >> (8 * (i % 8)));
    }
    return data;
  }
  // All lines of a read have one stamp: that of the latest write sent before it, or of one sent
  // since.
  void on_read_data(const Request& request, const LineBytes& bytes) override {
    Sent& own = sent_.at(request.tag);
    const std::uint64_t stamp = word_at(bytes, 56) & 0xffffffff;
    if (own.lines++ == 0) {
      const std::vector<std::uint64_t>& all = history[request.address.value() / 4096];
      const bool known = std::find(all.begin() + static_cast<std::ptrdiff_t>(own.value), all.end(),
                                   stamp) != all.end();
      EXPECT_TRUE(known) << "request " << request.tag << " got stamp " << stamp;
      exact += own.value + 1 == all.size() ? 1 : 0;
      own.value = stamp;
    }
    EXPECT_EQ(word_at(bytes, 0), stamp == kNothing ? 0 : stamped(own.value, request.address));
    EXPECT_EQ(word_at(bytes, 56), word_at(bytes, 0));
  }
  void expect_contents() const {
    for (const auto& [page, stamps] : history) {
      for (const std::int64_t line : {std::int64_t{0}, page % 64}) {
        const Address at(page * 4096 + line * 64);
        const LineBytes bytes = memory.peek(MemoryClass::nvdimm, at);
        EXPECT_EQ(word_at(bytes, 24), stamps.back() == kNothing ? 0 : stamped(stamps.back(), at))
            << "page " << page;
      }
    }
  }
  void drain() {
    while (!memory.idle() && kernel.step(kNever)) {
    }
    EXPECT_TRUE(sent_.empty());
  }
  std::uint64_t value(const std::string& path) const { return statistic_of(registry, path).count; }

  Kernel kernel;
  MemorySystem memory;
  StatisticRegistry registry;
  std::map<std::int64_t, std::vector<std::uint64_t>> history;  // stamps of each page, in order
  int ended = 0;
  int exact = 0;  // reads for which one stamp only was right

 private:
  struct Sent {
    std::uint64_t value = 0;  // write: stamp. read: the oldest right index, then the stamp it got
    int lines = 0;            // read: lines that came
  };

  // The stamp in the low half of each eight bytes, the line of the page in the high half.
  static std::uint64_t stamped(std::uint64_t stamp, Address line) {
    return stamp | static_cast<std::uint64_t>(line.value() / 64 % 64 + 1) << 32;
  }
  void send(std::int64_t page, std::int64_t first, std::int64_t lines, bool write,
            std::uint64_t value) {
    Request request;
    request.memory = MemoryClass::nvdimm;
    request.address = Address(page * 4096 + first * 64);
    request.write = write;
    request.lines = static_cast<std::uint8_t>(lines);
    request.tag = next_tag_++;
    sent_[request.tag].value = value;
    memory.send(request, kernel.now());
  }

  std::uint64_t stamps_ = 0;
  std::uint32_t next_tag_ = 0;
  std::map<std::uint32_t, Sent> sent_;  // not done, by tag
};

const Assignments kStored = with(
    kHbf,
    with(kHostFtl, keys_from("system.store_data=true nvdimm.nand.program_time=20us "
                             "nvdimm.nand.erase_time=200us nvdimm.ftl.over_provisioning=120")));

// `pause`: longest time between requests, in picoseconds.
void run(Store& store, Random& random, int requests, std::uint64_t pause) {
  const auto below = [&random](std::int64_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
  };
  for (int i = 0; i < requests; ++i) {
    const std::int64_t page = below(3) == 0 ? below(16) : below(kPages);
    const std::int64_t what = below(40);
    if (what == 0) {
      store.trim(page);
    } else if (what < 22) {
      store.write(page);
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
      Store store(with(kStored, more));
      Random random(pause);
      run(store, random, 6000, pause);
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
  Store store(with(kStored, {{"hbf.map_in", "hbm"}}));
  Random random(3);
  run(store, random, 4000, 3'000'000);
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
    Store before(kStored);
    run(before, random, 300 + 100 * round, 3'000'000);
    before.memory.spare_writes();
    before.memory.power_fail(before.kernel.now());
    Store after(kStored);
    EXPECT_TRUE(after.memory.restore(before.memory, after.kernel.now()));
    for (std::int64_t page = 0; page < kPages; ++page) {
      const Address line(page * 4096);
      ASSERT_EQ(before.memory.peek(MemoryClass::nvdimm, line), LineBytes{});
      ASSERT_EQ(after.memory.peek(MemoryClass::nvdimm, line), LineBytes{});
      after.read(page, 0, 64);
    }
    after.drain();
    run(after, random, 1500, 3'000'000);
    after.drain();
    after.expect_contents();
  }
}

TEST(HbfData, ASavedRunHoldsTheBytesOfItsCopies) {
  const Assignments config = with(kStored, {{"nvdimm.nand.program_failure", "0.01"}});
  Store whole(config);
  Random random(6);
  for (int round = 0; round < 40; ++round) {
    run(whole, random, 100 + 40 * round, 3'000'000);
    Archive saved;
    whole.kernel.serialize(saved);
    whole.memory.serialize(saved);
    Store resumed(config);
    Archive loaded(saved.bytes());
    resumed.kernel.serialize(loaded);
    resumed.memory.serialize(loaded);
    Archive again;
    resumed.kernel.serialize(again);
    resumed.memory.serialize(again);
    ASSERT_TRUE(saved.bytes() == again.bytes()) << "round " << round;
  }
  EXPECT_GT(whole.value("nvdimm.ftl.gc_pages"), 50);
}

}  // namespace
}  // namespace hmsim::testing
