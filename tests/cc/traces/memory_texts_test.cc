// SPDX-License-Identifier: BSD-3-Clause
// Do the texts of other memory simulators become the accesses that those simulators read from them?
#include <array>
#include <cstdio>

#include "core/random.h"
#include "tests/cc/names.h"
#include "tests/cc/traces/trace_texts.h"
#include "traces/plain_line.h"

namespace hmsim::testing {
namespace {

std::vector<Access> accesses_of(const std::string& format, const std::string& text,
                                const AddressLevels& levels = {}) {
  return all_of<Access>(*find_format(format)->accesses(reader_of(text), levels));
}

// An access follows the other instructions that its line counts: 35 + 1, 0 + 1, 7 + 1.
TEST(MemoryTexts, ReadsUsimm) {
  const auto source = find_format("usimm")->misses(
      reader_of("35 R 0x1f4e4c80 0x4046c3\n0 W 0x2040\r\n7 R ff40 0\n"), std::nullopt);
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<Miss> found = all_of<Miss>(*source);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].gap, 36);
    EXPECT_TRUE(found[0].load && !found[0].write);
    EXPECT_EQ(found[0].load_address, 0x1f4e4c80u);
    EXPECT_EQ(found[1].gap, 1);
    EXPECT_TRUE(found[1].write && !found[1].load);
    EXPECT_EQ(found[1].write_address, 0x2040u);
    EXPECT_EQ(found[2].gap, 8);
    EXPECT_EQ(found[2].load_address, 0xff40u);
    source->rewind();
  }
}

TEST(MemoryTexts, ReadsNvmain) {
  const std::string data(128, 'a');
  expect_accesses(accesses_of("nvmain", "NVMV1\n12 R 0x1040 " + data + " " + data + " 0\n15 W 80 " +
                                            data + " " + data + " 3\n"),
                  {{0x1040, false, 12, 0}, {0x80, true, 15, 3}});
  expect_accesses(accesses_of("nvmain", "12 R 1040 " + data + " 2\n"), {{0x1040, false, 12, 2}});
}

