// SPDX-License-Identifier: BSD-3-Clause
#include "controller/host_ftl/hbf_refresher.h"

namespace hmsim {

HbfRefresher::HbfRefresher(const SystemConfig& config, const Ftl& ftl, HbfCollector& collector)
    : period_(config.nvdimm.hbf.refresh_every),
      pacer_(create_policy<RefreshPacer>(PolicyKind::refresh_pacer, config.nvdimm.hbf.refresh,
                                         config.assignments)),
      ftl_(ftl),
      collector_(collector) {}

bool HbfRefresher::holds_data(const Written& written) const {
  const FlashBlock& block = ftl_.blocks(written.lun)[written.block];
  return block.erases == written.erases &&
         (block.state == BlockState::open || block.state == BlockState::full);
}

void HbfRefresher::drop_freed() {
  while (!written_.empty() && !holds_data(written_.front())) {
    written_.pop();
  }
}

void HbfRefresher::on_begun(std::uint32_t lun, std::uint32_t block, Tick now) {
  ++blocks_;
  written_.push({now, lun, block, ftl_.blocks(lun)[block].erases});
  wake(now);
}

void HbfRefresher::reconsider(std::uint32_t lun, Tick now) {
  if (refused_ && !written_.empty() && written_.front().lun == lun) {
    refused_ = false;
    wake(now);
  }
}

// Returns when the oldest block is to be rewritten.
Tick HbfRefresher::due() const {
  if (written_.empty() || refused_) {
    return kNever;
  }
  return pacer_->next({period_, written_.front().time, last_, later<std::int64_t>(blocks_, 1)});
}

void HbfRefresher::wake(Tick now) {
  wake_ = later(now, due());
  wakeup_.notify(wake_);
}

Tick HbfRefresher::advance(Tick now) {
  for (drop_freed(); due() <= now; drop_freed()) {
    const Written oldest = written_.front();
    refused_ = !collector_.refresh(oldest.lun, oldest.block, now);
    if (!refused_) {
      late_ += now > oldest.time + period_ ? 1 : 0;
      written_.pop();
      last_ = now;
    }
  }
  wake_ = due();
  return wake_;
}

void HbfRefresher::serialize(Archive& archive) {
  archive(written_, blocks_, last_, late_, wake_, refused_, *pacer_);
  written_.each([&](const Written& each) {
    archive.check_index(each.lun, ftl_.shape().luns, "refresh of an invalid bank");
    archive.check_index(each.block, ftl_.shape().blocks, "refresh of an invalid block");
  });
}

}  // namespace hmsim
