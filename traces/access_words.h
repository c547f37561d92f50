// SPDX-License-Identifier: BSD-3-Clause
// Words for reads and writes in traces of memory requests.
#pragma once

#include <cstddef>
#include <string_view>

#include "traces/text_trace.h"
#include "traces/trace_formats.h"

namespace hmsim {

// Words that a format reads, each list separated by '|'.
struct AccessWords {
  const char* reads;
  const char* writes;
};

// Returns whether `word` is in a list.
bool in_word_list(std::string_view word, std::string_view list);

// Returns whether a word is in one of the lists.
bool is_access_word(std::string_view word, const AccessWords& words);

// Throws RecordError unless the address in the first field begins with 0x.
void check_prefix(const TextTrace& line);

// Reads a line "<hexadecimal address> <word> <cycle>". Throws RecordError for a malformed line.
// `others`: what the format's own simulator does with other words, for the message.
void read_access_line(const TextTrace& line, const AccessWords& words, const char* others,
                      Access& access);

}  // namespace hmsim
