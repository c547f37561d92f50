// SPDX-License-Identifier: BSD-3-Clause
// Files that users name in parameters. Only regular files are accepted, so a device or a pipe,
// which may block or never end, is rejected at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace hmsim {

class InputFile {
 public:
  // Opens the file. All member functions throw an InputError that names the file and the parameter.
  InputFile(const std::string& path, std::string_view parameter);

  std::uint64_t size() const { return size_; }
  // Returns the next `length` bytes. At least that many must remain.
  std::string read(std::size_t length);
  // Returns the whole file. Call it before any read(). The file is held in memory, so check size()
  // first if it may be large.
  std::string read_all() { return read(static_cast<std::size_t>(size_)); }

 private:
  [[noreturn]] void fail(std::string_view what) const;

  std::string path_;
  std::string parameter_;
  std::uint64_t size_ = 0;
  std::ifstream file_;
};

}  // namespace hmsim
