// SPDX-License-Identifier: BSD-3-Clause
// Is the format of a trace detected from its start, and only by that format?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cc/agents/harness.h"
#include "traces/trace_formats.h"

namespace hmsim::testing {
namespace {

// Returns the names of the formats that a trace with this start looks_like.
std::vector<std::string> resembled(const std::string& start) {
  std::vector<std::string> names;
  for (const FormatDescriptor* format : kFormatTable) {
    if (format->looks_like(TraceStart(start))) {
      names.emplace_back(format->name);
    }
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(FormatDetection, RecognisesFormatsByTheFirstLine) {
  EXPECT_EQ(resembled("\n 3 0x1000\r\nREAD"), Names{"ramulator"});
  EXPECT_EQ(resembled("3 64 128"), Names{"ramulator"});
  EXPECT_EQ(resembled("# 0x40 R\n\n  # comment\n3 64\n"), Names{"ramulator"});
  EXPECT_EQ(resembled("0x40 R\n"), Names{"ramulator_rw"});
  EXPECT_EQ(resembled("FFC0 WRITE 12\n"), Names{"dramsim3"});
  EXPECT_EQ(resembled("0x40 read 12\n"), Names{"dramsim3"});
  EXPECT_EQ(resembled("0x7f64768732D0 P_FETCH 1\n"), Names{"dramsim2_k6"});
  EXPECT_EQ(resembled("0x40 IFETCH 1\n"), Names{"dramsim2_mase"});
  EXPECT_EQ(resembled("0x40 write " + std::string(64, 'a') + "\n"), Names{"dramsim2_misc"});
  EXPECT_EQ(resembled("0x40 read\n"), Names{"dramsim2_misc"});
  EXPECT_EQ(resembled("31: read 0x400140\n"), Names{"dramsys_stl"});
  EXPECT_EQ(resembled("40 read 4f0\n"), Names{"dramsys_stl"});
  EXPECT_EQ(resembled("40\t(32)\tREAD\t0x4f0\n"), Names{"dramsys_stl"});
  EXPECT_EQ(resembled("100 READ 5\n"), Names{"dramsim3"});
  EXPECT_EQ(resembled("# <<< protobuf header start\n# >>> x\n"), Names{"gem5_fields"});
  EXPECT_EQ(resembled(std::string("\x19\0\0\0\x05\0\0\0\0\0\0\0", 12) + std::string(64, '\0')),
            Names{"drmemtrace"});
  EXPECT_EQ(resembled("5 0 1 8 1\n"), Names{"mqsim"});
  EXPECT_EQ(resembled("8,0 3 1 0.000000000 697 Q W 223 + 8 [kjournald]\n"), Names{"blkparse"});
  EXPECT_EQ(resembled("8@1.000002:pci_nvme_flush_ns nsid 0x1\n"), Names{"qemu_nvme"});
  EXPECT_EQ(resembled("fio  version 2 iolog\n"), Names{"fio"});
  EXPECT_EQ(resembled("128166372003061629,hm,1,Read,383496192,32768,113736\n"), Names{"msr"});
  EXPECT_EQ(resembled("\xEF\xBB\xBF"
                      "1281, hm, 1, \"read\", 383496192, 32768, 113736\r\n"),
            Names{"msr"});
  EXPECT_EQ(resembled("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\r\n"
                      "1281,hm,1,Read,383496192,32768,113736\n"),
            Names{"msr"});
  EXPECT_EQ(resembled("device_id,opcode,offset,length,timestmap\n7,R,0,512,5\n"), Names{"alibaba"});
  EXPECT_EQ(resembled("gem5\x12\n\x0a..."), Names{"gem5"});
  EXPECT_EQ(resembled("7,R,0,512,5\n"), Names{"alibaba"});
  EXPECT_EQ(resembled("5,0,8,1,7\n"), Names{"tencent"});
  EXPECT_EQ(resembled("0,20941264,8192,w,0.551706\n"), Names{"spc"});
  EXPECT_EQ(resembled("Timestamp,Response,IOType,LUN,Offset,Size\n"), Names{"systor"});
  EXPECT_EQ(resembled("1456135200.013118000,0.000806000,R,4,4096,512\n"), Names{"systor"});
  EXPECT_EQ(resembled("89968195792462 20782 gzip 283193184 8 R 6 0 56f11b\n"), Names{"fiu"});
  EXPECT_EQ(resembled("\x07tae...."), Names{"blktrace"});
  EXPECT_EQ(resembled("eat\x07...."), Names{"blktrace"});
  EXPECT_EQ(resembled("35 R 0x1f4e4c80 0x4046c3\n"), Names{"usimm"});
  EXPECT_EQ(resembled("0 W 1f4e4c80\n"), Names{"usimm"});
  EXPECT_EQ(resembled("NVMV1\n12 R 0x1040 00 00 0\n"), Names{"nvmain"});
  EXPECT_EQ(resembled("12 R 0x1040 00 0\n"), Names{"nvmain"});
  EXPECT_EQ(resembled("LD 4096\n"), Names{"ramulator2_ls"});
  EXPECT_EQ(resembled("W 0,0,0,0,0,0\n"), Names{"ramulator2_rw"});
  EXPECT_EQ(resembled("r,4096,64,256,1000\n"), Names{"gem5_text"});
  EXPECT_EQ(resembled("7,u,4096,64,256,1000,4198400\n"), Names{"gem5_text"});
  EXPECT_EQ(resembled(std::string("\x50\x2A\x4D\x18\x58\0\0\0HMSIMTRC", 16)), Names{"hmsim"});
  EXPECT_EQ(resembled("419,W,8192,16384,5\n"), Names{"alibaba"});
  EXPECT_EQ(resembled("3,128,8,0,1063\n"), Names{"tencent"});
}

TEST(FormatDetection, RecognisesInstructionsOfChampSimByTheirBranches) {
  std::string record(64, '\0');
  record[2] = '\x40';  // an address
  EXPECT_EQ(resembled(record), Names{"champsim"});
  record[8] = record[9] = '\1';  // a taken branch
  EXPECT_EQ(resembled(record + record), Names{"champsim"});
  std::string odd = record;
  odd[8] = '\2';
  EXPECT_EQ(resembled(record + odd), Names{});
  odd[8] = '\0';  // taken, but not a branch
  EXPECT_EQ(resembled(record + odd), Names{});
  EXPECT_EQ(resembled(record.substr(1)), Names{});
  EXPECT_EQ(resembled(std::string(128, '\0')), Names{});
  EXPECT_EQ(resembled(std::string(128, '1')), Names{});
}

TEST(FormatDetection, LeavesUnknownTextsUnrecognised) {
  for (const char* start : {"", "\n\n", "# 3 64\n", "3\n", "3 64 128 5\n", "a,b,c\n", "0x40 X\n",
                            "8, 3 1 x\n", "fio", "HMSIMTRC"}) {
    EXPECT_EQ(resembled(start), Names{}) << start;
  }
}

}  // namespace
}  // namespace hmsim::testing
