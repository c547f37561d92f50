// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/shared_reads.h"

namespace hmsim {

std::uint32_t SharedReads::find(LogicalPage page, std::uint32_t leader) const {
  const std::uint32_t read = of_page_.find(page.value());
  return read != kNoIndex && reads_[read].leader == leader ? read : kNoIndex;
}

void SharedReads::open(LogicalPage page, std::uint32_t leader) {
  if (of_page_.find(page.value()) == kNoIndex) {
    const std::uint32_t read = reads_.take();
    reads_[read].leader = leader;
    of_page_.insert(page.value(), read);
  }
}

void SharedReads::start(LogicalPage page, std::uint32_t leader, PhysicalPage place) {
  const std::uint32_t read = find(page, leader);
  if (read != kNoIndex) {
    reads_[read].place = place;
  }
}

bool SharedReads::joinable(LogicalPage page, PhysicalPage place) const {
  const std::uint32_t read = of_page_.find(page.value());
  return read != kNoIndex && (reads_[read].place == kNowhere || reads_[read].place == place);
}

bool SharedReads::close(LogicalPage page, std::uint32_t leader) {
  const bool leads = find(page, leader) != kNoIndex;
  if (leads) {
    close(page);
  }
  return leads;
}

void SharedReads::close(LogicalPage page) {
  const std::uint32_t read = of_page_.find(page.value());
  if (read != kNoIndex) {
    of_page_.erase(page.value());
    reads_.give_back(read);
  }
}

void SharedReads::serialize(Archive& archive, SyncBuffer& buffer) {
  archive.section("shared reads");
  std::vector<std::uint32_t> joined;
  for (std::uint32_t frame = 0; frame < buffer.read.records(); ++frame) {
    if (buffer.read[frame].joined && !archive.loading()) {
      joined.push_back(frame);
    }
  }
  archive(reads_, joined);
  if (archive.loading()) {
    load(archive, buffer, joined);
  }
}

void SharedReads::load(const Archive& archive, SyncBuffer& buffer,
                       const std::vector<std::uint32_t>& joined) {
  BufferPart& part = buffer.read;
  const auto page_of = [&](std::uint32_t frame) { return buffer.page_of(part[frame].key).value(); };
  of_page_.clear();
  for (const std::uint32_t read : reads_.taken()) {
    const std::uint32_t leader = reads_[read].leader;
    archive.check_index(leader, part.records(), "shared read without a leading frame");
    archive.check(part[leader].fetching && of_page_.find(page_of(leader)) == kNoIndex,
                  "leading frame that does not wait for its read");
    of_page_.insert(page_of(leader), read);
  }
  for (std::uint32_t frame = 0; frame < part.records(); ++frame) {
    part[frame].joined = false;
  }
  for (const std::uint32_t frame : joined) {
    archive.check_index(frame, part.records(), "invalid frame in wait for a read");
    archive.check(of_page_.find(page_of(frame)) != kNoIndex &&
                      part[frame].state == FrameState::filling && !part[frame].fetching,
                  "frame in wait for a read that it cannot share");
    part[frame].joined = true;
  }
}

}  // namespace hmsim
