// SPDX-License-Identifier: BSD-3-Clause
// Are records of hmsim's own format as in its table, from any position, and is damage an error?
#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/names.h"
#include "tests/cc/states.h"
#include "tests/cc/traces/trace_texts.h"
#include "traces/trace_formats.h"
#include "traces/trace_records.h"

namespace hmsim::testing {
namespace {

constexpr std::uint64_t kNvdimm = std::uint64_t{1} << 39;
constexpr std::uint64_t kMostLine = (std::uint64_t{1} << 40) - 1;

std::string error_of(const std::string& text) {
  return error_from(
      [&] { read_all<Miss>(*find_format("hmsim")->misses(reader_of(text), std::nullopt)); });
}

std::vector<std::uint64_t> random_records(std::uint64_t seed, std::size_t count, unsigned vcpus) {
  Random random(seed);
  std::vector<std::uint64_t> records;
  while (records.size() < count) {
    const std::uint64_t vcpu = random.below(vcpus);
    const std::uint64_t kind = random.below(4);
    const std::uint64_t line = random.below(2) == 0 ? random.below(5) : random.next() & kMostLine;
    const std::uint64_t gap = random.below(3) * random.below(std::uint64_t{1} << 18);
    records.push_back(kind == 3 ? hmsim_record(line >> random.below(40), 3, vcpu, random.below(3))
                                : hmsim_record(line, kind, vcpu, gap));
  }
  return records;
}

bool same(const Miss& a, const Miss& b) {
  return a.gap == b.gap && a.load == b.load && a.write == b.write && a.memory == b.memory &&
         a.load_address == b.load_address && a.write_address == b.write_address;
}

TEST(FormatHmsim, RecordsBecomeMisses) {
  const std::string trace = hmsim_trace({hmsim_record(5, 0, 0, 10), hmsim_record(6, 1, 0, 0),
                                         hmsim_record(7, 0, 1, 0), hmsim_record(1'000'000, 3, 1, 0),
                                         hmsim_record(0, 3, 0, 1), hmsim_record(kMostLine, 2, 1, 3),
                                         hmsim_record(0, 3, 0, 2), hmsim_record(9, 3, 0, 0)});
  const auto all = find_format("hmsim")->misses(reader_of(trace, 7), std::nullopt);
  Miss miss;
  ASSERT_TRUE(all->next(miss));
  EXPECT_TRUE(miss.load);
  EXPECT_EQ(miss.gap, 10);
  EXPECT_EQ(miss.load_address, 5u * 64);
  ASSERT_TRUE(all->next(miss));
  EXPECT_TRUE(miss.write && !miss.load);
  EXPECT_EQ(miss.gap, 0);
  ASSERT_TRUE(all->next(miss));
  EXPECT_EQ(miss.gap, 1);  // a second line of one instruction counts as one
  ASSERT_TRUE(all->next(miss));
  EXPECT_TRUE(miss.write);
  EXPECT_EQ(miss.gap, 1'000'003);
  EXPECT_EQ(miss.write_address, kMostLine * 64);
  EXPECT_FALSE(all->next(miss));
  EXPECT_EQ(miss.gap, 9);
  EXPECT_EQ(all->fraction(), 1);

  EXPECT_EQ(read_all<Miss>(*find_format("hmsim")->misses(reader_of(trace), 0)).size(), 2u);
  EXPECT_EQ(read_all<Miss>(*find_format("hmsim")->misses(reader_of(trace), 1)).size(), 2u);
  EXPECT_THROW(find_format("hmsim")->misses(reader_of(trace), 2), InputError);
}

TEST(FormatHmsim, LinesOfTwoMemories) {
  const std::vector<std::uint64_t> records{hmsim_record(5, 0, 0, 1),
                                           hmsim_record(kNvdimm + 5, 0, 0, 1),
                                           hmsim_record(kNvdimm + 6, 2, 0, 1)};
  const auto both =
      find_format("hmsim")->misses(reader_of(hmsim_trace(records, 1, 2)), std::nullopt);
  EXPECT_TRUE(both->has_nvdimm());
  const std::vector<Miss> misses = read_all<Miss>(*both);
  ASSERT_EQ(misses.size(), 3u);
  EXPECT_TRUE(misses[0].memory == MemoryClass::dram && misses[0].load_address == 5 * 64);
  EXPECT_TRUE(misses[1].memory == MemoryClass::nvdimm && misses[1].load_address == 5 * 64);
  EXPECT_TRUE(misses[2].memory == MemoryClass::nvdimm && misses[2].write_address == 6 * 64);

  const auto one =
      find_format("hmsim")->misses(reader_of(hmsim_trace(records, 1, 0)), std::nullopt);
  EXPECT_FALSE(one->has_nvdimm());
  EXPECT_EQ(read_all<Miss>(*one)[1].load_address, (kNvdimm + 5) * 64);
}

// Written by hand from docs/trace-format.md: two fills, a write-back, a non-temporal write, an
// escape; one column per line.
TEST(FormatHmsim, ColumnsAreThoseOfTheTable) {
  const std::vector<std::uint64_t> records{
      hmsim_record(0x1234567, 0, 2, 0x50001), hmsim_record(0x1234566, 0, 2, 7),
      hmsim_record(0x1234566 ^ 0x0300000000, 1, 2, 0), hmsim_record(kNvdimm + 3, 2, 0, 1),
      hmsim_record(0x0102030405, 3, 1, 0)};
  const unsigned char columns[] = {
      0x08, 0x08, 0x09, 0x22, 0x07,                          // kind, vCPU, memory
      0xCE, 0x01, 0x8A, 0x00, 0x46, 0x00, 0x02, 0x00, 0, 0,  // fills: 2 x 0x1234567, 2 x 1 - 1
      0x01, 0x07, 0x00, 0x00, 0x05, 0x00,                    // their instructions
      0,    0,    0,    0,    3,    0,    0,    0,           // write-back: other bits of the line
      6,    0,    0,    0,    0,    1,    0,    0,           // non-temporal write: 2 x 3
      5,    4,    3,    2,    1,    0,    0,    0};          // escape
  const std::string wanted(reinterpret_cast<const char*>(columns), sizeof columns);
  EXPECT_EQ(pack_records(records), wanted);
  std::vector<std::uint64_t> found;
  unpack_records(wanted, found);
  EXPECT_EQ(found, records);
}

TEST(FormatHmsim, AnyRecordsSurvivePacking) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const std::vector<std::uint64_t> records = random_records(seed, seed * 17, 8);
    std::vector<std::uint64_t> found;
    unpack_records(pack_records(records), found);
    EXPECT_EQ(found, records);
  }
}

