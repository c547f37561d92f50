// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/gc_view.h"

namespace hmsim {

std::unique_ptr<GcScheduler> gc_scheduler(const std::string& name, const Assignments& assignments) {
  auto policy = create_policy(PolicyKind::gc_scheduler, name, assignments);
  return std::unique_ptr<GcScheduler>(static_cast<GcScheduler*>(policy.release()));
}

GcView gc_view(const Ftl& ftl, const PendingWork& pending, std::uint32_t lun,
               std::uint32_t victim_pages, const GcTimes& times) {
  GcView view;
  view.free_blocks = ftl.blocks(lun).free();
  view.due_below = ftl.shape().gc_threshold;
  view.victim_pages = victim_pages;
  view.buffered = pending.buffered();
  view.lun = pending.lun(lun);
  view.channel = pending.channel(lun);
  view.all = pending.all();
  view.unplaced = pending.unplaced();
  view.channels = pending.channels();
  view.luns = ftl.shape().luns;
  view.times = &times;
  return view;
}

}  // namespace hmsim
