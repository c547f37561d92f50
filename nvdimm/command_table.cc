// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/command_table.h"

#include "core/errors.h"
#include "core/slot_claims.h"

namespace hmsim {

CommandTable::CommandTable(const NvdimmParameters& parameters, AckListener& host,
                           std::uint64_t pages, PendingWork& pending,
                           const GarbageCollector& collector, FtlStatistics& statistics)
    : lookup_time_(parameters.buffer.lookup),
      serial_lookups_(parameters.buffer.port == BufferPort::serial),
      pages_(pages),
      host_(host),
      pending_(pending),
      collector_(collector),
      statistics_(statistics),
      in_order_(parameters.ack_order == AckOrder::command),
      commands_(parameters.tags()),
      posted_(parameters.tags() - static_cast<std::size_t>(parameters.posted_writes),
              static_cast<std::size_t>(parameters.posted_writes), parameters.store_data) {}

void CommandTable::begin_flush(std::uint32_t tag, Tick now) {
  ensure(tag < commands_.size() && unfinished_ == posted_.size(), "nvdimm", now, tag,
         "flush after unfinished commands");
  commands_[tag] = Command();
  commands_[tag].stage = Stage::waiting;
  ++unfinished_;
  pending_.begin();
  pending_.wait();
  if (in_order_) {
    unanswered_.push(tag);
  }
  events_.schedule(now + lookup_time_, EventKind::flush, tag);
}

void CommandTable::serialize(Archive& archive) {
  archive.fixed(commands_);
  archive(unfinished_, lookup_free_, events_, posted_, unanswered_);
  archive.check(lookup_free_ < kNever, "lookup that can never start");
  serialize_slots(archive, lookups_, links(), commands_.size(), [](std::uint32_t) {});
  next_lookup_ = lookups_.empty() ? kNever : commands_[lookups_.first].since;
}

void CommandTable::check_bounds(const Archive& archive, const SyncBuffer& buffer,
                                std::uint32_t flush) const {
  for (std::uint32_t tag = 0; tag < commands_.size(); ++tag) {
    const Command& command = commands_[tag];
    const auto lines = static_cast<std::size_t>(pages_) * kLinesPerPage;
    archive.check(command.address >= Address(0), "command beyond the NVDIMM");
    archive.check_index(command.address / Address(kLineBytes.value()), lines,
                        "command beyond the NVDIMM");
    archive.check(!posted_.owns(tag) || !posted_.uses(tag) ||
                      posted_.line(tag) == command.address / Address(kLineBytes.value()),
                  "posted write of another line");
    archive.check(command.since < kNever && command.gc_blocked < kNever, "time too long");
    archive.check_index(
        command.frame,
        (command.pinned == Pinned::write_part ? buffer.write : buffer.read).records(), kNoIndex,
        "invalid frame of a command");
    const std::int64_t line = command.address / Address(kLineBytes.value()) % kLinesPerPage;
    archive.check(command.lines >= 1 && line + command.lines <= kLinesPerPage,
                  "command beyond its page");
  }
  check_chains(archive, buffer, flush);
}

// A command waits for at most one thing, so chains have no cycles.
void CommandTable::check_chains(const Archive& archive, const SyncBuffer& buffer,
                                std::uint32_t flush) const {
  SlotClaims tags(archive, commands_.size(), "command that waits for two things");
  const auto take = [&](const SlotChain& chain, Stage stage) {
    chain.claim_all(links(), tags,
                    [&](std::uint32_t tag) { tags.check(commands_[tag].stage == stage); });
  };
  take(lookups_, Stage::lookup);
  for (const BufferPart* part : {&buffer.read, &buffer.write}) {
    for (std::uint32_t frame = 0; frame < part->records(); ++frame) {
      take((*part)[frame].waiters, Stage::waiting);
    }
  }
  for (std::uint32_t tag = 0; tag < commands_.size(); ++tag) {
    if (posted_.owns(tag) && posted_.uses(tag)) {
      take(posted_.readers(tag), Stage::waiting);
    }
  }
  if (flush != kNoIndex) {
    tags.claim(flush);
  }
  events_.each([&](const auto& event) {
    if (event.kind != EventKind::frames_freed) {
      tags.claim(event.payload);
      tags.check(event.kind == EventKind::flush || posted_.owns(event.payload));
    }
  });
}

}  // namespace hmsim
