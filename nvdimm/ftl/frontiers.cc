// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/frontiers.h"

#include <algorithm>

#include "core/errors.h"

namespace hmsim {

PhysicalPage Frontiers::take(std::uint32_t lun, WriteStream stream) {
  std::array<Point, kFrontiers>& points = points_[lun];
  std::size_t own = point_of(stream);
  if (spent(points[own])) {
    if (luns_[lun].free() == 0) {  // mix streams rather than fail
      for (own = 0; own + 1 < kFrontiers && spent(points[own]);) {
        ++own;
      }
      if (spent(points[own])) {
        luns_[lun].raise_no_page();
      }
    } else {
      points[own] = {luns_[lun].open(stream == WriteStream::levelling), 0};
    }
  }
  Point& point = points[own];
  const PhysicalPage at = shape_.page_at(lun, point.block, point.next_page);
  point.next_page += shape_.parts();
  return at;
}

PhysicalPage Frontiers::next_place(std::uint32_t lun, WriteStream stream) const {
  const Point& point = points_[lun][point_of(stream)];
  return spent(point) ? kNowhere : shape_.page_at(lun, point.block, point.next_page);
}

std::uint32_t Frontiers::written_pages(std::uint32_t lun, std::uint32_t block) const {
  if (luns_[lun][block].state == BlockState::free) {
    return 0;
  }
  for (const Point& point : points_[lun]) {
    if (point.block == block && point.next_page < shape_.pages) {
      return point.next_page;
    }
  }
  return shape_.pages;
}

std::uint64_t Frontiers::free_pages(std::uint32_t lun) const {
  std::uint64_t pages = std::uint64_t{luns_[lun].free()} * shape_.pages;
  for (const Point& point : points_[lun]) {
    pages += point.block == kNoIndex ? 0 : shape_.pages - point.next_page;
  }
  return pages;
}

std::uint32_t Frontiers::give_up(std::uint32_t lun, std::uint32_t block) {
  std::uint32_t taken = shape_.pages;
  for (Point& point : points_[lun]) {
    if (point.block == block && point.next_page < shape_.pages) {
      taken = point.next_page;
      point = Point();
    }
  }
  return taken;
}

// Continues the block at the write point that suits its first page, or at any free one.
void Frontiers::reopen(std::uint32_t lun, std::uint32_t block, std::uint32_t pages, bool map) {
  std::array<Point, kFrontiers>& points = points_[lun];
  auto point = std::find_if(points.begin(), points.end(),
                            [](const Point& each) { return each.block == kNoIndex; });
  if (map && points.back().block == kNoIndex) {
    point = points.end() - 1;
  }
  ensure(point != points.end(), "ftl", Tick(0), block, "too many partly written blocks");
  *point = {block, pages};
}

void Frontiers::serialize(Archive& archive, std::uint32_t lun) {
  archive(points_[lun]);
  for (const Point& point : points_[lun]) {
    archive.check_index(point.block, shape_.blocks, kNoIndex, "invalid open block");
    archive.check(point.next_page <= shape_.pages && point.next_page % shape_.parts() == 0,
                  "open block written beyond its end");
  }
}

}  // namespace hmsim