TEST(FormatHmsim, BlocksOfAnySizeGiveTheSameRecords) {
  const std::vector<std::uint64_t> records = random_records(3, 100, 3);
  for (const auto vcpu : {std::optional<unsigned>(), std::optional<unsigned>(1)}) {
    const auto whole = find_format("hmsim")->misses(reader_of(hmsim_trace(records, 3)), vcpu);
    const std::vector<Miss> wanted = read_all<Miss>(*whole);
    for (const std::size_t block : {1u, 7u, 50u, 99u, 100u}) {
      const auto source =
          find_format("hmsim")->misses(reader_of(hmsim_trace(records, 3, 0, block), 13), vcpu);
      for (int pass = 0; pass < 2; ++pass, source->rewind()) {
        const std::vector<Miss> found = read_all<Miss>(*source);
        EXPECT_TRUE(std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(), same));
      }
    }
  }
}

// The oracle counts instructions record by record.
TEST(FormatHmsim, SeekingMatchesReading) {
  const std::vector<std::uint64_t> records = random_records(5, 60, 2);
  for (const auto vcpu :
       {std::optional<unsigned>(), std::optional<unsigned>(0), std::optional<unsigned>(1)}) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> lines;  // instructions up to it, record
    std::uint64_t total = 0;
    for (const std::uint64_t record : records) {
      if (!vcpu || record_vcpu(record) == *vcpu) {
        total += record_instructions(record);
        if (record_kind(record) != RecordKind::escape) {
          lines.emplace_back(total, record);
        }
      }
    }
    const auto source =
        find_format("hmsim")->misses(reader_of(hmsim_trace(records, 2, 0, 4), 50), vcpu);
    std::vector<std::uint64_t> places{1, total - 1, total, total + 5};
    for (const auto& [at, record] : lines) {
      places.insert(places.end(), {at, at + 1, at == 0 ? 0 : at - 1});
    }
    for (const std::uint64_t place : places) {
      const auto next = std::find_if(lines.begin(), lines.end(), [place](const auto& line) {
        return line.first > place || place == 0;
      });
      Miss miss;
      ASSERT_EQ(source->seek(place, miss), next != lines.end()) << place;
      if (next != lines.end()) {
        const std::uint64_t gap = next->first - place;
        EXPECT_EQ(static_cast<std::uint64_t>(miss.gap), miss.load && gap == 0 ? 1 : gap);
        EXPECT_EQ(miss.load ? miss.load_address : miss.write_address,
                  record_line(next->second) * 64);
        const std::size_t left = static_cast<std::size_t>(lines.end() - next);
        EXPECT_EQ(read_all<Miss>(*source).size(), left - 1);
      }
    }
  }
}

