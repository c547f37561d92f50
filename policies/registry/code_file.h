// SPDX-License-Identifier: BSD-3-Clause
// Files that are executed, and who may change them.
#pragma once

#include <filesystem>
#include <string>

namespace hmsim {

// Returns why users other than this one and root may change which code a file holds; "": they may
// not. The file, each directory on its way and each symbolic link must belong to this user or to
// root, and group and others must not be able to write it. A sticky directory (/tmp) may be
// writable: nobody can replace what another user owns there. The file must exist.
std::string changed_by_others(const std::filesystem::path& file);

}  // namespace hmsim
