// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/lookahead.h"

#include <utility>

namespace hmsim {

std::unique_ptr<Lookahead> Lookahead::make(const std::string& name, UnmappedRead unmapped_read,
                                           const Assignments& assignments, SyncBuffer& buffer,
                                           const Ftl& ftl, const FlashArray& flash) {
  auto manager = create_policy<BufferManager>(PolicyKind::buffer_manager, name, assignments);
  if (!manager->watches_queue()) {
    return nullptr;
  }
  return std::make_unique<Lookahead>(std::move(manager), unmapped_read, buffer, ftl, flash);
}

Lookahead::Lookahead(std::unique_ptr<BufferManager> manager, UnmappedRead unmapped_read,
                     SyncBuffer& buffer, const Ftl& ftl, const FlashArray& flash)
    : manager_(std::move(manager)),
      buffer_(buffer),
      ftl_(ftl),
      flash_(flash),
      reads_unmapped_(unmapped_read == UnmappedRead::flash),
      candidates_(ftl.shape().luns),
      is_hungry_(ftl.shape().luns) {}

std::uint32_t Lookahead::sent(Address address, bool write, std::uint8_t lines) {
  const std::int64_t key = buffer_.key_of(address);
  const std::uint32_t index = enter(key);
  if (write) {
    ++asked_[index].writes;
    if (!asked_[index].new_page && buffer_.write.find(key) == kNoIndex) {
      asked_[index].new_page = true;
      ++new_pages_;
    }
    return index;
  }
  ++asked_[index].reads;
  if (asked_[index].lun == kNoIndex && to_be_read(address, lines)) {
    const std::uint32_t lun = ftl_.pages().read_lun(buffer_.page_of(key));
    enlist(index, lun);
    idle(lun);
  }
  return index;
}

// Pages whose frame of the read part lacks a line are left to the lookup.
bool Lookahead::to_be_read(Address address, std::uint8_t lines) const {
  const std::int64_t key = buffer_.key_of(address);
  const std::uint32_t written = buffer_.write.find(key);
  return buffer_.read.find(key) == kNoIndex &&
         (written == kNoIndex ||
          (buffer_.lines_of(address, lines) & ~buffer_.write[written].valid) != 0) &&
         (reads_unmapped_ || ftl_.pages().place(buffer_.page_of(key)) != kNowhere);
}

void Lookahead::looked_up(std::uint32_t index, bool write) {
  Asked& asked = asked_.held(index);
  if (write) {
    --asked.writes;
    new_pages_ -= std::exchange(asked.new_page, false) ? 1 : 0;
  } else {
    --asked.reads;
    if (asked.lun != kNoIndex) {
      delist(index);
    }
  }
  if (asked.reads + asked.writes == 0) {
    if (asked.lun != kNoIndex) {
      delist(index);  // only with a damaged checkpoint
    }
    leave(index);
  }
}

std::uint32_t Lookahead::enter(std::int64_t key) {
  const std::uint32_t known = asked_for_.find(key);
  if (known != kNoIndex) {
    return known;
  }
  const std::uint32_t index = asked_.take();
  asked_[index].key = key;
  asked_for_.insert(key, index);
  guard(buffer_.read, key, true);
  guard(buffer_.write, key, true);
  return index;
}

void Lookahead::leave(std::uint32_t index) {
  const std::int64_t key = asked_[index].key;
  asked_for_.erase(key);
  asked_.give_back(index);
  guard(buffer_.read, key, false);
  guard(buffer_.write, key, false);
}

void Lookahead::guard(BufferPart& part, std::int64_t key, bool guarded) const {
  const std::uint32_t frame = part.find(key);
  if (frame != kNoIndex && part[frame].listing != FrameListing::none) {
    part.unlist(frame);
    part.list(frame, guarded);
  }
}

void Lookahead::enlist(std::uint32_t index, std::uint32_t lun) {
  asked_[index].lun = lun;
  candidates_[lun].push_back(links_of(asked_.data(), &Asked::link), index);
}

void Lookahead::delist(std::uint32_t index) {
  SlotList& candidates = candidates_[std::exchange(asked_[index].lun, kNoIndex)];
  candidates.remove(links_of(asked_.data(), &Asked::link), index);
}

void Lookahead::idle(std::uint32_t lun) {
  if (!is_hungry_[lun] && !candidates_[lun].empty()) {
    is_hungry_[lun] = true;
    idle_luns_.push(lun);
  }
}

// Returns the LUN's oldest candidate. Drops those in the buffer; reassigns those whose page moved
// to another LUN.
std::uint32_t Lookahead::candidate(std::uint32_t lun) {
  while (!candidates_[lun].empty()) {
    const std::uint32_t index = candidates_[lun].first;
    const std::int64_t key = asked_[index].key;
    const std::uint32_t now_at = ftl_.pages().read_lun(buffer_.page_of(key));
    if (buffer_.read.find(key) != kNoIndex) {
      delist(index);
    } else if (now_at != lun) {
      delist(index);
      enlist(index, now_at);
      idle(now_at);
    } else {
      return index;
    }
  }
  return kNoIndex;
}

// Prefetches nothing while lookups wait: they have priority for a released frame.
bool Lookahead::next_prefetch(std::int64_t& key) {
  while (!idle_luns_.empty() && buffer_.read.waiting() == 0) {
    const std::uint32_t lun = idle_luns_.front();
    const std::uint32_t index = flash_.idle(lun) ? candidate(lun) : kNoIndex;
    if (index != kNoIndex) {
      const PrefetchView view{ftl_.shape().luns, prefetching_, buffer_.read.free(),
                              buffer_.read.replaceable()};
      if (view.free + view.replaceable == 0 || !manager_->prefetch(view)) {
        return false;
      }
      key = asked_[index].key;
      delist(index);
      ++prefetching_;
      return true;
    }
    idle_luns_.pop();
    is_hungry_[lun] = false;
  }
  return false;
}

void Lookahead::serialize(Archive& archive) {
  archive.section("lookahead");
  archive(asked_, idle_luns_, prefetching_, new_pages_);
  for (std::uint32_t lun = 0; lun < candidates_.size(); ++lun) {
    serialize_slots(archive, candidates_[lun], links_of(asked_.data(), &Asked::link), asked_.size(),
                    [&](std::uint32_t index) {
                      archive.check(asked_.holds(index) && asked_[index].lun == kNoIndex,
                                    "duplicate page to fetch");
                      asked_[index].lun = lun;
                    });
  }
  if (archive.loading()) {
    std::fill(is_hungry_.begin(), is_hungry_.end(), false);
    idle_luns_.each([&](std::uint32_t lun) {
      archive.check_index(lun, is_hungry_.size(), "invalid LUN");
      is_hungry_[lun] = true;
    });
    asked_for_.clear();
    for (const std::uint32_t index : asked_.taken()) {
      archive.check_index(asked_[index].key, buffer_.keys(ftl_.shape().logical_pages),
                          "invalid page in demand");
      asked_for_.insert(asked_[index].key, index);
    }
  }
  manager_->serialize(archive);
}

}  // namespace hmsim
