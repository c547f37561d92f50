// SPDX-License-Identifier: BSD-3-Clause
#include "controller/host_ftl/page_buffers.h"

#include <algorithm>

#include "core/slot_claims.h"

namespace hmsim {

PageBuffers::PageBuffers(std::int64_t count, bool store_data)
    : buffers_(static_cast<std::size_t>(count)),
      links_(buffers_.size()),
      bytes_(store_data ? buffers_.size() : 0) {
  clear();
}

void PageBuffers::clear() {
  std::fill(buffers_.begin(), buffers_.end(), Buffer());
  free_.clear();
  for (std::size_t index = buffers_.size(); index > 0; --index) {
    free_.push_back(static_cast<std::uint32_t>(index - 1));
  }
  gathering_ = SlotList();
  discarded_ = SlotList();
  gathering_count_ = 0;
  open_.clear();
  requests_ = Pool<Waiting>();
}

std::uint32_t PageBuffers::begin(LogicalPage page, Tick deadline) {
  const std::uint32_t index = free_.back();
  free_.pop_back();
  buffers_[index] = Buffer();
  buffers_[index].state = PageBufferState::gathering;
  buffers_[index].page = page;
  buffers_[index].deadline = deadline;
  gathering_.push_back(links_, index);
  ++gathering_count_;
  open_.insert(page.value(), index);
  if (stores_data()) {
    bytes_[index] = PageBytes();
  }
  return index;
}

void PageBuffers::leave_gathering(std::uint32_t index) {
  if (buffers_[index].state == PageBufferState::gathering) {
    gathering_.remove(links_, index);
    --gathering_count_;
  }
}

void PageBuffers::close(std::uint32_t index) {
  if (!buffers_[index].trimmed) {
    open_.erase(buffers_[index].page.value());
  }
}

void PageBuffers::fill(std::uint32_t index) {
  leave_gathering(index);
  buffers_[index].state = PageBufferState::filling;
}

void PageBuffers::write(std::uint32_t index) {
  leave_gathering(index);
  close(index);
  buffers_[index].state = PageBufferState::writing;
}

void PageBuffers::discard(std::uint32_t index) {
  close(index);
  buffers_[index].trimmed = true;
  if (buffers_[index].state == PageBufferState::gathering) {
    leave_gathering(index);
    buffers_[index].state = PageBufferState::discarded;
    discarded_.push_back(links_, index);
  }
}

void PageBuffers::release(std::uint32_t index) {
  if (buffers_[index].state == PageBufferState::discarded) {
    discarded_.remove(links_, index);
  }
  buffers_[index].state = PageBufferState::free;
  free_.push_back(index);
}

void PageBuffers::chain(SlotChain& to, const Request& request) {
  const std::uint32_t slot = requests_.take();
  requests_[slot].request = request;
  to.push_back(links_of(requests_.data(), &Waiting::next), slot);
}

Request PageBuffers::take_first(SlotChain& chain) {
  const std::uint32_t slot = chain.pop_front(links_of(requests_.data(), &Waiting::next));
  const Request first = requests_[slot].request;
  requests_.give_back(slot);
  return first;
}

void PageBuffers::serialize(Archive& archive, std::size_t pages) {
  archive.section("page buffers");
  archive.fixed(buffers_);
  archive(free_, requests_);
  SlotClaims held(archive, buffers_.size(), "page buffer in two lists, or invalid buffer");
  if (archive.loading()) {
    for (const std::uint32_t index : free_) {
      held.claim(index);
    }
  }
  const auto claim = [&held](std::uint32_t index) { held.claim(index); };
  serialize_slots(archive, gathering_, links_.data(), buffers_.size(), claim);
  serialize_slots(archive, discarded_, links_.data(), buffers_.size(), claim);
  SlotClaims waiting(archive, requests_.size(), "request that waits twice, or invalid request");
  const auto links = links_of(requests_.data(), &Waiting::next);
  for (Buffer& buffer : buffers_) {
    archive.check_index(buffer.page.value(), pages, "invalid page");
    serialize_slots(archive, buffer.writes, links, requests_.size(),
                    [&](std::uint32_t slot) { waiting.claim(slot); });
    serialize_slots(archive, buffer.reads, links, requests_.size(),
                    [&](std::uint32_t slot) { waiting.claim(slot); });
  }
  for (PageBytes& page : bytes_) {
    archive.raw(page.data(), page.size());
  }
  if (archive.loading()) {
    requests_.claim_free(waiting);
    waiting.check(waiting.all());
    rebuild(archive);
  }
}

// Checks that the buffers are in the lists of their states, and restores the counts.
void PageBuffers::rebuild(const Archive& archive) {
  constexpr const char* kWrong = "page buffer in the list of another state";
  std::vector<PageBufferState> listed(buffers_.size(), PageBufferState::filling);
  const auto list = [&listed](std::uint32_t index, PageBufferState state) {
    listed[index] = state;
  };
  for (const std::uint32_t index : free_) {
    list(index, PageBufferState::free);
  }
  gathering_count_ = 0;
  for (std::uint32_t index = gathering_.first; index != kNoIndex; index = links_[index].next) {
    list(index, PageBufferState::gathering);
    ++gathering_count_;
  }
  for (std::uint32_t index = discarded_.first; index != kNoIndex; index = links_[index].next) {
    list(index, PageBufferState::discarded);
  }
  open_.clear();
  for (std::uint32_t index = 0; index < buffers_.size(); ++index) {
    const Buffer& own = buffers_[index];
    const bool under_way =
        own.state == PageBufferState::filling || own.state == PageBufferState::writing;
    archive.check(
        own.state == listed[index] || (under_way && listed[index] == PageBufferState::filling),
        kWrong);
    const bool takes_parts = own.state == PageBufferState::gathering ||
                             (own.state == PageBufferState::filling && !own.trimmed);
    archive.check(own.state != PageBufferState::gathering || !own.trimmed, kWrong);
    if (takes_parts) {
      archive.check(open_.find(own.page.value()) == kNoIndex, "page that is gathered twice");
      open_.insert(own.page.value(), index);
    }
    archive.check(own.state != PageBufferState::free || (own.writes.empty() && own.reads.empty()),
                  "request that waits for a free page buffer");
  }
}

}  // namespace hmsim
