// SPDX-License-Identifier: BSD-3-Clause
// Policies in shared libraries: what `hmsim policy build` makes of a policy's file, and a process
// finds beside the policies that were compiled in.
//
// Such a library defines hmsim_policy_library, and brings its own copy of what it uses of core/ and
// policies/monitors/. It is loaded by the hmsim that it was built against alone: `interface` tells.
#pragma once

#include "policies/policy.h"

namespace hmsim {

// Names the headers that a policy is compiled with, by their content.
extern const char* const kPolicyInterface;

struct PolicyLibrary {
  const char* interface;  // kPolicyInterface of the hmsim that it was built against
  const PolicyDescriptor* policy;
};

inline constexpr const char* kPolicyLibrarySymbol = "hmsim_policy_library";

}  // namespace hmsim
