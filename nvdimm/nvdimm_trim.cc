// SPDX-License-Identifier: BSD-3-Clause
// Discarding logical pages.
#include "nvdimm/nvdimm.h"

namespace hmsim {

std::int64_t Nvdimm::trim(Address address, Bytes size, Tick now) {
  const std::int64_t first = (address.value() + kPageBytes.value() - 1) / kPageBytes.value();
  const std::int64_t end = (address.value() + size.value()) / kPageBytes.value();
  ensure(address.value() >= 0 && end <= static_cast<std::int64_t>(ftl_.shape().logical_pages),
         "nvdimm", now, -1, "a trim goes beyond the logical capacity");
  posted_.discard(first * kLinesPerPage, end * kLinesPerPage);
  for (std::int64_t page = first; page < end; ++page) {
    trim_buffer(LogicalPage(page));
    evictor_.discard(LogicalPage(page));
    statistics_.trimmed_pages += ftl_.trim(LogicalPage(page)) ? 1 : 0;
  }
  if (first < end) {
    admit_later(now);
    map_.write_back(now);
    is_due(next_of_all());
  }
  return first < end ? end - first : 0;
}

// Frames that commands or flash operations still use stay, without a valid line.
void Nvdimm::trim_buffer(LogicalPage page) {
  const std::int64_t keys = buffer_.items() ? kLinesPerPage : 1;
  for (std::int64_t key = page.value() * keys; key < (page.value() + 1) * keys; ++key) {
    const std::uint32_t read = buffer_.read.find(key);
    if (read != kNoIndex) {
      buffer_.read[read].valid = 0;
      if (buffer_.read[read].listing != FrameListing::none) {
        buffer_.read.release(read);
      }
    }
    const std::uint32_t written = buffer_.write.find(key);
    if (written != kNoIndex) {
      buffer_.write[written].valid = 0;
      if (buffer_.write[written].listing != FrameListing::none) {
        buffer_.write.release(written);
      }
    }
  }
}

}  // namespace hmsim
