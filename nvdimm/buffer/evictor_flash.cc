// SPDX-License-Identifier: BSD-3-Clause
// Flash commands of batches, and their effects.
#include <array>

#include "core/errors.h"
#include "nvdimm/buffer/evictor.h"

namespace hmsim {

void Evictor::program(std::uint32_t lun, std::uint32_t batch, Tick now) {
  FlashCommand command{this, FlashOperation::program, FlashPriority::eviction, lun, batch};
  for_batch(batch, [&](std::uint32_t eviction) {
    const int own = evictions_[eviction].frames == kNoIndex ? 0 : 1;
    command.share = static_cast<std::uint8_t>(command.share + own);
    command.parts = static_cast<PartMask>(command.parts * 2 + 1);
  });
  ensure(command.parts <= first_parts(most_), "nvdimm", now, batch,
         "a batch smaller than a flash page");
  submit(command, now);
}

void Evictor::submit(const FlashCommand& command, Tick now) {
  pending_.add(command.lun, page_work(command.operation));
  flash_.submit(command, now);
}

bool Evictor::on_flash_start(const FlashCommand& command, Tick /*now*/) {
  if (command.operation == FlashOperation::program) {
    evictions_[command.subject].target =
        ftl_.allocate(command.lun, WriteStream::host, 0, evictions_[command.subject].stream);
  }
  return true;
}

PhysicalPage Evictor::flash_place(const FlashCommand& command) const {
  const Eviction& eviction = evictions_.held(command.subject);
  if (command.operation == FlashOperation::program) {
    return eviction.target;
  }
  const PhysicalPage at = ftl_.pages().place(eviction.page);
  return at == kNowhere ? ftl_.shape().page_at(command.lun, 0, 0)
                        : at;  // discarded: any place on the LUN
}

PhysicalPage Evictor::next_flash_place(const FlashCommand& command) const {
  return command.operation == FlashOperation::read
             ? ftl_.pages().place(evictions_.held(command.subject).page)
             : ftl_.frontiers().next_place(command.lun, WriteStream::host,
                                           evictions_.held(command.subject).stream);
}

void Evictor::on_flash_data_in(const FlashCommand& command, Tick now) {
  if (release_ == FrameRelease::datain) {
    complete(command, now);
  }
  map_.write_back(now);
}

void Evictor::on_flash_done(const FlashCommand& command, Tick now) {
  pending_.remove(command.lun, page_work(command.operation));
  if (command.operation == FlashOperation::read) {
    for_chain(command.subject, &Eviction::fetched, [&](std::uint32_t eviction) {
      evictions_[eviction].fetched = kNoIndex;
      evictions_[eviction].gc.add(command.gc);
      ready(eviction, now);
    });
    return;
  }
  if (command.failed) {
    const Eviction& failed = evictions_.held(command.subject);
    ftl_.fail(failed.target, failed.count);
    for_batch(command.subject,
              [&](std::uint32_t eviction) { evictions_[eviction].gc.add(command.gc); });
    place(command.subject, now);
    return;
  }
  const auto pages = Counter{count_parts(command.parts)};
  FtlStatistics& statistics = ftl_.statistics();
  statistics.host_pages += command.share;
  statistics.merged_pages += pages - command.share;
  statistics.padded_pages += ftl_.shape().parts() - pages;
  if (release_ == FrameRelease::program) {
    complete(command, now);
  }
}

void Evictor::commit(const Eviction& done, PhysicalPage at) {
  if (done.discarded) {
    ftl_.commit_discarded(done.page, at);
  } else if (data_ == nullptr) {
    ftl_.commit(done.page, at);
  } else {
    PageBytes bytes = data_->page(ftl_, done.page);
    for (std::uint32_t frame = done.frames; frame != kNoIndex;
         frame = buffer_.write[frame].link.next) {
      data_->overlay(buffer_, frame, bytes);
    }
    ftl_.commit(done.page, at);
    data_->media.store(at, bytes);
  }
}

// Maps the whole flash page before the listener is notified of its first frame.
void Evictor::complete(const FlashCommand& program, Tick now) {
  const std::uint32_t batch = program.subject;
  struct Written {
    std::uint32_t frames;
    GcWait gc;
  };
  std::array<Written, kMostParts> done;
  std::uint32_t count = 0;
  const PhysicalPage target = evictions_.held(batch).target;
  for_batch(batch, [&](std::uint32_t eviction) {
    ensure(count < most_, "nvdimm", now, batch, "a batch larger than a flash page");
    Eviction& own = evictions_[eviction];
    own.gc.add(program.gc);
    commit(own, target + PhysicalPage(count));
    done[count++] = {own.frames, own.gc};
    choice_.end(own.page);
    evictions_.give_back(eviction);
  });
  ftl_.count_program(target, program.share, ftl_.shape().parts() - program.share);
  if (count < ftl_.shape().parts()) {
    ftl_.pad(target + PhysicalPage(count));
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t frame = done[i].frames; frame != kNoIndex;) {
      const std::uint32_t next = buffer_.write[frame].link.next;
      listener_.on_frame_written(frame, done[i].gc, now);
      frame = next;
    }
  }
}

void Evictor::discard(LogicalPage page) {
  const std::uint32_t eviction = choice_.eviction_of(page);
  if (eviction != kNoIndex) {
    evictions_[eviction].discarded = true;
  }
}

}  // namespace hmsim
