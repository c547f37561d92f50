// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/gathered_copies.h"

#include <algorithm>

#include "core/errors.h"

namespace hmsim {

namespace {

template <class Copies>
void check_pages(const Archive& archive, const Ftl& ftl, const Copies& copies) {
  for (const PageCopy& copy : copies) {
    archive.check_index(copy.page.value(), ftl.pages().size(), "copy of an invalid page");
    ftl.shape().check_place(archive, copy.source);
  }
}

}  // namespace

void CopyBatch::commit(Ftl& ftl, PhysicalPage target) const {
  for (std::uint32_t i = 0; i < count; ++i) {
    ftl.commit_copy(copies[i].page, copies[i].source, target + PhysicalPage(i));
  }
  if (count < ftl.shape().parts()) {
    ftl.pad(target + PhysicalPage(count));
  }
}

void CopyBatch::serialize(Archive& archive, const Ftl& ftl) {
  archive(copies, count);
  archive.check(count <= copies.size(), "too many copied pages");
  check_pages(archive, ftl, copies);
}

PartMask GatheredCopies::valid_parts(const Ftl& ftl, PhysicalPage first) {
  PartMask parts = 0;
  for (std::uint32_t part = 0; part < ftl.shape().parts(); ++part) {
    const bool valid = ftl.pages().owner(first + PhysicalPage(part)).has_value();
    parts = static_cast<PartMask>(parts | (valid ? 1u << part : 0));
  }
  return parts;
}

PartMask GatheredCopies::gather(const Ftl& ftl, PhysicalPage first) {
  ensure(count_ + ftl.shape().parts() <= copies_.size(), "gc", Tick(0), first.value(),
         "too many copied pages");
  PartMask parts = 0;
  old_ = count_;
  for (std::uint32_t part = 0; part < ftl.shape().parts(); ++part) {
    const PhysicalPage source = first + PhysicalPage(part);
    if (const auto owner = ftl.pages().owner(source)) {
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

void GatheredCopies::serialize(Archive& archive, const Ftl& ftl) {
  archive(copies_, count_, old_);
  archive.check(old_ <= count_ && count_ <= copies_.size(), "too many copied pages");
  check_pages(archive, ftl, copies_);
}

}  // namespace hmsim
