// SPDX-License-Identifier: BSD-3-Clause
// Programs of threads, from text and from traces of misses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/names.h"
#include "traces/captured_job.h"

namespace hmsim::testing {
namespace {

constexpr std::uint64_t kNvdimm = std::uint64_t{1} << 39;

TraceReader reader_of(const std::string& text, const std::string& file = "x.job") {
  return {text_source(text), 0, file, text.size()};
}

std::unique_ptr<JobProgram> parse(const std::string& text) {
  return std::get<OpenJobs>(find_format("job")->open)(reader_of(text));
}

std::string error_of(const std::string& text) {
  return error_from([&] { parse(text); });
}

std::vector<JobRecord> records_of(JobProgram& program, std::uint32_t thread) {
  std::vector<JobRecord> records;
  JobPlace place = program.begin(thread);
  do {
    records.push_back(program.next(place));
  } while (records.back().action != JobAction::end);
  return records;
}

TEST(JobText, GivesEachThreadItsRecords) {
  const auto program = parse(
      "# two kinds\nthread main\ncompute 100\ncompute 20\nread 3 2\nload 0x1000\nwake go\n"
      "compute 7\nthread helper 2\nwait go\nstore 4096\nsleep 12us\nwrite 9\nsync\n");
  ASSERT_EQ(program->threads(), 3u);
  EXPECT_EQ(program->name_of(0), "main");
  EXPECT_EQ(program->name_of(2), "helper");
  const std::vector<JobRecord> main = records_of(*program, 0);
  ASSERT_EQ(main.size(), 4u);
  EXPECT_EQ(main[0].action, JobAction::read);
  EXPECT_EQ(main[0].gap, 120);
  EXPECT_EQ(main[0].first_line, 3u * 64);
  EXPECT_EQ(main[0].lines, 2u * 64);
  EXPECT_EQ(main[1].gap, 1);  // the load itself
  EXPECT_TRUE(main[1].miss.load);
  EXPECT_EQ(main[1].miss.load_address, 0x1000u);
  EXPECT_EQ(main[2].action, JobAction::wake);
  EXPECT_EQ(main[3].gap, 7);
  for (const std::uint32_t helper : {1u, 2u}) {
    const std::vector<JobRecord> steps = records_of(*program, helper);
    ASSERT_EQ(steps.size(), 6u);
    EXPECT_EQ(steps[0].action, JobAction::wait);
    EXPECT_EQ(steps[0].event, main[2].event);
    EXPECT_TRUE(steps[1].miss.write);
    EXPECT_EQ(steps[1].gap, 0);
    EXPECT_EQ(steps[2].time, 12 * kMicrosecond);
    EXPECT_EQ(steps[3].action, JobAction::write);
    EXPECT_EQ(steps[4].action, JobAction::sync);
  }
}

TEST(JobText, ThreadsMayBeOfOneTaskAndSendToOthers) {
  const auto program = parse(
      "thread each\nwait go\ntask 2\nthread sender 2\ncompute 5\nsend 3 go 64KiB\nsend 0 go 1B\n"
      "task all\nthread last\nsync\n");
  ASSERT_EQ(program->threads(), 4u);
  for (const std::uint32_t task : {0u, 1u, 2u, 3u}) {
    EXPECT_TRUE(program->runs_in(0, task));
    EXPECT_EQ(program->runs_in(1, task), task == 2);
    EXPECT_EQ(program->runs_in(2, task), task == 2);
    EXPECT_TRUE(program->runs_in(3, task));
  }
  const std::vector<JobRecord> sender = records_of(*program, 2);
  ASSERT_EQ(sender.size(), 3u);
  EXPECT_EQ(sender[0].action, JobAction::send);
  EXPECT_EQ(sender[0].gap, 5);
  EXPECT_EQ(sender[0].task, 3u);
  EXPECT_EQ(sender[0].bytes, 65'536u);
  EXPECT_EQ(sender[0].event, records_of(*program, 0)[0].event);
  EXPECT_EQ(sender[1].task, 0u);
  EXPECT_EQ(sender[1].bytes, 1u);
  program->require_task_count(4);
  EXPECT_THROW(program->require_task_count(3), InputError);
}

TEST(JobText, ErrorsNameTheLine) {
  // Each row: a program, the position of its error, and an expected or given fact that the message
  // names.
  const std::vector<std::tuple<const char*, const char*, const char*>> wrong{
      {"compute 3\n", "x.job:1: ", "'thread NAME'"},
      {"thread a\nreed 3\n", "x.job:2: ", "'read'?"},
      {"thread a\nread\n", "x.job:2: 'read'", "page"},
      {"thread a\nread 1 0\n", "x.job:2: ", "65536 pages"},
      {"thread a\nsync 1\n", "x.job:2: 'sync'", "nothing"},
      {"thread a\nsleep 3\n", "x.job:2: '3'", "3600s"},
      {"thread a\nsleep 4000s\n", "x.job:2: '4000s'", "3600s"},
      {"thread a 99999\n", "x.job:1: ", "16384 threads"},
      {"thread a\ncompute 281474976710656\n", "x.job:2: ", "2^48"},
      {"thread a\nsend 1 go\n", "x.job:2: 'send'", "size"},
      {"thread a\nsend 1 go 4\n", "x.job:2: '4'", "1TiB"},
      {"thread a\nsend 1 go 0B\n", "x.job:2: '0B'", "1B"},
      {"thread a\nsend 16384 go 4B\n", "x.job:2: task 16384", "16383"},
      {"thread a\nsend x go 4B\n", "x.job:2: ", "'x'"},
      {"task 1 2\n", "x.job:1: ", "'task NUMBER'"},
      {"task 1\ncompute 3\n", "x.job:2: ", "'thread NAME'"},
      {"task 1\n", "x.job: ", "'thread NAME'"},
      {"thread a\nload zz\n", "x.job:2: ", "'zz'"}};
  for (const auto& [text, place, named] : wrong) {
    const std::string error = error_of(text);
    EXPECT_EQ(error.rfind(place, 0), 0u) << error;
    EXPECT_NE(error.find(named), std::string::npos) << error;
  }
  EXPECT_NE(error_of(""), "");
}

std::unique_ptr<MissSource> misses_of(const std::vector<std::uint64_t>& words) {
  return find_format("hmsim")->misses(reader_of(hmsim_trace(words, 1, 2, 1'000), "x"),
                                      std::nullopt);
}

std::uint64_t fill(std::uint64_t line, std::uint64_t gap) { return hmsim_record(line, 0, 0, gap); }
std::uint64_t store(std::uint64_t line, std::uint64_t gap) {
  return hmsim_record(kNvdimm | line, 2, 0, gap);
}

TEST(CapturedJob, RunsOfLinesBecomeTransfers) {
  const std::vector<std::uint64_t> words{fill(1, 10),
                                         fill(kNvdimm | 640, 5),
                                         fill(2, 3),  // the page cache's line
                                         fill(kNvdimm | 641, 4),
                                         fill(kNvdimm | 642, 4),
                                         fill(3, 50),
                                         fill(kNvdimm | 900, 6),
                                         store(70, 8),
                                         store(71, 8),
                                         fill(4, 20)};
  CapturedJob job(misses_of(words), 0, "x", {64, 100}, true, true);
  const std::vector<JobRecord> records = records_of(job, 0);
  ASSERT_EQ(records.size(), 8u);
  EXPECT_EQ(records[1].action, JobAction::read);
  EXPECT_EQ(records[1].first_line, 640u);
  EXPECT_EQ(records[1].lines, 3u);
  EXPECT_EQ(records[1].gap, 5);
  EXPECT_EQ(records[2].miss.load_address, 2u * 64);
  EXPECT_EQ(records[3].miss.load_address, 3u * 64);
  EXPECT_EQ(records[3].gap, 50);  // without the instructions of the lines that became transfers
  EXPECT_EQ(records[4].lines, 1u);
  EXPECT_EQ(records[5].action, JobAction::write);
  EXPECT_EQ(records[5].lines, 2u);
  EXPECT_EQ(records[6].gap, 20);
}

TEST(CapturedJob, TransfersEndAtTheirLimits) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t line = 0; line < 10; ++line) {
    words.push_back(fill(kNvdimm | line, line == 7 ? 101 : 4));
  }
  CapturedJob job(misses_of(words), 0, "x", {4, 100}, true, false);
  std::vector<std::uint64_t> lines;
  for (const JobRecord& record : records_of(job, 0)) {
    if (record.action == JobAction::read) {
      lines.push_back(record.lines);
    }
  }
  EXPECT_EQ(lines, (std::vector<std::uint64_t>{4, 3, 3}));
  CapturedJob whole(misses_of(words), 0, "x", {4, 100}, false, false);
  EXPECT_EQ(records_of(whole, 0)[9].action, JobAction::miss);
}

// Lines that stay misses mark the beginning and the end of requests' copies.
TEST(CapturedJob, MissesMarkTheBeginningAndTheEndOfCopies) {
  const std::vector<std::uint64_t> words{
      fill(kNvdimm | 10, 5), store(700, 4),         fill(1, 4),           fill(kNvdimm | 11, 4),
      store(701, 4),         fill(kNvdimm | 12, 4), fill(kNvdimm | 40, 4)};
  CapturedJob job(misses_of(words), 0, "x", {64, 100}, false, false);
  const std::vector<JobRecord> records = records_of(job, 0);
  std::vector<std::uint64_t> copies;
  std::vector<bool> ends;
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(records[i].action, JobAction::miss);
    copies.push_back(records[i].copies);
    ends.push_back(records[i].ends_copy);
  }
  EXPECT_EQ(copies, (std::vector<std::uint64_t>{3, 2, 0, 0, 0, 0, 1}));
  EXPECT_EQ(ends, (std::vector<bool>{false, false, false, false, true, true, true}));
}

// A run in one direction within a run in the other, as in file copies.
TEST(CapturedJob, RunsMayBeNested) {
  const std::vector<std::uint64_t> words{fill(kNvdimm | 10, 5), store(700, 4),
                                         fill(kNvdimm | 11, 4), fill(kNvdimm | 12, 4),
                                         store(701, 4),         fill(kNvdimm | 13, 4)};
  CapturedJob job(misses_of(words), 0, "x", {64, 100}, true, true);
  const std::vector<JobRecord> records = records_of(job, 0);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].action, JobAction::read);
  EXPECT_EQ(records[0].lines, 4u);
  EXPECT_EQ(records[1].action, JobAction::write);
  EXPECT_EQ(records[1].lines, 2u);
}

