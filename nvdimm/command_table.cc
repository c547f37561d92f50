// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/command_table.h"

#include "core/errors.h"
#include "core/places.h"

namespace hmsim {

CommandTable::CommandTable(const NvdimmParameters& parameters, AckListener& host,
                           std::uint64_t pages, PendingWork& pending,
                           const GarbageCollector& collector, NvdimmStatistics& statistics)
    : lookup_time_(parameters.buffer.lookup),
      serial_lookups_(parameters.buffer.port == BufferPort::serial),
      pages_(pages),
      host_(host),
      pending_(pending),
      collector_(collector),
      statistics_(statistics),
      commands_(static_cast<std::size_t>(parameters.command_queue)),
      posted_(static_cast<std::size_t>(parameters.command_queue - parameters.posted_writes),
              static_cast<std::size_t>(parameters.posted_writes), parameters.store_data) {}

void CommandTable::begin_flush(std::uint32_t tag, Tick now) {
  ensure(tag < commands_.size() && unfinished_ == posted_.size(), "nvdimm", now, tag,
         "a flush meets commands that are unfinished");
  commands_[tag] = Command();
  commands_[tag].stage = Stage::waiting;
  ++unfinished_;
  pending_.begin();
  pending_.wait();
  events_.schedule(now + lookup_time_, EventKind::flush, tag);
}

NvdimmModule::CommandView CommandTable::command_view(std::uint32_t tag) const {
  using State = NvdimmModule::CommandState;
  const Command& command = commands_[tag];
  const State state = command.stage == Stage::none    ? State::none
                      : command.stage == Stage::ready ? State::ready
                                                      : State::unfinished;
  return {state, command.write, command.address};
}

void CommandTable::serialize(Archive& archive) {
  archive.fixed(commands_);
  archive(unfinished_, lookup_free_, lookups_, next_lookup_, events_, posted_);
  archive.check(lookup_free_ < kNever, "no lookup may ever start");
}

std::uint32_t CommandTable::check_loaded(const Archive& archive, const SyncBuffer& buffer,
                                         std::uint32_t flush) const {
  constexpr const char* kWrong = "commands of the NVDIMM do not hold together";
  Places waiting(archive, commands_.size(), kWrong);
  take_waiters(archive, buffer, waiting);
  lookups_.take_all(links(), waiting, [&](std::uint32_t tag) {
    archive.check(commands_[tag].stage == Stage::lookup, kWrong);
  });
  archive.check(next_lookup_ == (lookups_.empty() ? kNever : commands_[lookups_.first].since),
                kWrong);
  if (flush != kNoIndex) {
    waiting.take(flush);
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
    check_command(archive, tag);
  }
  archive.check(unfinished == unfinished_, kWrong);
  check_users(archive, buffer);
  return admissions;
}

// Those that wait for frames, and for posted writes.
void CommandTable::take_waiters(const Archive& archive, const SyncBuffer& buffer,
                                Places& waiting) const {
  constexpr const char* kWrong = "commands wait for what they do not ask for";
  const auto follow = [&](const SlotChain& chain, bool write, std::int64_t key) {
    const std::size_t before = waiting.count();
    chain.take_all(links(), waiting, [&](std::uint32_t tag) {
      const Command& command = commands_[tag];
      archive.check(command.stage == Stage::waiting && command.write == write &&
                        buffer.key_of(command.address) == key,
                    kWrong);
    });
    return waiting.count() - before;
  };
  for (const BufferPart* part : {&buffer.read, &buffer.write}) {
    const bool writes = part == &buffer.write;
    for (std::uint32_t number = 0; number < part->records(); ++number) {
      const Frame& frame = (*part)[number];
      if (frame.state == FrameState::free) {
        continue;
      }
      const std::size_t count = follow(frame.waiters, writes, frame.key);
      archive.check(
          count == 0 || (frame.state != FrameState::clean && frame.state != FrameState::dirty),
          kWrong);
    }
  }
  for (std::uint32_t tag = 0; tag < commands_.size(); ++tag) {
    if (posted_.owns(tag) && posted_.uses(tag)) {
      follow(posted_.readers(tag), false, buffer.key_of(commands_[tag].address));
    }
  }
}

// Commands that use frames.
void CommandTable::check_users(const Archive& archive, const SyncBuffer& buffer) const {
  constexpr const char* kWrong = "the users of a frame are counted wrong";
  std::vector<std::uint32_t> read(buffer.read.records());
  std::vector<std::uint32_t> written(buffer.write.records());
  for (const Command& command : commands_) {
    if (command.stage == Stage::ready && command.frame != kNoIndex) {
      const BufferPart& part = command.in_write_part ? buffer.write : buffer.read;
      archive.check_index(command.frame, part.records(), kWrong);
      const Frame& frame = part[command.frame];
      archive.check(frame.state != FrameState::free &&
                        frame.key == buffer.key_of(command.address) &&
                        (command.in_write_part || !command.write),
                    kWrong);
      ++(command.in_write_part ? written : read)[command.frame];
    }
  }
  for (const BufferPart* part : {&buffer.read, &buffer.write}) {
    const std::vector<std::uint32_t>& users = part == &buffer.write ? written : read;
    for (std::uint32_t frame = 0; frame < part->records(); ++frame) {
      archive.check((*part)[frame].state == FrameState::free || (*part)[frame].pins == users[frame],
                    kWrong);
    }
  }
}

void CommandTable::check_command(const Archive& archive, std::uint32_t tag) const {
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
  archive.check(
      !used || command.address.value() / kPageBytes.value() < static_cast<std::int64_t>(pages_),
      "a command goes beyond the NVDIMM");
  archive.check(command.stage != Stage::ready || command.frame != kNoIndex || !command.write,
                kWrong);
}

}  // namespace hmsim
