// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/frontiers.h"

#include "core/errors.h"
#include "policies/page_placement.h"

namespace hmsim {

PhysicalPage Frontiers::take(std::uint32_t lun, WriteStream source, std::uint32_t stream) {
  if (caches(lun, source)) {
    return take_cached(lun);
  }
  Point* point = &point_of(lun, source, stream);
  if (spent(*point)) {
    if (luns_[lun].free() > 0) {
      const bool of_host = source == WriteStream::host || source == WriteStream::cached;
      *point = {luns_[lun].open(source == WriteStream::levelling, of_host ? stream : kCopyStream),
                0};
    } else if (Point* const other = any_point(lun)) {
      point = other;  // mix streams rather than fail
    } else if (!caches_.empty() && !spent(caches_[lun])) {
      return take_cached(lun);
    } else {
      luns_[lun].raise_no_page();
    }
  }
  const PhysicalPage at = shape_.page_at(lun, point->block, point->next_page);
  point->next_page += shape_.parts();
  return at;
}

PhysicalPage Frontiers::take_cached(std::uint32_t lun) {
  Point& point = caches_[lun];
  if (spent(point)) {
    point = {luns_[lun].open(false, kCacheStream), 0};
  }
  const PhysicalPage at = shape_.page_at(lun, point.block, point.next_page);
  point.next_page += shape_.parts();
  point = point.next_page == shape_.cache_pages ? Point() : point;
  return at;
}

Frontiers::Point* Frontiers::any_point(std::uint32_t lun) {
  Point* found = nullptr;
  for_blocks(*this, lun,
             [&](Point& point) { found = found == nullptr && !spent(point) ? &point : found; });
  return found;
}

PhysicalPage Frontiers::next_place(std::uint32_t lun, WriteStream source,
                                   std::uint32_t stream) const {
  const Point& point = caches(lun, source) ? caches_[lun]
                       : stream == 0       ? points_[lun][point_of(source)]
                                           : streams_[stream_of(lun, stream)];
  return spent(point) ? kNowhere : shape_.page_at(lun, point.block, point.next_page);
}

std::uint32_t Frontiers::written_pages(std::uint32_t lun, std::uint32_t block) const {
  if (luns_[lun][block].state == BlockState::free) {
    return 0;
  }
  std::uint32_t written = luns_[lun][block].one_bit() ? shape_.cache_pages : shape_.pages;
  each(*this, lun, [&](const Point& point) {
    if (point.block == block && point.next_page < shape_.pages) {
      written = point.next_page;
    }
  });
  return written;
}

std::uint64_t Frontiers::free_pages(std::uint32_t lun) const {
  std::uint64_t pages = std::uint64_t{luns_[lun].free()} * shape_.pages;
  each(*this, lun, [&](const Point& point) {
    pages += spent(point)                        ? 0
             : luns_[lun][point.block].one_bit() ? shape_.cache_pages - point.next_page
                                                 : shape_.pages - point.next_page;
  });
  return pages;
}

std::uint32_t Frontiers::give_up(std::uint32_t lun, std::uint32_t block) {
  std::uint32_t taken = shape_.pages;
  each(*this, lun, [&](Point& point) {
    if (point.block == block && point.next_page < shape_.pages) {
      taken = point.next_page;
      point = Point();
    }
  });
  return taken;
}

// Continues the block at the write point that suits its first page, or at the first free one.
void Frontiers::reopen(std::uint32_t lun, std::uint32_t block, std::uint32_t pages,
                       WriteStream source) {
  if (source == WriteStream::cached) {
    caches_[lun] = {block, pages};
    return;
  }
  Point* found = nullptr;
  for_blocks(*this, lun, [&](Point& point) {
    found = found == nullptr && point.block == kNoIndex ? &point : found;
  });
  if (source == WriteStream::translation && points_[lun].back().block == kNoIndex) {
    found = &points_[lun].back();
  }
  ensure(found != nullptr, "ftl", Tick(0), block, "too many partly written blocks");
  *found = {block, pages};
}

void Frontiers::serialize(Archive& archive, std::uint32_t lun) {
  archive(points_[lun]);
  for (std::uint32_t stream = 1; stream < shape_.streams; ++stream) {
    archive(streams_[stream_of(lun, stream)]);
  }
  if (!caches_.empty()) {
    archive(caches_[lun]);
    archive.check(spent(caches_[lun]) || caches_[lun].next_page < shape_.cache_pages,
                  "open block of the SLC cache written beyond its end");
  }
  each(*this, lun, [&](const Point& point) {
    archive.check_index(point.block, shape_.blocks, kNoIndex, "invalid open block");
    archive.check(point.next_page <= shape_.pages && point.next_page % shape_.parts() == 0,
                  "open block written beyond its end");
  });
}

}  // namespace hmsim
