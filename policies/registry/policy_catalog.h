// SPDX-License-Identifier: BSD-3-Clause
// The policies of a process: compiled-in ones and those in shared libraries.
#pragma once

#include <string>
#include <vector>

#include "policies/policy.h"

namespace hmsim {

// Built on first use and constant afterwards. The environment variable HMSIM_POLICIES names the
// libraries: files, or folders of *.so files, separated by colons. If it is not set, the folder
// $XDG_DATA_HOME/hmsim/policies of the user is read. A library that other users may change
// (code_file.h) is an error.
class PolicyCatalog {
 public:
  // Throws InputError on every call if a library cannot be loaded, was built against another hmsim,
  // or repeats the name of another policy.
  static const PolicyCatalog& instance();

  // Returns the policies sorted by name.
  const std::vector<const PolicyDescriptor*>& policies() const { return policies_; }
  // Returns the paths of the loaded libraries.
  const std::vector<std::string>& libraries() const { return libraries_; }

 private:
  friend struct PolicyCatalogUnderTest;
  PolicyCatalog();
  void load(const std::string& path);

  std::vector<const PolicyDescriptor*> policies_;
  std::vector<std::string> libraries_;
};

}  // namespace hmsim
