// SPDX-License-Identifier: BSD-3-Clause
// Is each line and each page in exactly one place, for every number of channels and every map?
#include "controller/config/address_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "tests/cc/controller/memory_rig.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

using Fields = std::map<std::string, std::int64_t>;

struct Case {
  SystemConfig config;
  std::vector<std::string> order;  // of the map's fields, least significant first
  Fields sizes;
};

// Draws a system, with the channels given.
Case draw(Random& random, std::int64_t channels) {
  const auto one_of = [&random](const std::vector<std::string>& names) {
    return names[random.below(names.size())];
  };
  const std::string part = one_of({"ddr3_1600_4gb_x8", "ddr4_2400r_8gb_x8", "ddr5_4800b_16gb_x8"});
  Case drawn;
  drawn.order = {"row", "bank", "rank", "column", "channel"};
  if (part != "ddr3_1600_4gb_x8") {
    drawn.order.emplace_back("group");
  }
  for (std::size_t i = drawn.order.size(); i > 1; --i) {
    std::swap(drawn.order[i - 1], drawn.order[random.below(i)]);
  }
  std::string text;
  for (auto name = drawn.order.rbegin(); name != drawn.order.rend(); ++name) {
    text += (text.empty() ? "" : "|") + *name;
  }
  const bool power_of_two = (channels & (channels - 1)) == 0;
  drawn.config =
      make_config({{"nvdimm.present", "false"},
                   {"dram.preset", part},
                   {"dram.ranks", one_of({"1", "2"})},
                   {"controller.channels", std::to_string(channels)},
                   {"controller.channel_hash", power_of_two ? one_of({"none", "xor"}) : "none"},
                   {"controller.bank_hash", one_of({"none", "xor"})},
                   {"controller.address_map", text}});
  drawn.config.nodes = 1 + static_cast<std::int64_t>(random.below(2));
  const DramOrganisation& own = drawn.config.dram.organisation;
  drawn.sizes = {{"row", own.rows},       {"bank", own.banks_per_group()},
                 {"group", own.groups},   {"rank", drawn.config.dram.ranks},
                 {"column", own.columns}, {"channel", channels}};
  return drawn;
}

// Returns the digits of a line's number, whose radices are the sizes of the map's fields, with the
// hashes applied; and its number in the channel.
Fields expected(const Case& drawn, std::int64_t line) {
  Fields digits;
  std::int64_t below = 1;  // lines of all fields below
  std::int64_t rest = line % (drawn.config.dram_capacity() / kLineBytes / drawn.config.nodes);
  for (const std::string& name : drawn.order) {
    const std::int64_t size = drawn.sizes.at(name);
    if (name == "channel") {
      digits["number"] = rest / size * below + digits["number"];
      if (drawn.config.controller.channel_hash == ChannelHash::exclusive_or) {
        std::int64_t channel = 0;
        for (std::int64_t bit = 1, n = 0; bit < size; bit *= 2, ++n) {
          std::int64_t parity = 0;
          for (std::int64_t of = rest >> n; of > 0 && size > 1; of /= size) {
            parity ^= of & 1;
          }
          channel += parity * bit;
        }
        digits["channel"] = channel;
        rest /= size;
        continue;
      }
    } else if (digits.count("channel") == 0) {
      digits["number"] += rest % size * below;
    }
    digits[name] = rest % size;
    rest /= size;
    below *= size;
  }
  digits["bank"] += digits["group"] * drawn.sizes.at("bank");
  if (drawn.config.controller.bank_hash == BankHash::exclusive_or) {
    digits["bank"] ^= digits["row"] % drawn.config.dram.organisation.banks;
  }
  return digits;
}

