// SPDX-License-Identifier: BSD-3-Clause
// Placement handles of a block agent's writes, which a drive or an NVDIMM may turn into streams.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"

namespace hmsim {

enum class HandleOrder { round_robin, random };

// Keys of an agent.
struct HandleKeys {
  std::string handle = "0";
  HandleOrder order = HandleOrder::round_robin;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;
  // Returns whether all writes have handle 0.
  bool none() const { return handle == "0"; }
};

class WriteHandles {
 public:
  // The keys passed check(). `seed`: of random handles.
  WriteHandles(const HandleKeys& keys, std::uint64_t seed);
  // Returns what is wrong with the key `handle`, or "".
  static std::string problem(const std::string& handle) { return WriteHandles().read(handle); }

  // Returns the handle of a thread's `turn`-th write, which begins at this sector: that of the
  // first place with the sector, otherwise one of the list. O(places).
  std::uint16_t of(std::uint64_t sector, std::uint64_t thread, std::uint64_t turn) const;

 private:
  struct Place {
    std::uint64_t begin = 0;  // sectors
    std::uint64_t end = 0;
    std::uint16_t handle = 0;
  };

  WriteHandles() = default;
  // Appends the list of the keys, and returns its error or "".
  std::string read(std::string_view text);

  std::vector<Place> places_;
  std::vector<std::uint16_t> list_;
  bool random_ = false;
  std::uint64_t seed_ = 0;
};

}  // namespace hmsim
