// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/storage_carrier.h"

#include <algorithm>

namespace hmsim {

namespace {

constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes.value());
constexpr std::uint64_t kSector = 512;
constexpr std::uint64_t kLinesPerSector = kSector / kLine;

}  // namespace

bool StorageCarrier::go_on(BlockThread& thread, std::uint32_t index, Tick now) {
  IoRequest request;
  request.kind = IoRequest::Kind::flush;
  request.barrier = true;
  if (thread.flush_before) {
    thread.flush_before = false;
    send(thread, index, request, now);
  } else if (thread.lines > 0) {
    const std::uint64_t all = static_cast<std::uint64_t>(storage_->capacity().value()) / kLine;
    const std::uint64_t lines = std::min(thread.lines, all - thread.next_line);
    request.kind = thread.write ? IoRequest::Kind::write : IoRequest::Kind::read;
    request.barrier = false;
    const std::uint64_t end = (thread.next_line + lines + kLinesPerSector - 1) / kLinesPerSector;
    request.offset = thread.next_line / kLinesPerSector * kSector;
    request.bytes = end * kSector - request.offset;
    thread.next_line = (thread.next_line + lines) % all;
    thread.lines -= lines;
    send(thread, index, request, now);
  } else if (thread.flush_after) {
    thread.flush_after = false;
    send(thread, index, request, now);
  } else {
    return false;
  }
  return true;
}

void StorageCarrier::send(BlockThread& thread, std::uint32_t index, IoRequest request, Tick now) {
  request.tag = index;
  request.submitter = static_cast<std::uint16_t>(index / depth_);
  ++thread.outstanding;
  storage_->begin(client_, request, now);
}

}  // namespace hmsim
