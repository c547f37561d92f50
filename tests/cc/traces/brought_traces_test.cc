// SPDX-License-Identifier: BSD-3-Clause
// Do the traces of other tools, written by hand after their sources, become the records of their
// lines, also from a checkpoint?
#include "tests/cc/names.h"
#include "tests/cc/traces/trace_texts.h"
#include "traces/column_guess.h"
#include "traces/record_rules.h"

namespace hmsim::testing {
namespace {

// Expects the accesses of a whole trace, read at once, in pieces of 7 bytes, and from a checkpoint.
void expect_accesses_of(const std::string& format, const std::string& text,
                        const std::vector<Access>& wanted) {
  SCOPED_TRACE(format);
  const auto source = find_format(format)->accesses(reader_of(text));
  for (int pass = 0; pass < 2; ++pass) {
    expect_accesses(all_of<Access>(*source), wanted);
    source->rewind();
  }
  const auto copy = find_format(format)->accesses(reader_of(text, 7));
  expect_resumes<Access>(*source, *copy, wanted, same_access);
}

std::string access_error(const std::string& format, const std::string& text) {
  return error_from([&] { read_all<Access>(*find_format(format)->accesses(reader_of(text))); });
}

// "31:" is cycle 31. 32 bytes at 0x4f0 touch lines 0x4c0 and 0x500. Other requests are of one line.
TEST(BroughtTraces, ReadsDramsysStimuli) {
  const std::string text =
      "# comment\n\n31:\tread\t0x400140\n33: (32) write 0x4f0 0x0011\n40 Read 7ffd\n";
  expect_accesses_of("dramsys_stl", text,
                     {{0x400140, false, 31, 0},
                      {0x4c0, true, 33, 0},
                      {0x500, true, 33, 0},
                      {0x7fc0, false, 40, 0}});
  expect_accesses_of("dramsys_rstl", text,
                     {{0x400140, false, 31, 0},
                      {0x4c0, true, 64, 0},
                      {0x500, true, 64, 0},
                      {0x7fc0, false, 104, 0}});
}

TEST(BroughtTraces, RejectsInvalidDramsysStimuli) {
  EXPECT_TRUE(names(access_error("dramsys_stl", "0: read 0x40\n1: fetch 0x40\n"),
                    {":2: ", "read|write", "1: fetch 0x40"}));
  EXPECT_TRUE(names(access_error("dramsys_stl", "0: (32 read 0x40\n"), {":1: ", "'(32'"}));
  EXPECT_TRUE(names(access_error("dramsys_stl", "0: (0) read 0x40\n"), {":1: ", "0 bytes"}));
  EXPECT_TRUE(names(access_error("dramsys_stl", "-1 read 0x40\n"), {":1: ", "'-1'"}));
  EXPECT_TRUE(names(access_error("dramsys_rstl", "18446744073709551615 read 0\n1 read 0\n"),
                    {":2: ", "2^64"}));
}

TEST(BroughtTraces, ReadsDramsim2) {
  expect_accesses_of("dramsim2_k6",
                     "0x40 P_FETCH 1\n0x80 P_MEM_WR 12\n0xC0 P_LOCK_WR 13\n0x100 BOFF 14\n"
                     "0x140 P_MEM_RD 15\n0x180 P_LOCK_RD 16\n",
                     {{0x40, false, 1, 0},
                      {0x80, true, 12, 0},
                      {0xC0, false, 13, 0},
                      {0x100, true, 14, 0},
                      {0x140, false, 15, 0},
                      {0x180, false, 16, 0}});
  expect_accesses_of("dramsim2_mase", "0x40 IFETCH 1\n0x80 NOP 2\n0xC0 WRITE 3\n0x100 READ 4\n",
                     {{0x40, false, 1, 0}, {0xC0, true, 3, 0}, {0x100, false, 4, 0}});
  expect_accesses_of("dramsim2_misc", "0x40 write " + std::string(64, 'f') + "\n0x80 read\n",
                     {{0x40, true, 0, 0}, {0x80, false, 0, 0}});
  EXPECT_TRUE(names(access_error("dramsim2_k6", "0x40 FETCH 1\n"), {":1: ", "'FETCH'", "BOFF"}));
  EXPECT_TRUE(names(access_error("dramsim2_k6", "40 BOFF 1\n"), {":1: ", "'40'", "0x"}));
  EXPECT_TRUE(names(access_error("dramsim2_misc", "0x40 write ff\n"), {":1: ", "'ff'"}));
}

TEST(BroughtTraces, Dramsim3TakesTheWordsOfDramsim2) {
  expect_accesses_of("dramsim3",
                     "40 write 1\n0x80 P_MEM_WR 2\n0xC0 BOFF 3\n0x100 read 4\n0x140 IFETCH 5\n"
                     "0x180 P_LOCK_WR 6\n",
                     {{0x40, true, 1, 0},
                      {0x80, true, 2, 0},
                      {0xC0, true, 3, 0},
                      {0x100, false, 4, 0},
                      {0x140, false, 5, 0},
                      {0x180, false, 6, 0}});
}

// ReadReq is 1, WriteReq 4, WritebackDirty 7; 5 is a response. A tick of 1 GHz is a nanosecond.
TEST(BroughtTraces, ReadsGem5Fields) {
  const std::string header =
      "# <<< protobuf header start\n# tick_freq: 1000000000\n# >>> protobuf header end\n";
  const std::vector<Access> wanted{{0x1000, false, 0, 5},
                                   {0x2000, true, 1'000'000, 0},
                                   {0x2040, true, 1'000'000, 0},
                                   {0x3000, true, 1'500'000, 5}};
  expect_accesses_of("gem5_fields",
                     header +
                         "# tick,cmd,addr,size,flags,pkt_id,pc\n1000,1,4096,64,0,5,\n"
                         "1500,5,64,64,0,5,\n2000,4,8192,128,,,\n2500,7,12288,64,0,5,\n",
                     wanted);
  expect_accesses_of("gem5_fields",
                     header +
                         "tick addr  size cmd pkt_id\n1000 4096 64 1 5\n2000 8192 128 4\n"
                         "2500 12288 64 7 5\n",
                     wanted);
  EXPECT_TRUE(
      names(access_error("gem5_fields", header + "# tick,addr,size\n1,2,3\n"), {":4: ", "'cmd'"}));
  EXPECT_TRUE(names(access_error("gem5_fields", header + "1,1,64,64\n"), {"tick, cmd", "gem5"}));
  EXPECT_TRUE(names(access_error("gem5_fields", header + "tick,cmd,addr,size\n1,ReadReq,2,3\n"),
                    {":5: ", "'ReadReq'"}));
}

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> (8 * i));
  }
  return text;
}

