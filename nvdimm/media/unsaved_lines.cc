// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/media/unsaved_lines.h"

#include <cstddef>
#include <iterator>
#include <vector>

#include "nvdimm/module/power_lane.h"
#include "nvdimm/module/power_record.h"

namespace hmsim {

const LineBytes* UnsavedLines::find(std::int64_t line) const {
  const auto kept = lines_.find(line);
  return kept == lines_.end() ? nullptr : &kept->second;
}

Tick UnsavedLines::save(MediaCells& cells, const MediaParameters& media, Tick within,
                        std::uint64_t& saved) {
  const std::int64_t sectors = media.sectors();
  std::vector<PowerLane> lanes(static_cast<std::size_t>(media.banks), PowerLane(within));
  for (auto first = lines_.begin(); first != lines_.end();) {
    const std::int64_t line = first->first / sectors;
    const std::int64_t begin = line * sectors;
    const auto end = lines_.lower_bound(begin + sectors);
    PowerLane& lane = lanes[cells.bank_of(line)];
    if (std::distance(first, end) < sectors) {
      lane.spend(media.technology.read_time);
    }
    const PowerLane::Outcome outcome = lane.spend(media.technology.write_time);
    if (outcome == PowerLane::Outcome::done) {
      for (; first != end; first = lines_.erase(first)) {
        cells.write(first->first, first->second);
      }
      ++saved;
      continue;
    }
    for (std::int64_t at = begin; outcome == PowerLane::Outcome::torn && at < begin + sectors;
         ++at) {
      LineBytes torn = cells.read(at);
      add(at, torn);
      for (std::uint8_t& byte : torn) {
        byte = static_cast<std::uint8_t>(~byte);
      }
      cells.write(at, torn);
    }
    first = end;
  }
  return longest(lanes);
}

void UnsavedLines::serialize(Archive& archive, std::int64_t lines) {
  std::vector<std::int64_t> kept;
  for (const auto& entry : lines_) {
    kept.push_back(entry.first);
  }
  archive(kept);
  for (const std::int64_t line : kept) {
    archive.check_index(line, lines, "invalid line");
    LineBytes& bytes = lines_[line];
    archive.raw(bytes.data(), bytes.size());
  }
}

}  // namespace hmsim
