// SPDX-License-Identifier: BSD-3-Clause
// The policies of a process: those that were compiled in, and those in shared libraries.
#pragma once

#include <string>
#include <vector>

#include "policies/policy.h"

namespace hmsim {

// Made once, when it is first asked for, and constant from then on. The libraries are what the
// environment variable HMSIM_POLICIES names, files or folders of files *.so, separated by colons;
// where it is not set, those in the user's own folder, $XDG_DATA_HOME/hmsim/policies. A library
// that other users may change (code_file.h) is an error.
class PolicyCatalog {
 public:
  // Throws InputError, each time, when a library cannot be loaded, was built against another hmsim,
  // or has the name of another policy.
  static const PolicyCatalog& instance();

  // In the order of their names.
  const std::vector<const PolicyDescriptor*>& policies() const { return policies_; }
  // The files that were loaded.
  const std::vector<std::string>& libraries() const { return libraries_; }

 private:
  friend struct PolicyCatalogUnderTest;
  PolicyCatalog();
  void load(const std::string& path);

  std::vector<const PolicyDescriptor*> policies_;
  std::vector<std::string> libraries_;
};

}  // namespace hmsim
