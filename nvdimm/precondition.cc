// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/precondition.h"

#include "core/random.h"

namespace hmsim {

namespace {

std::uint64_t pages_of(double share, std::uint64_t logical_pages) {
  return static_cast<std::uint64_t>(share * static_cast<double>(logical_pages) + 0.5);
}

void collect_untimed(Ftl& ftl, std::uint32_t lun, UntimedWork& work) {
  const std::uint32_t block = ftl.take_victim(lun);
  for (std::uint32_t page = 0; page < ftl.shape().pages; ++page) {
    const PhysicalPage source = ftl.page_at(lun, block, page);
    if (const auto owner = ftl.owner(source)) {
      ftl.commit_copy(*owner, source, ftl.allocate(lun, Ftl::Stream::collection));
      ++work.gc_pages;
    }
  }
  ftl.erase(lun, block);
}

}  // namespace

void write_untimed(Ftl& ftl, LogicalPage page, UntimedWork& work) {
  const std::uint32_t lun = ftl.claim(page, [](std::uint32_t) { return true; });
  ftl.commit(page, ftl.allocate(lun, Ftl::Stream::host));
  ++work.host_pages;
  if (ftl.collection_due(lun)) {
    collect_untimed(ftl, lun, work);
  }
}

UntimedWork precondition(Ftl& ftl, const PreconditionParameters& parameters, std::uint64_t seed) {
  UntimedWork work;
  const std::uint64_t logical_pages = ftl.shape().logical_pages;
  const std::uint64_t filled = pages_of(parameters.fill, logical_pages);
  for (std::uint64_t page = 0; page < filled; ++page) {
    write_untimed(ftl, LogicalPage(static_cast<std::int64_t>(page)), work);
  }
  Random random(static_cast<std::uint64_t>(parameters.seed), seed);
  const std::uint64_t overwrites = filled == 0 ? 0 : pages_of(parameters.overwrite, logical_pages);
  for (std::uint64_t i = 0; i < overwrites; ++i) {
    const bool uniform = parameters.pattern == PreconditionPattern::uniform;
    const std::uint64_t page = uniform ? random.below(filled) : i % filled;
    write_untimed(ftl, LogicalPage(static_cast<std::int64_t>(page)), work);
  }
  return work;
}

}  // namespace hmsim
