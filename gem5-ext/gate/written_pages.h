// SPDX-License-Identifier: BSD-3-Clause
// The pages of an NVDIMM in the order in which a host last wrote them, while no time passed: what
// flash and buffer hold when it begins to pass, under any policy.
//
// As text: a line "FIRST COUNT" for each run of pages that were last written one behind another in
// ascending order, the oldest first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hmsim {

class WrittenPages {
 public:
  static constexpr std::uint64_t kMostBytes = 1 << 30;  // of a text

  void note(std::int64_t page) {
    if (page != newest_) {
      last_write_[page] = ++writes_;
      newest_ = page;
    }
  }
  bool empty() const { return last_write_.empty(); }
  std::vector<std::int64_t> oldest_first() const;

  std::string text() const;

 private:
  std::unordered_map<std::int64_t, std::uint64_t> last_write_;  // by page: which write it was
  std::uint64_t writes_ = 0;
  std::int64_t newest_ = -1;
};

// The pages that a text tells, in its order, each below `end`. Throws InputError that names the
// line.
std::vector<std::int64_t> written_pages(std::string_view text, std::int64_t end);

}  // namespace hmsim
