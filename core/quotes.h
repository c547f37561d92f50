// SPDX-License-Identifier: BSD-3-Clause
// Quoted text in messages.
#pragma once

#include <string>
#include <string_view>

namespace hmsim {

// Returns the text in single quotes. Does not insert into a temporary string: for "'" +
// string(...), gcc 12 reports -Wstringop-overflow as C++20 (gcc bug 105651), and gem5 compiles with
// -Werror.
std::string in_quotes(std::string_view text);

}  // namespace hmsim