// Every instruction and every line appears exactly once, except instructions of transferred lines.
TEST(CapturedJob, ReportsEachLineOnce) {
  Random random(7);
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> expected;
  std::array<std::uint64_t, 3> next{0, 100'000, 200'000};  // of three streams, interleaved
  for (int i = 0; i < 4'000; ++i) {
    const std::uint64_t stream = random.below(3);
    const std::uint64_t line = next[stream];
    next[stream] += random.below(8) == 0 ? random.below(500) : 1;
    const std::uint64_t memory = stream == 0 ? 0 : kNvdimm;
    const std::uint64_t gap = random.below(random.below(4) == 0 ? 300 : 60);
    words.push_back(stream == 2 ? store(line, gap) : fill(memory | line, gap));
    expected.push_back(line | memory);
  }
  CapturedJob job(misses_of(words), 0, "x", {16, 200}, true, true);
  std::vector<std::uint64_t> found;
  for (const JobRecord& record : records_of(job, 0)) {
    const Miss& miss = record.miss;
    if (record.action == JobAction::miss) {
      const std::uint64_t memory = miss.memory == MemoryClass::nvdimm ? kNvdimm : 0;
      found.push_back((miss.load ? miss.load_address : miss.write_address) / 64 | memory);
    }
    for (std::uint64_t line = 0; line < record.lines; ++line) {
      found.push_back((record.first_line + line) | kNvdimm);
    }
  }
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
}

