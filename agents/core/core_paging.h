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
  CorePaging(Pager& pager, std::uint16_t space, std::uint64_t offset, Came came);

  // Returns whether the next record must wait for a page.
  bool waits(const Miss& record) const { return first_absent(record).has_value(); }
  // Requests the page that the next record waits for. The core is stalled.
  void ask(const Miss& record, Tick now);
  void dispatched(const Miss& record);
  // Abandons the stalled record, which will not be dispatched.
  void give_up();

  Counter& faults() { return faults_; }
  void serialize(Archive& archive);

 private:
  enum Part : std::size_t { kLoad, kStore };
  static constexpr std::size_t kParts = 2;

  // Returns the DRAM page of a part of the record; nullopt: the record lacks this part, or it is
  // not in DRAM.
  std::optional<VirtualPage> page(const Miss& record, std::size_t part) const;
  std::optional<std::size_t> first_absent(const Miss& record) const;
  void on_page(Tick now) override;

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