TEST(MemoryTexts, ReadsRamulator2LoadsAndStores) {
  expect_accesses(accesses_of("ramulator2_ls", "LD 4096\nST 0x2040\nLD 0X40\n"),
                  {{4'096, false, 0, 0}, {0x2040, true, 0, 0}, {0x40, false, 0, 0}});
}

TEST(MemoryTexts, Ramulator2VectorsCountLinesLevelByLevel) {
  // Vectors of 2 x 3 x 5 in ascending order are the first 30 lines.
  std::string text;
  std::vector<Access> wanted;
  for (int line = 0; line < 30; ++line) {
    text += (line % 2 == 0 ? "R " : "W ") + std::to_string(line / 15) + "," +
            std::to_string(line / 5 % 3) + "," + std::to_string(line % 5) + "\n";
    wanted.push_back({static_cast<std::uint64_t>(line) * 64, line % 2 == 1, 0, 0});
  }
  expect_accesses(accesses_of("ramulator2_rw", text, {2, 3, 5}), wanted);
  const auto source = find_format("ramulator2_rw")->accesses(reader_of(text, 9), {2, 3, 5});
  const auto copy = find_format("ramulator2_rw")->accesses(reader_of(text), {2, 3, 5});
  expect_resumes(*source, *copy, wanted, same_access);
  const std::vector<std::pair<std::string, std::vector<std::string>>> wrong{
      {"R 1,3,0\n", {"some.trace:1: ", "3", "level 1", "'levels'"}},
      {"R 1,2\n", {"some.trace:1: ", "'R|W <channel>,...,<column>'"}},
      {"R 1,2,3,4\n", {"some.trace:1: ", "'R|W"}},
      {"LD 1,2,3\n", {"some.trace:1: ", "'LD'"}},
      {"R 1,-1,3\n", {"some.trace:1: ", "'-1'"}}};
  for (const auto& [line, named] : wrong) {
    std::string error;
    all_of<Access>(*find_format("ramulator2_rw")->accesses(reader_of(line), {2, 3, 5}), &error);
    EXPECT_TRUE(names(error, named));
  }
}

TEST(MemoryTexts, LevelsAreCheckedTogether) {
  EXPECT_EQ(parse_levels("1, 2,4 ,4,32768,128").value, (AddressLevels{1, 2, 4, 4, 32'768, 128}));
  EXPECT_EQ(parse_levels("").value, AddressLevels{});
  EXPECT_EQ(parse_levels("72057594037927936").value, AddressLevels{std::uint64_t{1} << 56});
  for (const char* text : {"0", "-1", "x", "1,,2", "1;2", "72057594037927937",
                           "268435456,268435457", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"}) {
    EXPECT_FALSE(parse_levels(text).value) << text;
  }
}

// Packets as printed by gem5 24.0's decode_packet_trace.py, with all fields and with the fewest.
TEST(MemoryTexts, ReadsGem5Text) {
  const auto source = find_format("gem5_text")
                          ->accesses(reader_of("7,r,4096,64,256,1000\n"
                                               "8,w,4200,100,256,1500,4198400\n"
                                               "7,u,0,64,0,1600\nr,64,8,2000\nw,128,0,0,2500\n"
                                               "w,128,1,0,900\n"));
  const std::vector<Access> wanted{{4'096, false, 0, 7},  {4'160, true, 500, 8},
                                   {4'224, true, 500, 8}, {4'288, true, 500, 8},
                                   {64, false, 1'000, 0}, {128, true, 0, 0}};
  expect_accesses(all_of<Access>(*source), wanted);
  EXPECT_EQ(source->skipped(), 2u);
  source->rewind();
  EXPECT_EQ(source->skipped(), 0u);
}

TEST(MemoryTexts, Gem5TextContinuesWithinAPacket) {
  std::string text;
  std::vector<Access> wanted;
  Random random(2);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::uint64_t address = random.below(1 << 20);
    const std::uint64_t size = 1 + random.below(300);
    text += std::to_string(i) + ",w," + std::to_string(address) + "," + std::to_string(size) +
            ",0," + std::to_string(i * 10) + "\n";
    for (std::uint64_t line = address / 64; line <= (address + size - 1) / 64; ++line) {
      wanted.push_back({line * 64, true, i * 10, i});
    }
  }
  const auto source = find_format("gem5_text")->accesses(reader_of(text, 13));
  const auto copy = find_format("gem5_text")->accesses(reader_of(text));
  expect_accesses(all_of<Access>(*source), wanted);
  expect_resumes(*source, *copy, wanted, same_access);
}

std::string some_of(const std::vector<std::string>& texts, Random& random) {
  return texts[random.below(texts.size())];
}

// Returns the usual text of a field, or sometimes an odd or empty one.
std::string mostly(const std::string& usual, const std::vector<std::string>& odd, Random& random) {
  return random.below(12) == 0 ? some_of(odd, random) : usual;
}

std::string number_of(Random& random, bool hexadecimal) {
  const std::uint64_t bits = random.next() >> random.below(64);
  std::string text = std::to_string(bits);
  if (hexadecimal) {
    std::array<char, 24> digits{};
    std::snprintf(digits.data(), digits.size(), random.below(2) == 0 ? "%llx" : "%llX",
                  static_cast<unsigned long long>(bits));
    text = some_of({"", "0x", "0x0", "0X"}, random) + digits.data();
  }
  return mostly(text, {"0" + text, text + "0", text + "g", "0x", "-1", ""}, random);
}

std::string line_of(const std::string& format, Random& random) {
  const std::string gap = mostly(" ", {"  ", "\t", ""}, random);
  const std::string end = mostly("\n", {"\r\n", " \n", "\n\n"}, random);
  const std::string address = number_of(random, true);
  if (format == "mqsim") {
    const std::string sectors =
        mostly(std::to_string(random.below(99)), {"0", "20000000000000000"}, random);
    return number_of(random, false) + gap + "3 " + number_of(random, false) + " " + sectors + " " +
           mostly(some_of({"0", "1"}, random), {"2", "01"}, random) + end;
  }
  if (format == "ramulator_rw") {
    return address + gap + mostly(some_of({"R", "W"}, random), {"RW", "r"}, random) + end;
  }
  const std::string kind = mostly(some_of({"READ", "WRITE"}, random), {"READS", "WRIT"}, random);
  return address + gap + kind + " " + number_of(random, false) + end;
}

std::string shown_as_text(const Access& access) {
  return std::to_string(access.address) + (access.write ? "W" : "R") + std::to_string(access.cycle);
}
std::string shown_as_text(const BlockRequest& request) {
  return std::to_string(request.arrival_ns) + " " + std::to_string(request.device) + " " +
         std::to_string(request.sector) + (request.write ? "W" : "R") +
         std::to_string(request.sectors);
}

// Returns the records of a source and, last, what ended it.
template <class Record, class Source>
std::vector<std::string> read_all(const std::unique_ptr<Source>& source) {
  std::string error;
  std::vector<std::string> shown;
  for (const Record& record : all_of<Record>(*source, &error)) {
    shown.push_back(shown_as_text(record));
  }
  shown.push_back(error);
  return shown;
}

std::vector<std::string> records(const std::string& format, TraceReader reader) {
  return format == "mqsim" ? read_all<BlockRequest>(find_format(format)->blocks(std::move(reader)))
                           : read_all<Access>(find_format(format)->accesses(std::move(reader)));
}

// A line near the end of the available text is never read in place.
TEST(MemoryTexts, PlainLinesAreReadAsAllOthers) {
  Random random(7);
  std::size_t read = 0;
  for (const std::string format : {"dramsim3", "ramulator_rw", "mqsim"}) {
    for (int i = 0; i < 4'000; ++i) {
      std::string text;
      for (std::uint64_t lines = random.below(6) + 1; lines > 0; --lines) {
        text += line_of(format, random);
      }
      text += "#" + std::string(FastLine::kText, '-') + "\n";
      const std::vector<std::string> plain = records(format, reader_of(text));
      EXPECT_EQ(plain, records(format, reader_of(text, FastLine::kText - 1))) << text;
      read += plain.size() - 1;
    }
  }
  EXPECT_GT(read, 15'000u);
}

}  // namespace
}  // namespace hmsim::testing
