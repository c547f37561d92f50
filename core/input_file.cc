// SPDX-License-Identifier: BSD-3-Clause
#include "core/input_file.h"

#include <filesystem>
#include <system_error>

#include "core/errors.h"

namespace hmsim {

InputFile::InputFile(const std::string& path, std::string_view parameter)
    : path_(path), parameter_(parameter) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    fail("is not a regular file");
  }
  size_ = std::filesystem::file_size(path, error);
  file_.open(path, std::ios::binary);
  if (error || !file_) {
    fail("cannot be read");
  }
}

std::string InputFile::read(std::size_t length) {
  std::string bytes(length, '\0');
  if (!file_.read(bytes.data(), static_cast<std::streamsize>(length))) {
    fail("cannot be read");
  }
  return bytes;
}

void InputFile::fail(std::string_view what) const {
  throw InputError(path_ + ": " + std::string(what) + " (" + parameter_ + ")");
}

}  // namespace hmsim
