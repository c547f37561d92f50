// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/evictor.h"
#include "nvdimm/under_way.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "evictions do not hold together";

}  // namespace

void Evictor::serialize(Archive& archive) {
  archive.section("evictions");
  archive(evictions_, unplaced_, next_channel_);
  archive.fixed(open_);
  archive.check_index(next_channel_, channels_, "the next flash channel is none");
  if (!archive.loading()) {
    return;
  }
  under_way_.clear();
  const std::vector<bool> in_use = evictions_.in_use();
  for (std::uint32_t i = 0; i < evictions_.size(); ++i) {
    if (in_use[i]) {
      const std::int64_t page = evictions_[i].page.value();
      archive.check_index(page, ftl_.shape().logical_pages, "a page is evicted that is none");
      archive.check(under_way_.find(page) == kNoIndex, "a page is evicted twice at once");
      under_way_.insert(page, i);
    }
  }
}

void Evictor::check_loaded(const Archive& archive, UnderWay& under_way) const {
  check_batches(archive);
  const std::vector<bool> in_use = evictions_.in_use();
  Places coming(archive, evictions_.size(), kWrong);  // looked up, or read
  Places placed(archive, evictions_.size(), kWrong);  // batches that are programmed, or wait for it
  for (const std::uint32_t eviction : under_way.evictions) {
    coming.take(eviction);
  }
  unplaced_.each([&](std::uint32_t batch) {
    placed.take(batch);
    under_way.pending.add_unplaced();
  });
  for (const auto& [command, progress] : under_way.of(*this)) {
    under_way.pending.add(command.lun, page_work(command.operation));
    archive.check(command.priority == FlashPriority::eviction &&
                      command.subject < evictions_.size() &&
                      command.operation != FlashOperation::erase &&
                      command.share <= __builtin_popcount(command.parts),
                  kWrong);
    const bool programs = command.operation == FlashOperation::program;
    if (programs && progress == FlashArray::Progress::in && release_ == FrameRelease::datain) {
      continue;  // the eviction is over
    }
    if (!programs) {
      coming.chain(command.subject, [this](std::uint32_t i) { return evictions_[i].fetched; });
      continue;
    }
    placed.take(command.subject);
    archive.check(in_use[command.subject], kWrong);
    const std::uint32_t pages = evictions_[command.subject].count;
    archive.check(command.parts == first_parts(pages), kWrong);
    under_way.ftl.claims[command.lun] += pages;
    if (progress != FlashArray::Progress::queued) {
      under_way.ftl.programs.push_back(evictions_[command.subject].target);
    }
  }
  for (std::uint32_t i = 0; i < evictions_.size(); ++i) {
    std::uint32_t waiting = 0;
    if (in_use[i] && evictions_[i].batch == i) {
      for (std::uint32_t own = i; own != kNoIndex; own = evictions_[own].next) {
        waiting += coming.has(own) ? 1 : 0;
      }
      archive.check(evictions_[i].coming == waiting && placed.has(i) == (waiting == 0), kWrong);
    } else {
      archive.check(!placed.has(i) && (in_use[i] || !coming.has(i)), kWrong);
    }
  }
  check_frames(archive);
}

// Each eviction is in the batch that it says.
void Evictor::check_batches(const Archive& archive) const {
  Places evictions(archive, evictions_.size(), kWrong);
  evictions_.take_free(evictions);
  const std::vector<bool> in_use = evictions_.in_use();
  for (std::uint32_t i = 0; i < evictions_.size(); ++i) {
    if (!in_use[i] || evictions_[i].batch != i) {
      continue;
    }
    std::uint32_t count = 0;
    evictions.chain(i, [&](std::uint32_t own) {
      archive.check(evictions_[own].batch == i && ++count <= most_, kWrong);
      return evictions_[own].next;
    });
    archive.check(evictions_[i].count == count, kWrong);
  }
  archive.check(evictions.all(), kWrong);
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (open_[i] != kNoIndex) {
      archive.check(open_[i] < evictions_.size() && in_use[open_[i]] && !merges_, kWrong);
      const Eviction& last = evictions_[open_[i]];
      archive.check(last.next == kNoIndex && evictions_[last.batch].count < most_ &&
                        evictions_[last.batch].coming > 0 &&
                        (ftl_.shape().dynamic || ftl_.home(last.page) == i),
                    kWrong);
    }
  }
}

void Evictor::check_frames(const Archive& archive) const {
  constexpr const char* kApart = "frames of evictions do not hold together";
  Places frames(archive, buffer_.write.records(), kApart);
  const std::vector<bool> in_use = evictions_.in_use();
  for (std::uint32_t i = 0; i < evictions_.size(); ++i) {
    if (!in_use[i]) {
      continue;
    }
    const Eviction& eviction = evictions_[i];
    archive.check(eviction.frames != kNoIndex || merges_, kApart);
    frames.chain(eviction.frames, [&](std::uint32_t frame) {
      const Frame& record = buffer_.write[frame];
      archive.check(
          record.state == FrameState::evicting && buffer_.page_of(record.key) == eviction.page,
          kApart);
      return record.link.next;
    });
  }
  for (std::uint32_t frame = 0; frame < buffer_.write.records(); ++frame) {
    archive.check((buffer_.write[frame].state == FrameState::evicting) == frames.has(frame),
                  kApart);
  }
}

}  // namespace hmsim
