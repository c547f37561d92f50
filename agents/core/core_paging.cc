// SPDX-License-Identifier: BSD-3-Clause
#include "agents/core/core_paging.h"

#include <utility>

namespace hmsim {

CorePaging::CorePaging(Pager& pager, std::uint16_t space, std::uint64_t offset, Came came)
    : pager_(pager),
      client_(pager.join(*this)),
      space_(space),
      offset_(offset),
      came_(std::move(came)) {}

std::optional<VirtualPage> CorePaging::page(const Miss& record, std::size_t part) const {
  const bool has = part == kLoad ? record.load : record.write;
  if (!has || record.memory != MemoryClass::dram) {
    return std::nullopt;
  }
  const std::uint64_t address = part == kLoad ? record.load_address : record.write_address;
  return VirtualPage{space_, (address + offset_) / static_cast<std::uint64_t>(kPageBytes.value())};
}

std::optional<std::size_t> CorePaging::first_absent(const Miss& record) const {
  for (std::size_t part = 0; part < kParts; ++part) {
    if (const auto needed = page(record, part)) {
      if (!touched_[part] && !pager_.is_resident(*needed)) {
        return part;
      }
    }
  }
  return std::nullopt;
}

void CorePaging::ask(const Miss& record, Tick now) {
  const std::optional<std::size_t> absent = first_absent(record);
  if (absent && !faulting_) {
    faulting_ = true;
    part_ = *absent;
    ++faults_;
    pager_.fault(client_, *page(record, part_), part_ == kStore, now);
  }
}

void CorePaging::on_page(Tick now) {
  faulting_ = false;
  if (!std::exchange(given_up_, false)) {
    touched_[part_] = true;
  }
  came_(now);
}

void CorePaging::dispatched(const Miss& record) {
  for (std::size_t part = 0; part < kParts; ++part) {
    const auto needed = page(record, part);
    if (needed && !touched_[part]) {
      pager_.use(*needed, part == kStore);
    }
  }
  touched_ = {};
}

void CorePaging::give_up() {
  touched_ = {};
  given_up_ = faulting_;
}

void CorePaging::serialize(Archive& archive) {
  archive(faulting_, given_up_, part_, touched_, faults_);
  archive.check_index(part_, kParts, "core in wait for a page without a fault");
}

}  // namespace hmsim