std::string oracle(std::uint64_t time, std::uint64_t object, std::uint64_t size,
                   std::uint64_t next) {
  return little(time, 4) + little(object, 8) + little(size, 4) + little(next, 8);
}

TEST(BroughtTraces, ReadsOracleGeneral) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  const std::string text = oracle(7, 12'345, 4'096, 3) + oracle(7, 1, 513, kNone >> 1) +
                           oracle(9, 12'345 + (std::uint64_t{1} << 53), 512, kNone);
  BlockRequest first;
  first.arrival_ns = 7'000'000'000;
  first.sector = 12'345;
  first.sectors = 8;
  BlockRequest second = first;
  second.sector = 1;
  second.sectors = 2;
  BlockRequest third = first;
  third.arrival_ns = 9'000'000'000;
  third.sectors = 1;
  const std::vector<BlockRequest> wanted{first, second, third};
  const auto source = find_format("oraclegeneral")->blocks(reader_of(text));
  const auto copy = find_format("oraclegeneral")->blocks(reader_of(text, 5));
  EXPECT_EQ(all_of<BlockRequest>(*source).size(), 3u);
  expect_resumes<BlockRequest>(*source, *copy, wanted, same_request);
  std::string error;
  all_of<BlockRequest>(*find_format("oraclegeneral")->blocks(reader_of(text + "ab")), &error);
  EXPECT_TRUE(names(error, {"record 4", "2 of its 24"}));
  all_of<BlockRequest>(*find_format("oraclegeneral")->blocks(reader_of(text + oracle(9, 1, 1, 2))),
                       &error);
  EXPECT_TRUE(names(error, {"record 4", "2, is not after"}));
}

std::string entry(std::uint64_t type, std::uint64_t size, std::uint64_t value) {
  return little(type, 2) + little(size, 2) + little(value, 8);
}

// Header, file type x86-64, thread; an instruction with a load and five stores; a jump; the footer.
TEST(BroughtTraces, ReadsDrmemtrace) {
  std::string text = entry(25, 0, 4) + entry(28, 9, 0x40) + entry(22, 4, 77) + entry(47, 8, 1) +
                     entry(10, 4, 0x400000) + entry(0, 8, 0x1000);
  for (std::uint64_t i = 0; i < 5; ++i) {
    text += entry(1, 8, 0x2000 + 64 * i);
  }
  const std::string jump = entry(28, 2, 9) + entry(11, 2, 0x400004);
  const std::string end = entry(23, 4, 77) + entry(26, 0, 0);
  const auto source = find_format("drmemtrace")->instructions(reader_of(text + jump + end, 13));
  std::vector<Instruction> found = all_of<Instruction>(*source);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].ip, 0x400000u);
  EXPECT_EQ(found[0].loads[0], 0x1000u);
  EXPECT_EQ(found[0].stores[1], 0x2040u);
  EXPECT_EQ(found[1].stores[0], 0x2080u);
  EXPECT_EQ(found[2].stores[0], 0x2100u);
  EXPECT_EQ(found[2].stores[1], 0u);
  EXPECT_EQ(found[3].ip, 0x400004u);
  Instruction third;
  ASSERT_TRUE(source->seek(2, third));
  EXPECT_EQ(third.stores[0], 0x2100u);
  const auto error_of = [](const std::string& bytes) {
    std::string error;
    all_of<Instruction>(*find_format("drmemtrace")->instructions(reader_of(bytes)), &error);
    return error;
  };
  EXPECT_TRUE(names(error_of(text + jump), {"without a footer"}));
  EXPECT_TRUE(names(error_of(entry(25, 0, 6)), {"version 6", "2 and 5"}));
  EXPECT_TRUE(names(error_of(entry(10, 0, 6)), {"header"}));
  EXPECT_TRUE(names(error_of(text + entry(22, 4, 78)), {"second thread, 78", "77"}));
  EXPECT_TRUE(names(error_of(entry(25, 0, 2) + entry(28, 9, 0x10)), {"32-bit"}));
  EXPECT_TRUE(names(error_of(entry(25, 0, 2) + entry(28, 9, 0x80)), {"filtered"}));
  EXPECT_TRUE(names(error_of(text + entry(60, 0, 0)), {"type 60"}));
}

