// SPDX-License-Identifier: BSD-3-Clause
// Byte-addressable media for tests: small ones, and their checker.
#pragma once

#include <gtest/gtest.h>

#include "check/media_checker.h"
#include "nvdimm/media/media_module.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {

// 4 banks of 64 lines; 16 KiB.
inline NvdimmParameters small_media() {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.kind = NvdimmKind::pcm;
  parameters.capacity = Bytes(16 << 10);
  parameters.command_queue = 64;
  parameters.media.banks = 4;
  parameters.media.write_queue = 8;
  return parameters;
}

// Access to internals, so that tests can break them.
struct MediaFaults {
  // Moves the gap without copying a line.
  static void skip_copy(MediaModule& module, std::uint32_t region) { module.gaps_[region].move(); }
  // Drops an entry that waits for the cells. Returns false without one.
  static bool drop_entry(MediaModule& module) {
    for (auto& entry : module.entries_) {
      if (entry.dirty) {
        entry.dirty = false;
        return true;
      }
    }
    return false;
  }
};

// Returns the parameters that a checker of the module needs.
inline NvdimmParameters parameters_of(const MediaModule& module) {
  NvdimmParameters parameters = plain_nvdimm();
  static_cast<ModuleParameters&>(parameters) = module.parameters();
  parameters.media = module.media();
  return parameters;
}

class MediaWatch {
 public:
  explicit MediaWatch(MediaModule& module)
      : checker_(parameters_of(module), 0, Tick(1), violations_) {
    module.add_media_observer(checker_);
  }
  MediaWatch(const MediaWatch&) = delete;
  MediaWatch& operator=(const MediaWatch&) = delete;
  ~MediaWatch() {
    EXPECT_EQ(violations_.total(), 0);
    for (const Violation& violation : violations_.first()) {
      ADD_FAILURE() << violation.describe();
    }
  }

  void serialize(Archive& archive) { checker_.serialize(archive); }

 private:
  ViolationLog violations_;
  MediaChecker checker_;
};

}  // namespace hmsim
