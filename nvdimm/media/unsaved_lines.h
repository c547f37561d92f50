// SPDX-License-Identifier: BSD-3-Clause
// Lines of the host that a power failure found outside the cells.
#pragma once

#include <cstdint>
#include <map>

#include "core/archive.h"
#include "core/request.h"
#include "core/types.h"
#include "nvdimm/media/media_cells.h"
#include "nvdimm/media/media_parameters.h"

namespace hmsim {

class UnsavedLines {
 public:
  // Returns null for lines that are not kept.
  const LineBytes* find(std::int64_t line) const;
  // Keeps a line, in place of older bytes of it.
  void replace(std::int64_t line, const LineBytes& bytes) { lines_[line] = bytes; }
  // Keeps a line unless newer bytes of it are kept.
  void add(std::int64_t line, const LineBytes& bytes) { lines_.emplace(line, bytes); }

  // Writes the lines into the cells, by media lines, with all banks in parallel for at most
  // `within`; the others stay. A bank reads the sectors that are missing before it writes a media
  // line. A media line whose write is interrupted is garbage until it is written again; all of it
  // is kept. Counts `saved` media lines. Returns the time that all of them need.
  Tick save(MediaCells& cells, const MediaParameters& media, Tick within, std::uint64_t& saved);

  // `lines`: those of the module.
  void serialize(Archive& archive, std::int64_t lines);

 private:
  std::map<std::int64_t, LineBytes> lines_;
};

}  // namespace hmsim
