// SPDX-License-Identifier: BSD-3-Clause
// Do traces in columns become the requests of their lines, in any order of columns?
#include "traces/column_trace.h"

#include "core/random.h"
#include "tests/cc/names.h"
#include "tests/cc/traces/trace_texts.h"

namespace hmsim::testing {
namespace {

std::vector<BlockRequest> requests_of(const std::string& format, const std::string& text) {
  return all_of<BlockRequest>(*find_format(format)->blocks(reader_of(text)));
}

void expect_requests(const std::vector<BlockRequest>& found,
                     const std::vector<BlockRequest>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(same_request(found[i], wanted[i])) << i;
  }
}

BlockRequest request(std::uint64_t ns, std::uint64_t device, std::uint64_t sector,
                     std::uint64_t sectors, bool write) {
  BlockRequest made;
  made.arrival_ns = ns;
  made.device = device;
  made.sector = sector;
  made.sectors = sectors;
  made.write = write;
  return made;
}

BlockRequest done_at(BlockRequest made, std::uint64_t ns) {
  made.completion_ns = ns;
  return made;
}

// Lines as in UMass's Financial1.spc; the last one as allowed by revision 1.0.1.
TEST(ColumnTrace, ReadsSpc) {
  expect_requests(
      requests_of("spc",
                  "0,20941264,8192,W,0.551706\n1,55590,3072,r,1.000000,9,x\n"
                  " 2 , 8 , 513 , w , 1.5 \n"),
      {request(551'706'000, 0, 20'941'264, 16, true), request(1'000'000'000, 1, 55'590, 6, false),
       request(1'500'000'000, 2, 8, 2, true)});
}

TEST(ColumnTrace, SystorSkipsRowsThatAreNeitherReadsNorWrites) {
  const auto source = find_format("systor")->blocks(
      reader_of("Timestamp,Response,IOType,LUN,Offset,Size\n"
                "1456095145.133076000,0.000806000,R,0,899056122368,131072\n"
                "1456095145.133077000,0.1,,0,4096,512\n"
                "1456095145.133078000,,W,6,4096,512\n"));
  for (int pass = 0; pass < 2; ++pass) {
    expect_requests(all_of<BlockRequest>(*source),
                    {done_at(request(1'456'095'145'133'076'000, 0, 1'755'968'989, 256, false),
                             1'456'095'145'133'882'000),
                     request(1'456'095'145'133'078'000, 6, 8, 1, true)});
    EXPECT_EQ(source->skipped(), 1u);
    source->rewind();
  }
}

TEST(ColumnTrace, ReadsAlibabaAndTencent) {
  expect_requests(
      requests_of("alibaba", "7,W,1536,512,1577808000000046\n7,R,0,4096,5\n"),
      {request(1'577'808'000'000'046'000, 7, 3, 1, true), request(5'000, 7, 0, 8, false)});
  expect_requests(requests_of("tencent", "1538323200,16,8,1,1063\n5,0,1,0,7\n"),
                  {request(1'538'323'200'000'000'000, 1063, 16, 8, true),
                   request(5'000'000'000, 7, 0, 1, false)});
}

TEST(ColumnTrace, ReadsFiu) {
  expect_requests(requests_of("fiu",
                              "89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a0\n"
                              "5 1 x 16 1 W 8 17 a b c d e f g h\n"),
                  {request(89'968'195'792'462, 6 * 256, 283'193'184, 8, false),
                   request(5, 8 * 256 + 17, 16, 1, true)});
}

ColumnMap numbered() {
  ColumnMap map;
  map.time = "0";
  map.op = "1";
  map.offset = "2";
  map.size = "3";
  map.time_unit = Tick(1'000'000'000);
  return map;
}

std::vector<BlockRequest> csv(const std::string& text, const ColumnMap& map) {
  EXPECT_TRUE(map.check(true).empty());
  return all_of<BlockRequest>(*find_format("csv")->blocks(reader_of(text), map));
}

TEST(ColumnTrace, CsvTakesColumnsByName) {
  ColumnMap map;
  map.time = "at";
  map.op = "what";
  map.offset = "where it lies";
  map.size = "long";
  map.device = "disk";
  map.response = "took";
  map.time_unit = Tick(1'000'000'000);  // a millisecond
  map.offset_unit = Bytes(4'096);
  map.size_unit = Bytes(512);
  map.separator = ColumnSeparator::semicolon;
  map.header = 2;
  map.skip = "blank|note";
  BlockRequest flush = request(2'000'000, 0, 0, 0, false);
  flush.flush = true;
  BlockRequest trim = request(3'000'000, 1, 0, 8, false);
  trim.trim = true;
  expect_requests(csv("made by hand\n"
                      "long;\"where it lies\";what;took;disk;at;more\n"
                      "2;8;Read;0.5;3;1.25;x\n1;16; Write ;;1;1.5\n;;;;;\n;;note\n"
                      "# a comment\n;;F;0.25;0;2\n8;0;Trim;;1;3\n",
                      map),
                  {done_at(request(1'250'000, 3, 64, 2, false), 1'750'000),
                   request(1'500'000, 1, 128, 1, true), done_at(flush, 2'250'000), trim});
}

// Lines made from random numbers give the same requests for any order of columns, separator and
// unit.
TEST(ColumnTrace, CsvReadsWrittenRequestsBack) {
  Random random(5);
  for (int round = 0; round < 40; ++round) {
    ColumnMap map = numbered();
    const std::size_t turn = random.below(4);
    std::array<std::string*, 4> columns{&map.time, &map.op, &map.offset, &map.size};
    for (std::size_t i = 0; i < 4; ++i) {
      *columns[i] = std::to_string((i + turn) % 4 * 2 + 1);  // every other column
    }
    map.separator = static_cast<ColumnSeparator>(random.below(4));
    const char separator = ",;\t "[static_cast<std::size_t>(map.separator)];
    map.offset_unit = Bytes(std::int64_t{1} << random.below(13));
    map.time_unit = Tick(1'000 * (1 + static_cast<std::int64_t>(random.below(1'000))));
    std::string text;
    std::vector<BlockRequest> wanted;
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t time = random.below(1'000'000);
      const std::uint64_t offset = random.below(1 << 30);
      const std::uint64_t size = 1 + random.below(100'000);
      const bool write = random.below(2) == 1;
      std::array<std::string, 8> fields;
      fields.fill("0");
      fields[turn % 4 * 2 + 1] = std::to_string(time);
      fields[(1 + turn) % 4 * 2 + 1] = write ? "W" : "R";
      fields[(2 + turn) % 4 * 2 + 1] = std::to_string(offset);
      fields[(3 + turn) % 4 * 2 + 1] = std::to_string(size);
      for (const std::string& field : fields) {
        text += field + separator;
      }
      text += "end\n";
      const std::uint64_t first = offset * static_cast<std::uint64_t>(map.offset_unit.value());
      const std::uint64_t last = first + size - 1;  // bytes
      wanted.push_back(request(time * static_cast<std::uint64_t>(map.time_unit.value() / 1'000), 0,
                               first / 512, last / 512 - first / 512 + 1, write));
    }
    expect_requests(csv(text, map), wanted);
    const auto source = find_format("csv")->blocks(reader_of(text, 7), map);
    const auto copy = find_format("csv")->blocks(reader_of(text, 50), map);
    expect_resumes(*source, *copy, wanted, same_request);
  }
}

TEST(ColumnTrace, DecimalsOfATimeAreExact) {
  ColumnMap map = numbered();
  map.time_unit = kSecond;
  const std::vector<BlockRequest> found =
      csv("1456135200.013118001,R,0,512\n0.9999999999,R,0,512\n7.5,R,0,512\n", map);
  EXPECT_EQ(found[0].arrival_ns, 1'456'135'200'013'118'001u);
  EXPECT_EQ(found[1].arrival_ns, 999'999'999u);
  EXPECT_EQ(found[2].arrival_ns, 7'500'000'000u);
  map.time_unit = Tick(7'000);  // 7 ns
  EXPECT_EQ(csv("3.5,R,0,512\n", map)[0].arrival_ns, 24u);
}

std::string csv_error(const std::string& text, const ColumnMap& map) {
  std::string error;
  all_of<BlockRequest>(*find_format("csv")->blocks(reader_of(text), map), &error);
  return error;
}

TEST(ColumnTrace, CsvErrorsNameLineAndColumn) {
  ColumnMap named = numbered();
  named.op = "kind";
  named.header = 1;
  const std::vector<std::tuple<std::string, ColumnMap, std::vector<std::string>>> cases{
      {"a,b\n0,R,0,512\n", named, {"some.trace:1: ", "'kind'", "a, b"}},
      {"1,R,0\n", numbered(), {"some.trace:1: ", "column 3", "size"}},
      {"1\n", numbered(), {"some.trace:1: ", "column 1", "operation"}},
      {"1,R,0,\n", numbered(), {"some.trace:1: ", "size ''"}},
      {"1,R,0,0\n", numbered(), {"some.trace:1: ", "0 sectors"}},
      {"1,R,0,9223372036854775809\n", numbered(), {"some.trace:1: ", "2^63"}},
      {"1,Q,0,512\n", numbered(), {"some.trace:1: ", "operation 'Q'", "R, r, Read"}},
      {"1.,R,0,512\n", numbered(), {"some.trace:1: ", "time '1.'"}},
      {"1e5,R,0,512\n", numbered(), {"some.trace:1: ", "time '1e5'"}},
      {"", numbered(), {"some.trace: ", "records"}},
      {"a\n", named, {"some.trace:1: ", "'kind'"}}};
  for (const auto& [text, map, wanted] : cases) {
    EXPECT_TRUE(names(csv_error(text, map), wanted));
  }
}

TEST(ColumnTrace, AnInvalidMapIsRejected) {
  const auto errors = [](const auto& change) {
    ColumnMap map = numbered();
    change(map);
    std::string names;
    for (const ParameterError& error : map.check(true)) {
      names += error.name + " ";
    }
    return names;
  };
  EXPECT_EQ(errors([](ColumnMap&) {}), "");
  EXPECT_EQ(errors([](ColumnMap& map) { map.size = ""; }), "columns.size ");
  EXPECT_EQ(errors([](ColumnMap& map) { map.op = "64"; }), "columns.op ");
  EXPECT_EQ(errors([](ColumnMap& map) { map.op = "name"; }), "columns.op ");
  EXPECT_EQ(errors([](ColumnMap& map) { map.time_unit = Tick(1'500); }), "columns.time_unit ");
  EXPECT_EQ(errors([](ColumnMap& map) { map.time_unit = Tick(0); }), "columns.time_unit ");
  EXPECT_EQ(errors([](ColumnMap& map) { map.skip = "W"; }), "columns.read ");
  EXPECT_EQ(numbered().check(false).size(), 4u);  // another format's trace
  EXPECT_TRUE(ColumnMap().check(false).empty());
}

}  // namespace
}  // namespace hmsim::testing
