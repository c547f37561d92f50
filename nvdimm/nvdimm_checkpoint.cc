// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of the NVDIMM.
#include "nvdimm/nvdimm.h"

namespace hmsim {

void Nvdimm::serialize_start(Archive& archive) {
  archive(ftl_);
  if (data_ != nullptr) {
    archive(data_->media);
  }
  start_from_ftl();
}

void Nvdimm::serialize(Archive& archive) {
  archive.section("nvdimm");
  archive(commands_, writes_, flush_, freed_pending_, buffer_.statistics(), ftl_.statistics(),
          flash_.statistics());
  ftl_.serialize(archive);
  flash_.serialize(archive);
  buffer_.serialize(archive);
  reads_.serialize(archive);
  collector_.serialize(archive);
  map_.serialize(archive);
  evictor_.serialize(archive);
  if (lookahead_ != nullptr) {
    lookahead_->serialize(archive);
  }
  archive(backup_, off_, pending_);
  if (data_ != nullptr) {
    archive(*data_);
  }
  if (archive.loading()) {
    check_bounds(archive);
  }
  set_next(next_of_all());
}

// Checks that loaded numbers of pages, LUNs, frames and commands are in range.
void Nvdimm::check_bounds(const Archive& archive) const {
  const std::uint64_t pages = ftl_.shape().logical_pages;
  for (const BufferPart* part : {&buffer_.read, &buffer_.write}) {
    for (std::uint32_t frame = 0; frame < part->records(); ++frame) {
      archive.check_index((*part)[frame].key, buffer_.keys(pages), "invalid page");
      archive.check_index((*part)[frame].lun, ftl_.shape().luns, "invalid LUN");
    }
  }
  commands_.check_bounds(archive, buffer_, flush_.tag());
  if (data_ != nullptr) {
    for (const auto& entry : data_->unsaved) {
      archive.check_index(entry.first, pages, "invalid page to save");
    }
  }
}

}  // namespace hmsim
