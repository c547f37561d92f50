// SPDX-License-Identifier: BSD-3-Clause
// Is the damaged state of an NVDIMM refused for the reasons it was? They are small, and have much
// under way; how often each message is given is compared with what is stored.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cc/golden/damage.h"
#include "tests/cc/golden/golden_file.h"
#include "tests/cc/nvdimm/attempts.h"
#include "tests/cc/nvdimm/media_rig.h"

namespace hmsim::testing {

namespace {

const std::vector<std::string> kNames{
    "flash", "flash_of_large_pages", "flash_of_two_planes", "flash_that_merges",
    "media", "media_that_are_off"};
constexpr std::size_t kMoments = 4;
constexpr std::size_t kChanges = 1'000;  // at each moment

void expect_told(const std::string& name, const Told& told) {
  expect_stored("module_damage", name, values_of(told), kNames);
}

class FlashModuleDamage : public ::testing::TestWithParam<std::size_t> {};

TEST_P(FlashModuleDamage, IsRefusedAsIsStored) {
  const NvdimmParameters parameters = busy_nvdimms()[GetParam()];
  Busy busy(parameters);
  Told told;
  for (std::size_t moment = 0; moment < kMoments; ++moment) {
    for (int i = 0; i < 1'000; ++i) {
      busy.step();
    }
    Archive saved;
    busy.rig().nvdimm().serialize(saved);
    const auto load = [&](const std::string& state) {
      Bare loaded(parameters);
      Archive archive(state);
      loaded.nvdimm.serialize(archive);
    };
    load(saved.bytes());
    damage(saved.bytes(), kChanges, moment, load, told);
  }
  expect_told(kNames[GetParam()], told);
}

INSTANTIATE_TEST_SUITE_P(All, FlashModuleDamage, ::testing::Values(0, 1, 2, 3),
                         [](const auto& each) { return kNames[each.param]; });

// Media whose host answers when it is told to.
struct BusyMedia : AckListener {
  explicit BusyMedia(std::uint64_t seed) : module(parameters(), *this, 1), random(seed) {
    module.attach(kernel, Wakeup(kernel, kernel.attach(module)));
    kernel.notify_all();
    for (std::uint32_t tag = 0; tag < 24; ++tag) {
      free.push_back(tag);
    }
  }
  static NvdimmParameters parameters() {
    NvdimmParameters p = small_media();
    p.store_data = true;
    p.command_queue = 24;
    p.posted_writes = 4;
    p.media.command_time = 5 * kNanosecond;
    p.media.start_gap.psi = 3;
    p.media.start_gap.regions = 2;
    return p;
  }
  void on_ack(std::uint32_t tag, Tick) override { acked.push_back(tag); }
  void step() {
    if (acked.size() > 6) {
      const std::uint32_t tag = acked.front();
      acked.erase(acked.begin());
      if (module.command_view(tag).write) {
        LineData data;
        data.bytes[0] = static_cast<std::uint8_t>(random.below(256));
        module.write_line(tag, data);
      }
      module.finish(tag, kernel.now());
      free.push_back(tag);
    }
    if (!free.empty() && random.below(3) != 0) {
      const auto line = static_cast<std::int64_t>(random.below(40));
      module.command(free.back(), Address(line * kLineBytes.value()), random.below(3) != 0,
                     kernel.now());
      free.pop_back();
    }
    kernel.step(kNever);
  }

  Kernel kernel;
  MediaModule module;
  Random random;
  std::vector<std::uint32_t> acked;
  std::vector<std::uint32_t> free;  // tags
};

Told damage_media(bool off) {
  Told told;
  for (std::size_t moment = 0; moment < kMoments; ++moment) {
    BusyMedia busy(moment);
    for (std::size_t i = 0; i < 400 + 7 * moment; ++i) {
      busy.step();
    }
    if (off) {
      busy.module.power_fail(busy.kernel.now(), moment == 0 ? kNever : kNanosecond);
    }
    Archive saved;
    busy.module.serialize(saved);
    const auto load = [&](const std::string& state) {
      BusyMedia loaded(moment);
      Archive archive(state);
      loaded.module.serialize(archive);
    };
    load(saved.bytes());
    damage(saved.bytes(), 5 * kChanges, moment, load, told);
  }
  return told;
}

TEST(MediaModuleDamage, IsRefusedAsIsStored) { expect_told("media", damage_media(false)); }

TEST(MediaModuleDamage, OfOneThatIsOffIsRefusedAsIsStored) {
  expect_told("media_that_are_off", damage_media(true));
}

}  // namespace

}  // namespace hmsim::testing
