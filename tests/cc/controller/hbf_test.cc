// SPDX-License-Identifier: BSD-3-Clause
// Does a channel of high bandwidth flash meet its closed forms? Grade 2: 96 GB/s each way, a die's
// bus 101.25 GB/s for 4320 bytes, tR 4 us, tPROG 75 us, tBERS 2 ms, error correction 500 ns. By
// hand, in picoseconds: a header of 64 bytes 667, a page on the link 42,667, on the die's bus
// 42,667, a header and a page 43,334.
#include <algorithm>
#include <string>

#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/hbf_rig.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

constexpr std::int64_t kHeader = 667;
constexpr std::int64_t kPage = 42'667;
constexpr std::int64_t kBus = 42'667;
constexpr std::int64_t kRead = 4'000'000;
constexpr std::int64_t kProgram = 75'000'000;
constexpr std::int64_t kErase = 2'000'000'000;
constexpr std::int64_t kEcc = 500'000;
constexpr std::int64_t kMiss = kHeader + kRead + kBus + kEcc + kPage;  // 4586.0 ns

TEST(Hbf, AnIdleReadTakesItsClosedForm) {
  HbfRig rig;
  EXPECT_EQ(rig.latency(rig.read(0, 1)), 4'544'001);
  EXPECT_EQ(rig.latency(rig.read(1)), 4'586'001);
  EXPECT_EQ(kMiss, 4'586'001);
  EXPECT_EQ(rig.latency(rig.read(0, 1)), 2 * kHeader) << "in the page cache";
  HbfRig far(
      keys_from("hbf.read_latency=30ns hbf.write_latency=20ns hbf.ecc_read=100ns hbf.header=0B"));
  EXPECT_EQ(far.latency(far.read(0)), 20'000 + kRead + kBus + 100'000 + kPage + 30'000);
}

TEST(Hbf, GradesAndRatesSetTheLink) {
  const auto hit = [](const Assignments& more) {
    HbfRig rig(with(more, {{"hbf.header", "0B"}}));
    rig.latency(rig.read(0));
    return rig.latency(rig.read(0));
  };
  EXPECT_EQ(hit({{"hbf.grade", "1"}}), 85'334);  // 4096 / 48
  EXPECT_EQ(hit({{"hbf.grade", "3"}}), 21'334);  // 4096 / 192
  EXPECT_EQ(hit({{"hbf.read_rate", "94000"}}), 43'575);
  HbfRig rig(Assignments{{"hbf.read_granularity", "1KiB"}, {"hbf.header", "0B"}});
  rig.latency(rig.read(0));
  EXPECT_EQ(rig.latency(rig.send(512, false, 9)), 21'334) << "lines 8 to 16 are in two granules";
}

TEST(Hbf, AnIdleWriteEndsWithItsProgram) {
  const std::int64_t program = kHeader + kPage + kEcc + kBus + kProgram;
  HbfRig erased;
  EXPECT_EQ(erased.latency(erased.write(0)), program);
  EXPECT_EQ(program, 75'586'001);
  EXPECT_EQ(erased.latency(erased.write(16)), program) << "page 1 of the bank's block";
  HbfRig used(Assignments{{"hbf.erased_at_start", "false"}});
  EXPECT_EQ(used.latency(used.write(0)), program + kErase);
  EXPECT_EQ(used.latency(used.write(16)), program);
}

// A page by 64 reads of a line: the commands pass while the page is sensed, so the last answer
// comes when one read of 4 KiB would.
TEST(Hbf, LinesOfAPageShareOneSense) {
  HbfRig rig;
  std::uint32_t last = 0;
  for (int line = 0; line < 64; ++line) {
    last = rig.send(line * 64, false, 1);
  }
  EXPECT_EQ(rig.latency(last), kMiss);
  EXPECT_EQ(rig.senses(), 1);
  EXPECT_EQ(rig.value("hbf.merged"), 63);
  for (const char* pages : {"2", "0"}) {
    HbfRig each(Assignments{{"hbf.merge", pages == std::string("0") ? "true" : "false"},
                            {"hbf.cache_pages", pages}});
    for (int line = 0; line < 64; ++line) {
      each.send(line * 64, false, 1);
    }
    each.drain();
    EXPECT_EQ(each.senses(), 64) << pages << " pages";
  }
}

TEST(Hbf, SensesOfABankAreTrApartAndInOrder) {
  HbfRig rig;
  for (int page = 0; page < 20; ++page) {
    rig.read(16 * ((page * 7) % 20), 1);
  }
  rig.drain();
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(rig.order[i].tag, i);
    EXPECT_EQ(rig.done[i].value(), 4'544'001 + static_cast<std::int64_t>(i) * kRead);
  }
}

// k pages of a bank read in turn, each after the last answer.
TEST(Hbf, TheCacheOfABankHoldsTwoPages) {
  const auto senses = [](int pages, const char* cache) {
    HbfRig rig(Assignments{{"hbf.cache_pages", cache}});
    for (int i = 0; i < 192; ++i) {
      rig.latency(rig.read(16 * (i % pages), 1));
    }
    return rig.senses();
  };
  EXPECT_EQ(senses(2, "2"), 2);
  EXPECT_EQ(senses(3, "2"), 192);
  EXPECT_EQ(senses(3, "3"), 3);
  EXPECT_EQ(senses(1, "0"), 192);
}

// The page-aware order is fr_fcfs over the host's queue: with one read sent at a time, three pages
// in turn are 192 senses in order of arrival and 3 by page.
TEST(Hbf, SchedulersOrderTheReadsThatWait) {
  const auto senses = [](const char* scheduler) {
    HbfRig rig(Assignments{{"hbf.outstanding", "1"}, {"controller.nvdimm_scheduler", scheduler}});
    for (int i = 0; i < 192; ++i) {
      rig.read(16 * (i % 3), 1);
    }
    rig.drain();
    return rig.senses();
  };
  EXPECT_EQ(senses("fcfs"), 192);
  EXPECT_EQ(senses("fr_fcfs"), 3);
  EXPECT_EQ(senses("fcfs_strict"), 192);
}

// A bank keeps pages B and A. A request for C waits with a younger one for A.
TEST(Hbf, BankCacheServesThePagesThatABankKeepsFirst) {
  const auto senses = [](const char* scheduler) {
    HbfRig rig(Assignments{{"hbf.outstanding", "1"}, {"controller.nvdimm_scheduler", scheduler}});
    const auto page = [](char name) { return 16 * std::int64_t{name - 'A'}; };
    rig.latency(rig.read(page('A'), 1));
    rig.latency(rig.read(page('B'), 1));
    rig.read(page('C'), 1);
    rig.read(page('A'), 1);
    rig.drain();
    return rig.senses();
  };
  EXPECT_EQ(senses("fr_fcfs"), 4);
  EXPECT_EQ(senses("bank_cache"), 3);
}

// Time of a stream of pages without writes: the slower of array and link, and one latency.
TEST(Hbf, AStreamIsBoundByTheArrayOrTheLink) {
  const auto stream = [](const Assignments& more, int pages) {
    HbfRig rig(with(more, {{"hbf.header", "0B"}, {"hbf.outstanding", "4096"}}));
    for (int page = 0; page < pages; ++page) {
      rig.read(page);
    }
    rig.drain();
    return rig.kernel.now().value();
  };
  const std::int64_t latency = kMiss - kHeader;
  // 16 banks: 64 rounds of 4 us; the pages of a round leave one after another.
  const std::int64_t array = 64 * kRead;
  EXPECT_GE(stream({}, 1024), array);
  EXPECT_LE(stream({}, 1024), array + latency);
  // 256 banks on 16 dies: 262 GB/s, so that the link's 96 GB/s bind.
  const Assignments wide{{"hbf.dies", "16"}, {"nvdimm.capacity", "2GiB"}};
  const std::int64_t link = 4096LL * 4096 * 1000 / 96;
  EXPECT_GE(stream(wide, 4096), link);
  EXPECT_LE(stream(wide, 4096), link + latency + kPage);
}

// Q pages in flight: Q pages in each latency (Little), until array or link bind.
TEST(Hbf, PagesInFlightBoundTheRate) {
  for (const int flight : {1, 4, 16, 64}) {
    HbfRig rig(Assignments{{"hbf.outstanding", std::to_string(flight)},
                           {"hbf.dies", "16"},
                           {"nvdimm.capacity", "2GiB"},
                           {"controller.nvdimm_scheduler", "fcfs"}});
    constexpr int kPages = 2048;
    for (int page = 0; page < kPages; ++page) {
      rig.read(page);
    }
    rig.drain();
    const double time = static_cast<double>(rig.kernel.now().value());
    const double form = static_cast<double>(kPages) / flight * static_cast<double>(kMiss);
    EXPECT_NEAR(time, form, 0.02 * form) << flight;
  }
}

// u = tPROG + tBERS / P for a page of a bank; W pending pages wait W u / b in b banks.
TEST(Hbf, WritesTakeTheTimeOfProgramsAndErases) {
  HbfRig rig(
      keys_from("nvdimm.nand.pages_per_block=8 nvdimm.capacity=8MiB hbf.erased_at_start=false"));
  constexpr int kPages = 16 * 8 * 8;
  int next = 0;
  rig.then = [&](const Request& /*request*/) {
    if (next < kPages) {
      rig.write(next++);
    }
  };
  for (; next < 64;) {
    rig.write(next++);
  }
  rig.drain();
  const double u = 75'000'000 + 2'000'000'000.0 / 8;
  const double time = static_cast<double>(rig.kernel.now().value());
  EXPECT_NEAR(time, kPages / 16.0 * u, 0.01 * kPages / 16.0 * u);
  EXPECT_EQ(rig.value("nvdimm.nand.erases"), kPages / 8);
  double latency = 0;
  for (std::size_t i = 128; i + 128 < rig.done.size(); ++i) {
    latency += static_cast<double>((rig.done[i] - rig.sent[i]).value());
  }
  latency /= static_cast<double>(rig.done.size() - 256);
  EXPECT_NEAR(latency, 64 * u / 16, 0.02 * 64 * u / 16);
}

// Mean wait of a read for its bank with Poisson arrivals, one server: the form of M/G/1. No page is
// read twice and no erase falls into the run.
TEST(Hbf, WaitsOfABankFollowTheQueueingForm) {
  const double r = 0.05;   // reads in a microsecond
  const double w = 0.002;  // programs
  const Assignments bare = keys_from(
      "hbf.banks=1 nvdimm.capacity=64MiB hbf.header=0B hbf.ecc_read=0s hbf.ecc_write=0s "
      "hbf.cache_pages=0 hbf.read_rate=1000000 hbf.write_rate=1000000 "
      "nvdimm.nand.bus_rate=1000GT/s");
  const double service = 4e6 + 4096 + 4320;  // alone, with the rest of its way
  std::vector<double> means;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    HbfRig rig(bare);
    Random random(seed);
    const auto uniform = [&] {
      return (static_cast<double>(random.below(1U << 30)) + 1) / static_cast<double>(1U << 30);
    };
    double at = 0;
    std::int64_t written = 0;
    std::vector<std::uint32_t> reads;
    for (int i = 0; i < 30'000; ++i) {
      at += -std::log(uniform()) / (r + w) * 1e6;
      rig.kernel.run_until(Tick(static_cast<std::int64_t>(at)));
      if (uniform() < r / (r + w)) {
        reads.push_back(rig.read(8192 + i % 8192, 1));
      } else {
        rig.write(written++);
      }
    }
    rig.drain();
    double wait = 0;
    for (const std::uint32_t read : reads) {
      wait += static_cast<double>((rig.done[read] - rig.sent[read]).value()) - service;
    }
    means.push_back(wait / static_cast<double>(reads.size()) / 1e6);
  }
  double mean = 0;
  for (const double each : means) {
    mean += each / static_cast<double>(means.size());
  }
  double variance = 0;
  for (const double each : means) {
    variance += (each - mean) * (each - mean) / 5 / 6;
  }
  const double form = (r * 16 + w * 75 * 75) / (2 * (1 - r * 4 - w * 75));  // 9.25 us
  EXPECT_NEAR(mean, form, 3 * std::sqrt(variance) + 0.02 * form);
}

TEST(Hbf, PagesOfABlockAreWrittenInOrder) {
  HbfRig rig;
  const std::uint32_t first = rig.write(0);
  const std::uint32_t gap = rig.write(32);  // page 2 of the block, before page 1
  const std::uint32_t second = rig.write(16);
  const std::uint32_t again = rig.write(16);
  rig.drain();
  EXPECT_EQ(rig.status[first], HbfStatus::done);
  EXPECT_EQ(rig.status[gap], HbfStatus::out_of_order);
  EXPECT_EQ(rig.status[second], HbfStatus::done);
  EXPECT_EQ(rig.status[again], HbfStatus::out_of_order);
  EXPECT_EQ(rig.value("nvdimm.nand.programs"), 2);
  rig.drain();
  const std::uint32_t erased = rig.read(32);
  const std::uint32_t good = rig.read(16);
  rig.drain();
  EXPECT_EQ(rig.status[erased], HbfStatus::erased_page);
  EXPECT_EQ(rig.status[good], HbfStatus::done);
  // Page 0 again: the block is erased, and page 1 with it.
  const std::uint32_t renewed = rig.write(0);
  rig.drain();
  EXPECT_EQ(rig.status[renewed], HbfStatus::done);
  EXPECT_EQ(rig.value("nvdimm.nand.erases"), 1);
  const std::uint32_t lost = rig.read(16);
  rig.drain();
  EXPECT_EQ(rig.status[lost], HbfStatus::erased_page);
}

TEST(Hbf, PartsOfAPageGatherInTime) {
  HbfRig rig(Assignments{{"hbf.accumulate", "10us"}});
  std::vector<std::uint32_t> parts;
  for (int line = 0; line < 64; ++line) {
    parts.push_back(rig.send(line * 64, true, 1));
  }
  const std::uint32_t twice = rig.send(0, true, 1);
  const std::uint32_t early = rig.send(64 * 16 * 64, true, 32);  // half of a page that stays so
  rig.kernel.run_until(Tick(1'000'000));
  const std::uint32_t arrived = rig.send(64 * 16 * 64, false, 32);
  const std::uint32_t missing = rig.send(64 * 16 * 64, false, 33);
  rig.drain();
  for (const std::uint32_t part : parts) {
    EXPECT_EQ(rig.status[part], HbfStatus::done);
    EXPECT_EQ(rig.done[part], rig.done[parts.front()]) << "one answer, after the program";
  }
  EXPECT_EQ(rig.status[twice], HbfStatus::late) << "a page by itself, incomplete";
  EXPECT_EQ(rig.status[arrived], HbfStatus::done);
  EXPECT_EQ(rig.status[missing], HbfStatus::pending_part);
  EXPECT_EQ(rig.status[early], HbfStatus::late);
  // 65 lines with headers, then half a page with a header: 10,432 bytes.
  EXPECT_EQ(rig.done[early], Tick(108'667 + 10'000'000));
}

TEST(Hbf, PendingPagesBoundTheWrites) {
  HbfRig rig(Assignments{{"hbf.pending_writes", "2"}, {"hbf.header", "0B"}});
  for (int page = 0; page < 4; ++page) {
    rig.write(page);
  }
  rig.drain();
  const std::int64_t alone = kPage + kEcc + kBus + kProgram;
  EXPECT_EQ(rig.done[0].value(), alone);
  EXPECT_EQ(rig.done[2].value(), 2 * alone) << "sent at the answer to the first";
}

TEST(Hbf, AFailedProgramMakesItsBlockBeginAgain) {
  HbfRig rig(Assignments{{"nvdimm.nand.program_failure", "0.01"}, {"hbf.banks", "1"}});
  for (int page = 0; page < 256; ++page) {
    rig.write(page);
  }
  rig.drain();
  const auto failed = std::find(rig.status.begin(), rig.status.end(), HbfStatus::program_failed);
  ASSERT_NE(failed, rig.status.end());
  EXPECT_TRUE(std::all_of(rig.status.begin(), failed,
                          [](HbfStatus status) { return status == HbfStatus::done; }));
  EXPECT_TRUE(std::all_of(failed + 1, rig.status.end(),
                          [](HbfStatus status) { return status == HbfStatus::out_of_order; }));
  const auto page = failed - rig.status.begin();
  ASSERT_GT(page, 0);
  const std::uint32_t kept = rig.read(page - 1);
  const std::uint32_t missing = rig.read(page);
  rig.drain();
  EXPECT_EQ(rig.status[kept], HbfStatus::done) << "programmed before";
  EXPECT_EQ(rig.status[missing], HbfStatus::erased_page);
  const std::uint32_t replay = rig.write(0);
  rig.drain();
  EXPECT_EQ(rig.status[replay], HbfStatus::done);
  EXPECT_EQ(rig.value("nvdimm.nand.erases"), 1);
  const std::uint32_t lost = rig.read(page - 1);
  rig.drain();
  EXPECT_EQ(rig.status[lost], HbfStatus::erased_page);
}

TEST(Hbf, ReadsOfABlockAreCounted) {
  HbfRig rig(Assignments{{"hbf.refresh_reads", "5"}, {"hbf.cache_pages", "0"}});
  rig.latency(rig.write(0));
  for (int i = 0; i < 6; ++i) {
    const std::uint32_t read = rig.read(0);
    rig.drain();
    EXPECT_EQ(rig.status[read], i < 4 ? HbfStatus::done : HbfStatus::refresh_due);
  }
}

TEST(Hbf, RejectsInvalidParameters) {
  for (const auto& [name, value] :
       keys_from("hbf.grade=4 hbf.pending_writes=0 hbf.accumulate=0s hbf.read_granularity=192B "
                 "hbf.outstanding=0 dram.preset=ddr4_2400_8gb_x8 nvdimm.kind=pcm nvdimm.count=2 "
                 "nvdimm.nand.planes=2 nvdimm.attach=ddr")) {
    EXPECT_THROW(make_config(with(kHbf, {{name, value}})), InputError) << name;
  }
  EXPECT_THROW(make_config({{"nvdimm.kind", "hbf"}}), InputError);
  EXPECT_TRUE(names(error_from([] {
                      make_config(with(kHbf, {{"nvdimm.capacity", "100MiB"}}));
                    }),
                    {"16 LUNs (hbf.{dies,banks})"}));
}

}  // namespace
}  // namespace hmsim::testing
