// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/media/line_buffer.h"

#include "core/errors.h"
#include "core/slot_claims.h"

namespace hmsim {

LineBuffer::LineBuffer(const MediaParameters& media, bool store_data)
    : sectors_(static_cast<std::size_t>(media.sectors())),
      lines_(static_cast<std::size_t>(media.line_buffer)),
      all_(~std::uint64_t{0} >> (64 - sectors_)),
      slots_(2 * lines_) {
  if (store_data) {
    data_.resize(slots_.size() * sectors_);
  }
  clear();
}

void LineBuffer::clear() {
  slots_.assign(slots_.size(), Slot());
  free_.clear();
  for (std::size_t slot = slots_.size(); slot > 0; --slot) {
    free_.push_back(static_cast<std::uint32_t>(slot - 1));
  }
  slot_of_.clear();
  read_ = staying_ = SlotList();
  reads_ = writes_ = leaving_ = 0;
}

std::uint32_t LineBuffer::take(std::int64_t line) {
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  slots_[slot].line = line;
  slot_of_.insert(line, slot);
  return slot;
}

void LineBuffer::release(std::uint32_t slot) {
  slot_of_.erase(slots_[slot].line);
  slots_[slot] = Slot();
  free_.push_back(slot);
}

bool LineBuffer::read(std::int64_t line, std::int64_t sector) {
  const std::uint32_t slot = slot_of_.find(line);
  if (slot == kNoIndex || !(slots_[slot].whole || (slots_[slot].dirty >> sector & 1) != 0)) {
    return false;
  }
  if (slots_[slot].dirty == 0) {
    read_.remove(links(), slot);
    read_.push_back(links(), slot);
  }
  return true;
}

void LineBuffer::fetched(std::int64_t line) {
  std::uint32_t slot = slot_of_.find(line);
  if (slot == kNoIndex) {
    if (reads_ == lines_) {
      const std::uint32_t oldest = read_.first;
      read_.remove(links(), oldest);
      release(oldest);
      --reads_;
    }
    slot = take(line);
    read_.push_back(links(), slot);
    ++reads_;
  }
  slots_[slot].whole = true;
}

std::uint32_t LineBuffer::write(std::int64_t line, std::int64_t sector) {
  std::uint32_t slot = slot_of_.find(line);
  if (slot == kNoIndex || slots_[slot].dirty == 0) {
    if (writes_ == lines_) {
      return kNoIndex;
    }
    if (slot == kNoIndex) {
      slot = take(line);
    } else {
      read_.remove(links(), slot);
      --reads_;
    }
    ++writes_;
  } else if (slots_[slot].writing) {
    return kNoIndex;
  } else if (!slots_[slot].leaving) {
    staying_.remove(links(), slot);
  }
  slots_[slot].dirty |= std::uint64_t{1} << sector;
  if (!slots_[slot].leaving) {
    staying_.push_back(links(), slot);
  }
  return slot;
}

bool LineBuffer::combines(std::int64_t line) const {
  const std::uint32_t slot = slot_of_.find(line);
  return slot != kNoIndex && slots_[slot].dirty != 0;
}

bool LineBuffer::leave(std::uint32_t slot) {
  if (slots_[slot].leaving) {
    return false;
  }
  staying_.remove(links(), slot);
  slots_[slot].leaving = true;
  ++leaving_;
  return true;
}

void LineBuffer::begin_write(std::uint32_t slot) {
  ensure(slots_[slot].leaving && !slots_[slot].writing, "nvdimm", Tick(0), slot,
         "write of a media line that was not sent");
  slots_[slot].writing = true;
}

void LineBuffer::end_write(std::uint32_t slot) {
  ensure(slots_[slot].writing, "nvdimm", Tick(0), slot, "end of a write that never began");
  release(slot);
  --writes_;
  --leaving_;
}

const LineBytes* LineBuffer::written(std::int64_t line, std::int64_t sector) const {
  const std::uint32_t slot = slot_of_.find(line);
  return slot != kNoIndex && (slots_[slot].dirty >> sector & 1) != 0
             ? &data_[slot * sectors_ + static_cast<std::size_t>(sector)]
             : nullptr;
}

void LineBuffer::zero(std::int64_t line, std::int64_t sector) {
  const std::uint32_t slot = slot_of_.find(line);
  if (slot != kNoIndex) {
    bytes(slot, sector) = LineBytes();
  }
}

void LineBuffer::serialize(Archive& archive) {
  archive.fixed(slots_);
  archive(free_);
  for (LineBytes& bytes : data_) {
    archive.raw(bytes.data(), bytes.size());
  }
  SlotClaims slots(archive, slots_.size(), "media line that is in a buffer twice, or in none");
  const auto list = [&](SlotList& each, bool dirty) {
    std::size_t count = 0;
    serialize_slots(archive, each, links(), slots_.size(), [&](std::uint32_t slot) {
      slots.claim(slot);
      slots.check((slots_[slot].dirty != 0) == dirty && !slots_[slot].leaving);
      ++count;
    });
    return count;
  };
  const std::size_t read = list(read_, false);
  const std::size_t staying = list(staying_, true);
  if (!archive.loading()) {
    return;
  }
  for (const std::uint32_t slot : free_) {
    slots.claim(slot);
    slots.check(slots_[slot].line == kNoLine);
  }
  slot_of_.clear();
  leaving_ = 0;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    const Slot& each = slots_[slot];
    if (each.leaving) {
      slots.claim(slot);
      ++leaving_;
    }
    slots.check((each.line == kNoLine) == (each.dirty == 0 && !each.whole));
    slots.check((each.dirty & ~all_) == 0 && (!each.leaving || each.dirty != 0) &&
                (!each.writing || each.leaving));
    if (each.line != kNoLine) {
      slots.check(slot_of_.find_or_insert(each.line, slot) == kNoIndex);
    }
  }
  reads_ = read;
  writes_ = staying + leaving_;
  slots.check(slots.all() && reads_ <= lines_ && writes_ <= lines_);
}

}  // namespace hmsim
