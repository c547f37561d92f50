// SPDX-License-Identifier: BSD-3-Clause
// Contents of a memory's lines in data mode. Lines never written read as zeros.
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
  void clear();  // models loss of power
  void serialize(Archive& archive);

 private:
  KeyMap map_;                                               // page number -> index in pages_
  std::vector<std::pair<std::int64_t, std::string>> pages_;  // page number and contents
};

}  // namespace hmsim
