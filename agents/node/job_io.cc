// SPDX-License-Identifier: BSD-3-Clause
#include "agents/node/job_io.h"

#include <algorithm>

namespace hmsim {

JobIo::Extent JobIo::extent_of(const Transfer& transfer) const {
  const std::uint64_t lines = unit() / static_cast<std::uint64_t>(kLineBytes.value());
  const std::uint64_t first = transfer.first_line / lines;
  const std::uint64_t end = (transfer.first_line + transfer.lines + lines - 1) / lines;
  return {first % units(), std::min(end - first, units())};
}

std::uint64_t JobIo::requests_of(const Transfer& transfer) const {
  const Extent extent = extent_of(transfer);
  return extent.first + extent.units > units() ? 2 : 1;
}

void JobIo::begin(std::uint32_t number, std::uint32_t thread, const Transfer& transfer, bool write,
                  Tick now) {
  const Extent extent = extent_of(transfer);
  const std::uint64_t before_end = std::min(extent.units, units() - extent.first);
  IoRequest request;
  request.kind = write ? IoRequest::Kind::write : IoRequest::Kind::read;
  request.tag = number * kTags;
  request.submitter = static_cast<std::uint16_t>(thread);
  request.offset = extent.first * unit();
  request.bytes = before_end * unit();
  host_.begin(client_, request, now);
  if (before_end < extent.units) {
    ++request.tag;
    request.offset = 0;
    request.bytes = (extent.units - before_end) * unit();
    host_.begin(client_, request, now);
  }
}

void JobIo::flush(std::uint32_t thread, Tick now) {
  IoRequest request;
  request.kind = IoRequest::Kind::flush;
  request.barrier = true;
  request.tag = thread * kTags + kFlush;
  request.submitter = static_cast<std::uint16_t>(thread);
  host_.begin(client_, request, now);
}

bool JobIo::acquire(std::uint32_t io, const IoRequest& request, Tick now) {
  return node_.acquire_core({job_, io}, {job_, request.submitter}, now);
}

}  // namespace hmsim