TEST(AddressMap, FieldsAreTheDigitsOfALine) {
  Random random(1);
  for (std::int64_t run = 0; run < 320; ++run) {
    const std::int64_t channels = 1 + run % kMostChannelsOfNode;
    const Case drawn = draw(random, channels);
    const AddressMap map(drawn.config);
    const std::int64_t lines = drawn.config.dram_capacity() / kLineBytes;
    EXPECT_EQ(lines, drawn.config.nodes * channels * (drawn.config.dram.capacity() / kLineBytes));
    for (int i = 0; i < 200; ++i) {
      const auto line =
          i < 10   ? std::int64_t{i}
          : i < 20 ? lines - 1 - (i - 10)
                   : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(lines)));
      const Address address(line * kLineBytes.value() + 8);
      const Fields digits = expected(drawn, line);
      const std::int64_t node = line / (lines / drawn.config.nodes);
      SCOPED_TRACE(drawn.config.controller.address_map + " line " + std::to_string(line));
      ASSERT_EQ(map.dram_channel(address), digits.at("channel") + node * channels);
      ASSERT_EQ(map.dram_line(address), digits.at("number"));
      const DramPlace place = map.dram(address);
      ASSERT_EQ(place.rank, digits.at("rank"));
      ASSERT_EQ(place.bank, digits.at("bank"));
      ASSERT_EQ(place.row, digits.at("row"));
      ASSERT_EQ(place.column, digits.at("column"));
    }
  }
}

// Lines of an aligned range: each channel has as many, numbered in address order, in other places.
TEST(AddressMap, EachChannelHasAnEqualShareOfARange) {
  for (const std::int64_t channels : {1, 2, 3, 5, 6, 7, 8, 12, 24, 31, 32}) {
    for (const char* const text :
         {"row|bank|rank|column|channel", "row|bank|rank|channel|column"}) {
      for (const char* const hash : {"none", "xor"}) {
        if (hash == std::string("xor") && (channels & (channels - 1)) != 0) {
          continue;
        }
        const SystemConfig config = make_config({{"nvdimm.present", "false"},
                                                 {"controller.channels", std::to_string(channels)},
                                                 {"controller.channel_hash", hash},
                                                 {"controller.address_map", text}});
        const AddressMap map(config);
        constexpr std::int64_t kEach = 256;
        std::vector<std::int64_t> found(static_cast<std::size_t>(channels), 0);
        std::set<std::tuple<int, int, int, std::int64_t, int>> places;
        for (std::int64_t line = 0; line < channels * kEach; ++line) {
          const Address address(line * kLineBytes.value());
          const int channel = map.dram_channel(address);
          ASSERT_EQ(map.dram_line(address), found[static_cast<std::size_t>(channel)]++);
          const DramPlace place = map.dram(address);
          places.emplace(channel, place.rank, place.bank, place.row, place.column);
        }
        EXPECT_EQ(std::count(found.begin(), found.end(), kEach), channels) << text;
        EXPECT_EQ(places.size(), static_cast<std::size_t>(channels * kEach)) << text;
      }
    }
  }
}

// A stride of as many lines as there are channels, or a multiple, stays on one channel unless the
// channel is hashed.
TEST(AddressMap, AHashSpreadsAStrideOfTheChannels) {
  for (const char* const hash : {"none", "xor"}) {
    const SystemConfig config = make_config({{"nvdimm.present", "false"},
                                             {"controller.channels", "8"},
                                             {"controller.channel_hash", hash}});
    const AddressMap map(config);
    for (const std::int64_t stride : {8, 64, 1 << 12, 1 << 18}) {
      std::set<int> channels;
      for (std::int64_t i = 0; i < 8; ++i) {
        channels.insert(map.dram_channel(Address(i * stride * kLineBytes.value())));
      }
      EXPECT_EQ(channels.size(), hash == std::string("xor") ? 8U : 1U) << stride;
    }
  }
}

