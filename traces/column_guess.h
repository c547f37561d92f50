// SPDX-License-Identifier: BSD-3-Clause
// A guess at the columns of a line that no format reads, for messages.
#pragma once

#include <string>
#include <string_view>

namespace hmsim {

// Returns the options that read the line, "--format csv --columns time=0,...", or "" if the line
// has no word of a read or write, or fewer than three numbers. Units are guessed from the size of
// the numbers.
std::string guessed_columns(std::string_view line);

}  // namespace hmsim
