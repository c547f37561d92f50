// SPDX-License-Identifier: BSD-3-Clause
// Chooses the bank and the page of each write of the host's FTL. Writes wait for a bank that takes
// them in order of arrival; those that failed go first. Pages of one stream share blocks.
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

  // Adds a write by the caller's number. `handle`: that its sender gave. `again`: its program
  // failed.
  void add(std::uint32_t write, LogicalPage page, std::uint16_t handle, bool again) {
    pending_.add_unplaced();
    if (again) {
      failed_.push({write, ftl_.placement().host(page, handle), page});
    } else {
      waiting_.push({write, ftl_.placement().take(page, handle), page});
    }
  }

  struct Placed {
    std::uint32_t write;
    PhysicalPage place;
  };
  // Places the next write. Returns nothing if none waits or no bank takes it.
  // A bank without a page for the write may need a collection to begin.
  std::optional<Placed> place_next(Tick now) {
    Ring<Write>& line = failed_.empty() ? waiting_ : failed_;
    if (line.empty()) {
      return std::nullopt;
    }
    const Write write = line.front();
    const std::uint32_t lun = choose_bank(write);
    if (lun == kNoIndex) {
      for (std::uint32_t each = 0; each < ftl_.shape().luns; ++each) {
        collector_.consider(each, now);
      }
      return std::nullopt;
    }
    line.pop();
    pending_.remove_unplaced();
    return Placed{write.number, ftl_.allocate(lun, WriteStream::host, 0, write.stream)};
  }

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
      archive.check_index(each.stream, ftl_.shape().streams, "invalid stream");
    };
    failed_.each(check);
    waiting_.each(check);
  }

 private:
  struct Write {
    std::uint32_t number = 0;
    std::uint32_t stream = 0;
    LogicalPage page{0};
    void serialize(Archive& archive) { archive(number, stream, page); }
  };

  std::uint32_t choose_bank(const Write& write) {
    const FtlShape& shape = ftl_.shape();
    if (!shape.dynamic && !takes_page(shape.home(write.page), write.stream)) {
      return kNoIndex;
    }
    return ftl_.claims().claim(write.page,
                               [&](std::uint32_t lun) { return takes_page(lun, write.stream); });
  }
  // Returns whether the bank has a page for a user and, if that opens a block, keeps the reserve.
  bool takes_page(std::uint32_t lun, std::uint32_t stream) const {
    return collector_.takes_pages(lun) &&
           (ftl_.frontiers().next_place(lun, WriteStream::host, stream) != kNowhere ||
            ftl_.blocks(lun).free() > reserve_);
  }

  Ftl& ftl_;
  HbfCollector& collector_;
  PendingWork& pending_;
  const std::uint32_t reserve_;
  Ring<Write> failed_;
  Ring<Write> waiting_;
};

}  // namespace hmsim
