// SPDX-License-Identifier: BSD-3-Clause
#include "policies/registry/policy_catalog.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "core/errors.h"
#include "policies/policy_library.h"
#include "policies/registry/code_file.h"

#ifndef HMSIM_POLICY_INTERFACE
#error "the build names the interface (tools/policy_interface.py)"
#endif

namespace hmsim {

const char* const kPolicyInterface = HMSIM_POLICY_INTERFACE;

namespace {

namespace fs = std::filesystem;

bool is_library(const fs::path& path) {
  std::error_code none;
  return path.extension() == ".so" && fs::is_regular_file(path, none);
}

std::vector<std::string> libraries_in(const fs::path& folder) {
  std::vector<std::string> found;
  std::error_code none;  // the folder may be missing
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (is_library(entry.path())) {
      found.push_back(entry.path().string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Returns the user's policy folder, or "" without a home directory. Ignores a relative
// XDG_DATA_HOME, as the XDG Base Directory Specification (0.8) requires: it would load code from
// the current directory.
std::string own_folder() {
  if (const char* const data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/') {
    return std::string(data) + "/hmsim/policies";
  }
  const char* const home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.local/share/hmsim/policies";
}

std::vector<std::string> wanted_libraries() {
  const char* const named = std::getenv("HMSIM_POLICIES");
  if (named == nullptr) {
    const std::string folder = own_folder();
    return folder.empty() ? std::vector<std::string>() : libraries_in(folder);
  }
  std::vector<std::string> wanted;
  std::string_view rest(named);
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string place(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    std::error_code none;
    if (fs::is_directory(place, none)) {
      const std::vector<std::string> all = libraries_in(place);
      wanted.insert(wanted.end(), all.begin(), all.end());
    } else if (!place.empty()) {
      wanted.push_back(place);
    }
  }
  return wanted;
}

}  // namespace

const PolicyCatalog& PolicyCatalog::instance() {
  static const PolicyCatalog kInstance;
  return kInstance;
}

PolicyCatalog::PolicyCatalog() : policies_(kPolicyTable.begin(), kPolicyTable.end()) {
  for (const std::string& path : wanted_libraries()) {
    load(path);
  }
  std::sort(policies_.begin(), policies_.end(),
            [](const PolicyDescriptor* a, const PolicyDescriptor* b) {
              return std::strcmp(a->name, b->name) < 0;
            });
}

// Loads a library and never unloads it, because policies and their descriptors live in it.
void PolicyCatalog::load(const std::string& path) {
  if (!is_library(path)) {
    throw InputError(path + ": is not a policy's library (*.so); HMSIM_POLICIES names it");
  }
  if (const std::string reason = changed_by_others(path); !reason.empty()) {
    throw InputError(path + ": not loaded: " + reason);
  }
  void* const handle = dlopen(fs::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw InputError(path + ": cannot be loaded: " + dlerror());
  }
  const auto* const library =
      static_cast<const PolicyLibrary*>(dlsym(handle, kPolicyLibrarySymbol));
  if (library == nullptr) {
    throw InputError(path + ": contains no policy; 'hmsim policy build' makes such libraries");
  }
  if (std::strcmp(library->interface, kPolicyInterface) != 0) {
    throw InputError(path + ": was built for another hmsim; run 'hmsim policy build' again");
  }
  const std::string_view name = library->policy->name;
  if (std::any_of(policies_.begin(), policies_.end(),
                  [&](const PolicyDescriptor* other) { return name == other->name; })) {
    throw InputError(path + ": another policy has the same name: '" + std::string(name) + "'");
  }
  policies_.push_back(library->policy);
  libraries_.push_back(path);
}

}  // namespace hmsim
