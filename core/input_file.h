// SPDX-License-Identifier: BSD-3-Clause
// Files that users name in parameters. Only regular files are read, so that one that never ends or
// never begins (a device, a pipe) is refused at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace hmsim {

class InputFile {
 public:
  // Throws InputError that names the file and the parameter, as all that reads does.
  InputFile(const std::string& path, std::string_view parameter);

  std::uint64_t size() const { return size_; }
  // The next `length` bytes, of which there are so many.
  std::string read(std::size_t length);
  // The whole of one that nothing was read of; a caller bounds its size where that matters.
  std::string read_all() { return read(static_cast<std::size_t>(size_)); }

 private:
  [[noreturn]] void fail(std::string_view what) const;

  std::string path_;
  std::string parameter_;
  std::uint64_t size_ = 0;
  std::ifstream file_;
};

}  // namespace hmsim
