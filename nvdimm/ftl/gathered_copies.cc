// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/gathered_copies.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"

namespace hmsim {

namespace {

template <class Copies>
void check_pages(const Archive& archive, const Ftl& ftl, const Copies& copies) {
  for (const PageCopy& copy : copies) {
    archive.check_index(copy.page.value(), ftl.pages().size(), "copy of an invalid page");
    ftl.shape().check_place(archive, copy.source);
    archive.check_index(copy.stream, ftl.shape().streams, kCopyStream, "invalid stream of a copy");
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

PartMask GatheredCopies::gather(const Ftl& ftl, PhysicalPage first, bool together) {
  ensure(count_ + ftl.shape().parts() <= copies_.size(), "gc", Tick(0), first.value(),
         "too many copied pages");
  PartMask parts = 0;
  old_ = count_;
  for (std::uint32_t part = 0; part < ftl.shape().parts(); ++part) {
    const PhysicalPage source = first + PhysicalPage(part);
    if (const auto owner = ftl.pages().owner(source)) {
      copies_[count_++] = {*owner, source, ftl.stream_of_copy(*owner, source)};
      parts = static_cast<PartMask>(parts | 1u << part);
    }
  }
  for (std::uint32_t i = old_; together && i < count_ && count_ - old_ == ftl.shape().parts();
       ++i) {
    copies_[i].stream = copies_[old_].stream;
  }
  return parts;
}

const PageCopy* GatheredCopies::full_stream(std::uint32_t parts) const {
  const auto end = copies_.begin() + count_;
  const auto full = std::find_if(copies_.begin(), end, [&](const PageCopy& first) {
    return std::count_if(copies_.begin(), end, [&first](const PageCopy& other) {
             return other.stream == first.stream;
           }) >= parts;
  });
  return full == end ? nullptr : &*full;
}

CopyBatch GatheredCopies::take(const Ftl& ftl) {
  const std::uint32_t parts = ftl.shape().parts();
  CopyBatch batch;
  if (count_ <= parts) {
    std::copy_n(copies_.begin(), count_, batch.copies.begin());
    batch.count = std::exchange(count_, 0);
    old_ = 0;
    return batch;
  }
  const auto last = copies_.begin() + old_;
  const auto end = copies_.begin() + count_;
  const bool whole = count_ - old_ == parts && std::all_of(last, end, [last](const PageCopy& each) {
                       return each.stream == last->stream;
                     });
  const PageCopy* const full = whole || !ftl.placement().active() ? nullptr : full_stream(parts);
  std::uint32_t kept = whole ? old_ : 0;
  for (std::uint32_t i = kept; i < count_; ++i) {
    const PageCopy copy = copies_[i];
    if (batch.count < parts && (full == nullptr || copy.stream == full->stream)) {
      batch.copies[batch.count++] = copy;
    } else {
      copies_[kept++] = copy;
    }
  }
  count_ = kept;
  old_ = count_;
  return batch;
}

void GatheredCopies::serialize(Archive& archive, const Ftl& ftl) {
  archive(copies_, count_, old_);
  archive.check(old_ <= count_ && count_ <= copies_.size(), "too many copied pages");
  check_pages(archive, ftl, copies_);
}

}  // namespace hmsim
