// SPDX-License-Identifier: BSD-3-Clause
// Paging of a core's memory (storage/pager.h).
//
// A record is dispatched once each DRAM page that it touches has been resident since the core
// reached the record. Until then the core stalls, like a core whose thread blocks on a page fault.
// The record's first page may be evicted again before its second page arrives; it still counts as
// touched.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "core/archive.h"
#include "core/statistics.h"
#include "storage/pager.h"
#include "traces/trace_formats.h"

namespace hmsim {

class CorePaging final : private PagingListener {
 public:
  using Came = std::function<void(Tick now)>;

  // The core's addresses are in `space`, shifted by `offset` bytes. Calls `came` when a page has
  // arrived. The pager outlives this object.
  CorePaging(Pager& pager, std::uint16_t space, std::uint64_t offset, Came came)
      : pager_(pager),
        client_(pager.join(*this)),
        space_(space),
        offset_(offset),
        came_(std::move(came)) {}

  // Returns whether the next record must wait for a page.
  bool waits(const Miss& record) const { return first_absent(record).has_value(); }
  // Requests the page that the next record waits for. The core is stalled.
  void ask(const Miss& record, Tick now) {
    const std::optional<std::size_t> absent = first_absent(record);
    if (absent && !faulting_) {
      faulting_ = true;
      part_ = *absent;
      ++faults_;
      pager_.fault(client_, *page(record, part_), part_ == kStore, now);
    }
  }

  void dispatched(const Miss& record) {
    for (std::size_t part = 0; part < kParts; ++part) {
      const auto needed = page(record, part);
      if (needed && !touched_[part]) {
        pager_.use(*needed, part == kStore);
      }
    }
    touched_ = {};
  }

  // Abandons the stalled record, which will not be dispatched.
  void give_up() {
    touched_ = {};
    given_up_ = faulting_;
  }

  Counter& faults() { return faults_; }

  void serialize(Archive& archive) {
    archive(faulting_, given_up_, part_, touched_, faults_);
    archive.check_index(part_, kParts, "core in wait for a page without a fault");
  }

 private:
  enum Part : std::size_t { kLoad, kStore };
  static constexpr std::size_t kParts = 2;

  // Returns the DRAM page of a part of the record; nullopt: the record lacks this part, or it is
  // not in DRAM.
  std::optional<VirtualPage> page(const Miss& record, std::size_t part) const {
    const bool has = part == kLoad ? record.load : record.write;
    if (!has || record.memory != MemoryClass::dram) {
      return std::nullopt;
    }
    const std::uint64_t address = part == kLoad ? record.load_address : record.write_address;
    return VirtualPage{space_,
                       (address + offset_) / static_cast<std::uint64_t>(kPageBytes.value())};
  }

  std::optional<std::size_t> first_absent(const Miss& record) const {
    for (std::size_t part = 0; part < kParts; ++part) {
      if (const auto needed = page(record, part)) {
        if (!touched_[part] && !pager_.is_resident(*needed)) {
          return part;
        }
      }
    }
    return std::nullopt;
  }

  void on_page(Tick now) override {
    faulting_ = false;
    if (!std::exchange(given_up_, false)) {
      touched_[part_] = true;
    }
    came_(now);
  }

  Pager& pager_;
  std::uint16_t client_;
  std::uint16_t space_;
  std::uint64_t offset_;
  Came came_;
  bool faulting_ = false;               // a page fault is under way
  bool given_up_ = false;               // that page fault is for an abandoned record
  std::size_t part_ = kLoad;            // part of the record that the page fault is for
  std::array<bool, kParts> touched_{};  // since the core reached the record
  Counter faults_ = 0;
};

}  // namespace hmsim
