// SPDX-License-Identifier: BSD-3-Clause
// The host's duty to rewrite each block of high bandwidth flash in time. A pacer (hbf.refresh)
// decides when the oldest block is due; the collector rewrites it.
#pragma once

#include <cstdint>
#include <memory>

#include "controller/config/system_config.h"
#include "controller/host_ftl/hbf_collector.h"
#include "core/archive.h"
#include "core/kernel.h"
#include "core/ring.h"
#include "core/statistics.h"
#include "nvdimm/ftl/ftl.h"
#include "policies/refresh_pacer.h"

namespace hmsim {

class HbfRefresher final : public Component {
 public:
  HbfRefresher(const SystemConfig& config, const Ftl& ftl, HbfCollector& collector);

  void attach(Kernel& kernel) { wakeup_ = Wakeup(kernel, kernel.attach(*this)); }

  // Reports that the first page of a block was programmed.
  void on_begun(std::uint32_t lun, std::uint32_t block, Tick now);
  // Reports that a block was freed.
  void on_freed() { --blocks_; }
  // Reports that a bank may now take the refresh that it refused.
  void reconsider(std::uint32_t lun, Tick now);

  // Blocks whose rewriting began after their age had passed hbf.refresh_every.
  Counter& late() { return late_; }

  Tick next_event() const override { return wake_; }
  Tick advance(Tick now) override;
  void serialize(Archive& archive) override;

 private:
  struct Written {
    Tick time{0};
    std::uint32_t lun = 0;
    std::uint32_t block = 0;
    std::uint32_t erases = 0;
    void serialize(Archive& archive) { archive(time, lun, block, erases); }
  };

  bool holds_data(const Written& written) const;
  void drop_freed();
  Tick due() const;
  void wake(Tick now);

  const Tick period_;
  const std::unique_ptr<RefreshPacer> pacer_;
  const Ftl& ftl_;
  HbfCollector& collector_;
  Wakeup wakeup_;
  Ring<Written> written_;    // blocks by time of their first page; some were freed since
  std::int64_t blocks_ = 0;  // with data
  Tick last_{0};
  Counter late_ = 0;
  Tick wake_ = kNever;
  bool refused_ = false;  // the bank of the oldest block is busy, or the block is not full
};

}  // namespace hmsim
