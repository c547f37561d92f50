// SPDX-License-Identifier: BSD-3-Clause
// Are the requests of each text format of block I/O read as its source writes them?
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/cc/traces/trace_texts.h"

namespace hmsim::testing {
namespace {

void expect_request(const BlockRequest& request, std::uint64_t ns, std::uint64_t device,
                    std::uint64_t sector, std::uint64_t sectors, bool write) {
  EXPECT_EQ(request.arrival_ns, ns);
  EXPECT_EQ(request.device, device);
  EXPECT_EQ(request.sector, sector);
  EXPECT_EQ(request.sectors, sectors);
  EXPECT_EQ(request.write, write);
}

TEST(BlockTexts, ReadsMsr) {
  const auto source = find_format("msr")->blocks(
      reader_of("128166372003061629,hm,1,Read,8589967360,4096,1331\r\n5,hm,0,Write,1000,100,1\n"));
  const std::vector<BlockRequest> requests = all_of<BlockRequest>(*source);
  ASSERT_EQ(requests.size(), 2u);
  expect_request(requests[0], 12'816'637'200'306'162'900u, 1, 8'589'967'360 / 512, 8, false);
  expect_request(requests[1], 500, 0, 1, 2, true);  // bytes 1,000 to 1,099 are in two sectors
}

TEST(BlockTexts, BlkparseTakesQueuedReadsWritesAndDiscards) {
  const auto source =
      find_format("blkparse")
          ->blocks(
              reader_of("  8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]\n"
                        "  8,0    3        2     1.000001829   697  Q  WS 223490 + 8 [kjournald]\n"
                        "  8,0    3        3     1.100000000   697  Q   N 0 + 0 [kjournald]\n"
                        "  8,16   0        4     2.000000005     0  Q  RA 64 + 16 [a b c d e f]\n"
                        "  8,16   0        5     2.000000006     0  Q   D 64 + 16 [swapper]\n"
                        "  8,16   0        6     3.000000000     0  C   R 64 + 16 [0]\n"
                        "CPU0 (8,0):\n Reads Queued:           2,        8KiB\n"));
  const std::vector<BlockRequest> requests = [&] {
    all_of<BlockRequest>(*source);
    source->rewind();
    std::vector<BlockRequest> found;
    BlockRequest request;
    for (int i = 0; i < 3 && source->next(request); ++i) {
      found.push_back(request);
    }
    return found;
  }();
  ASSERT_EQ(requests.size(), 3u);
  expect_request(requests[2], 2'000'000'006, 8 * 256 + 16, 64, 16, false);
  EXPECT_TRUE(requests[2].trim);
  EXPECT_FALSE(requests[1].trim);
  expect_request(requests[0], 1'000'001'829, 8 * 256, 223'490, 8, true);
  expect_request(requests[1], 2'000'000'005, 8 * 256 + 16, 64, 16, false);
}

TEST(BlockTexts, CompletionTimesAreRead) {
  const auto msr = find_format("msr")->blocks(reader_of("7,h,0,Read,0,512,30\n8,h,0,Read,0,512\n"));
  const std::vector<BlockRequest> told = all_of<BlockRequest>(*msr);
  EXPECT_EQ(told[0].completion_ns, 3'700u);
  EXPECT_EQ(told[1].completion_ns, std::nullopt);
  // Requests 1 and 2 were merged; 3 is a write of the same sectors; 4 moves no data; 5 is lost.
  const auto blkparse = find_format("blkparse")
                            ->blocks(reader_of("8,0 1 1 0.000000001 9 Q R 8 + 8 [a]\n"
                                               "8,0 1 2 0.000000002 9 Q RA 16 + 8 [a]\n"
                                               "8,0 1 3 0.000000003 9 Q W 8 + 8 [a]\n"
                                               "8,0 1 4 0.000000004 9 Q FN [a]\n"
                                               "8,0 1 5 0.000000005 9 Q R 64 + 8 [a]\n"
                                               "8,0 1 6 0.000000006 9 C R 8 + 16 [0]\n"
                                               "8,0 1 7 0.000000007 9 C FN 0 [0]\n"
                                               "8,16 1 8 0.000000008 9 C R 64 + 8 [0]\n"
                                               "8,0 1 9 0.000000009 9 C W 8 + 8 [0]\n"));
  std::vector<std::optional<std::uint64_t>> done;
  for (const BlockRequest& request : all_of<BlockRequest>(*blkparse)) {
    done.push_back(request.completion_ns);
  }
  EXPECT_EQ(done, (std::vector<std::optional<std::uint64_t>>{6, 6, 9, 7, std::nullopt}));
}

TEST(BlockTexts, BlkparseReportsFlushesAndFua) {
  const auto source = find_format("blkparse")
                          ->blocks(reader_of("8,0 3 1 1.100000000 697 Q FWS [kjournald]\n"
                                             "8,0 3 2 1.200000000 697 Q FN 0 + 0 [kjournald]\n"
                                             "8,0 3 3 1.300000000 697 Q FWFSM 64 + 8 [kjournald]\n"
                                             "8,0 3 4 1.400000000 697 Q WFS 64 + 8 [kjournald]\n"
                                             "8,0 3 5 1.500000000 697 Q FF [kjournald]\n"
                                             "8,0 3 6 1.600000000 697 Q WS 64 + 8 [kjournald]\n"));
  const std::vector<BlockRequest> requests = all_of<BlockRequest>(*source);
  ASSERT_EQ(requests.size(), 6u);
  std::string seen;
  for (const BlockRequest& request : requests) {
    EXPECT_EQ(request.device, 8u * 256);
    seen += request.flush ? "F" : "";
    seen += request.sectors == 8 && request.write ? "W" : "";
    seen += request.fua ? "f" : "";
    seen += " ";
  }
  EXPECT_EQ(seen, "F F FWf Wf F W ");
  EXPECT_EQ(requests[0].arrival_ns, 1'100'000'000u);
}

TEST(BlockTexts, TheLastSectorOfTheLargestDeviceCounts) {
  const auto source = find_format("mqsim")->blocks(reader_of("1 0 18014398509481976 8 1\n"));
  EXPECT_EQ(all_of<BlockRequest>(*source).size(), 1u);
}

TEST(BlockTexts, FioSkipsActionsWithoutData) {
  const auto source = find_format("fio")->blocks(
      reader_of("fio version 2 iolog\n/a add\n/a open\n/a sync_file_range 0 8\n/a read 0 8\n"
                "/a close\n"));
  EXPECT_EQ(all_of<BlockRequest>(*source).size(), 1u);
}

TEST(BlockTexts, FioVersion2CountsWaits) {
  const auto source = find_format("fio")->blocks(
      reader_of("fio version 2 iolog\n/a add\n/b add\n/a open\n/a read 4096 4096\n"
                "/a wait 150 0\n/b write 512 1\n/b sync 0 0\n/a wait 50 0\n/a trim 0 8192\n"));
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<BlockRequest> requests = all_of<BlockRequest>(*source);
    ASSERT_EQ(requests.size(), 4u);
    expect_request(requests[3], 200'000, 0, 0, 16, false);
    EXPECT_TRUE(requests[3].trim);
    expect_request(requests[2], 150'000, 1, 0, 0, false);
    EXPECT_TRUE(requests[2].flush);
    expect_request(requests[0], 0, 0, 8, 8, false);
    expect_request(requests[1], 150'000, 1, 1, 1, true);
    source->rewind();
  }
}

// The first lines of a file written by fio 3.33.
TEST(BlockTexts, ReadsTimesOfFioVersion3) {
  const auto source = find_format("fio")->blocks(
      reader_of("fio version 3 iolog\n17 /tmp/x add\n105 /tmp/x open\n"
                "110 /tmp/x read 61440 4096\n570181 /tmp/x sync 892928 0\n"
                "570529 /tmp/x write 679936 4096\n1033046 /tmp/x close\n"));
  const std::vector<BlockRequest> requests = all_of<BlockRequest>(*source);
  ASSERT_EQ(requests.size(), 3u);
  expect_request(requests[0], 110'000, 0, 120, 8, false);
  expect_request(requests[1], 570'181'000, 0, 0, 0, false);
  EXPECT_TRUE(requests[1].flush);
  expect_request(requests[2], 570'529'000, 0, 1'328, 8, true);
}

}  // namespace
}  // namespace hmsim::testing
