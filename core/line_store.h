// SPDX-License-Identifier: BSD-3-Clause
// What a memory's lines hold, in data mode: zeros where nothing was written.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/request.h"
#include "core/types.h"

namespace hmsim {

class LineStore {
 public:
  LineBytes read(Address line) const;
  void write(Address line, const LineData& data);
  void copy(Address from, Address to);
  void zero(Address line);
  void clear();  // power is gone
  void serialize(Archive& archive);

 private:
  KeyMap map_;                                               // page number -> pages_
  std::vector<std::pair<std::int64_t, std::string>> pages_;  // page number, its bytes
};

}  // namespace hmsim
