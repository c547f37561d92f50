// SPDX-License-Identifier: BSD-3-Clause
// Chooses the bank and the page of each write of the host's FTL. Writes wait for a bank that takes
// them in order of arrival; those that failed go first. Pages of one stream (hbf.streams) share
// blocks.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/host_ftl/hbf_collector.h"
#include "core/archive.h"
#include "core/ring.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/ftl/pending_work.h"

namespace hmsim {

class HbfPlacer {
 public:
  // `reserve`: free blocks of a bank that are kept for copies.
  HbfPlacer(Ftl& ftl, HbfCollector& collector, PendingWork& pending, std::uint32_t reserve)
      : ftl_(ftl), collector_(collector), pending_(pending), reserve_(reserve) {}

  // Adds a write by the caller's number. `again`: its program failed.
  void add(std::uint32_t write, LogicalPage page, std::uint16_t stream, bool again) {
    pending_.add_unplaced();
    (again ? failed_ : waiting_).push({write, stream % ftl_.shape().streams, page});
  }

  struct Placed {
    std::uint32_t write;
    PhysicalPage place;
  };
  // Places the next write. Returns nothing if none waits or no bank takes it.
  std::optional<Placed> place_next(Tick now);

  // Calls see(write) for each write that waits.
  template <class See>
  void each(See see) const {
    failed_.each([&](const Write& each) { see(each.number); });
    waiting_.each([&](const Write& each) { see(each.number); });
  }

  void serialize(Archive& archive) {
    archive(failed_, waiting_);
    const auto check = [&](const Write& each) {
      archive.check_index(each.page.value(), ftl_.shape().logical_pages, "invalid page");
      archive.check_index(each.handle, ftl_.shape().streams, "invalid stream");
    };
    failed_.each(check);
    waiting_.each(check);
  }

 private:
  struct Write {
    std::uint32_t number = 0;
    std::uint32_t handle = 0;
    LogicalPage page{0};
    void serialize(Archive& archive) { archive(number, handle, page); }
  };

  std::uint32_t choose_bank(const Write& write);
  bool takes_page(std::uint32_t lun, std::uint32_t handle) const;

  Ftl& ftl_;
  HbfCollector& collector_;
  PendingWork& pending_;
  const std::uint32_t reserve_;
  Ring<Write> failed_;
  Ring<Write> waiting_;
};

}  // namespace hmsim
