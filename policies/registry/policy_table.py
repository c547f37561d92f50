# SPDX-License-Identifier: BSD-3-Clause
"""The table of policies, made from the files of their folders, for every build of them."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Union

KINDS = ("arbiter", "buffer", "gc", "page", "replacement", "scheduler", "victim")


def policy_names(folder: Union[str, Path]) -> list[str]:
    """Return the sorted names of the policies below ``folder``: the stems of ``KIND/*.cc``."""
    return sorted(path.stem for kind in KINDS for path in Path(folder, kind).glob("*.cc"))


def policy_table(names: Iterable[str]) -> str:
    """Return the C++ source that defines ``hmsim::kPolicyTable`` and ``hmsim::kPolicyTableSize``.

    Each file ``policies/KIND/NAME.cc`` defines ``hmsim::kPolicy_NAME``, a ``PolicyDescriptor`` with
    external linkage.

    Raises ValueError when a name is not a lower-case C++ identifier, or when there is none.
    """
    names = sorted(names)
    wrong = [name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]*", name)]
    if wrong or not names:
        raise ValueError(f"not a name of a policy: {', '.join(wrong) or 'an empty list'}")
    declarations = "\n".join(f"extern const PolicyDescriptor kPolicy_{name};" for name in names)
    entries = "\n".join(f"    &kPolicy_{name}," for name in names)
    return f"""\
// SPDX-License-Identifier: BSD-3-Clause
// Generated from the files of policies/.
#include <cstddef>

#include "policies/policy.h"

namespace hmsim {{

{declarations}

extern const PolicyDescriptor* const kPolicyTable[];
extern const std::size_t kPolicyTableSize;

const PolicyDescriptor* const kPolicyTable[] = {{
{entries}
}};
const std::size_t kPolicyTableSize = {len(names)};

}}  // namespace hmsim
"""
