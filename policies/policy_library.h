// SPDX-License-Identifier: BSD-3-Clause
// Policies in shared libraries. `hmsim policy build` compiles a policy's file into one; a process
// loads it in addition to the compiled-in policies.
//
// Such a library defines hmsim_policy_library and contains its own copy of the parts of core/ and
// policies/monitors/ that it uses. Only the hmsim it was built against loads it; `interface`
// identifies that build.
#pragma once

#include "policies/policy.h"

namespace hmsim {

// A hash of the contents of the headers that a policy is compiled with.
extern const char* const kPolicyInterface;

struct PolicyLibrary {
  const char* interface;  // kPolicyInterface of the hmsim it was built against
  const PolicyDescriptor* policy;
};

inline constexpr const char* kPolicyLibrarySymbol = "hmsim_policy_library";

}  // namespace hmsim
