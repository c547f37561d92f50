// SPDX-License-Identifier: BSD-3-Clause
// Pages of an NVDIMM in the order in which a host last wrote them before time passed. They
// determine the initial contents of flash and buffer, under any policy.
//
// As text: one line "FIRST COUNT" for each run of consecutive pages last written in ascending
// order, oldest first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hmsim {

class WrittenPages {
 public:
  static constexpr std::uint64_t kMostBytes = 1 << 30;  // of the text

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
  std::unordered_map<std::int64_t, std::uint64_t> last_write_;  // page -> number of its last write
  std::uint64_t writes_ = 0;
  std::int64_t newest_ = -1;
};

// Parses the result of WrittenPages::text(). Returns the pages in the order of the text; each must
// be below `end`. Throws an InputError that names the line.
std::vector<std::int64_t> written_pages(std::string_view text, std::int64_t end);

}  // namespace hmsim
