// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/job_storage.h"

#include <algorithm>

namespace hmsim {

namespace {

constexpr std::uint64_t kSector = 512;
constexpr std::uint64_t kLinesPerSector = kSector / static_cast<std::uint64_t>(kLineBytes.value());

}  // namespace

std::uint64_t JobStorage::sectors() const {
  return static_cast<std::uint64_t>(capacity().value()) / kSector;
}

JobStorage::Extent JobStorage::extent_of(const Transfer& transfer) const {
  const std::uint64_t first = transfer.first_line / kLinesPerSector;
  const std::uint64_t end =
      (transfer.first_line + transfer.lines + kLinesPerSector - 1) / kLinesPerSector;
  return {first % sectors(), std::min(end - first, sectors())};
}

std::uint64_t JobStorage::requests_of(const Transfer& transfer) const {
  const Extent extent = extent_of(transfer);
  return extent.first + extent.sectors > sectors() ? 2 : 1;
}

void JobStorage::begin(std::uint32_t number, std::uint32_t thread, const Transfer& transfer,
                       bool write, Tick now) {
  const Extent extent = extent_of(transfer);
  const std::uint64_t before_end = std::min(extent.sectors, sectors() - extent.first);
  IoRequest request;
  request.kind = write ? IoRequest::Kind::write : IoRequest::Kind::read;
  request.tag = number * kTags;
  request.submitter = static_cast<std::uint16_t>(thread);
  request.offset = extent.first * kSector;
  request.bytes = before_end * kSector;
  storage_->begin(client_, request, now);
  if (before_end < extent.sectors) {
    ++request.tag;
    request.offset = 0;
    request.bytes = (extent.sectors - before_end) * kSector;
    storage_->begin(client_, request, now);
  }
}

void JobStorage::flush(std::uint32_t thread, Tick now) {
  IoRequest request;
  request.kind = IoRequest::Kind::flush;
  request.barrier = true;
  request.tag = thread * kTags + kFlush;
  request.submitter = static_cast<std::uint16_t>(thread);
  storage_->begin(client_, request, now);
}

bool JobStorage::take(std::uint32_t io, const IoRequest& request, Tick now) {
  return node_->hold({job_, io}, {job_, request.submitter}, now);
}

}  // namespace hmsim
