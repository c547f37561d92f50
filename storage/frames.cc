// SPDX-License-Identifier: BSD-3-Clause
#include "storage/frames.h"

namespace hmsim {

std::unique_ptr<BufferReplacement> create_replacement(const std::string& name,
                                                      const Assignments& assignments) {
  return create_policy<BufferReplacement>(PolicyKind::buffer_replacement, name, assignments);
}

void check_frames(const Archive& archive, const BufferPart& frames, std::int64_t keys) {
  for (std::uint32_t frame = 0; frame < frames.records(); ++frame) {
    const Frame& record = frames[frame];
    archive.check_index(record.key, static_cast<std::size_t>(keys), "invalid page");
    archive.check(record.pins == 0 || (holds_page(record) && record.listing == FrameListing::none),
                  "pinned frame that contains no page, or is replaceable");
  }
}

}  // namespace hmsim
