// SPDX-License-Identifier: BSD-3-Clause
// Are damaged states of the harmonic arbiter and of LIRS refused for the reasons they were?
// Each word of what they save is changed in several ways; what is said is compared with what is
// stored.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "policies/buffer_replacement.h"
#include "tests/cc/golden/damage.h"
#include "tests/cc/golden/golden_file.h"
#include "tests/cc/policies/rig.h"

namespace hmsim::testing {

namespace {

const std::vector<std::string> kNames{"harmonic", "lirs"};

// load(archive): into a new policy.
template <class Load>
void expect_told(const std::string& name, Policy& saved, Load load) {
  Archive whole;
  saved.serialize(whole);
  Told told;
  const auto tell = [&](const std::string& state) {
    Archive archive(state);
    try {
      load(archive);
    } catch (const InputError& error) {
      ++told[error.what()];
    }
  };
  tell(whole.bytes());
  EXPECT_TRUE(told.empty()) << told.begin()->first;
  sweep(whole.bytes(), whole.bytes().size(), tell);
  expect_stored("policy_damage", name, values_of(told), kNames);
}

// Of the arbiters this one alone saves what can contradict itself.
TEST(ArbiterDamage, IsRefusedAsIsStored) {
  const auto rate = [](std::size_t cell) { return 100 + cell; };
  const Assignments keys{{"policies.harmonic.table", table_text(rate, rate)},
                         {"policies.harmonic.window", "16"}};
  ArbiterRehearsal saved("harmonic", keys);
  Random random(7);
  for (std::int64_t i = 0; i < 200; ++i) {
    const Tick now = i * 20 * kCycle;
    const auto slot = static_cast<std::uint32_t>(random.below(2));
    const RequestView request =
        random.below(2) == 0
            ? dram_line(static_cast<std::int64_t>(random.below(4'000)), 0, slot)
            : nvdimm_line(static_cast<std::int64_t>(random.below(50)), random.below(3) == 0, slot);
    saved.arbiter().on_enqueue(request, now);
    saved.choose(static_cast<int>(random.below(20)), static_cast<int>(random.below(20)), Tick(0),
                 now, now);
  }
  expect_told("harmonic", saved.arbiter(), [&](Archive& archive) {
    ArbiterRehearsal("harmonic", keys).arbiter().serialize(archive);
  });
}

// Frames that take pages, are in use again, and lose what they hold.
class Replaced {
 public:
  static constexpr std::uint32_t kFrames = 12;

  Replaced()
      : policy_(create_policy(PolicyKind::buffer_replacement, "lirs",
                              {{"policies.lirs.ghosts", "20"}})) {
    lirs().connect(kFrames);
    lirs().grow(kFrames);
  }
  Policy& policy() { return *policy_; }
  void step(Random& random) {
    const auto frame = static_cast<std::uint32_t>(random.below(kFrames));
    if (listed_[frame]) {
      lirs().unlisted(frame);
      listed_[frame] = false;
      if (random.below(3) != 0) {
        lirs().released(frame);
        frames_of_.erase(key_of_[frame]);
        key_of_.erase(frame);
      }
      return;
    }
    if (key_of_.count(frame) == 0) {
      const auto key = static_cast<std::int64_t>(random.below(40));
      if (!frames_of_.emplace(key, frame).second) {
        return;
      }
      key_of_[frame] = key;
    }
    lirs().listed(frame, key_of_[frame]);
    listed_[frame] = true;
  }
  // What goes first, and what after it.
  std::vector<std::uint32_t> order() {
    std::vector<std::uint32_t> frames;
    for (std::uint32_t frame = lirs().victim(); frame != kNoIndex; frame = lirs().after(frame)) {
      frames.push_back(frame);
    }
    return frames;
  }
  // Those that can be given up.
  std::vector<std::uint32_t> listed() const {
    std::vector<std::uint32_t> frames;
    for (const auto& [frame, is] : listed_) {
      if (is) {
        frames.push_back(frame);
      }
    }
    return frames;
  }
  // Goes on where another one is.
  void load(Replaced& other) {
    Archive saved;
    other.policy().serialize(saved);
    Archive archive(saved.bytes());
    policy().serialize(archive);
    listed_ = other.listed_;
    key_of_ = other.key_of_;
    frames_of_ = other.frames_of_;
  }

 private:
  BufferReplacement& lirs() { return static_cast<BufferReplacement&>(*policy_); }

  std::unique_ptr<Policy> policy_;
  std::map<std::uint32_t, bool> listed_;
  std::map<std::uint32_t, std::int64_t> key_of_;     // by frame
  std::map<std::int64_t, std::uint32_t> frames_of_;  // by key
};

TEST(ReplacementDamage, IsRefusedAsIsStored) {
  Replaced saved;
  Random random(5);
  for (int i = 0; i < 400; ++i) {
    saved.step(random);
  }
  expect_told("lirs", saved.policy(),
              [](Archive& archive) { Replaced().policy().serialize(archive); });
}

TEST(ReplacementDamage, WhatIsSavedGoesOnAsItWould) {
  Replaced plain;
  auto saved = std::make_unique<Replaced>();
  Random one(6);
  Random other(6);
  for (int i = 0; i < 2'000; ++i) {
    plain.step(one);
    saved->step(other);
    std::vector<std::uint32_t> order = saved->order();
    ASSERT_EQ(order, plain.order()) << i;
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order, plain.listed()) << "each once, and no other";
    if (i % 10 == 0) {
      auto loaded = std::make_unique<Replaced>();
      loaded->load(*saved);
      saved = std::move(loaded);
    }
  }
}

}  // namespace

}  // namespace hmsim::testing
