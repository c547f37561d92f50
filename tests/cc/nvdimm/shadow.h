// SPDX-License-Identifier: BSD-3-Clause
// An NVDIMM in data mode next to a plain array of lines with the expected contents.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "nvdimm/design.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {

// Access to internals, so that tests can break them.
struct NvdimmFaults {
  // Reverts the last change of the page's place.
  static void skip_map_update(Nvdimm& nvdimm, LogicalPage page, PhysicalPage old) {
    const_cast<PageMap&>(nvdimm.ftl().pages()).set(page, old);
  }
  // Drops a dirty frame. Returns false without one.
  static bool drop_dirty_frame(Nvdimm& nvdimm) {
    const std::uint32_t frame = nvdimm.buffer_.write.victim();
    if (frame != kNoIndex) {
      nvdimm.buffer_.write.release(frame);
    }
    return frame != kNoIndex;
  }
  // Returns the keys of the frames of a part that can be given up, in eviction order.
  static std::vector<std::int64_t> listed(const Nvdimm& nvdimm, bool write_part) {
    const BufferPart& part = write_part ? nvdimm.buffer_.write : nvdimm.buffer_.read;
    std::vector<std::int64_t> keys;
    for (std::uint32_t frame = part.victim(); frame != kNoIndex; frame = part.after(frame)) {
      keys.push_back(part[frame].key);
    }
    return keys;
  }
  // Counts entries of a cached map that are neither in the cache nor in their translation pages.
  static std::uint64_t lost_entries(Nvdimm& nvdimm) {
    Ftl& ftl = nvdimm.ftl();
    std::uint64_t lost = 0;
    for (std::uint32_t number = 0; number < ftl.shape().map_pages(); ++number) {
      const PhysicalPage at = ftl.pages().place(ftl.shape().map_page(number));
      ftl.pages().for_entries(
          number, [&](LogicalPage page, std::uint32_t part, std::size_t byte, std::uint32_t entry) {
            const PageBytes& bytes =
                nvdimm.data_->page(ftl, ftl.shape().map_page(number) + LogicalPage(part));
            std::uint32_t stored = 0;
            std::memcpy(&stored, bytes.data() + byte, sizeof stored);
            lost += stored != entry && !ftl.map()->holds(page) ? 1 : 0;
            lost += at == kNowhere && stored != 0 ? 1 : 0;
          });
    }
    return lost;
  }
  // Returns the erases of one block of the cells.
  static std::uint32_t erases(const Nvdimm& nvdimm, std::uint32_t lun, std::uint32_t block) {
    return nvdimm.data_->media.erases(std::uint64_t{lun} * nvdimm.ftl_.shape().blocks + block);
  }
  // Returns the time for which a recovery first reads the LUN.
  static Tick reading_time(const Nvdimm& nvdimm, std::uint32_t lun) {
    const FtlShape& shape = nvdimm.ftl_.shape();
    const std::uint64_t programmed =
        (std::uint64_t{shape.blocks} * shape.pages - nvdimm.ftl_.frontiers().free_pages(lun)) /
        shape.parts();
    return static_cast<std::int64_t>(programmed) *
           (nvdimm.flash_.timing().read_command() + nvdimm.parameters_.nand.read_time);
  }
  // Counts from scratch the page reads that requests wait for.
  static PendingFlash reads_owed(const Nvdimm& nvdimm, std::uint32_t lun) {
    PendingFlash owed;
    for (std::uint32_t i = 0; i < nvdimm.buffer_.read.records(); ++i) {
      const Frame& frame = nvdimm.buffer_.read[i];
      const bool filling = frame.state == FrameState::filling;
      if ((!filling && frame.state != FrameState::waiting) || frame.joined || frame.lun != lun) {
        continue;
      }
      owed += {1, filling ? 1u : 0u, 0};
    }
    return owed;
  }
};

