// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/gathered_copies.h"

#include <algorithm>

namespace hmsim {

void CopyBatch::commit(Ftl& ftl, PhysicalPage target) const {
  for (std::uint32_t i = 0; i < count; ++i) {
    ftl.commit_copy(copies[i].page, copies[i].source, target + PhysicalPage(i));
  }
  if (count < ftl.shape().parts()) {
    ftl.pad(target + PhysicalPage(count));
  }
}

void PageCopy::check_loaded(const Archive& archive, const Ftl& ftl, std::int64_t block) const {
  archive.check_index(page.value(), ftl.pages(), "a page is copied that is none");
  archive.check(source >= PhysicalPage(0) && source.value() / ftl.shape().pages == block,
                "a page is copied from another flash block");
}

void CopyBatch::check_loaded(const Archive& archive, const Ftl& ftl, std::int64_t block) const {
  archive.check(count > 0 && count <= ftl.shape().parts(), "a program copies nothing, or too much");
  for (std::uint32_t i = 0; i < count; ++i) {
    copies[i].check_loaded(archive, ftl, block);
    archive.check(!ftl.is_map_page(copies[i].page) || count == ftl.shape().parts(),
                  "a translation page is copied in part");
  }
}

PartMask GatheredCopies::valid_parts(const Ftl& ftl, PhysicalPage first) {
  PartMask parts = 0;
  for (std::uint32_t part = 0; part < ftl.shape().parts(); ++part) {
    const bool valid = ftl.owner(first + PhysicalPage(part)).has_value();
    parts = static_cast<PartMask>(parts | (valid ? 1u << part : 0));
  }
  return parts;
}

PartMask GatheredCopies::gather(const Ftl& ftl, PhysicalPage first) {
  PartMask parts = 0;
  old_ = count_;
  for (std::uint32_t part = 0; part < ftl.shape().parts(); ++part) {
    const PhysicalPage source = first + PhysicalPage(part);
    if (const auto owner = ftl.owner(source)) {
      copies_[count_++] = {*owner, source};
      parts = static_cast<PartMask>(parts | 1u << part);
    }
  }
  return parts;
}

bool GatheredCopies::would_fill(const Ftl& ftl, PartMask parts) const {
  const auto more = static_cast<std::uint32_t>(__builtin_popcount(parts));
  return count_ + more >= ftl.shape().parts();
}

CopyBatch GatheredCopies::take(const Ftl& ftl) {
  const std::uint32_t parts = ftl.shape().parts();
  const bool whole = count_ - old_ == parts;
  const auto first = copies_.begin() + (whole ? old_ : 0);
  CopyBatch batch;
  batch.count = std::min(parts, count_);
  std::copy_n(first, batch.count, batch.copies.begin());
  count_ -= batch.count;
  if (!whole) {
    std::copy_n(copies_.begin() + batch.count, count_, copies_.begin());
  }
  old_ = count_;
  return batch;
}

void GatheredCopies::check_loaded(const Archive& archive, const Ftl& ftl,
                                  std::int64_t block) const {
  constexpr const char* kWrong = "pages that are copied do not hold together";
  const std::uint32_t parts = ftl.shape().parts();
  archive.check(old_ <= count_ && old_ < parts && count_ - old_ <= parts, kWrong);
  for (std::uint32_t i = 0; i < count_; ++i) {
    copies_[i].check_loaded(archive, ftl, block);
    archive.check(count_ - old_ == parts ? i >= old_ || !ftl.is_map_page(copies_[i].page)
                                         : !ftl.is_map_page(copies_[i].page),
                  kWrong);
  }
}

}  // namespace hmsim
