// SPDX-License-Identifier: BSD-3-Clause
// Status of the answer to a request to high bandwidth flash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hmsim {

// Codes of OCP HBF 0.7.0 are in parentheses: ruser for reads, buser for writes.
enum class HbfStatus : std::uint8_t {
  done,
  refresh_due,    // read (5): data are good, the block has reached hbf.refresh_reads
  erased_page,    // read (7)
  pending_part,   // read (A): of a part of a page that has not arrived yet
  overlap,        // write (2): of a part that has arrived already
  late,           // write (5): the page was not complete in time
  out_of_order,   // write (6): not the next page of its block, or its block failed
  program_failed  // write (7): the block must be written again from page 0
};

inline constexpr std::size_t kHbfStatuses = 8;
inline constexpr std::array<const char*, kHbfStatuses> kHbfStatusNames{
    "done",    "refresh_due", "erased_page",  "pending_part",
    "overlap", "late",        "out_of_order", "program_failed"};

}  // namespace hmsim
