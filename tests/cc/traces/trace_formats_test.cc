// SPDX-License-Identifier: BSD-3-Clause
// Is every well-formed record read correctly, and every malformed one rejected with a clear
// message? Mostly tables of lines.
#include "traces/trace_formats.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/cc/agents/harness.h"
#include "tests/cc/names.h"
#include "tests/cc/states.h"
#include "tests/cc/traces/trace_texts.h"
#include "traces/text_trace.h"

namespace hmsim::testing {
namespace {

void read_trace(const std::string& format, const std::string& text) {
  const FormatDescriptor& descriptor = *find_format(format);
  if (descriptor.kind() == TraceKind::misses) {
    read_all<Miss>(*descriptor.misses(reader_of(text), std::nullopt));
  } else if (descriptor.kind() == TraceKind::accesses) {
    read_all<Access>(*descriptor.accesses(reader_of(text)));
  } else {
    read_all<BlockRequest>(*descriptor.blocks(reader_of(text)));
  }
}

std::string error_of(const std::string& format, const std::string& text) {
  return error_from([&] { read_trace(format, text); });
}

TEST(TraceFormats, ReadsRamulator) {
  const auto source =
      find_format("ramulator")
          ->misses(
              reader_of(
                  "# comment\n\n3 0x1000\r\n0 4096 8192\n \t7\t18446744073709551615  64 \n1 2"),
              std::nullopt);
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<Miss> misses = read_all<Miss>(*source);
    ASSERT_EQ(misses.size(), 4u);
    EXPECT_EQ(misses[0].gap, 4);
    EXPECT_EQ(misses[0].load_address, 0x1000u);
    EXPECT_FALSE(misses[0].write);
    EXPECT_EQ(misses[1].gap, 1);
    EXPECT_TRUE(misses[1].load && misses[1].write);
    EXPECT_EQ(misses[1].write_address, 8192u);
    EXPECT_EQ(misses[2].load_address, 18446744073709551615u);
    EXPECT_EQ(misses[3].load_address, 2u);
    source->rewind();
  }
}

TEST(TraceFormats, ReadsRamulatorRw) {
  const auto source = find_format("ramulator_rw")->accesses(reader_of("0x40 R\n80 W\n"));
  const std::vector<Access> accesses = read_all<Access>(*source);
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].address, 0x40u);
  EXPECT_FALSE(accesses[0].write);
  EXPECT_EQ(accesses[1].address, 0x80u);
  EXPECT_TRUE(accesses[1].write);
}

TEST(TraceFormats, ReadsDramsim3) {
  const auto source =
      find_format("dramsim3")->accesses(reader_of("0x40 READ 7\nFFFFC0 WRITE 12\n"));
  const std::vector<Access> accesses = read_all<Access>(*source);
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].cycle, 7u);
  EXPECT_EQ(accesses[1].address, 0xFFFFC0u);
  EXPECT_TRUE(accesses[1].write);
}

TEST(TraceFormats, ReadsMqsim) {
  const auto source =
      find_format("mqsim")->blocks(reader_of("938513000 4 264719034 16 0\n5 0 1 2621440 1"));
  const std::vector<BlockRequest> requests = read_all<BlockRequest>(*source);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].arrival_ns, 938513000u);
  EXPECT_EQ(requests[0].device, 4u);
  EXPECT_EQ(requests[0].sector, 264719034u);
  EXPECT_EQ(requests[0].sectors, 16u);
  EXPECT_TRUE(requests[0].write);
  EXPECT_FALSE(requests[1].write);
}

TEST(TraceFormats, BlocksOfAnySizeGiveTheSameRecords) {
  std::string text;
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    text += std::to_string(random.below(1000)) + " " + std::to_string(random.next()) +
            (i % 3 == 0 ? "\r\n" : "\n") + (i % 7 == 0 ? "#\n\n" : "");
  }
  const auto whole = find_format("ramulator")->misses(reader_of(text), std::nullopt);
  const std::vector<Miss> wanted = read_all<Miss>(*whole);
  ASSERT_EQ(wanted.size(), 300u);
  for (const std::size_t piece : {1u, 2u, 3u, 17u, 64u, 1000u}) {
    const auto pieces = find_format("ramulator")->misses(reader_of(text, piece), std::nullopt);
    const std::vector<Miss> got = read_all<Miss>(*pieces);
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].gap, wanted[i].gap);
      EXPECT_EQ(got[i].load_address, wanted[i].load_address);
    }
  }
}