// Digits of a line, least significant first: channel, four columns, rank, group, bank, the rest of
// the column, row. Then the column's bits, from the lowest, flip rank, group, bank and row in turn.
TEST(AddressMap, Mop4clxorFlipsBanksByTheColumn) {
  Random random(3);
  for (const auto& [part, ranks, channels] : std::vector<std::tuple<std::string, int, int>>{
           {"ddr3_1600_4gb_x8", 2, 1}, {"ddr4_2400r_8gb_x8", 8, 4}, {"ddr5_4800b_16gb_x8", 4, 8}}) {
    const SystemConfig config = make_config({{"nvdimm.present", "false"},
                                             {"dram.preset", part},
                                             {"dram.ranks", std::to_string(ranks)},
                                             {"controller.channels", std::to_string(channels)},
                                             {"controller.address_map", "mop4clxor"}});
    const AddressMap map(config);
    const DramOrganisation& own = config.dram.organisation;
    const auto lines = static_cast<std::uint64_t>(config.dram_capacity() / kLineBytes);
    for (int i = 0; i < 300; ++i) {
      const auto line = static_cast<std::int64_t>(random.below(lines));
      std::int64_t rest = line;
      const auto next = [&rest](std::int64_t size) {
        const std::int64_t digit = rest % size;
        rest /= size;
        return digit;
      };
      const Address address(line * kLineBytes.value());
      ASSERT_EQ(map.dram_channel(address), next(channels));
      const std::int64_t low = next(4);
      std::array<std::int64_t, 3> place{next(ranks), next(own.groups), next(own.banks_per_group())};
      const std::int64_t column = next(own.columns / 4) * 4 + low;
      const std::int64_t row = rest;
      rest = column;
      place = {place[0] ^ next(ranks), place[1] ^ next(own.groups),
               place[2] ^ next(own.banks_per_group())};
      const DramPlace found = map.dram(address);
      ASSERT_EQ(found.rank, place[0]);
      ASSERT_EQ(found.bank, place[1] * own.banks_per_group() + place[2]);
      ASSERT_EQ(found.row, row ^ rest);
      ASSERT_EQ(found.column, column);
      ASSERT_EQ(map.dram_line(address), line / channels);
    }
  }
}

// Masks that depend on many bits: the parities are the place, and each line has one of its own.
TEST(AddressMap, MasksAreParitiesAndABijection) {
  constexpr std::array<int, 5> kBits{1, 1, 3, 13, 7};  // channel, rank, bank, row, column
  constexpr std::int64_t kLines = 1 << 25;
  std::vector<std::int64_t> masks(25);
  for (std::size_t i = 0; i < masks.size(); ++i) {
    masks[i] = std::int64_t{1} << i;
  }
  Random random(4);
  for (int i = 0; i < 400; ++i) {
    const std::size_t to = random.below(masks.size());
    const std::size_t from = random.below(masks.size());
    masks[to] ^= to == from ? 0 : masks[from];
  }
  std::string text;
  for (const std::int64_t mask : masks) {
    text += (text.empty() ? "" : ", ") + std::to_string(mask * kLineBytes.value());
  }
  const Assignments keys{{"nvdimm.present", "false"},
                         {"dram.preset", "ddr3_1600k_512mb_x8"},
                         {"dram.ranks", "2"},
                         {"controller.channels", "2"},
                         {"controller.address_map", text}};
  SystemConfig config = make_config(keys);
  ASSERT_EQ(config.dram_capacity(), kLines * kLineBytes);
  config.nodes = 2;
  const AddressMap map(config);
  std::vector<std::int64_t> previous(4, -1);
  for (std::int64_t line = 0; line < 2 * kLines; line += 997) {
    const Address address(line * kLineBytes.value());
    const DramPlace place = map.dram(address);
    std::array<std::int64_t, 5> fields{map.dram_channel(address) - 2 * (line / kLines), place.rank,
                                       place.bank, place.row, place.column};
    std::size_t mask = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      for (int bit = 0; bit < kBits[i]; ++bit, ++mask) {
        const auto kept = static_cast<unsigned long long>(line % kLines & masks[mask]);
        ASSERT_EQ(fields[i] >> bit & 1, __builtin_parityll(kept)) << mask << " of line " << line;
      }
    }
    auto& last = previous[static_cast<std::size_t>(map.dram_channel(address))];
    ASSERT_GT(map.dram_line(address), last);
    last = map.dram_line(address);
  }
  for (const std::int64_t last : previous) {
    EXPECT_LT(last, kLines / 2);
    EXPECT_GT(last, kLines / 2 - 100'000);
  }
}

