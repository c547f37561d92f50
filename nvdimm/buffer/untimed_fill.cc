// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/buffer/untimed_fill.h"

#include <algorithm>

namespace hmsim {

namespace {

std::int64_t keys_of_page(const SyncBuffer& buffer) { return buffer.items() ? kLinesPerPage : 1; }

// Returns the keys of the frames for as many of the pages as fit, in page order, except those in
// the write part.
std::vector<std::int64_t> keys_that_fit(const SyncBuffer& buffer, const BufferPart& part,
                                        const std::vector<LogicalPage>& pages) {
  std::vector<std::int64_t> keys;
  for (const LogicalPage page : pages) {
    for (std::int64_t item = 0; item < keys_of_page(buffer) && keys.size() < part.capacity();
         ++item) {
      const std::int64_t key = page.value() * keys_of_page(buffer) + item;
      if (buffer.write.find(key) == kNoIndex) {
        keys.push_back(key);
      }
    }
  }
  return keys;
}

std::uint32_t hold(SyncBuffer& buffer, BufferPart& part, std::int64_t key, FrameState state) {
  part.add(key);
  const std::uint32_t frame = part.admit();
  part[frame].state = state;
  part[frame].valid = buffer.all_lines();
  part.list(frame, false);
  return frame;
}

}  // namespace

std::uint64_t pages_in(const SyncBuffer& buffer, const BufferPart& part) {
  const auto keys = static_cast<std::uint64_t>(keys_of_page(buffer));
  return (part.capacity() + keys - 1) / keys;
}

void fill_dirty(SyncBuffer& buffer, const std::vector<LogicalPage>& pages, NvdimmData* data) {
  constexpr LineBytes kNothing{};
  for (const std::int64_t key : keys_that_fit(buffer, buffer.write, pages)) {
    const std::uint32_t frame = hold(buffer, buffer.write, key, FrameState::dirty);
    if (data != nullptr) {
      data->write.write(frame, 0, kNothing.data());  // the frame's other lines become zeros, too
    }
  }
}

void fill_clean(SyncBuffer& buffer, const std::vector<LogicalPage>& pages, const Ftl& ftl,
                NvdimmData* data) {
  std::vector<std::int64_t> keys = keys_that_fit(buffer, buffer.read, pages);
  std::reverse(keys.begin(), keys.end());
  for (const std::int64_t key : keys) {
    const std::uint32_t frame = hold(buffer, buffer.read, key, FrameState::clean);
    if (data != nullptr) {
      data->fill(ftl, buffer, frame, buffer.all_lines());
    }
  }
}

}  // namespace hmsim