TEST(FormatHmsim, SeekingReadsOnlyTheBlockThatHoldsThePlace) {
  const std::vector<std::uint64_t> records(1'000, hmsim_record(1, 0, 0, 10));
  const std::string trace = hmsim_trace(records, 1, 0, 100);
  std::vector<std::uint64_t> asked;
  const TraceSource counted = [&](std::size_t, std::uint64_t offset) {
    asked.push_back(offset);
    return offset < trace.size() ? trace.substr(offset, 900) : std::string();
  };
  const auto source = find_format("hmsim")->misses(TraceReader(counted, 0, "t", 0), std::nullopt);
  Miss miss;
  asked.clear();
  ASSERT_TRUE(source->seek(7'654, miss));
  EXPECT_EQ(miss.gap, 6);
  EXPECT_EQ(asked, std::vector<std::uint64_t>{88 + 10 * 8 + 7 * 900});
  EXPECT_NEAR(source->fraction(), 0.766, 1e-9);
}

TEST(FormatHmsim, TextsSeekByReading) {
  const auto source =
      find_format("ramulator")->misses(reader_of("3 64\n0 128 192\n5 320\n"), std::nullopt);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> wanted{
      {0, 64}, {3, 64}, {4, 128}, {5, 320}, {10, 320}};  // loads 4, 5 and 11
  for (const auto& [place, address] : wanted) {
    Miss miss;
    ASSERT_TRUE(source->seek(place, miss));
    EXPECT_EQ(miss.load_address, address) << place;
  }
  Miss miss;
  EXPECT_FALSE(source->seek(11, miss));
  EXPECT_FALSE(source->seek(100, miss));
}

TEST(FormatHmsim, ContinuesFromACheckpoint) {
  const std::string trace = hmsim_trace(random_records(9, 40, 2), 2, 0, 8);
  const auto source = find_format("hmsim")->misses(reader_of(trace, 30), std::nullopt);
  Miss miss;
  do {
    const auto copy = find_format("hmsim")->misses(reader_of(trace), std::nullopt);
    const auto again = find_format("hmsim")->misses(reader_of(trace), std::nullopt);
    copy_state(*source, *copy);
    copy_state(*source, *again);
    const std::vector<Miss> left = read_all<Miss>(*copy);
    Miss next;
    EXPECT_EQ(again->next(next), !left.empty());
    EXPECT_TRUE(left.empty() || same(next, left.front()));
  } while (source->next(miss));
}

TEST(FormatHmsim, ListsEveryAccessWithItsVcpu) {
  const auto records = open_records(
      "hmsim", reader_of(hmsim_trace({hmsim_record(5, 0, 0, 10), hmsim_record(8, 3, 1, 0),
                                      hmsim_record(6, 1, 1, 4), hmsim_record(7, 2, 0, 3)})));
  std::vector<TraceRecord> found;
  while (records->next(found)) {
  }
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].time, 10u);
  EXPECT_TRUE(found[1].time == 12 && found[1].device == 1 && found[1].write);
  EXPECT_TRUE(found[2].time == 13 && found[2].address == 7 * 64 && found[2].bytes == 64);
}

TEST(FormatHmsim, RejectsInvalidTraces) {
  const std::string good = hmsim_trace({hmsim_record(1, 0, 0, 1), hmsim_record(2, 0, 0, 1)}, 1);
  EXPECT_EQ(error_of(good), "");
  const auto changed = [&](std::size_t at, int value) {
    std::string bad = good;
    bad[at] = static_cast<char>(value);
    return bad;
  };
  const std::vector<std::pair<std::string, std::vector<std::string>>> inputs{
      {"", {"header"}},
      {"HMSIMTRC", {"header"}},
      {std::string(88, 'x'), {"'HMSIMTRC'"}},
      {changed(8, 1), {"version", "1", "2"}},
      {changed(10, 4), {"flags", "4", "3"}},
      {changed(12, 5), {"line's bytes", "5", "6"}},
      {changed(13, 0), {"vCPUs", "0", "8"}},
      {changed(13, 9), {"vCPUs", "9", "8"}},
      {changed(16, 9), {"block 1: ", "file"}},
      {changed(18, 9), {"1 blocks", "65536"}},
      {changed(24, 9), {"header", "9 instructions", "index"}},
      {changed(66, 0), {"records in a block", "0", "1048576"}},
      {changed(66, 17), {"records in a block", "1114112", "1048576"}},
      {changed(95, 127), {"block 1: ", "2^62 instructions"}},
      {changed(96, 64), {"some.trace: block 1: record 1", "tag 64"}},
      {changed(96, 4), {"block 1: record 1: ", "vCPU 1"}},
      {changed(106, 128), {"block 1: ", "bits"}},
      {changed(108, 3), {"block 1: ", "vCPU 0", "4 instructions"}},
      {good.substr(0, good.size() - 1), {"block 1: ", "file"}},
      {good.substr(0, 90), {"index"}},
      {hmsim_trace({}), {"records of misses"}},
      {hmsim_trace({hmsim_record(9, 3, 0, 0)}), {"records of misses"}},
      {hmsim_trace({hmsim_record(1, 3, 0, 3)}), {"block 1: record 1: ", "escape code", "3", "2"}},
  };
  for (const auto& [text, named] : inputs) {
    const std::string found = error_of(text);
    EXPECT_TRUE(names(found, named));
    EXPECT_EQ(found.rfind("some.trace: ", 0), 0u) << found;
  }
  const std::uint64_t most = (std::uint64_t{1} << 40) - 1;
  EXPECT_TRUE(
      names(error_of(hmsim_trace(std::vector<std::uint64_t>(300, hmsim_record(most, 3, 0, 0)))),
            {"record 257: ", "2^48 instructions"}));
}

TEST(FormatHmsim, SurvivesDamage) {
  const std::string good = hmsim_trace(random_records(2, 12, 2), 2, 0, 5);
  Random random(11);
  for (int i = 0; i < 3'000; ++i) {
    std::string damaged =
        good.substr(0, random.below(4) == 0 ? random.below(good.size()) : good.size());
    for (std::uint64_t j = random.below(4) + 1; j > 0 && !damaged.empty(); --j) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.next());
    }
    error_of(damaged);
  }
}

}  // namespace
}  // namespace hmsim::testing
