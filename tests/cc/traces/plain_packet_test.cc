// SPDX-License-Identifier: BSD-3-Clause
// Are packets read in place decoded like all others?
#include "traces/plain_packet.h"

#include <array>
#include <utility>

#include "core/random.h"
#include "tests/cc/traces/gem5_messages.h"
#include "tests/cc/traces/trace_texts.h"

namespace hmsim::testing {
namespace {

TEST(PlainPacket, IsOneAsGem5WritesIt) {
  for (const char* behind : {"", "\x28", "\x30\x01", "\x38\xFF"}) {  // start of the next message
    const std::string text = packet(std::uint64_t{1} << 40, 4, 0x80, 64);
    const std::string all = text + behind + std::string(PlainPacket::kText, '\0');
    PlainPacket plain(all.data());
    Packet found;
    ASSERT_TRUE(plain.read(found));
    EXPECT_EQ(plain.length(), text.size());
    EXPECT_EQ(found.tick, std::uint64_t{1} << 40);
    EXPECT_EQ(found.command, 4u);
    EXPECT_EQ(found.address, 0x80u);
    EXPECT_EQ(found.size, 64u);
    EXPECT_EQ(found.id, 7u);
  }
}

// Returns a packet with numbers of any length and sometimes an odd field.
std::string some_packet(Random& random) {
  const auto value = [&random] { return random.next() >> random.below(64); };
  const auto seldom = [&random] { return random.below(16) == 0; };
  std::vector<std::string> fields{
      number(1, random.below(8) == 0 ? value() : random.next() >> (8 + random.below(40))),
      number(2, seldom() ? value() : random.below(36)), number(3, value()),
      number(4, seldom() ? value() : random.below(200))};
  for (const std::uint64_t optional : {5u, 6u, 7u}) {
    if (random.below(2) == 0) {
      fields.push_back(number(optional, value()));
    }
  }
  if (seldom()) {
    const std::vector<std::string> odd{bytes(9, "text"), number(4, 8), "\x80",
                                       "\x3D"
                                       "1234",
                                       ""};
    fields[random.below(fields.size())] = odd[random.below(odd.size())];
  }
  if (seldom()) {
    std::swap(fields[random.below(fields.size())], fields[random.below(fields.size())]);
  }
  std::string content;
  for (const std::string& field : fields) {
    content += field;
  }
  content.resize(seldom() ? random.below(content.size() + 1) : content.size());
  return message(content);
}

// A packet near the end of the available bytes is never read in place.
TEST(PlainPacket, IsReadAsAllOthers) {
  const std::string last = message(number(1, 1) + number(2, kCleanEvict) + number(3, 0) +
                                   number(4, 64) + bytes(9, std::string(PlainPacket::kText, '-')));
  Random random(11);
  std::size_t read = 0;
  for (int i = 0; i < 4'000; ++i) {
    std::string text = header(i % 4 == 0 ? 1'000'000'000 : 2'000'000'000'000);
    for (std::uint64_t packets = random.below(6) + 1; packets > 0; --packets) {
      text += some_packet(random);
    }
    text += last;
    std::array<std::string, 2> errors;
    const auto plain = find_format("gem5")->accesses(reader_of(text));
    const auto other = find_format("gem5")->accesses(reader_of(text, PlainPacket::kText - 1));
    const std::vector<Access> found = all_of<Access>(*plain, errors.data());
    expect_accesses(found, all_of<Access>(*other, &errors[1]));
    EXPECT_EQ(errors[0], errors[1]);
    EXPECT_EQ(plain->skipped(), other->skipped());
    read += found.size();
  }
  EXPECT_GT(read, 10'000u);
}

}  // namespace
}  // namespace hmsim::testing
