// SPDX-License-Identifier: BSD-3-Clause
#include "traces/access_words.h"

#include <algorithm>

namespace hmsim {

bool in_word_list(std::string_view word, std::string_view list) {
  while (!list.empty()) {
    const std::string_view each = list.substr(0, list.find('|'));
    if (each == word) {
      return true;
    }
    list.remove_prefix(std::min(each.size() + 1, list.size()));
  }
  return false;
}

bool is_access_word(std::string_view word, const AccessWords& words) {
  return in_word_list(word, words.reads) || in_word_list(word, words.writes);
}

void check_prefix(const TextTrace& line) {
  if (line.field(0).substr(0, 2) != "0x" && line.field(0).substr(0, 2) != "0X") {
    line.fail("the address '" + shown(line.field(0)) + "' does not begin with 0x");
  }
}

void read_access_line(const TextTrace& line, const AccessWords& words, const char* others,
                      Access& access) {
  const std::string_view word = line.field(1);
  access.address = line.hexadecimal(0, "the address");
  access.write = in_word_list(word, words.writes);
  if (!access.write && !in_word_list(word, words.reads)) {
    line.fail("'" + shown(word) + "' is neither a read (" + words.reads + ") nor a write (" +
              words.writes + ")" + others);
  }
  access.cycle = line.number(2, "the cycle");
}

}  // namespace hmsim