TEST(AddressMap, MasksWithoutABijectionAreRejected) {
  const auto error = [](const std::string& map, const char* channels) {
    return error_from([&] {
      make_config({{"nvdimm.present", "false"},
                   {"dram.preset", "ddr3_1600k_512mb_x8"},
                   {"dram.ranks", "1"},
                   {"controller.channels", channels},
                   {"controller.address_map", map}});
    });
  };
  std::vector<std::string> masks;
  for (int bit = 6; bit < 30; ++bit) {
    masks.push_back(std::to_string(1 << bit));
  }
  const auto with_mask = [&masks](std::size_t index, const std::string& mask) {
    std::string text;
    for (std::size_t i = 0; i < masks.size(); ++i) {
      text += (i == 0 ? "" : ",") + (i == index ? mask : masks[i]);
    }
    return text;
  };
  EXPECT_EQ(error(with_mask(24, ""), "2"), "");
  EXPECT_TRUE(names(error(with_mask(3, "0xC0"), "2"), {"mask 3 (bit 2 of bank)", "XOR"}));
  EXPECT_TRUE(names(error(with_mask(0, "0"), "2"), {"mask 0 (bit 0 of channel)"}));
  EXPECT_TRUE(names(error(with_mask(5, "0x40000000"), "2"), {"mask 5", "bits 6 to 29"}));
  EXPECT_TRUE(names(error(with_mask(5, "32"), "2"), {"mask 5", "bits 6 to 29"}));
  EXPECT_TRUE(names(error(with_mask(5, "row"), "2"), {"mask 5", "'row'"}));
  EXPECT_TRUE(names(error("0x40, 0x80", "1"), {"23 masks", "13 of row", "got 2"}));
  EXPECT_TRUE(names(error("mop4clxor", "3"), {"power of two", "got 3"}));
  EXPECT_TRUE(names(error("mop4clxr", "1"), {"did you mean 'mop4clxor'"}));
}

TEST(AddressMap, EachPageIsInOneNvdimm) {
  for (const std::int64_t channels : {1, 2, 3, 6, 12, 31, 32}) {
    for (const std::int64_t nodes : {1, 3}) {
      SystemConfig config =
          make_config(with(kSmallNvdimm, {{"controller.channels", std::to_string(channels)},
                                          {"nvdimm.capacity", "2MiB"},
                                          {"nvdimm.nand.chips", "1"},
                                          {"nvdimm.nand.channels", "1"},
                                          {"nvdimm.ftl.over_provisioning", "100"},
                                          {"nvdimm.nand.pages_per_block", "16"},
                                          {"nvdimm.count", "2"}}));
      config.nodes = nodes;
      const AddressMap map(config);
      const std::int64_t pages = config.nvdimm_capacity() / kPageBytes;
      const std::int64_t each = pages / (channels * nodes);
      ASSERT_EQ(each * channels * nodes, pages);
      std::set<std::pair<int, std::int64_t>> places;
      for (std::int64_t page = 0; page < pages; ++page) {
        const NvdimmPlace place = map.nvdimm(Address(page * kPageBytes.value()));
        const std::int64_t node = page / (pages / nodes);
        ASSERT_EQ(place.channel, page % (pages / nodes) % channels + node * channels);
        ASSERT_LT(place.page, each);
        places.emplace(place.channel, place.page);
      }
      EXPECT_EQ(places.size(), static_cast<std::size_t>(pages));
    }
  }
}

TEST(ChannelSplit, DividesEveryNumberOfALineExactly) {
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max() / 64 + 1;  // of lines
  Random random(2);
  for (std::int64_t channels = 1; channels <= 64; ++channels) {
    const ChannelSplit split(channels);
    for (int i = 0; i < 2000; ++i) {
      const auto drawn =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(kEnd))) >> (i % 50);
      const std::int64_t multiple = drawn / channels * channels;
      for (const std::int64_t unit : {drawn, multiple, multiple - 1, kEnd - 1 - i}) {
        if (unit >= 0) {
          ASSERT_EQ(split.place(unit).channel, unit % channels) << unit << " of " << channels;
          ASSERT_EQ(split.place(unit).unit, unit / channels) << unit << " of " << channels;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
