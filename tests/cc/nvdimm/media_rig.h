// SPDX-License-Identifier: BSD-3-Clause
// Byte-addressable media for tests: small ones, and their checker.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "check/media_checker.h"
#include "nvdimm/media/media_module.h"
#include "tests/cc/nvdimm/rig.h"
#include "tests/cc/statistic.h"

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

// The same with media lines of 256 B: 16 of them in each bank. The buffers hold `buffer` each.
inline NvdimmParameters wide_media(std::int64_t buffer) {
  NvdimmParameters parameters = small_media();
  parameters.media.line = Bytes(256);
  parameters.media.interleave = Bytes(256);
  parameters.media.line_buffer = buffer;
  parameters.media.start_gap.psi = 0;
  return parameters;
}

// Access to internals, so that tests can break them.
struct MediaFaults {
  // Moves the gap without copying a line.
  static void skip_copy(MediaModule& module, std::uint32_t region) {
    module.cells_.gaps_[region].move();
  }
  // Loses a written line of the host in the combining buffer. Returns false without one.
  static bool lose_write(MediaModule& module) {
    bool lost = false;
    module.buffer_->each_written([&](std::int64_t line, bool) {
      for (std::int64_t i = 0; i < module.sectors_; ++i) {
        lost = lost || module.buffer_->written(line, i) != nullptr;
        module.buffer_->zero(line, i);
      }
    });
    return lost;
  }
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

// Takes every ack; ends commands when the test calls it.
class MediaRig : public AckListener {
 public:
  explicit MediaRig(const NvdimmParameters& parameters)
      : module(parameters, parameters.media, *this, 1) {
    module.attach(kernel, Wakeup(kernel, kernel.attach(module)));
    watch = std::make_unique<MediaWatch>(module);
  }
  void on_ack(std::uint32_t tag, Tick now) override { acks.push_back({tag, now}); }
  void on_credit(Tick /*now*/) override { ++credits; }

  Tick access(std::int64_t line, bool write) {
    const Tick start = kernel.now();
    module.command(0, Address(line * 64), write, start);
    const std::size_t seen = acks.size();
    while (acks.size() == seen) {
      kernel.step(kNever);
    }
    module.finish(0, kernel.now());
    return acks.back().time - start;
  }
  void drain() {
    while (kernel.step(kNever)) {
    }
  }
  // Returns the value of a statistic of the module's, without "nvdimm.media.".
  double value(const std::string& path) {
    StatisticRegistry registry;
    register_media_statistics(registry, {&module});
    return testing::number_of(testing::statistic_of(registry, "nvdimm.media." + path));
  }
  // Sends `count` writes to next(i), eight at a time.
  template <class Next>
  void write(std::int64_t count, Next next) {
    std::int64_t sent = 0;
    std::int64_t ended = 0;
    std::size_t seen = acks.size();
    const auto send = [&](std::uint32_t tag) {
      module.command(tag, Address(next(sent++) * 64), true, kernel.now());
    };
    for (std::uint32_t tag = 0; tag < 8 && sent < count; ++tag) {
      send(tag);
    }
    while (ended < count && kernel.step(kNever)) {
      for (; seen < acks.size(); ++seen) {
        const std::uint32_t tag = acks[seen].tag;
        module.finish(tag, kernel.now());
        ++ended;
        if (sent < count) {
          send(tag);
        }
      }
    }
    drain();
  }

  std::vector<Ack> acks;
  int credits = 0;
  Kernel kernel;
  MediaModule module;
  std::unique_ptr<MediaWatch> watch;
};

}  // namespace hmsim
