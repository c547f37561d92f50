// SPDX-License-Identifier: BSD-3-Clause
// Does the log of QEMU's NVMe disk become the requests that the disk received?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/archive.h"
#include "tests/cc/names.h"
#include "tests/cc/states.h"
#include "traces/trace_formats.h"

namespace hmsim {
namespace {

std::unique_ptr<BlockSource> opened(const std::string& text) {
  const TraceSource source = [text](std::size_t, std::uint64_t offset) {
    return offset < text.size() ? text.substr(offset) : std::string();
  };
  return find_format("qemu_nvme")->blocks({source, 0, "some.log", text.size()});
}

std::vector<BlockRequest> requests_of(BlockSource& source) {
  std::vector<BlockRequest> found;
  for (BlockRequest request; source.next(request);) {
    found.push_back(request);
  }
  return found;
}

std::string error_of(const std::string& text) {
  return testing::error_from([&] { requests_of(*opened(text)); });
}

// Returns a line of the log, `microseconds` after a second.
std::string line(int microseconds, const std::string& event) {
  const std::string digits = std::to_string(1'000'000 + microseconds).substr(1);
  return "812@9." + digits + ":pci_nvme_" + event + "\n";
}
std::string read_line(int microseconds, int cid, int lba) {
  return line(microseconds, "read cid " + std::to_string(cid) + " nsid 1 nlb 8 count 4096 lba " +
                                std::to_string(lba));
}
std::string sent_line(int cid, int queue) {
  return line(0, "io_cmd cid " + std::to_string(cid) + " nsid 0x1 sqid " + std::to_string(queue) +
                     " opc 0x2 opname 'NVME_NVM_CMD_READ'");
}
std::string done_line(int microseconds, int cid, int queue) {
  return line(microseconds, "enqueue_req_completion cid " + std::to_string(cid) + " cqid " +
                                std::to_string(queue) + " dw0 0x0 dw1 0x0 status 0x0");
}

constexpr std::uint64_t kStart = 9'000'000'000;  // nanoseconds

TEST(FormatQemuNvme, TakesReadsWritesAndFlushes) {
  const std::string text =
      "qemu: something else\n" + line(1, "read cid 0 nsid 1 nlb 1 count 512 lba 0x0") +
      line(2, "write cid 1 opname 'NVME_NVM_CMD_WRITE' nsid 2 nlb 2 count 8192 lba 0x10") +
      line(3, "map_prp trans_len 512 len 512 prp1 0x0 prp2 0x0 num_prps 1") +
      line(4, "flush_ns nsid 0x1");
  const std::unique_ptr<BlockSource> source = opened(text);
  const std::vector<BlockRequest> found = requests_of(*source);
  ASSERT_EQ(found.size(), 3u);
  const auto expect = [&found](std::size_t at, std::uint64_t us, std::uint64_t device,
                               std::uint64_t sector, std::uint64_t sectors, bool write) {
    EXPECT_EQ(found[at].arrival_ns, kStart + us * 1'000);
    EXPECT_EQ(found[at].device, device);
    EXPECT_EQ(found[at].sector, sector);
    EXPECT_EQ(found[at].sectors, sectors);
    EXPECT_EQ(found[at].write, write);
    EXPECT_EQ(found[at].flush, sectors == 0);
    EXPECT_EQ(found[at].completion_ns, std::nullopt);
  };
  expect(0, 1, 0, 0, 1, false);
  expect(1, 2, 1, 16 * 8, 16, true);  // blocks of 4 KiB
  expect(2, 4, 0, 0, 0, false);
  source->rewind();
  EXPECT_EQ(requests_of(*source).size(), 3u);
}

TEST(FormatQemuNvme, CompletionsAreOfTheirQueueAndOfTheOldest) {
  // Two queues use one identifier; the third request's identifier is reused after it.
  const std::string text = sent_line(5, 1) + read_line(1, 5, 0) + sent_line(5, 2) +
                           read_line(2, 5, 8) + read_line(3, 7, 16) + done_line(10, 5, 2) +
                           done_line(11, 7, 1) + done_line(12, 9, 0) + read_line(13, 7, 24) +
                           done_line(14, 5, 1) + sent_line(8, 3) + line(15, "flush_ns nsid 0x1") +
                           done_line(16, 7, 1) + done_line(17, 8, 3);
  std::vector<std::uint64_t> done;
  for (const BlockRequest& each : requests_of(*opened(text))) {
    done.push_back((each.completion_ns.value_or(kStart) - kStart) / 1'000);
  }
  EXPECT_EQ(done, (std::vector<std::uint64_t>{14, 10, 11, 16, 17}));
}

TEST(FormatQemuNvme, ContinuesFromACheckpoint) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += sent_line(i, i % 3) + read_line(i, i, 8 * i);
    text += i >= 5 ? done_line(i, i - 5, (i - 5) % 3) : "";
  }
  const std::vector<BlockRequest> all = requests_of(*opened(text));
  ASSERT_EQ(all.size(), 20u);
  const std::unique_ptr<BlockSource> first = opened(text);
  BlockRequest request;
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(first->next(request));
  }
  const std::unique_ptr<BlockSource> second = opened(text);
  testing::copy_state(*first, *second);
  for (std::size_t i = 7; i < all.size(); ++i) {
    ASSERT_TRUE(second->next(request));
    EXPECT_EQ(request.sector, all[i].sector);
    EXPECT_EQ(request.completion_ns, all[i].completion_ns);
  }
  EXPECT_FALSE(second->next(request));
}

TEST(FormatQemuNvme, ReportsErrors) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"pci_nvme_read cid 0 nsid 1 nlb 1 count 512 lba 0x0\n", {"some.log:1: ", "time"}},
      {"5@1.5:pci_nvme_flush_ns nsid 1\n", {"some.log:1: ", "'5@1.5'", "<thread>@<seconds>."}},
      {"5@99999999999.000000:pci_nvme_flush_ns nsid 1\n", {"some.log:1: ", "2^32 seconds"}},
      {line(0, "flush_ns nsid 0"), {"some.log:1: ", "namespace 0"}},
      {line(0, "flush_ns"), {"some.log:1: ", "'nsid'"}},
      {line(0, "read cid 0 nsid 1 nlb 3 count 512 lba 0x0"), {"512 bytes", "3 blocks"}},
      {line(0, "read cid 0 nsid 1 nlb 0 count 512 lba 0x0"), {"512 bytes", "0 blocks"}},
      {line(0, "read cid 0 nsid 1 nlb 1 count 0 lba 0x0"), {"some.log:1: ", "0 sectors"}},
      {line(0, "read cid 0 nsid 1 nlb 1 count 4096 lba 0xffffffffffffffff"), {":1: ", "2^63"}},
      {line(0, "read cid 0 nsid 1 nlb 1 count x lba 0x0"), {"some.log:1: ", "'count'"}},
      {read_line(5, 1, 0) + done_line(4, 1, 0), {"some.log:2: ", "completes"}},
      {"nothing\n", {"some.log: ", "records"}}};
  for (const auto& [text, named] : cases) {
    EXPECT_TRUE(testing::names(error_of(text), named));
  }
}

}  // namespace
}  // namespace hmsim
