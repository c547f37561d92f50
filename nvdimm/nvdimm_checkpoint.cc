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
  archive.fixed(commands_);
  archive(unfinished_, lookup_free_, leaving_, freed_pending_, flush_, lookups_, next_lookup_,
          events_, statistics_);
  archive.check(lookup_free_ < kNever, "no lookup may ever start");
  ftl_.serialize(archive);
  flash_.serialize(archive);
  buffer_.serialize(archive);
  collector_.serialize(archive);
  map_.serialize(archive);
  evictor_.serialize(archive);
  if (lookahead_ != nullptr) {
    lookahead_->serialize(archive);
  }
  archive(power_, off_, pending_, posted_);
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
  if (data_ != nullptr) {
    check_data(archive);
  }
  if (!off_) {
    check_commands(archive);
    check_under_way(archive);
  }
}

void Nvdimm::check_frames(const Archive& archive) const {
  constexpr const char* kWrong = "a frame of the buffer is in a state that it cannot be in";
  std::size_t leaving = 0;
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
      leaving += writes && (frame.state == FrameState::clean ||
                            (frame.state == FrameState::evicting && !waits))
                     ? 1
                     : 0;
    }
  }
  archive.check(leaving == leaving_, "frames that will be free are counted wrong");
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
  for (const Command& command : commands_) {
    const bool reads = command.stage == Stage::ready && !command.write && command.frame != kNoIndex;
    archive.check(
        !reads || (command.in_write_part ? data_->write : data_->read).holds(command.frame),
        kWrong);
  }
}

// Each command is in its lookup, waits for one thing, or is ready.
void Nvdimm::check_commands(const Archive& archive) const {
  constexpr const char* kWrong = "commands of the NVDIMM do not hold together";
  Places waiting(archive, commands_.size(), kWrong);
  take_waiters(archive, waiting);
  lookups_.take_all(links(), waiting, [&](std::uint32_t tag) {
    archive.check(commands_[tag].stage == Stage::lookup, kWrong);
  });
  archive.check(next_lookup_ == (lookups_.empty() ? kNever : commands_[lookups_.first].since),
                kWrong);
  if (flush_ != kNoIndex) {
    waiting.take(flush_);
  }
  Places posted(archive, commands_.size(), kWrong);
  std::uint32_t admissions = 0;
  events_.each([&](const auto& event) {
    if (event.kind == EventKind::frames_freed) {
      ++admissions;
    } else {
      (event.kind == EventKind::flush ? waiting : posted).take(event.payload);
    }
  });
  std::uint32_t unfinished = 0;
  for (std::uint32_t tag = 0; tag < commands_.size(); ++tag) {
    const Stage stage = commands_[tag].stage;
    archive.check(waiting.has(tag) == (stage == Stage::lookup || stage == Stage::waiting) &&
                      posted.has(tag) == (stage == Stage::ready && posted_.owns(tag)),
                  kWrong);
    unfinished += stage == Stage::none ? 0 : 1;
  }
  archive.check(unfinished == unfinished_ && admissions == (freed_pending_ ? 1 : 0), kWrong);
  check_users(archive);
}

// Those that wait for frames, and for posted writes.
void Nvdimm::take_waiters(const Archive& archive, Places& waiting) const {
  constexpr const char* kWrong = "commands wait for what they do not ask for";
  const auto follow = [&](const SlotChain& chain, bool write, std::int64_t key) {
    const std::size_t before = waiting.count();
    chain.take_all(links(), waiting, [&](std::uint32_t tag) {
      const Command& command = commands_[tag];
      archive.check(command.stage == Stage::waiting && command.write == write &&
                        buffer_.key_of(command.address) == key,
                    kWrong);
    });
    return waiting.count() - before;
  };
  for (const BufferPart* part : {&buffer_.read, &buffer_.write}) {
    const bool writes = part == &buffer_.write;
    for (std::uint32_t number = 0; number < part->records(); ++number) {
      const Frame& frame = (*part)[number];
      if (frame.state == FrameState::free) {
        continue;
      }
      const std::size_t count = follow(frame.waiters, writes, frame.key);
      archive.check((writes || frame.requests == count) &&
                        (count == 0 ||
                         (frame.state != FrameState::clean && frame.state != FrameState::dirty)),
                    kWrong);
    }
  }
  for (std::uint32_t tag = 0; tag < commands_.size(); ++tag) {
    if (posted_.owns(tag) && posted_.uses(tag)) {
      follow(posted_.readers(tag), false, buffer_.key_of(commands_[tag].address));
    }
  }
}

