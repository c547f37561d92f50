// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/frontiers.h"

#include <algorithm>

#include "core/errors.h"

namespace hmsim {

PhysicalPage Frontiers::take(std::uint32_t lun, WriteStream stream, std::uint32_t handle) {
  Point* point = &point_of(lun, stream, handle);
  if (spent(*point)) {
    if (luns_[lun].free() > 0) {
      *point = {luns_[lun].open(stream == WriteStream::levelling), 0};
    } else {
      point = &any_point(lun);  // mix streams rather than fail
    }
  }
  const PhysicalPage at = shape_.page_at(lun, point->block, point->next_page);
  point->next_page += shape_.parts();
  return at;
}

Frontiers::Point& Frontiers::any_point(std::uint32_t lun) {
  Point* found = nullptr;
  each(*this, lun,
       [&](Point& point) { found = found == nullptr && !spent(point) ? &point : found; });
  if (found == nullptr) {
    luns_[lun].raise_no_page();
  }
  return *found;
}

PhysicalPage Frontiers::next_place(std::uint32_t lun, WriteStream stream,
                                   std::uint32_t handle) const {
  const Point& point =
      handle == 0 ? points_[lun][point_of(stream)] : handles_[handle_of(lun, handle)];
  return spent(point) ? kNowhere : shape_.page_at(lun, point.block, point.next_page);
}

std::uint32_t Frontiers::written_pages(std::uint32_t lun, std::uint32_t block) const {
  if (luns_[lun][block].state == BlockState::free) {
    return 0;
  }
  std::uint32_t written = shape_.pages;
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
    pages += point.block == kNoIndex ? 0 : shape_.pages - point.next_page;
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
  for (std::uint32_t handle = 1; handle < shape_.streams; ++handle) {
    archive(handles_[handle_of(lun, handle)]);
  }
  each(*this, lun, [&](const Point& point) {
    archive.check_index(point.block, shape_.blocks, kNoIndex, "invalid open block");
    archive.check(point.next_page <= shape_.pages && point.next_page % shape_.parts() == 0,
                  "open block written beyond its end");
  });
}

}  // namespace hmsim
