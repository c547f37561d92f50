// SPDX-License-Identifier: BSD-3-Clause
// Are gem5's packets read as its own writer encodes them, and is any other input an error?
#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/names.h"
#include "tests/cc/states.h"
#include "tests/cc/traces/gem5_messages.h"
#include "tests/cc/traces/trace_texts.h"
#include "traces/record_rules.h"
#include "traces/trace_formats.h"
#include "traces/trace_records.h"

namespace hmsim::testing {
namespace {

std::unique_ptr<AccessSource> open(const std::string& text, std::size_t piece = 1 << 20) {
  return find_format("gem5")->accesses(
      TraceReader(text_source(text, piece), 0, "some.trace", text.size()));
}

std::string error_of(const std::string& text) {
  return error_from([&] { read_all<Access>(*open(text)); });
}

void expect_access(const Access& access, std::uint64_t picosecond, std::uint64_t address,
                   bool write) {
  EXPECT_EQ(access.cycle, picosecond);
  EXPECT_EQ(access.address, address);
  EXPECT_EQ(access.write, write);
}

const std::string kTrace = header() + packet(5'000, kReadReq, 0x1000, 64) +
                           packet(6'500, kWriteReq, 0x103C, 8) +
                           packet(7'000, kCleanEvict, 0x2000, 64) +
                           packet(6'000, kWritebackDirty, 0xFFFFFFFFFFFFFFC0, 64) +
                           packet(9'000, kReadExReq, 0x20, 200) + packet(9'500, kReadReq, 0, 0);

TEST(FormatGem5, PacketsBecomeLines) {
  for (const std::size_t piece : {1u, 7u, 1u << 20}) {
    const auto source = open(kTrace, piece);
    for (int pass = 0; pass < 2; ++pass, source->rewind()) {
      const std::vector<Access> accesses = read_all<Access>(*source);
      ASSERT_EQ(accesses.size(), 8u);
      expect_access(accesses[0], 0, 0x1000, false);  // times count from the first packet
      expect_access(accesses[1], 1'500, 0x1000, true);
      expect_access(accesses[2], 1'500, 0x1040, true);  // it straddles two lines
      expect_access(accesses[3], 1'000, 0xFFFFFFFFFFFFFFC0, true);
      for (std::size_t line = 0; line < 4; ++line) {
        expect_access(accesses[4 + line], 4'000, line * 64, false);
      }
      EXPECT_EQ(source->skipped(), 2u);
    }
  }
}

TEST(FormatGem5, PacketsOutOfRangeAreLeftOutAndDamageIsNot) {
  const std::string valid = packet(10, kReadReq, 0, 64);
  const std::string late = packet(20, kWriteReq, 0xFFFFFFFFFFFFFFF0, 64);
  RecordRules rules;
  rules.on_bad_record = RecordRule::skip;
  for (const std::size_t piece : {1u, 1u << 20}) {
    LeftOutRecords left_out;
    Access access;
    const auto source = open(header() + late + valid + late + valid, piece);
    ASSERT_TRUE(rules.next(*source, access, left_out));
    ASSERT_TRUE(rules.next(*source, access, left_out));
    EXPECT_FALSE(rules.next(*source, access, left_out));
    EXPECT_EQ(left_out.bad, 2u);
    const auto damaged = open(header() + valid + message(number(1, 5)) + valid, piece);
    ASSERT_TRUE(rules.next(*damaged, access, left_out));
    EXPECT_THROW(rules.next(*damaged, access, left_out), InputError);
  }
}

TEST(FormatGem5, TicksOfAnyFrequencyBecomePicoseconds) {
  const std::string packets = packet(10, kReadReq, 0, 64) + packet(2'510, kReadReq, 64, 64);
  EXPECT_EQ(read_all<Access>(*open(header(1'000'000'000) + packets))[1].cycle, 2'500'000u);
  EXPECT_EQ(read_all<Access>(*open(header(1'000'000'000'000'000) + packets))[1].cycle, 2u);
}

TEST(FormatGem5, TimedAgentsFollowTheTicks) {
  Bench bench{"memory_trace", {{"path", "t"}, {"format", "gem5"}, {"mode", "timed"}}, kTrace};
  bench.slots = 1;
  bench.latency = fixed(Tick(10));
  AgentUnderTest test(bench);
  ASSERT_TRUE(test.finish());
  ASSERT_EQ(test.port.log.size(), 8u);
  EXPECT_EQ(test.port.log[0].time, Tick(0));
  EXPECT_EQ(test.port.log[1].time, Tick(1'500));
  EXPECT_EQ(test.port.log[3].time, Tick(1'500));  // earlier than the previous one: sent at once
  EXPECT_EQ(test.port.log[7].time, Tick(4'000));
}

// All packets of this trace are from requestor 7.
TEST(FormatGem5, PacketsAreOfTheAgentOrOfTheirRequestor) {
  for (const auto& [sources, expected] :
       {std::pair<const char*, int>{"agent", 2}, std::pair<const char*, int>{"trace", 9}}) {
    Bench bench{"memory_trace",
                {{"path", "t"}, {"format", "gem5"}, {"core", "2"}, {"sources", sources}},
                kTrace};
    AgentUnderTest test(bench);
    ASSERT_TRUE(test.finish());
    ASSERT_FALSE(test.port.log.empty());
    for (const auto& sent : test.port.log) {
      EXPECT_EQ(sent.source, expected);
    }
  }
}

TEST(FormatGem5, ARequestorPastTheLastSourceIsAnError) {
  const std::string trace = header() + message(number(1, 0) + number(2, kReadReq) + number(3, 0) +
                                               number(4, 64) + number(6, 65'535));
  const Assignments keys{{"path", "t"}, {"format", "gem5"}, {"sources", "trace"}};
  Bench fits{"memory_trace", keys, trace};
  AgentUnderTest test(fits);
  EXPECT_TRUE(test.finish());
  Assignments behind = keys;
  behind.emplace_back("core", "1");
  Bench bench{"memory_trace", behind, trace};
  EXPECT_THROW(
      {
        AgentUnderTest other(bench);
        other.finish();
      },
      InputError);
}

TEST(FormatGem5, ContinuesFromACheckpoint) {
  const std::vector<Access> wanted = read_all<Access>(*open(kTrace));
  const auto source = open(kTrace, 5);
  for (std::size_t read = 0; read <= wanted.size(); ++read) {
    const auto copy = open(kTrace);
    copy_state(*source, *copy);
    EXPECT_EQ(read_all<Access>(*copy).size(), wanted.size() - read);
    Access access;
    source->next(access);
  }
}

TEST(FormatGem5, RejectsInvalidTraces) {
  const std::string read = packet(5, kReadReq, 0, 64);
  const std::vector<std::pair<std::string, std::vector<std::string>>> inputs{
      {"", {"'gem5'"}},
      {"gem6", {"'gem5'"}},
      {"gem5", {"header: "}},
      {"gem5\x05xx", {"header: ", "file"}},
      {"gem5\xFF\xFF\xFF\xFF\xFF\x01", {"header: ", "length", "32-bit"}},
      {"gem5\xFF\xFF\xFF\x7F", {"header: ", "1048576 bytes"}},
      {header(0), {"header: ", "0 Hz"}},
      {header(3'000'000'000'000'001), {"header: ", "3000000000000001 Hz"}},
      {header(), {"0 other packets"}},
      {header() + packet(5, kCleanEvict, 0, 64), {"1 other packets"}},
      {header() + read + "\x80", {"packet 2: ", "file"}},
      {header() + read + "\x05\x08", {"packet 2: ", "file"}},
      {header() + message(number(1, 5) + number(2, 1) + number(3, 0)), {"packet 1: ", "size"}},
      {header() + message(""), {"packet 1: ", "tick"}},
      {header() + message("\x08\x80"), {"packet 1: ", "number"}},
      {header() + message("\x08" + std::string(10, '\xFF')), {"packet 1: ", "64 bits"}},
      {header() + message("\x0B"), {"packet 1: ", "type 3"}},
      {header() + message("\x0A\x09xx"), {"packet 1: ", "field"}},
      {header() + packet(5, kReadReq, 0, std::uint64_t{1} << 32), {"packet 1: ", "size", "2^20"}},
      {header() + packet(5, kReadReq, ~std::uint64_t{0}, 2), {"packet 1: ", "64-bit address"}},
      {header(1) + read + packet(std::uint64_t{1} << 63, kReadReq, 0, 64), {"packet 2: "}},
  };
  for (const auto& [text, wanted] : inputs) {
    const std::string found = error_of(text);
    EXPECT_TRUE(names(found, wanted));
    EXPECT_EQ(found.rfind("some.trace: ", 0), 0u) << found;
  }
}

TEST(FormatGem5, SurvivesDamage) {
  Random random(13);
  for (int i = 0; i < 3'000; ++i) {
    std::string damaged = kTrace;
    for (std::uint64_t j = random.below(4) + 1; j > 0; --j) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.next());
    }
    damaged.resize(random.below(4) == 0 ? random.below(damaged.size()) : damaged.size());
    error_of(damaged);
  }
}

}  // namespace
}  // namespace hmsim::testing