// Commands that use frames.
void Nvdimm::check_users(const Archive& archive) const {
  constexpr const char* kWrong = "the users of a frame are counted wrong";
  std::vector<std::uint32_t> read(buffer_.read.records());
  std::vector<std::uint32_t> written(buffer_.write.records());
  for (std::uint32_t tag = 0; tag < commands_.size(); ++tag) {
    const Command& command = commands_[tag];
    check_command(archive, tag);
    if (command.stage == Stage::ready && command.frame != kNoIndex) {
      const BufferPart& part = command.in_write_part ? buffer_.write : buffer_.read;
      archive.check_index(command.frame, part.records(), kWrong);
      const Frame& frame = part[command.frame];
      archive.check(frame.state != FrameState::free &&
                        frame.key == buffer_.key_of(command.address) &&
                        (command.in_write_part || !command.write),
                    kWrong);
      ++(command.in_write_part ? written : read)[command.frame];
    }
  }
  for (const BufferPart* part : {&buffer_.read, &buffer_.write}) {
    const std::vector<std::uint32_t>& users = part == &buffer_.write ? written : read;
    for (std::uint32_t frame = 0; frame < part->records(); ++frame) {
      archive.check((*part)[frame].state == FrameState::free || (*part)[frame].pins == users[frame],
                    kWrong);
    }
  }
}

void Nvdimm::check_command(const Archive& archive, std::uint32_t tag) const {
  constexpr const char* kWrong = "a command of the NVDIMM is none";
  const Command& command = commands_[tag];
  const bool used = command.stage != Stage::none;
  if (posted_.owns(tag)) {
    archive.check(used == posted_.uses(tag), kWrong);
    archive.check(!used || (command.write &&
                            command.address.value() / kLineBytes.value() == posted_.line(tag)),
                  kWrong);
  }
  archive.check(!used || (command.address >= Address(0) && command.since < kNever &&
                          command.gc_blocked < kNever),
                kWrong);
  archive.check(!used || command.address.value() / kPageBytes.value() <
                             static_cast<std::int64_t>(ftl_.shape().logical_pages),
                "a command goes beyond the NVDIMM");
  archive.check(command.stage != Stage::ready || command.frame != kNoIndex || !command.write,
                kWrong);
}

void Nvdimm::check_under_way(const Archive& archive) const {
  UnderWay under_way(archive, pending_, flash_, ftl_.shape().luns, buffer_.read.records());
  collector_.check_loaded(archive, under_way);
  map_.check_loaded(archive, under_way);
  evictor_.check_loaded(archive, under_way);
  check_fetches(archive, under_way);
  ftl_.check_under_way(archive, under_way.ftl);
  std::vector<Lookahead::Query> queries;
  for (const Command& command : commands_) {
    if (command.stage == Stage::lookup || command.stage == Stage::ready) {
      under_way.pending.begin();
    }
    if (command.stage == Stage::lookup) {
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

// Frames of the read part wait for one flash read each.
void Nvdimm::check_fetches(const Archive& archive, UnderWay& under_way) const {
  constexpr const char* kWrong = "reads of flash pages do not hold together";
  for (const auto& [command, progress] : under_way.of(*this)) {
    const bool prefetches = command.priority == FlashPriority::prefetch;
    archive.check(command.operation == FlashOperation::read &&
                      (prefetches || command.priority == FlashPriority::demand),
                  kWrong);
    under_way.fetches.take(command.subject);
    under_way.prefetches += prefetches ? 1 : 0;
  }
  for (std::uint32_t number = 0; number < buffer_.read.records(); ++number) {
    const Frame& frame = buffer_.read[number];
    const bool fills = frame.state == FrameState::filling;
    const bool used = frame.state != FrameState::free;
    archive.check(under_way.fetches.has(number) == (used && frame.fetching) &&
                      (!fills || frame.fetching) &&
                      (frame.state != FrameState::waiting || !frame.fetching),
                  kWrong);
    if (fills || frame.state == FrameState::waiting) {
      under_way.pending.add(frame.lun, {1, frame.requests, fills ? 1u : 0u, 0});
    }
  }
}

}  // namespace hmsim
