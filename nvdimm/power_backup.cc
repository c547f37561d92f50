// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/power_backup.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "core/errors.h"
#include "nvdimm/precondition.h"

namespace hmsim {

namespace {

// Makes all lanes wait for the last one.
void level(std::vector<PowerLane>& lanes) {
  const Tick time = longest(lanes);
  for (PowerLane& lane : lanes) {
    lane.wait_until(time);
  }
}

}  // namespace

PowerBackup::PowerBackup(const NvdimmParameters& parameters, Ftl& ftl, const FlashArray& flash,
                         const SyncBuffer& buffer, const PostedWrites& posted, NvdimmData* data)
    : parameters_(parameters),
      ftl_(ftl),
      flash_(flash),
      buffer_(buffer),
      posted_(posted),
      data_(data) {}

void PowerBackup::spare(std::int64_t line, const LineBytes& before, const LineData& data) {
  data.apply_to(spared_.emplace(line, before).first->second);
  ++record_.spared_lines;
}

void PowerBackup::fail(Tick now, Tick save_for) {
  ensure(data_ != nullptr, "nvdimm", now, -1, "power failure without stored data");
  const std::uint64_t torn_before = data_->media.torn_pages();
  std::vector<PowerLane> lanes(ftl_.shape().luns, PowerLane(save_for));
  tear_flash(lanes);
  ftl_.rebuild();
  Save save(lanes);
  save_rest(save);
  save_dirty(save);
  data_->media.work_at_once();
  if (!data_->unsaved.empty()) {
    ftl_.rebuild();
  }
  record_.torn_pages += data_->media.torn_pages() - torn_before;
  record_.fail(parameters_.power, earlier(longest(lanes), save_for));
}

// Tears the flash operations in progress, except programs whose frames were released: these finish
// first.
void PowerBackup::tear_flash(std::vector<PowerLane>& lanes) {
  for (std::uint32_t lun = 0; lun < ftl_.shape().luns; ++lun) {
    flash_.in_flight(lun,
                     [&](const FlashCommand& command, PhysicalPage place, bool begun, bool first) {
                       if (command.operation == FlashOperation::read) {
                         return;
                       }
                       if (command.priority == FlashPriority::eviction &&
                           parameters_.buffer.release == FrameRelease::datain) {
                         lanes[lun].spend(first ? longest_program(parameters_.nand) : Tick(0));
                       } else if (begun && command.operation == FlashOperation::program) {
                         data_->media.tear(place);
                       } else if (begun) {
                         const auto page = static_cast<std::uint64_t>(place.value());
                         data_->media.tear_block(page / ftl_.shape().pages);
                       }
                     });
  }
}

// Saves each page for which spared writes, posted writes or the write part hold newer data than
// flash.
void PowerBackup::save_dirty(Save& save) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> dirty;  // page, frame
  for (std::uint32_t frame = 0; frame < buffer_.write.records(); ++frame) {
    const Frame& record = buffer_.write[frame];
    if ((record.state == FrameState::dirty || record.state == FrameState::evicting) &&
        record.valid != 0) {
      dirty.emplace_back(buffer_.page_of(record.key).value(), frame);
    }
  }
  posted_.each_line([&](std::int64_t line) { dirty.emplace_back(line / kLinesPerPage, kNoIndex); });
  for (const auto& entry : spared_) {
    dirty.emplace_back(entry.first / kLinesPerPage, kNoIndex);
  }
  std::sort(dirty.begin(), dirty.end());
  dirty.erase(std::unique(dirty.begin(), dirty.end()), dirty.end());
  for (std::size_t i = 0; i < dirty.size();) {
    const LogicalPage page(dirty[i].first);
    UnsavedPage content{data_->page(ftl_, page), false};
    std::uint64_t lines = 0;
    for (; i < dirty.size() && dirty[i].first == page.value(); ++i) {
      if (dirty[i].second == kNoIndex) {
        overlay_lines(page, content.bytes);
        continue;
      }
      lines |= buffer_.page_lines(buffer_.write[dirty[i].second]);
      data_->overlay(buffer_, dirty[i].second, content.bytes);
    }
    content.whole = lines == ~std::uint64_t{0};
    save_page(page, content, save);
  }
  program(save);
  spared_.clear();
}

// Saves the pages that an interrupted save left.
void PowerBackup::save_rest(Save& save) {
  for (const auto& entry : std::exchange(data_->unsaved, {})) {
    save_page(LogicalPage(entry.first), entry.second, save);
  }
  program(save);
}

// Frees blocks for the rest of a save, because the blocks kept free for it are used up. Waits until
// all programs have ended, then collects on all LUNs.
void PowerBackup::make_room(Save& save) {
  level(save.lanes);
  collect(save.lanes);
  if (std::any_of(save.lanes.begin(), save.lanes.end(),
                  [](const PowerLane& lane) { return lane.over(); })) {
    ftl_.rebuild();
  }
  save.pages = 0;
  save.programs.assign(save.lanes.size(), 0);
}

void PowerBackup::save_page(LogicalPage page, const UnsavedPage& content, Save& save) {
  if (save.pages == flush_pages(parameters_)) {
    program(save);
    make_room(save);
  }
  ++save.pages;
  const PhysicalPage old = ftl_.pages().place(page);
  const bool merged = !content.whole && old != kNowhere;
  PowerLane::Outcome read = PowerLane::Outcome::done;
  if (merged) {
    read = save.lanes[ftl_.shape().lun_of(old)].spend(merge_reads(parameters_) *
                                                      parameters_.nand.read_time);
  }
  if (read != PowerLane::Outcome::done) {
    data_->unsaved.emplace(page.value(), content);
    return;
  }
  save.waiting.push_back({page, content, merged});
  if (save.waiting.size() == ftl_.shape().parts()) {
    program(save);
  }
}

