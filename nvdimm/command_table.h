// SPDX-License-Identifier: BSD-3-Clause
// Table of the unfinished commands of one flash NVDIMM, indexed by tag.
//
// A command starts with a buffer lookup. After the lookup it is ready, or it waits in a chain until
// the buffer can serve it. Lookups end in the order in which they began. The table's lookups and
// events are the only times, besides those of the flash, at which the NVDIMM acts.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/event_queue.h"
#include "core/kernel.h"
#include "core/ring.h"
#include "core/slot_list.h"
#include "core/types.h"
#include "nvdimm/buffer/posted_writes.h"
#include "nvdimm/buffer/sync_buffer.h"
#include "nvdimm/ftl/garbage_collector.h"
#include "nvdimm/ftl/pending_work.h"
#include "nvdimm/module/module.h"
#include "nvdimm/parameters.h"

namespace hmsim {

// Result of a lookup. here: the lines (read) or a frame for the write are in the buffer. brought:
// here, some by a flash read that an earlier read of the page demanded, and not read since.
// in_flight: they are being brought. joined: the line arrives with another item of its page.
// missing: lines must be fetched. unmapped: the page was never written and the read needs no flash
// access.
enum class Found : std::uint8_t { here, brought, in_flight, joined, missing, unmapped };

// Part of the buffer that the frame of a ready command belongs to. both: a read of several lines
// has pinned the page's frame of the write part as well, which holds some of them.
enum class Pinned : std::uint8_t { read_part, write_part, both, last = both };

class CommandTable {
 public:
  // Events outside flash. frames_freed: commands that wait for a frame may retry. flush: the lookup
  // of a flush ended. posted: a posted write has its frame; the payload is its tag.
  enum class EventKind : std::uint8_t { frames_freed, flush, posted, last = posted };
  enum class Stage : std::uint8_t { none, lookup, waiting, ready, last = ready };

  struct Command {
    Address address;
    Tick arrival;
    std::uint64_t collections = 0;   // ended before its arrival
    Tick since{0};                   // lookup: its end; later: start of the current wait
    std::uint64_t order = 0;         // lookup: rank of its end among the events
    Tick gc_blocked{0};              // wait for garbage collection
    std::uint32_t frame = kNoIndex;  // ready: the pinned frame, or kNoIndex
    std::uint32_t next = kNoIndex;   // in a SlotChain
    std::uint32_t asked = kNoIndex;  // lookup: its entry in Lookahead, if there is one
    Stage stage = Stage::none;
    bool write = false;
    Pinned pinned = Pinned::read_part;
    std::uint8_t lines = 1;

    void serialize(Archive& archive) {
      archive(address, arrival, collections, since, order, gc_blocked, frame, next, asked, stage,
              write, pinned, lines);
    }
  };

  // `pages`: size of the logical space.
  CommandTable(const NvdimmParameters& parameters, AckListener& host, std::uint64_t pages,
               PendingWork& pending, const GarbageCollector& collector, FtlStatistics& statistics);

  Command& operator[](std::uint32_t tag) { return commands_[tag]; }
  const Command& operator[](std::uint32_t tag) const { return commands_[tag]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(commands_.size()); }
  std::uint32_t unfinished() const { return unfinished_; }

  // Starts the lookup of a command; `tag` must be free. Returns true if no other lookup is running.
  bool begin(std::uint32_t tag, Address address, bool write, Tick now, std::uint8_t lines);
  // Starts the lookup of a flush, which counts as waiting from then on.
  void begin_flush(std::uint32_t tag, Tick now);

  PostedWrites& posted() { return posted_; }
  const PostedWrites& posted() const { return posted_; }
  EventQueue<EventKind>& events() { return events_; }
  Tick next_lookup() const { return next_lookup_; }  // end of the next lookup
  Tick next() const { return earlier(next_lookup_, events_.next_time()); }
  // Returns whether the next lookup precedes an event at the same time.
  bool lookup_is_first() const {
    return next_lookup_ == events_.next_time() &&
           commands_[lookups_.first].order < events_.order_of_next();
  }
  // Removes the lookup that ends next and returns its tag.
  std::uint32_t end_lookup() {
    const std::uint32_t tag = lookups_.pop_front(links());
    next_lookup_ = lookups_.empty() ? kNever : commands_[lookups_.first].since;
    return tag;
  }

  void wait(std::uint32_t tag, SlotChain& chain) {
    commands_[tag].stage = Stage::waiting;
    chain.push_back(links(), tag);
    pending_.wait();
  }
  // Empties the chain and calls wake(tag) for each of its commands.
  template <class Wake>
  void wake_all(SlotChain& chain, Wake wake) {
    SlotChain waiters = std::exchange(chain, SlotChain());
    while (!waiters.empty()) {
      const std::uint32_t tag = waiters.pop_front(links());
      pending_.resume();
      wake(tag);
    }
  }
  // Makes a read wait for the latest posted write of its line, which has the newest data. Returns
  // false if there is no such write.
  bool waits_for_posted(std::uint32_t tag, Address address) {
    if (posted_.empty()) {
      return false;
    }
    const std::uint32_t posted = posted_.latest(address.value() / kLineBytes.value());
    if (posted != kNoIndex) {
      wait(tag, posted_.readers(posted));
    }
    return posted != kNoIndex;
  }