// Host that sends random commands and compares every line that it reads with the bytes that it
// wrote. Like the controller, it sends at most one command to a line at a time. It ends each
// command a random time after the command's ack.
template <class Module, class Watch>
class ShadowOf : public AckListener {
 public:
  ShadowOf(const NvdimmParameters& parameters, std::uint64_t seed)
      : parameters_(parameters),
        random_(seed, 77),
        seed_(seed),
        lines_(static_cast<std::size_t>(design_of(parameters.kind).logical_capacity(parameters) /
                                        kLineBytes)),
        busy_(lines_.size()),
        under_way_(static_cast<std::size_t>(parameters.command_queue)) {
    build();
    watch();
  }

  void on_ack(std::uint32_t tag, Tick /*now*/) override { ready_.push_back(tag); }

  Module& nvdimm() { return *nvdimm_; }
  std::int64_t pages() const { return static_cast<std::int64_t>(lines_.size()) / kLinesPerPage; }
  std::uint64_t mismatches() const { return mismatches_; }
  std::uint64_t reads() const { return reads_; }
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

  // Starts a command on a random line of the first `footprint` pages, or with block access on some
  // lines of a page, if its lines and a tag are free.
  void send(std::int64_t footprint, std::uint64_t write_eighths) {
    const auto line =
        static_cast<std::size_t>(below(static_cast<std::uint64_t>(footprint) * kLinesPerPage));
    const std::size_t tag = below(under_way_.size());
    const std::size_t rest = kLinesPerPage - line % kLinesPerPage;
    std::size_t lines = 1;
    if (parameters_.access == NvdimmAccess::block) {
      lines = below(2) != 0 ? 1 + below(rest) : rest;
    }
    const auto first = busy_.begin() + static_cast<std::ptrdiff_t>(line);
    const auto end = first + static_cast<std::ptrdiff_t>(lines);
    if (std::find(first, end, true) != end || under_way_[tag].active) {
      return;
    }
    Command command{true, below(8) < write_eighths, line, std::vector<LineData>(lines)};
    for (LineData& data : command.data) {
      for (std::uint8_t& byte : data.bytes) {
        byte = static_cast<std::uint8_t>(random_.next());
      }
      if (below(4) == 0) {
        data.mask = random_.next();
      }
    }
    std::fill(first, end, true);
    under_way_[tag] = command;
    nvdimm_->command(static_cast<std::uint32_t>(tag), address_of(line), command.write,
                     kernel_->now(), static_cast<std::uint8_t>(lines));
  }
  // Ends one acknowledged command.
  void finish_one() {
    if (ready_.empty()) {
      return;
    }
    const std::size_t which = below(ready_.size());
    const std::uint32_t tag = ready_[which];
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(which));
    Command& command = under_way_[tag];
    for (std::size_t i = 0; i < command.data.size(); ++i) {
      LineBytes& line = lines_[command.line + i];
      if (command.write) {
        nvdimm_->write_line(tag, command.data[i], static_cast<std::uint8_t>(i));
        command.data[i].apply_to(line);
      } else {
        ++reads_;
        mismatches_ += nvdimm_->read_line(tag, static_cast<std::uint8_t>(i)) != line ? 1 : 0;
      }
    }
    nvdimm_->finish(tag, kernel_->now());
    forget(command);
  }
  // Discards a random page, unless a command uses one of the page's lines.
  void trim(std::int64_t footprint) {
    const std::int64_t page =
        static_cast<std::int64_t>(below(static_cast<std::uint64_t>(footprint)));
    const auto first = static_cast<std::size_t>(page * kLinesPerPage);
    for (std::size_t line = first; line < first + kLinesPerPage; ++line) {
      if (busy_[line]) {
        return;
      }
    }
    EXPECT_EQ(nvdimm_->trim(address_of(first), kPageBytes, kernel_->now()), 1);
    std::fill_n(lines_.begin() + static_cast<std::ptrdiff_t>(first), kLinesPerPage, LineBytes{});
    ++trims_;
  }
  std::uint64_t trims() const { return trims_; }
  bool step() { return kernel_->step(kNever); }
  void settle() {
    while (!nvdimm_->idle()) {
      finish_one();
      step();
    }
  }

  PowerRecord power_cycle() {
    const PowerRecord record = power_fail();
    EXPECT_TRUE(power_on());
    return record;
  }
  PowerRecord power_fail(Tick save_for = kNever) {
    const PowerRecord record = nvdimm_->power_fail(kernel_->now(), save_for);
    check_all();
    return record;
  }
  // Returns false if the recovery was interrupted; then only power_fail() may follow.
  bool power_on(Tick recover_for = kNever) {
    watch_ = nullptr;
    const std::unique_ptr<Module> before = std::move(nvdimm_);
    forget_commands();
    build();
    const bool over = nvdimm_->restore(*before, kernel_->now(), recover_for);
    if (over) {
      watch();
    }
    check_all();
    return over;
  }
  // Simulates a power failure. Its save is interrupted at a random time, and its recovery up to
  // `interruptions` times, if they last long enough.
  PowerRecord rough_power_cycle(int interruptions) {
    const auto moment = [this](Tick most) {
      return Tick(static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most.value()) + 2)));
    };
    PowerRecord record = power_fail(moment(nvdimm_->power_record().hold_up));
    for (int i = 0; i < interruptions; ++i) {
      if (power_on(moment(nvdimm_->power_record().recovery))) {
        return record;
      }
      ++interrupted_;
      record = power_fail(below(2) != 0 ? kNever : moment(record.hold_up));
    }
    EXPECT_TRUE(power_on());
    return record;
  }
  std::uint64_t interrupted() const { return interrupted_; }  // recoveries
  void save_and_load() { load(saved()); }
  std::string saved() {
    Archive archive;
    serialize(archive);
    return archive.bytes();
  }
  // Continues from a saved state. Precondition: no command was completed since the save.
  void load(const std::string& saved) {
    build();
    watch();
    Archive loaded(saved);
    serialize(loaded);
    EXPECT_TRUE(loaded.at_end());
    kernel_->notify_all();
  }
  void check_all() {
    // Tests are compiled without optimization, and most of their time may pass here.
    const Module& module = *nvdimm_;
    std::int64_t at = 0;
    for (const LineBytes& expected : lines_) {
      const LineBytes found = module.peek(Address(at));
      mismatches_ += std::memcmp(&found, &expected, sizeof found) != 0 ? 1 : 0;
      at += kLineBytes.value();
    }
  }

 private:
  struct Command {
    bool active = false;
    bool write = false;
    std::size_t line = 0;  // the first
    std::vector<LineData> data;
  };

  static Address address_of(std::size_t line) {
    return Address(static_cast<std::int64_t>(line) * kLineBytes.value());
  }
  void build() {
    watch_ = nullptr;
    nvdimm_ = nullptr;
    kernel_ = std::make_unique<Kernel>();
    auto module = design_of(parameters_.kind).make(parameters_, *this, seed_, {});
    nvdimm_.reset(static_cast<Module*>(module.release()));
    nvdimm_->attach(*kernel_, Wakeup(*kernel_, kernel_->attach(*nvdimm_)));
  }
  void watch() { watch_ = std::make_unique<Watch>(*nvdimm_); }
  void forget_commands() {
    ready_.clear();
    for (Command& command : under_way_) {
      forget(command);
    }
  }
  void forget(Command& command) {
    std::fill_n(busy_.begin() + static_cast<std::ptrdiff_t>(command.line), command.data.size(),
                false);
    command = Command();
  }
  void serialize(Archive& archive) {
    kernel_->serialize(archive);
    nvdimm_->serialize(archive);
    watch_->serialize(archive);
  }

  NvdimmParameters parameters_;
  Random random_;
  std::uint64_t seed_;
  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<Module> nvdimm_;
  std::unique_ptr<Watch> watch_;
  std::vector<LineBytes> lines_;
  std::vector<bool> busy_;
  std::vector<Command> under_way_;  // by tag
  std::vector<std::uint32_t> ready_;
  std::uint64_t mismatches_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t trims_ = 0;
  std::uint64_t interrupted_ = 0;
};

using Shadow = ShadowOf<Nvdimm, FlashWatch>;

}  // namespace hmsim
