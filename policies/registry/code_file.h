// SPDX-License-Identifier: BSD-3-Clause
// Checks who may change files that are executed.
#pragma once

#include <filesystem>
#include <string>

namespace hmsim {

// Returns why users other than this one and root may change the code in a file, or "" if they may
// not. The file, each directory on its path and each symbolic link must belong to this user or to
// root, and must not be writable by group or others. A sticky directory (/tmp) may be writable,
// because a user cannot replace another user's files there. The file must exist.
std::string changed_by_others(const std::filesystem::path& file);

}  // namespace hmsim
