// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of the NVDIMM.
#include <vector>

#include "nvdimm/nvdimm.h"
#include "nvdimm/under_way.h"

namespace hmsim {

void Nvdimm::serialize_start(Archive& archive) {
  archive(ftl_);
  if (data_ != nullptr) {
    archive(data_->media);
  }
  if (archive.loading()) {
    ftl_.check_under_way(archive, Ftl::UnderWay(ftl_.shape().luns));
    if (data_ != nullptr) {
      ftl_.check_media(archive);
    }
  }
  map_counts() = MapCounts();
  tell_programmed();
}

void Nvdimm::serialize(Archive& archive) {
  archive.section("nvdimm");
  archive(commands_, writes_, flush_, freed_pending_, statistics_);
  ftl_.serialize(archive);
  flash_.serialize(archive);
  buffer_.serialize(archive);
  collector_.serialize(archive);
  map_.serialize(archive);
  evictor_.serialize(archive);
  if (lookahead_ != nullptr) {
    lookahead_->serialize(archive);
  }
  archive(backup_, off_, pending_);
  if (data_ != nullptr) {
    archive(*data_);
  }
  if (archive.loading()) {
    check_loaded(archive);
  }
  set_next(next_of_all());
}

// Without power only what the cells hold counts: nothing else is looked at again but by peek().
void Nvdimm::check_loaded(const Archive& archive) const {
  check_frames(archive);
  writes_.check_loaded(archive);
  if (data_ != nullptr) {
    check_data(archive);
  }
  if (!off_) {
    const std::uint32_t admissions = commands_.check_loaded(archive, buffer_, flush_.tag());
    archive.check(admissions == (freed_pending_ ? 1 : 0),
                  "frames are freed that nobody waits for, or the other way round");
    check_under_way(archive);
  }
}

void Nvdimm::check_frames(const Archive& archive) const {
  constexpr const char* kWrong = "a frame of the buffer is in a state that it cannot be in";
  for (const BufferPart* part : {&buffer_.read, &buffer_.write}) {
    const bool writes = part == &buffer_.write;
    for (std::uint32_t number = 0; number < part->records(); ++number) {
      const Frame& frame = (*part)[number];
      if (frame.state == FrameState::free) {
        archive.check(frame.listing == FrameListing::none, kWrong);
        continue;
      }
      archive.check(frame.key >= 0, kWrong);
      archive.check_index(buffer_.page_of(frame.key).value(), ftl_.shape().logical_pages,
                          "a frame of the buffer holds a page that is none");
      const bool idle = frame.pins == 0 && !frame.fetching &&
                        frame.state == (writes ? FrameState::dirty : FrameState::clean);
      const bool waits = !frame.waiters.empty();
      const bool fits =
          writes ? frame.state != FrameState::filling && !frame.fetching
                 : frame.state != FrameState::dirty && frame.state != FrameState::evicting;
      archive.check(fits && (frame.listing != FrameListing::none) == idle &&
                        (frame.pins == 0 || frame.state != FrameState::waiting) &&
                        (!writes || waits || frame.state != FrameState::waiting),
                    kWrong);
      archive.check_index(frame.lun, ftl_.shape().luns, kWrong);
    }
  }
}

void Nvdimm::check_data(const Archive& archive) const {
  constexpr const char* kWrong = "a frame's bytes are missing";
  ftl_.check_media(archive);
  archive.check(data_->unsaved.empty() || off_, "pages are not saved, and the power is on");
  for (const auto& entry : data_->unsaved) {
    archive.check_index(entry.first, ftl_.shape().logical_pages, "a page to be saved is none");
  }
  for (const BufferPart* part : {&buffer_.read, &buffer_.write}) {
    const FrameBytes& bytes = part == &buffer_.write ? data_->write : data_->read;
    for (std::uint32_t frame = 0; frame < part->records(); ++frame) {
      archive.check((*part)[frame].state == FrameState::free || (*part)[frame].valid == 0 ||
                        bytes.holds(frame),
                    kWrong);
    }
  }
  for (std::uint32_t tag = 0; tag < commands_.size(); ++tag) {
    const CommandTable::Command& command = commands_[tag];
    const bool reads =
        command.stage == CommandTable::Stage::ready && !command.write && command.frame != kNoIndex;
    archive.check(
        !reads || (command.in_write_part ? data_->write : data_->read).holds(command.frame),
        kWrong);
  }
}

void Nvdimm::check_under_way(const Archive& archive) const {
  UnderWay under_way(archive, pending_, flash_, ftl_.shape().luns, buffer_.read.records());
  collector_.check_loaded(archive, under_way);
  map_.check_loaded(archive, under_way);
  evictor_.check_loaded(archive, under_way);
  reads_.check_loaded(archive, under_way);
  ftl_.check_under_way(archive, under_way.ftl);
  std::vector<Lookahead::Query> queries;
  for (std::uint32_t tag = 0; tag < commands_.size(); ++tag) {
    const CommandTable::Command& command = commands_[tag];
    const bool looks_up = command.stage == CommandTable::Stage::lookup;
    if (looks_up || command.stage == CommandTable::Stage::ready) {
      under_way.pending.begin();
    }
    if (looks_up) {
      queries.push_back({command.asked, buffer_.key_of(command.address), command.write});
    }
  }
  pending_.check_same(archive, under_way.pending);
  archive.check(lookahead_ != nullptr || under_way.prefetches == 0, "who prefetches is not there");
  if (lookahead_ != nullptr) {
    lookahead_->check_loaded(archive, queries, under_way.prefetches);
  }
  for (std::uint32_t lun = 0; lun < ftl_.shape().luns; ++lun) {
    ftl_.check_programmed(archive, flash_, lun);
  }
}

}  // namespace hmsim
