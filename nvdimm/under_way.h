// SPDX-License-Identifier: BSD-3-Clause
// Loading a checkpoint: what the parts of an NVDIMM have under way with each other, collected from
// all of them, so that what each remembers of the others can be compared with it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/places.h"
#include "nvdimm/buffer/pending_work.h"
#include "nvdimm/ftl/ftl.h"
#include "nvdimm/nand/flash_array.h"

namespace hmsim {

struct UnderWay {
  using Work = std::vector<std::pair<FlashCommand, FlashArray::Progress>>;

  UnderWay(const Archive& archive, const PendingWork& like, const FlashArray& flash,
           std::size_t luns, std::size_t frames)
      : ftl(luns),
        pending(like.channels(), static_cast<std::int64_t>(luns)),
        fetches(archive, frames, "a frame is fetched twice, or is none") {
    flash.each_command([this](const FlashCommand& command, FlashArray::Progress progress) {
      work.emplace_back(command, progress);
    });
  }

  Work of(const FlashRequester& requester) const {
    Work own;
    for (const auto& each : work) {
      if (each.first.requester == &requester) {
        own.push_back(each);
      }
    }
    return own;
  }

  Work work;  // flash commands
  Ftl::UnderWay ftl;
  PendingWork pending;
  Places fetches;                        // frames of the read part
  std::vector<std::uint32_t> evictions;  // that wait for their entry of the map
  std::uint32_t prefetches = 0;
};

}  // namespace hmsim
