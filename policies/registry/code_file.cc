// SPDX-License-Identifier: BSD-3-Clause
#include "policies/registry/code_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/errors.h"

namespace hmsim {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // the limit of Linux for one path

std::string of_entry(const fs::path& path, const struct stat& status) {
  const std::string name = in_quotes(path.string());
  if (status.st_uid != 0 && status.st_uid != geteuid()) {
    return name + " belongs to another user (uid " + std::to_string(status.st_uid) + ")";
  }
  const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky && !S_ISLNK(status.st_mode)) {
    return name + " can be written by other users; run 'chmod go-w' on it";
  }
  return "";
}

std::string of_path(const fs::path& path, int& links) {
  fs::path walked;
  for (const fs::path& part : fs::absolute(path)) {
    walked /= part;
    struct stat status {};
    if (lstat(walked.c_str(), &status) != 0) {
      return in_quotes(walked.string()) + " cannot be read";
    }
    std::string reason = of_entry(walked, status);
    if (reason.empty() && S_ISLNK(status.st_mode)) {
      std::error_code none;
      reason = ++links > kMostLinks
                   ? in_quotes(walked.string()) + " is reached through more than 40 symbolic links"
                   : of_path(walked.parent_path() / fs::read_symlink(walked, none), links);
    }
    if (!reason.empty()) {
      return reason;
    }
  }
  return "";
}

}  // namespace

std::string changed_by_others(const fs::path& file) {
  int links = 0;
  return of_path(file, links);
}

}  // namespace hmsim
