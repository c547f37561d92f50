// SPDX-License-Identifier: BSD-3-Clause
// The pages of a core whose memory is paged (storage/pager.h).
//
// A record is dispatched when each page of DRAM that it touches has been there since the core came
// to it: if it is not, the core stands still, as one whose thread the kernel has put to sleep. A
// page that came may be gone again when the other page of the record has come; it counts as
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

  // Addresses of records are those of `space`, `offset` bytes on. `came` is told when a page has
  // come. The pager outlives this.
  CorePaging(Pager& pager, std::uint16_t space, std::uint64_t offset, Came came);

  // Whether a page of the record, the next one, is to come first.
  bool waits(const Miss& record) const { return first_absent(record).has_value(); }
  // The core stands still before a record that waits: asks for its page.
  void ask(const Miss& record, Tick now);
  void dispatched(const Miss& record);
  // The record that it stood before will not be dispatched.
  void give_up();

  Counter& faults() { return faults_; }
  void serialize(Archive& archive);

 private:
  enum Part : std::size_t { kLoad, kStore };
  static constexpr std::size_t kParts = 2;

  // Of the record; nullopt: it has no such part in DRAM.
  std::optional<VirtualPage> page(const Miss& record, std::size_t part) const;
  std::optional<std::size_t> first_absent(const Miss& record) const;
  void on_page(Tick now) override;

  Pager& pager_;
  std::uint16_t client_;
  std::uint16_t space_;
  std::uint64_t offset_;
  Came came_;
  bool faulting_ = false;               // a page is to come
  bool given_up_ = false;               // of a record that will not be dispatched
  std::size_t part_ = kLoad;            // of the record, whose page it is
  std::array<bool, kParts> touched_{};  // since the core came to the record
  Counter faults_ = 0;
};

}  // namespace hmsim
