// SPDX-License-Identifier: BSD-3-Clause
// What the DRAM of a channel holds, in data mode: zeros where nothing was written.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/key_map.h"
#include "core/request.h"
#include "core/types.h"

namespace hmsim {

class DramBytes {
 public:
  LineBytes read(Address line) const;
  void write(Address line, const LineData& data);
  void clear();  // power is gone
  void serialize(Archive& archive);

 private:
  KeyMap map_;                                               // page number -> pages_
  std::vector<std::pair<std::int64_t, std::string>> pages_;  // page number, its bytes
};

}  // namespace hmsim