// Programs the waiting pages into one flash page. If the lane's time ends before the program does,
// the pages count as unsaved.
void PowerBackup::program(Save& save) {
  const auto count = static_cast<std::uint32_t>(save.waiting.size());
  if (count == 0) {
    return;
  }
  const std::uint32_t lun = target(save);
  ++save.programs[lun];
  save.next = (lun + 1) % ftl_.shape().luns;
  data_->media.work_on(save.lanes[lun], Tick(0), longest_program(parameters_.nand), Tick(0));
  ftl_.claims().claim_on(lun, count);
  const PhysicalPage first = ftl_.allocate(lun, WriteStream::host);
  PhysicalPage at = first;
  for (const Save::Page& saved : save.waiting) {
    ftl_.commit(saved.page, at);
    data_->media.store(at, saved.content.bytes);
    ++at;
  }
  if (count < ftl_.shape().parts()) {
    ftl_.pad(at);
  }
  for (const Save::Page& saved : save.waiting) {
    if (save.lanes[lun].over()) {
      data_->unsaved.emplace(saved.page.value(), saved.content);
    } else {
      record_.merged_pages += saved.merged ? 1 : 0;
      ++record_.flushed_pages;
    }
  }
  save.waiting.clear();
}

// Replaces each line in `bytes` by its newest data: the spared line if there is one, otherwise the
// line with its posted writes applied.
void PowerBackup::overlay_lines(LogicalPage page, PageBytes& bytes) const {
  for (std::int64_t line = 0; line < kLinesPerPage; ++line) {
    LineBytes written{};
    unsigned char* const place = bytes.data() + line * kLineBytes.value();
    std::memcpy(written.data(), place, written.size());
    posted_.apply(page.value() * kLinesPerPage + line, written);
    const auto spared = spared_.find(page.value() * kLinesPerPage + line);
    const LineBytes& newest = spared == spared_.end() ? written : spared->second;
    std::memcpy(place, newest.data(), newest.size());
  }
}

// Returns the LUN that has programmed the fewest flash pages among those that would keep one
// block's pages to collect with. No LUN then takes longer than its share or uses more than is kept
// free. Ties go to the next LUN in turn, preferably one with room for the waiting pages as valid
// pages.
std::uint32_t PowerBackup::target(const Save& save) const {
  const FtlShape& shape = ftl_.shape();
  const auto pages = static_cast<std::uint32_t>(save.waiting.size());
  const std::uint64_t enough = shape.pages + shape.parts();
  const auto rank = [&](std::uint32_t lun) {
    const std::uint64_t lacking = enough - std::min(enough, ftl_.frontiers().free_pages(lun));
    return std::tuple(lacking, save.programs[lun], !ftl_.claims().has_room(lun, pages));
  };
  std::uint32_t best = save.next;
  for (std::uint32_t i = 1; i < shape.luns; ++i) {
    const std::uint32_t lun = (save.next + i) % shape.luns;
    best = rank(lun) < rank(best) ? lun : best;
  }
  ensure(ftl_.frontiers().free_pages(best) > 0, "nvdimm", Tick(0), -1,
         "no free page left to save a dirty one");
  return best;
}

// Collects on all LUNs in parallel. An interruption on one LUN does not affect the others, unless
// the map is in flash: collections on one LUN then write map pages on other LUNs.
void PowerBackup::collect(std::vector<PowerLane>& lanes) {
  const NandParameters& nand = parameters_.nand;
  for (std::uint32_t lun = 0; lun < ftl_.shape().luns; ++lun) {
    data_->media.work_on(lanes[lun], nand.read_time, nand.program_time, nand.erase_time);
    UntimedWork work;
    collect_untimed(ftl_, lun, work);
    if (lanes[lun].over() && ftl_.map() != nullptr) {
      level(lanes);
    }
  }
}

bool PowerBackup::recover(PowerBackup& before, Tick now, Tick recover_for) {
  ensure(data_ != nullptr && before.data_ != nullptr, "nvdimm", now, -1,
         "return of power without stored data");
  data_->media = std::move(before.data_->media);
  data_->unsaved = std::move(before.data_->unsaved);
  record_ = before.record_;
  ftl_.rebuild();
  const std::uint64_t torn_before = data_->media.torn_pages();
  const NandParameters& nand = parameters_.nand;
  std::vector<PowerLane> lanes(ftl_.shape().luns, PowerLane(recover_for));
  const std::uint64_t pages = std::uint64_t{ftl_.shape().blocks} * ftl_.shape().pages;
  for (std::uint32_t lun = 0; lun < ftl_.shape().luns; ++lun) {
    const auto programmed = static_cast<std::int64_t>((pages - ftl_.frontiers().free_pages(lun)) >>
                                                      ftl_.shape().part_bits);
    lanes[lun].spend(programmed * (flash_.timing().read_command() + nand.read_time));
  }
  collect(lanes);
  if (!data_->unsaved.empty()) {
    level(lanes);
    Save save(lanes);
    save_rest(save);
    level(lanes);
    collect(lanes);
  }
  level(lanes);
  data_->media.work_on(lanes.front(), nand.read_time, nand.program_time, nand.erase_time);
  UntimedWork rest;
  write_map_untimed(ftl_, rest);
  data_->media.work_at_once();
  record_.torn_pages += data_->media.torn_pages() - torn_before;
  if (longest(lanes) > recover_for) {
    ftl_.rebuild();
    return false;
  }
  record_.recover(longest(lanes));
  return true;
}

}  // namespace hmsim
