// SPDX-License-Identifier: BSD-3-Clause
// Are hmsim's traces of memory requests read as docs/trace-format.md defines them, in any block
// size, and is any other input an error?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "tests/cc/names.h"
#include "tests/cc/traces/trace_texts.h"
#include "traces/record_rules.h"

namespace hmsim::testing {
namespace {

const std::string kStart = "HMSIM_RW";

std::string number(std::uint64_t value) {
  std::string text;
  for (int byte = 0; byte < 8; ++byte) {
    text += static_cast<char>(value >> (8 * byte));
  }
  return text;
}
std::string request(std::uint64_t cycle, std::uint64_t address, bool write) {
  return number(cycle) + number(address + (write ? 1 : 0));
}

std::unique_ptr<AccessSource> open(const std::string& text, std::size_t piece = 1 << 20) {
  return find_format("hmsim_rw")->accesses(reader_of(text, piece));
}

TEST(FormatHmsimRw, RecordsAreReadInBlocksOfAnySize) {
  Random random(3);
  std::string text = kStart;
  std::vector<Access> wanted;
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t line = random.next() >> random.below(58) << 6;
    wanted.push_back({line, random.below(2) == 0, random.next(), 0});
    text += request(wanted.back().cycle, line, wanted.back().write);
  }
  for (const std::size_t piece : {1u, 7u, 16u, 24u, 1u << 20}) {
    const auto source = open(text, piece);
    for (int pass = 0; pass < 2; ++pass, source->rewind()) {
      expect_accesses(all_of<Access>(*source), wanted);
    }
    const auto copy = open(text);
    expect_resumes(*source, *copy, wanted, same_access);
  }
}

TEST(FormatHmsimRw, MalformedRecordsAreLeftOut) {
  const std::string bad = number(2) + number(64 + 2);
  const std::string text = kStart + request(1, 64, false) + bad + bad + request(3, 128, true);
  for (const std::size_t piece : {1u, 24u, 1u << 20}) {
    const auto source = open(text, piece);
    RecordRules rules;
    LeftOutRecords left_out;
    Access access;
    ASSERT_TRUE(rules.next(*source, access, left_out));
    EXPECT_THROW(rules.next(*source, access, left_out), InputError);
    rules.on_bad_record = RecordRule::skip;
    ASSERT_TRUE(rules.next(*source, access, left_out));
    EXPECT_EQ(access.cycle, 3u);
    EXPECT_FALSE(rules.next(*source, access, left_out));
    EXPECT_EQ(left_out.bad, 1u);
  }
  // A file that ends within a record is damaged.
  const auto source = open(text.substr(0, text.size() - 1));
  RecordRules rules;
  rules.on_bad_record = RecordRule::skip;
  LeftOutRecords left_out;
  Access access;
  ASSERT_TRUE(rules.next(*source, access, left_out));
  EXPECT_THROW(rules.next(*source, access, left_out), InputError);
}

TEST(FormatHmsimRw, IsRecognisedByItsFirstLetters) {
  const std::string text = kStart + request(1, 64, false);
  std::vector<std::string> names;
  for (const FormatDescriptor* format : kFormatTable) {
    if (format->looks_like(TraceStart(text))) {
      names.emplace_back(format->name);
    }
  }
  EXPECT_EQ(names, std::vector<std::string>{"hmsim_rw"});
}

TEST(FormatHmsimRw, RejectsInvalidTraces) {
  const std::string one = request(1, 64, true);
  const std::vector<std::pair<std::string, std::vector<std::string>>> inputs{
      {"", {"some.trace: ", "'HMSIM_RW'"}},
      {"HMSIM_R", {"some.trace: ", "'HMSIM_RW'"}},
      {"HMSIM_RX" + one, {"some.trace: ", "'HMSIM_RW'"}},
      {kStart, {"some.trace: ", "records"}},
      {kStart + one + one.substr(1), {"some.trace: record 2: ", "file"}},
      {kStart + one + request(2, 66, false), {"some.trace: record 2: ", "address"}},
      {kStart + request(2, 65, true), {"some.trace: record 1: ", "address"}},
  };
  for (const auto& [text, wanted] : inputs) {
    for (const std::size_t piece : {5u, 1u << 20}) {
      std::string found;
      try {
        all_of<Access>(*open(text, piece), &found);
      } catch (const InputError& error) {
        found = error.what();
      }
      EXPECT_EQ(found.rfind("some.trace: ", 0), 0u) << found;
      EXPECT_TRUE(names(found, wanted));
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