  // Marks the tag's `command` as ready. The caller has pinned `frame` for it.
  HMSIM_INLINE void ready(std::uint32_t tag, Command& command, Pinned pinned, std::uint32_t frame,
                          Tick now) {
    if (collector_.begun() != command.collections) {
      statistics_.gc_overlapped_ack.add((now - command.arrival).value());
    }
    command.stage = Stage::ready;
    command.pinned = pinned;
    command.frame = frame;
    if (posted_.owns(tag)) {
      events_.schedule(now, EventKind::posted, tag);
    } else {
      answer(tag, now);
    }
  }
  // Marks a host command as ready that needs no frame, or only one of the write part (`both`), and
  // acknowledges it.
  void ready(std::uint32_t tag, Tick now, Pinned pinned = Pinned::read_part) {
    commands_[tag].stage = Stage::ready;
    commands_[tag].pinned = pinned;
    answer(tag, now);
  }
  // Ends the wait of a flush and acknowledges it.
  void end_flush(std::uint32_t tag, Tick now) {
    pending_.resume();
    ready(tag, now);
  }
  // Frees the tag. The command's other fields stay readable.
  void end(std::uint32_t tag, Tick now);

  void serialize(Archive& archive);
  // Validates loaded state; call it after everything else is loaded. `flush`: tag of the flush that
  // is writing back, or kNoIndex.
  void check_bounds(const Archive& archive, const SyncBuffer& buffer, std::uint32_t flush) const;

 private:
  // Acknowledges a ready command, or with AckOrder::command each command that is now the oldest
  // without an ack and ready.
  void answer(std::uint32_t tag, Tick now) {
    if (!in_order_) {
      host_.on_ack(tag, now);
      return;
    }
    for (; !unanswered_.empty() && commands_[unanswered_.front()].stage == Stage::ready;
         unanswered_.pop()) {
      host_.on_ack(unanswered_.front(), now);
    }
  }
  LinksOf<Command, std::uint32_t> links() { return links_of(commands_.data(), &Command::next); }
  LinksOf<const Command, std::uint32_t> links() const {
    return links_of(commands_.data(), &Command::next);
  }
  void check_chains(const Archive& archive, const SyncBuffer& buffer, std::uint32_t flush) const;

  const Tick lookup_time_;
  const bool serial_lookups_;
  const std::uint64_t pages_;
  AckListener& host_;
  PendingWork& pending_;
  const GarbageCollector& collector_;
  FtlStatistics& statistics_;
  const bool in_order_;
  Ring<std::uint32_t> unanswered_;  // in_order_: tags without ack, by age of the command
  std::vector<Command> commands_;   // by tag
  PostedWrites posted_;             // their tags follow those of the host
  std::uint32_t unfinished_ = 0;
  Tick lookup_free_{0};        // serial lookups: when the next one may start
  SlotChain lookups_;          // in order of begin and end
  Tick next_lookup_ = kNever;  // end of the next lookup
  EventQueue<EventKind> events_;
};

HMSIM_INLINE bool CommandTable::begin(std::uint32_t tag, Address address, bool write, Tick now,
                                      std::uint8_t lines) {
  ensure(tag < commands_.size() && commands_[tag].stage == Stage::none, "nvdimm", now, tag,
         "slot of a command is taken or invalid");
  // The cast to unsigned also rejects negative addresses.
  ensure(
      static_cast<std::uint64_t>(address.value()) / static_cast<std::uint64_t>(kPageBytes.value()) <
          pages_,
      "nvdimm", now, tag, "address beyond the logical capacity");
  const Tick start = serial_lookups_ ? later(now, lookup_free_) : now;
  lookup_free_ = start + lookup_time_;
  Command& command = commands_[tag];
  command.arrival = now;
  command.collections = collector_.ended();
  command.since = lookup_free_;
  command.order = events_.take_order();
  command.address = address;
  command.gc_blocked = Tick(0);
  command.frame = kNoIndex;
  command.stage = Stage::lookup;
  command.write = write;
  command.lines = lines;
  if (in_order_ && !posted_.owns(tag)) {
    unanswered_.push(tag);
  }
  ++unfinished_;
  pending_.begin();
  const bool only = lookups_.empty();
  if (only) {
    next_lookup_ = lookup_free_;
  }
  lookups_.push_back(links(), tag);
  return only;
}

HMSIM_INLINE void CommandTable::end(std::uint32_t tag, Tick now) {
  ensure(commands_[tag].stage == Stage::ready, "nvdimm", now, tag,
         "end of a command that was not ready");
  commands_[tag].stage = Stage::none;
  --unfinished_;
  pending_.end();
}

}  // namespace hmsim