TEST(TraceFormats, ContinuesFromACheckpoint) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += std::to_string(i) + " 64\n";
  }
  const auto source = find_format("ramulator")->misses(reader_of(text, 50), std::nullopt);
  Miss miss;
  for (int i = 0; i < 37; ++i) {
    source->next(miss);
  }
  const auto other = find_format("ramulator")->misses(reader_of(text, 11), std::nullopt);
  copy_state(*source, *other);
  for (int i = 37; i < 100; ++i) {
    ASSERT_TRUE(other->next(miss));
    EXPECT_EQ(miss.gap, i + 1);
  }
  EXPECT_FALSE(other->next(miss));
}

struct Malformed {
  const char* format;
  std::string text;
  const char* named;  // named in the message: the place, the given value, or the allowed values
  const char* also = "";
};

TEST(TraceFormats, RejectsMalformedInputByFileLineAndReason) {
  const std::string long_line(5'000, '1');
  const std::vector<Malformed> inputs{
      {"ramulator", "", "records"},
      {"ramulator", "# only\n\n  \n", "records"},
      {"ramulator", "1 2\n3\n", ":2: ", "'<instructions>"},
      {"ramulator", "1 2 3 4\n", ":1: "},
      {"ramulator", "x 2\n", "'x'"},
      {"ramulator", "1 2x\n", "'2x'"},
      {"ramulator", "-1 2\n", "'-1'"},
      {"ramulator", "1.5 2\n", "'1.5'"},
      {"ramulator", "1 0x\n", "'0x'"},
      {"ramulator", "1 0xG\n", "'0xG'"},
      {"ramulator", "1 18446744073709551616\n", "64 bits"},
      {"ramulator", "1 0x10000000000000000\n", "64 bits"},
      {"ramulator", "281474976710657 64\n", "2^48"},
      {"ramulator", "1 2 -\n", "the write-back address '-'"},
      {"ramulator", "1 2\n" + long_line + " 4\n", ":2: ", "4096"},
      {"ramulator", std::string("1 2\n\0\0 \xFF\n", 9), ":2: the number of"},
      {"ramulator_rw", "", "records"},
      {"ramulator_rw", "0x40\n", "'<hexadecimal address> R|W'"},
      {"ramulator_rw", "0x40 R 1\n", "'<hexadecimal address> R|W'"},
      {"ramulator_rw", "0x40 r\n", "'r'", " W"},
      {"ramulator_rw", "zz R\n", "'zz'"},
      {"ramulator_rw", "10000000000000000 R\n", "64 bits"},
      {"dramsim3", "\n\n", "records"},
      {"dramsim3", "0x40 READ\n", "'<hexadecimal address> READ|WRITE <cycle>'"},
      {"dramsim3", "0x40 FETCH 1\n", "'FETCH'", "WRITE"},
      {"dramsim3", "0x40 READ -1\n", "the cycle '-1'"},
      {"dramsim3", "0x40 READ 99999999999999999999\n", "64 bits"},
      {"mqsim", "", "records"},
      {"mqsim", "1 0 5 8\n", ":1: ", "'<arrival ns>"},
      {"mqsim", "1 0 5 8 1 9\n", ":1: "},
      {"mqsim", "1 0 5 0 1\n", "0 sectors"},
      {"mqsim", "1 0 5 18014398509481980 1\n", "2^63"},
      {"mqsim", "1 0 5 18446744073709551615 1\n", "2^63"},
      {"mqsim", "1 0 18014398509481977 8 1\n", "sector 18014398509481977", "2^63"},
      {"mqsim", "1 0 18446744073709551615 1 1\n", "2^63"},
      {"mqsim", "1 0 5 8 2\n", "type 2", "0 (write)"},
      {"mqsim", "1 0 a 8 1\n", "the first sector 'a'"},
      {"mqsim", "1,0,5,8,1\n", ":1: "},
      {"mqsim", "1 0 5 8 1 1 1 1 1 1 1 1 1 1 1\n", ":1: "},
      {"msr", "1,hm,0,Read,0,4096\n1,hm,0,Trim,0,4096,9\n", ":2: the operation 'Trim'",
       "Read, read"},
      {"msr", "184467440737095517,hm,0,Read,0,4096,9\n", "64 bits"},
      {"msr", "1,hm,0,Write,0,0,9\n", "0 sectors"},
      {"msr", "1,hm,0,Write,0,9223372036854775809,9\n", "2^63"},
      {"msr", "1,hm,0,Write,9223372036854775808,512,9\n", "2^63"},
      {"msr", "1 hm 0 Write 0 4096 9\n", "'<time in 100 ns>,"},
      {"msr", "1,hm,0,Write,0,512,x\n", "the response time 'x'"},
      {"msr", "9,hm,0,Write,0,512,184467440737095516\n", "2^64"},
      {"alibaba", "7,X,0,512,5\n", "the operation 'X'", "R, r, W"},
      {"alibaba", "7,R,0,0,5\n", "0 sectors"},
      {"alibaba", "7,R,0,512,18446744073709552\n", "64 bits"},
      {"tencent", "5,0,8,2,7\n", "the operation '2'", "0, 1"},
      {"tencent", "5,0,8,1\n", "'<time in s>,"},
      {"tencent", "5,0,,1,7\n", "the size ''"},
      {"spc", "0,8,512,X,0.5\n", "the operation 'X'", "R, r, W, w"},
      {"spc", "0,8,512,R\n", ":1: ", "'<ASU>,"},
      {"spc", "0,8,-512,R,0.5\n", "the size '-512'"},
      {"spc", "0,36028797018963968,512,R,0.5\n", "offset 36028797018963968"},
      {"spc", "0,18014398509481984,512,R,0.5\n", "2^63"},
      {"spc", "0,8,512,R,0.5.1\n", "the time '0.5.1'"},
      {"spc", "0,8,512,R,-0.5\n", "the time '-0'"},
      {"spc", "0,8,512,R,18446744074\n", "64 bits"},
      {"spc", "0,8,512,R,18446744073.9\n", "64 bits"},
      {"systor", "1.0,0.1,X,0,0,512\n", "the operation 'X'", "W, w, blank, IOType"},
      {"systor", "1.0,0.1,,0,0,512\n", "records"},
      {"systor", "1.0,0.1,R,0,0,0\n", "0 sectors"},
      {"systor", "1.0,x,R,0,0,512\n", "the response time 'x'"},
      {"fiu", "1 2 p 8 8 R 6\n", ":1: ", "'<time in ns>"},
      {"fiu", "1 2 p 8 8 X 6 0 a\n", "'X'", " R"},
      {"fiu", "1 2 p 8 -8 R 6 0 a\n", "the number of sectors '-8'"},
      {"usimm", "3 X 0x40 0x1\n", "'X'", " W"},
      {"usimm", "3 R\n", ":1: ", "'<instructions> R"},
      {"usimm", "-3 R 0x40 0x1\n", "the number of instructions '-3'"},
      {"usimm", "281474976710656 W 40\n", "2^48"},
      {"usimm", "3 R 0x10000000000000000 1\n", "64 bits"},
      {"nvmain", "NVMV1\n", "records"},
      {"nvmain", "NVMV2\n", ":1: ", "'<cycle> R|W"},
      {"nvmain", "NVMV1\n5 R 40 00\n", ":2: ", "'<cycle> R|W"},
      {"nvmain", "5 X 40 00 0\n", "'X'", " W"},
      {"nvmain", "5 R 40 00 -1\n", "the thread '-1'"},
      {"ramulator2_ls", "LD\n", ":1: ", "'LD|ST <address>'"},
      {"ramulator2_ls", "R 64\n", "'R'", " ST"},
      {"ramulator2_ls", "LD -64\n", "the address '-64'"},
      {"gem5_text", "r,64,64\n", ":1: ", "'[<id>,]r|w|u"},
      {"gem5_text", "5,r,64,64\n", ":1: ", "'[<id>,]r|w|u"},
      {"gem5_text", "x,64,64,0,5\n", ":1: ", "'[<id>,]r|w|u"},
      {"gem5_text", "r,64,1048577,0,5\n", "2^20"},
      {"gem5_text", "r,18446744073709551600,64,0,5\n", "64-bit"},
      {"gem5_text", "u,64,64,0,5\n", "records"},
      {"blkparse", "8,0 1 1 0.000000005 9 Q W 8 + 8 [a]\n8,0 1 2 0.000000004 9 C W 8 + 8 [0]\n",
       ":2: ", "before"},
      {"blkparse", "CPU0 (8,0):\n Reads Queued: 3\n", "records"},
      {"blkparse", "8,0 1 1 0.5 9 Q W 8 + 8 [a]\n", "9 digits"},
      {"blkparse", "8,0 1 1 9999999999.000000000 9 Q W 8 + 8 [a]\n", "2^32"},
      {"blkparse", "8,0 1 1 0.000000000 9 Q W 8 [a]\n", ":1: ", "'<major>"},
      {"blkparse", "8,0 1 1 0.000000000 9 Q W 8 + 0 [a]\n", "0 sectors"},
      {"fio", "/a read 0 4096\n", ":1: ", "'fio version 2 iolog'"},
      {"fio", "fio version 4 iolog\n", "'fio version 2 iolog'"},
      {"blkparse", "8,0 1 1 0.000000000 9 Q W 18014398509481984 + 1 [a]\n", "2^63"},
      {"fio", "fio version 2 iolog\n/a read 9223372036854775807 2\n", ":2: ", "2^63"},
      {"fio", "fio version 2 iolog\n/a wirte 0 8\n", ":2: the action 'wirte'", "'write'?"},
      {"fio", "fio version 3 iolog\n5 /a fallocate 0 8\n", ":2: the action 'fallocate'"},
      {"fio", "fio version 2 iolog\n/a add\n", "records"},
      {"fio", "fio version 2 iolog\n/a read 5\n", "'read'", "offset"},
      {"fio", "fio version 3 iolog\n1 /a\n", ":2: ", "'[<microseconds>]"},
      {"fio", "fio version 3 iolog\nx /a read 0 1\n", "the time 'x'"},
      {"fio", "fio version 2 iolog\n/a wait 99999999999999999 0\n", "2^52"},
  };
  EXPECT_GE(inputs.size(), 25u);
  for (const Malformed& input : inputs) {
    const std::string message = error_of(input.format, input.text);
    for (const char* const named : {input.named, input.also}) {
      EXPECT_NE(message.find(named), std::string::npos)
          << input.format << ": wanted '" << named << "', got '" << message << "'";
    }
    EXPECT_EQ(message.rfind("some.trace", 0), 0u) << message;
    for (const char c : message) {
      EXPECT_TRUE(c >= ' ' && c <= '~') << message;
    }
  }
}

// For any bytes: an InputError or the end of the trace.
TEST(TraceFormats, SurvivesDamage) {
  const std::vector<std::pair<std::string, std::string>> good{
      {"ramulator", "12 4096 8192\n3 0x40\n"},
      {"ramulator_rw", "0x40 R\n80 W\n"},
      {"dramsim3", "0x40 READ 7\nFFFFC0 WRITE 12\n"},
      {"mqsim", "938513000 4 264719034 16 0\n5 0 1 8 1\n"},
      {"msr", "128166372003061629,hm,1,Read,8589967360,4096,1331\n"},
      {"blkparse", "8,0 3 1 0.000000001 697 Q W 223490 + 8 [kjournald]\nCPU0 (8,0):\n"},
      {"fio", "fio version 3 iolog\n17 /x add\n110 /x read 61440 4096\n"},
      {"alibaba", "7,R,0,512,5\n"},
      {"tencent", "5,0,8,1,7\n"},
      {"spc", "0,20941264,8192,W,0.551706\n1,55590,3072,r,1.000000\n"},
      {"systor", "Timestamp,Response,IOType,LUN,Offset,Size\n1.25,0.5,R,4,899056122368,131072\n"},
      {"fiu", "89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a0\n"},
      {"usimm", "35 R 0x1f4e4c80 0x4046c3\n0 W 0x2040\n"},
      {"nvmain", "NVMV1\n12 R 0x1040 00 00 0\n15 W 80 00 00 3\n"},
      {"ramulator2_ls", "LD 4096\nST 0x2040\n"},
      {"gem5_text", "7,r,4096,64,256,1000\n8,w,4200,100,256,1500,4198400\n"},
      {"blktrace", std::string("\x07tae\0\0\0\0\5\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\0\x10\0\0"
                               "\1\0\x12\0\0\0\0\0\0\0\x80\0\0\0\0\0\0\0\0\0",
                               48)},
      {"qemu_nvme", "8@1.000002:pci_nvme_read cid 0 nsid 1 nlb 8 count 4096 lba 0x0\n"}};
  Random random(11);
  for (const auto& [format, text] : good) {
    EXPECT_EQ(error_of(format, text), "") << format;
    for (int i = 0; i < 2'000; ++i) {
      std::string damaged =
          text.substr(0, random.below(4) == 0 ? random.below(text.size()) : text.size());
      for (std::uint64_t j = random.below(4) + 1; j > 0 && !damaged.empty(); --j) {
        damaged[random.below(damaged.size())] = static_cast<char>(random.next());
      }
      error_of(format, damaged);
    }
  }
}

TEST(TraceFormats, ALineMayFillItsLimit) {
  const std::string spaces(TraceReader::kMaxLine - 3, ' ');
  EXPECT_EQ(error_of("ramulator", "1" + spaces + "64\n"), "");
  EXPECT_NE(error_of("ramulator", "1 " + spaces + "64\n"), "");
  EXPECT_EQ(shown(std::string("\x01 \x80", 3)), "? ?");
}

}  // namespace
}  // namespace hmsim::testing
