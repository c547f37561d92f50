// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of an HBF device.
#include "nvdimm/hbf/hbf_device.h"

namespace hmsim {

void HbfDevice::serialize(Archive& archive) {
  archive.section("hbf device");
  archive(flash_.statistics(), flash_, blocks_, cache_, statistics_, sensing_, pending_, deadlines_,
          coding_);
  archive.fixed(units_);
  if (bytes_ != nullptr) {
    archive(*bytes_);
    for (PageBytes& page : incoming_) {
      archive.raw(page.data(), page.size());
    }
  }
  for (std::uint32_t index = 0; index < sensing_.size(); ++index) {
    serialize_slots(archive, sensing_[index].readers, next_.data(), next_.size(),
                    [](std::uint32_t) {});
  }
  for (Unit& unit : units_) {
    serialize_slots(archive, unit.parts, next_.data(), next_.size(), [](std::uint32_t) {});
  }
  if (archive.loading()) {
    rebuild(archive);
  }
}

// Rebuilds the tables of pages.
void HbfDevice::rebuild(const Archive& archive) {
  sense_of_.clear();
  unit_of_.clear();
  for (const std::uint32_t index : sensing_.taken()) {
    const Sense& sense = sensing_[index];
    archive.check_index(sense.page, static_cast<std::size_t>(pages()), "invalid page");
    if (merges_ && sense.current) {
      archive.check(sense_of_.find(sense.page) == kNoIndex, "page that is sensed twice");
      sense_of_.insert(sense.page, index);
    }
  }
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
    archive.check_index(units_[unit].page, static_cast<std::size_t>(pages()), "invalid page");
    if (units_[unit].latest) {
      archive.check(unit_of_.find(units_[unit].page) == kNoIndex, "page that is pending twice");
      unit_of_.insert(units_[unit].page, unit);
    }
  }
  const auto check = [&](const Deadline& each) {
    archive.check_index(each.unit, units_.size(), "invalid pending page");
  };
  deadlines_.each(check);
  coding_.each(check);
  find_own_next();
}

}  // namespace hmsim