// Reads at any position and in any order match a single pass.
TEST(MissTape, HoldsTheSameMissesInAnyOrderOfReading) {
  std::vector<std::uint64_t> words;
  Random random(3);
  for (int i = 0; i < 1'200'000; ++i) {  // more than the tape keeps
    words.push_back(fill(random.below(1 << 20), random.below(9)));
  }
  const auto source = misses_of(words);
  std::vector<std::pair<std::uint64_t, std::int64_t>> expected;
  for (Miss miss; source->next(miss);) {
    expected.emplace_back(miss.load_address, miss.gap);
  }
  MissTape tape(misses_of(words), 0, "x");
  const auto look = [&](std::uint64_t number) {
    const Miss* miss = tape.at(number);
    ASSERT_NE(miss, nullptr) << number;
    EXPECT_EQ(std::make_pair(miss->load_address, miss->gap), expected[number]) << number;
  };
  for (int i = 0; i < 300; ++i) {
    look(random.below(expected.size()));
  }
  for (std::uint64_t number = 0; number < expected.size(); number += 501) {
    look(number);
  }
  EXPECT_EQ(tape.at(expected.size()), nullptr);
  EXPECT_EQ(tape.at(expected.size() + 1'000'000), nullptr);
}

TEST(MissTape, BeginsAfterTheSkippedInstructions) {
  const auto words = std::vector<std::uint64_t>{fill(1, 10), fill(2, 10), fill(3, 10)};
  MissTape tape(misses_of(words), 15, "x");
  EXPECT_EQ(tape.at(0)->load_address, 2u * 64);
  EXPECT_EQ(tape.at(0)->gap, 5);
  EXPECT_EQ(tape.at(1)->load_address, 3u * 64);
  EXPECT_EQ(tape.at(2), nullptr);
  MissTape behind(misses_of(words), 30, "x");
  EXPECT_THROW(behind.at(0), InputError);
}

}  // namespace
}  // namespace hmsim::testing
