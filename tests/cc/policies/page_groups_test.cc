// SPDX-License-Identifier: BSD-3-Clause
// Are saved groups of pages refused that hold other requests than those which wait?
#include "policies/monitors/page_groups.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "tests/cc/policies/rig.h"
#include "tests/cc/words.h"

namespace hmsim {
namespace {

using testing::kWordBytes;
using testing::nvdimm_line;
using testing::with_word;
using testing::word_at;
using testing::words_of;

constexpr std::uint32_t kSlots = 64;
constexpr std::int64_t kPage = 123'456;
constexpr std::uint32_t kSent = 37;
constexpr std::uint32_t kWaiting = 41;

// Two requests to one page: the first is sent before the second comes.
std::string saved() {
  PageGroups groups;
  groups.resize(kSlots);
  groups.enter(kSent, kPage);
  groups.leave_group(kSent);
  groups.enter(kWaiting, kPage);
  Archive archive;
  groups.serialize(archive);
  return archive.bytes();
}

void load(const std::string& state, const HeldRequests& held) {
  PageGroups groups;
  groups.resize(kSlots);
  Archive archive(state);
  groups.serialize(archive);
  groups.check_held(archive, held);
}

void load(const std::string& state) {
  HeldRequest sent;
  sent.view = nvdimm_line(kPage, false, kSent);
  sent.commanded = true;
  HeldRequest waiting;
  waiting.view = nvdimm_line(kPage, false, kWaiting);
  load(state, {sent, waiting});
}

// A page's number is followed by the first and the last slot of its group.
std::string with_group(std::string state, std::uint32_t slot) {
  for (const std::size_t at : words_of(state)) {
    if (word_at(state, at) == kPage) {
      EXPECT_EQ(word_at(state, at + kWordBytes), kWaiting);
      EXPECT_EQ(word_at(state, at + 2 * kWordBytes), kWaiting);
      state = with_word(state, at + kWordBytes, slot);
      return with_word(state, at + 2 * kWordBytes, slot);
    }
  }
  ADD_FAILURE() << "there is no such page";
  return state;
}

TEST(PageGroups, AGroupOfARequestThatWaitsIsTaken) {
  EXPECT_NO_THROW(load(saved()));
  EXPECT_NO_THROW(load(with_group(saved(), kWaiting)));
}

// The links of groups, a pair for each slot behind their number, come before those of arrivals; the
// first and the last arrival come last.
std::string with_arrival(std::string state, std::uint32_t slot) {
  const auto link = [](std::uint32_t of) { return (1 + 2 * kSlots + 1 + 2 * of) * kWordBytes; };
  const std::size_t last = state.size() - kWordBytes;
  EXPECT_EQ(word_at(state, last), kWaiting);
  EXPECT_EQ(word_at(state, link(kWaiting) + kWordBytes), kNoIndex);
  state = with_word(state, last, slot);
  state = with_word(state, link(kWaiting) + kWordBytes, slot);
  return with_word(state, link(slot), kWaiting);
}

TEST(PageGroups, AnArrivalOfNoRequestIsRefused) {
  EXPECT_THROW(load(with_arrival(saved(), kWaiting + 1)), InputError);
}

// All requests to a page are of one group.
TEST(PageGroups, APageThatIsSavedTwiceIsRefused) {
  constexpr std::int64_t kOther = kPage + 1;
  PageGroups groups;
  groups.resize(kSlots);
  groups.enter(kSent, kPage);
  groups.enter(kWaiting, kOther);
  Archive archive;
  groups.serialize(archive);
  const std::string state = archive.bytes();
  const auto held = [](std::int64_t second_page) {
    HeldRequests requests(2);
    requests[0].view = nvdimm_line(kPage, false, kSent);
    requests[1].view = nvdimm_line(second_page, false, kWaiting);
    return requests;
  };
  EXPECT_NO_THROW(load(state, held(kOther)));
  for (const std::size_t at : words_of(state)) {
    if (word_at(state, at) == kOther) {
      EXPECT_THROW(load(with_word(state, at, kPage), held(kPage)), InputError);
      return;
    }
  }
  FAIL() << "there is no such page";
}

TEST(PageGroups, AGroupOfARequestThatWasSentIsRefused) {
  EXPECT_THROW(load(with_group(saved(), kSent)), InputError);
}

}  // namespace
}  // namespace hmsim