// Without Q, requests begin with D. The requeued write counts from its second issue.
TEST(BroughtTraces, ReadsBlkparseWithoutQueuedRequests) {
  const std::string text =
      "8,0 1 1 0.000000100 9 D R 8 + 8 [a]\n8,0 1 2 0.000000200 9 D W 64 + 16 [a]\n"
      "8,0 1 3 0.000000300 9 R W 64 + 16 [0]\n8,0 1 4 0.000000400 9 D W 64 + 16 [a]\n"
      "8,0 1 5 0.000000500 9 C R 8 + 8 [0]\n8,0 1 6 0.000000900 9 C W 64 + 16 [0]\n";
  BlockRequest read;
  read.arrival_ns = 100;
  read.device = 2'048;
  read.sector = read.sectors = 8;
  read.completion_ns = 500;
  BlockRequest write = read;
  write.arrival_ns = 400;
  write.sector = 64;
  write.sectors = 16;
  write.write = true;
  write.completion_ns = 900;
  const std::vector<BlockRequest> wanted{read, write};
  const auto source = find_format("blkparse")->blocks(reader_of(text));
  const std::vector<BlockRequest> found = all_of<BlockRequest>(*source);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(same_request(found[0], read));
  EXPECT_TRUE(same_request(found[1], write));
  EXPECT_TRUE(names(source->note(), {"action D"}));
  const auto copy = find_format("blkparse")->blocks(reader_of(text, 11));
  expect_resumes<BlockRequest>(*source, *copy, wanted, same_request);
  const auto queued =
      find_format("blkparse")->blocks(reader_of(text + "8,0 1 7 0.000001000 9 Q R 0 + 8 [a]\n"));
  EXPECT_EQ(all_of<BlockRequest>(*queued).size(), 1u);
  EXPECT_EQ(queued->note(), "");
}

TEST(RecordRules, SkipAndCountInvalidRecords) {
  const std::string text =
      "1 0 8 8 1\n2 0 8 0 1\n3 0 8 99999999999999999 1\n4 0 8\n5 0 x 8 1\n6 0 16 8 0\n7 0 8 0 0\n";
  RecordRules rules;
  rules.on_bad_record = RecordRule::skip;
  LeftOutRecords left_out;
  const auto source = find_format("mqsim")->blocks(reader_of(text));
  BlockRequest request;
  ASSERT_TRUE(rules.next(*source, request, left_out));
  EXPECT_EQ(request.arrival_ns, 1u);
  ASSERT_TRUE(rules.next(*source, request, left_out));
  EXPECT_EQ(request.arrival_ns, 6u);
  EXPECT_FALSE(rules.next(*source, request, left_out));
  EXPECT_EQ(left_out.zero_length, 2u);
  EXPECT_EQ(left_out.bad, 3u);
}

// A column is missing from the header. This is an error and not a bad record, because skipping
// would leave out every record.
TEST(RecordRules, DoNotSkipAHeader) {
  ColumnMap map;
  map.time = "0";
  map.op = "what";
  map.offset = "2";
  map.size = "3";
  map.time_unit = kSecond;
  map.header = 1;
  RecordRules rules;
  rules.on_bad_record = RecordRule::skip;
  LeftOutRecords left_out;
  BlockRequest request;
  const auto source = find_format("csv")->blocks(reader_of("a,b,c,d\n1,R,8,512\n"), map);
  EXPECT_THROW(rules.next(*source, request, left_out), InputError);
  EXPECT_EQ(left_out.bad, 0u);
}

TEST(ColumnGuess, FindsTheColumnsOfALine) {
  EXPECT_EQ(guessed_columns("128166372003061629,usr,0,Write,1317441536,8192,1963"),
            "--format csv --columns time=0,op=3,offset=4,size=5,time_unit=100ns");
  EXPECT_EQ(guessed_columns("419,W,126703644672,4096,1577808000000046"),
            "--format csv --columns time=4,op=1,offset=2,size=3,time_unit=1us");
  EXPECT_EQ(guessed_columns("0.5;R;17;3"),
            "--format csv --columns time=0,op=1,offset=2,size=3,time_unit=1s,offset_unit=512B,"
            "size_unit=512B,separator=semicolon");
  EXPECT_EQ(guessed_columns("a,b,c"), "");
  EXPECT_EQ(guessed_columns(""), "");
}

}  // namespace
}  // namespace hmsim::testing
