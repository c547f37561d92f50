// SPDX-License-Identifier: BSD-3-Clause
// Do blktrace's records become the same requests as blkparse's lines of the same events?
#include <cstdio>

#include "core/random.h"
#include "tests/cc/names.h"
#include "tests/cc/traces/trace_texts.h"

namespace hmsim::testing {
namespace {

struct Event {
  std::uint64_t time = 0;
  std::uint64_t sector = 0;
  std::uint32_t bytes = 0;
  std::uint32_t action = 0;
  std::uint32_t major = 8;
  std::uint32_t minor = 0;
  std::string data = {};
};

void append(std::string& text, std::uint64_t value, int bytes, bool big) {
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> (8 * (big ? bytes - 1 - i : i)));
  }
}

std::string record_of(const Event& event, bool big, std::uint32_t magic = 0x65617407) {
  std::string text;
  append(text, magic, 4, big);
  append(text, 1, 4, big);
  append(text, event.time, 8, big);
  append(text, event.sector, 8, big);
  append(text, event.bytes, 4, big);
  append(text, event.action, 4, big);
  append(text, 697, 4, big);
  append(text, event.major << 20 | event.minor, 4, big);
  append(text, 3, 4, big);
  append(text, 0, 2, big);
  append(text, event.data.size(), 2, big);
  return text + event.data;
}

constexpr std::uint32_t kQ = 1 | 1 << 20;  // BLK_TA_QUEUE
constexpr std::uint32_t kC = 8 | 1 << 23;  // BLK_TA_COMPLETE
constexpr std::uint32_t kRead = 1 << 16;
constexpr std::uint32_t kWrite = 1 << 17;
constexpr std::uint32_t kFlush = 1 << 18;
constexpr std::uint32_t kDiscard = 1 << 29;
constexpr std::uint32_t kFua = 1U << 31;

std::vector<BlockRequest> requests_of(const std::string& format, const std::string& text) {
  return all_of<BlockRequest>(*find_format(format)->blocks(reader_of(text)));
}

std::string binary(const std::vector<Event>& events, bool big) {
  std::string text;
  for (const Event& event : events) {
    text += record_of(event, big);
  }
  return text;
}

