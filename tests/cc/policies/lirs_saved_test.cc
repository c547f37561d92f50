// SPDX-License-Identifier: BSD-3-Clause
// Does LIRS continue from a saved state as it would without the save?
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "core/random.h"
#include "policies/buffer_replacement.h"

namespace hmsim::testing {

namespace {

// Frames that take pages, are used again, and lose their pages.
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
  // Returns the frames in the order in which they would be given up.
  std::vector<std::uint32_t> order() {
    std::vector<std::uint32_t> frames;
    for (std::uint32_t frame = lirs().victim(); frame != kNoIndex; frame = lirs().after(frame)) {
      frames.push_back(frame);
    }
    return frames;
  }
  // Returns the frames that can be given up.
  std::vector<std::uint32_t> listed() const {
    std::vector<std::uint32_t> frames;
    for (const auto& [frame, is] : listed_) {
      if (is) {
        frames.push_back(frame);
      }
    }
    return frames;
  }
  // Continues from the state of `other`.
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

TEST(SavedLirs, ContinuesAsWithoutTheSave) {
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
