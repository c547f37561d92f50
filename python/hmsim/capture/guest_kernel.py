# SPDX-License-Identifier: BSD-3-Clause
"""The guests' kernel: Debian's source, a lean configuration, and modules of our own for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hmsim.capture import guest_tools as tools
from hmsim.capture.guest_tools import GuestError, Report, pinned, source

KERNEL_PACKAGE = "linux-source-6.1"
KERNEL_LINES = 1700  # that its compilation prints, about
KERNEL_TOOLS = (
    *("apt-get", "bc", "bison", "dpkg-deb", "flex", "gcc", "gzip", "ld", "make", "perl", "tar"),
    "xz",
)
MODULE_TREE = "modules.tar.gz"  # what compiling a module needs
MODULE_TREE_FLAGS = (
    *("--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"),
    *("--exclude=*.[coa]", "--exclude=*.cmd", "--exclude=arch/x86/boot"),
)
MODULE_TREE_PARTS = (
    *(".config", "Kbuild", "Makefile", "Module.symvers", "arch/x86", "include", "scripts"),
    "tools/objtool/objtool",
)
# Fixed values for the kernel's banner, which names builder, host and time: builds are reproducible.
KERNEL_ENVIRONMENT = {
    "KBUILD_BUILD_TIMESTAMP": "Thu Jan  1 00:00:00 UTC 1970",
    "KBUILD_BUILD_USER": "hmsim",
    "KBUILD_BUILD_HOST": "hmsim",
    "KBUILD_BUILD_VERSION": "1",
}


def build_kernel(folder: Path, scratch: Path, report: Report) -> dict[str, Any]:
    """Put kernel, configuration and headers for modules into ``folder``; return the inputs.

    Raises GuestError.
    """
    tools.need_tools(KERNEL_TOOLS, ["gelf.h"])
    report("kernel: source", None)
    version = tools.unpack_package(KERNEL_PACKAGE, pinned()[KERNEL_PACKAGE], scratch / "package")
    archive = scratch / "package" / "usr" / "src" / f"{KERNEL_PACKAGE}.tar.xz"
    tree = scratch / "tree"
    tree.mkdir()
    unpack = ["tar", "-xJf", str(archive), "--strip-components=1"]
    tools.run_tool("the kernel's source", unpack, tree)
    report("kernel: source", 1)

    def make(*targets: str, on_line: Callable[[int], None] = lambda lines: None) -> None:
        command = ["make", f"-j{os.cpu_count() or 1}", *targets]
        tools.run_tool("the kernel", command, tree, KERNEL_ENVIRONMENT, on_line)

    fragment = source() / "kernel.config"
    make("tinyconfig")
    merge = ["scripts/kconfig/merge_config.sh", "-m", ".config", str(fragment)]
    tools.run_tool("the kernel's configuration", merge, tree)
    make("olddefconfig")
    _check_configuration(fragment.read_text(), (tree / ".config").read_text())
    step = "kernel: compile"
    make("bzImage", "modules", on_line=lambda lines: report(step, min(lines / KERNEL_LINES, 0.99)))
    report(step, 1)
    shutil.copyfile(tree / "arch" / "x86" / "boot" / "bzImage", folder / "bzImage")
    shutil.copyfile(tree / "vmlinux", folder / "vmlinux")
    shutil.copyfile(tree / ".config", folder / "config")
    pack = ["tar", "-C", str(tree), "-I", "gzip -n", "-cf", str(folder / MODULE_TREE)]
    tools.run_tool("the kernel's headers", [*pack, *MODULE_TREE_FLAGS, *MODULE_TREE_PARTS], tree)
    return {"packages": {KERNEL_PACKAGE: version}}


def _check_configuration(fragment: str, result: str) -> None:
    """Reject a kernel that lacks an option of the fragment, for example after a renaming."""
    given = set(result.splitlines())
    for line in fragment.splitlines():
        if line.startswith("CONFIG_") and line not in given:
            raise GuestError(f"the kernel's configuration: {line} was not accepted")


def build_modules(kernel: Path, scratch: Path) -> dict[str, bytes]:
    """Return our modules for the kernel in a folder, by file name."""
    tree, driver = scratch / "modules", scratch / "driver"
    tree.mkdir()
    unpack = ["tar", "-xzf", str(kernel / MODULE_TREE)]
    tools.run_tool("the kernel's headers", unpack, tree)
    shutil.copytree(source() / "driver", driver)
    make = ["make", "-C", str(tree), f"M={driver}", "modules"]
    tools.run_tool("our kernel modules", make, driver, KERNEL_ENVIRONMENT)
    return {path.name: path.read_bytes() for path in sorted(driver.glob("*.ko"))}