// Returns the line that blkparse prints for an event: fill_rwbs() in blktrace's blkparse_fmt.c.
std::string line_of(const Event& event) {
  std::string kind = event.action & kFlush ? "F" : "";
  kind += event.action & kDiscard ? "D" : event.action & kWrite ? "W" : event.bytes ? "R" : "N";
  kind += event.action & kFua ? "F" : "";
  char text[200];
  std::snprintf(text, sizeof text, "%u,%u 3 1 %llu.%09llu 697 %s %s %llu + %u [x]\n", event.major,
                event.minor, static_cast<unsigned long long>(event.time / 1'000'000'000),
                static_cast<unsigned long long>(event.time % 1'000'000'000),
                (event.action & 0xFF) == 1   ? "Q"
                : (event.action & 0xFF) == 8 ? "C"
                                             : "D",
                kind.c_str(), static_cast<unsigned long long>(event.sector), event.bytes / 512);
  return text;
}

TEST(FormatBlktrace, ReadsQueuedRequestsInEitherByteOrder) {
  const std::vector<Event> events{
      {5, 0, 0, 1 | 1 << 26, 0, 0, "a notification, as a timestamp is"},
      {1'000, 223'490, 4'096, kQ | kWrite, 8, 0},
      {1'100, 223'490, 4'096, 7 | 1 << 22 | kWrite, 8, 0},         // sent to the driver
      {2'000, 64, 8'192, kQ | kRead | 1 << 8, 8, 16, "cgroup.."},  // of a cgroup
      {2'100, 7, 36, kQ | kRead | 1 << 25, 8, 16, "SCSI"},         // a command
      {2'500, 64, 8'192, kQ | kWrite | kDiscard, 8, 16},
      {3'000, 99, 0, kQ | kWrite | kFlush, 8, 0},
      {3'100, 8, 512, kQ | kWrite | kFua, 8, 0},
      {5'000, 223'490, 4'096, kC | kWrite, 8, 0}};
  for (const bool big : {false, true}) {
    const std::vector<BlockRequest> found = requests_of("blktrace", binary(events, big));
    ASSERT_EQ(found.size(), 5u);
    EXPECT_EQ(found[0].arrival_ns, 1'000u);
    EXPECT_EQ(found[0].device, 8u * 256);
    EXPECT_EQ(found[0].sector, 223'490u);
    EXPECT_EQ(found[0].sectors, 8u);
    EXPECT_TRUE(found[0].write);
    EXPECT_EQ(found[0].completion_ns, 5'000u);
    EXPECT_EQ(found[1].device, 8u * 256 + 16);
    EXPECT_FALSE(found[1].write || found[1].trim || found[1].flush);
    EXPECT_EQ(found[1].completion_ns, std::nullopt);
    EXPECT_TRUE(found[2].trim && !found[2].write);
    EXPECT_TRUE(found[3].flush && !found[3].write);
    EXPECT_EQ(found[3].sectors, 0u);
    EXPECT_TRUE(found[4].fua && found[4].write);
  }
}

TEST(FormatBlktrace, MatchesBlkparsesLines) {
  Random random(9);
  std::vector<Event> events;
  std::vector<Event> open;
  for (std::uint64_t time = 1'000; events.size() < 600; time += random.below(5'000)) {
    if (!open.empty() && random.below(2) == 0) {
      const auto which = static_cast<std::ptrdiff_t>(random.below(open.size()));
      Event done = open[static_cast<std::size_t>(which)];
      open.erase(open.begin() + which);
      done.time = time;
      done.action = (done.action & ~0xFFu & ~(1u << 20)) | kC;
      events.push_back(done);
      continue;
    }
    constexpr std::uint32_t kKinds[]{kRead, kWrite, kWrite | kFlush, kWrite | kFua,
                                     kWrite | kDiscard};
    Event queued{time,
                 random.below(1 << 20),
                 512 * static_cast<std::uint32_t>(1 + random.below(64)),
                 kQ | kKinds[random.below(5)],
                 8,
                 16 * static_cast<std::uint32_t>(random.below(3))};
    if ((queued.action & kFlush) != 0 && random.below(2) == 0) {
      queued.bytes = 0;
    }
    events.push_back(queued);
    open.push_back(queued);
  }
  std::string lines;
  for (const Event& event : events) {
    lines += line_of(event);
  }
  const std::vector<BlockRequest> wanted = requests_of("blkparse", lines);
  EXPECT_GT(wanted.size(), 250u);
  for (const bool big : {false, true}) {
    const std::string text = binary(events, big);
    const std::vector<BlockRequest> found = requests_of("blktrace", text);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(same_request(found[i], wanted[i])) << i;
    }
    const auto source = find_format("blktrace")->blocks(reader_of(text, 11));
    const auto copy = find_format("blktrace")->blocks(reader_of(text, 1'000));
    expect_resumes(*source, *copy, wanted, same_request);
  }
}

TEST(FormatBlktrace, ReportsErrors) {
  const std::string good = record_of({1, 8, 512, kQ | kRead}, false);
  const auto with = [&](const Event& event) { return good + record_of(event, false); };
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"", {"some.trace: ", "0 other records"}},
      {record_of({1, 8, 512, 7 | kRead}, false), {"some.trace: ", "1 other records"}},
      {good.substr(0, 47), {"some.trace: record 1: ", "47", "48 bytes"}},
      {good + good.substr(0, 5), {"record 2: ", "5", "48 bytes"}},
      {good + record_of({1, 8, 512, kQ}, true), {"record 2: ", "magic"}},
      {record_of({1, 8, 512, kQ}, false, 0x65617406), {"record 1: ", "version 6", "7"}},
      {std::string(48, 'x'), {"record 1: ", "magic"}},
      {with({1, 8, 513, kQ | kWrite}), {"record 2: ", "513 bytes", "512"}},
      {with({1, ~std::uint64_t{0}, 512, kQ | kWrite}), {"record 2: ", "18446744073709551615"}},
      {with({0, 8, 512, kC | kRead}), {"record 2: ", "queued"}},
      {with({1, 8, 512, kQ, 8, 0, "data"}).substr(0, 98), {"record 2", "data"}}};
  for (const auto& [text, named] : cases) {
    std::string error;
    all_of<BlockRequest>(*find_format("blktrace")->blocks(reader_of(text)), &error);
    EXPECT_TRUE(names(error, named));
  }
}

}  // namespace
}  // namespace hmsim::testing
