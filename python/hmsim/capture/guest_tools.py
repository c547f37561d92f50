# SPDX-License-Identifier: BSD-3-Clause
"""Host tools for building a guest: Debian's tools and packages, and an archive of files."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import stat
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

from hmsim._core import InputError
from hmsim.common.paths import data_directory

Report = Callable[[str, Optional[float]], None]  # a step's name, and how much of it is done
MAVEN = "https://repo1.maven.org/maven2"
SIGNED = "APT::Get::AllowUnauthenticated=false"  # whatever apt's configuration says
LARGEST_JAR = 64 << 20  # bytes
NETWORK_SECONDS = 60  # to wait for an answer
LAST_LINES = 12  # of a failed tool's output that a message shows

# Debian's package of each program.
PACKAGE_OF = {
    "apt-get": "apt",
    "bc": "bc",
    "bison": "bison",
    "dpkg-deb": "dpkg",
    "g++": "g++",
    "flex": "flex",
    "gcc": "gcc",
    "gzip": "gzip",
    "ld": "binutils",
    "make": "make",
    "mke2fs": "e2fsprogs",
    "nm": "binutils",
    "perl": "perl",
    "qemu-system-x86_64": "qemu-system-x86",
    "tar": "tar",
    "xz": "xz-utils",
}
# Debian's package of each header and library, by a file that gcc finds.
FILE_PACKAGES = {"gelf.h": "libelf-dev", "libc.a": "libc6-dev"}
ADMINISTRATOR = ("/usr/sbin", "/sbin")  # where mke2fs lies, often not in PATH


class GuestError(InputError):
    """A guest cannot be built or started; the message is meant for the user."""


def source() -> Path:
    """Return the folder of the guests' sources."""
    return data_directory() / "workloads" / "guest"


def pinned() -> dict[str, str]:
    """Return the versions that ``packages.txt`` requires, by package."""
    return {name: version for name, version, *_ in _packages()}


def digest_of(name: str) -> str:
    """Return the SHA-256 that ``packages.txt`` requires for the download of package ``name``."""
    return next(digest[0] for found, _, *digest in _packages() if found == name)


def _packages() -> list[list[str]]:
    lines = (source() / "packages.txt").read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def find_tool(name: str) -> Optional[str]:
    """Return a program's path, or None."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *ADMINISTRATOR])
    return shutil.which(name, path=path)


def need_tools(names: Sequence[str], files: Sequence[str] = ()) -> None:
    """Raise GuestError that names Debian's packages of all programs and files that are missing."""
    missing = {name: PACKAGE_OF[name] for name in names if find_tool(name) is None}
    if files and "gcc" not in missing:
        missing |= {name: FILE_PACKAGES[name] for name in files if not _gcc_finds(name)}
    if missing:
        packages = " ".join(sorted(set(missing.values())))
        raise GuestError(
            f"missing: {', '.join(missing)}; on Debian: apt-get install --no-install-recommends "
            f"{packages}"
        )


def _gcc_finds(name: str) -> bool:
    if name.endswith(".h"):
        command = ["gcc", "-E", "-include", name, "-x", "c", os.devnull, "-o", os.devnull]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    done = subprocess.run(
        ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=False
    )
    return os.path.isabs(done.stdout.strip())


def version_of(command: Sequence[str]) -> str:
    """Return the first line that a program prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip().partition("\n")[0]


def run_tool(
    what: str,
    command: Sequence[str],
    folder: Path,
    environment: Optional[Mapping[str, str]] = None,
    on_line: Callable[[int], None] = lambda lines: None,
) -> None:
    """Run a program in ``folder``; ``on_line`` gets the lines printed so far.

    Raises GuestError with the last of its output when it fails. Its process group ends with us.
    """
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "LC_ALL": "C", **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    lines: list[str] = []
    count = 0
    try:
        assert process.stdout
        for line in process.stdout:
            count += 1
            lines = [*lines[1 - LAST_LINES :], line.rstrip()]
            on_line(count)
        status = process.wait()
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if status:
        raise GuestError(
            f"{what}: '{command[0]}' failed (exit status {status}):\n" + "\n".join(lines)
        )


def unpack_package(name: str, version: str, folder: Path) -> str:
    """Unpack a Debian package below ``folder``; return the version it has.

    The version is ``version`` if the archive still offers it, otherwise the newest one there.
    Raises GuestError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    downloads = folder / "DEBIAN"  # no package unpacks such a folder
    downloads.mkdir()
    for wanted in (f"{name}={version}", name):
        done = subprocess.run(
            ["apt-get", "download", "-q", "-o", SIGNED, wanted],
            cwd=downloads,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            break
    else:
        reason = done.stderr.strip().rpartition("\n")[2]
        raise GuestError(
            f"Debian's package {name} cannot be downloaded ({reason}); run 'apt-get "
            "update' if there are no package lists"
        )
    (package,) = downloads.glob("*.deb")
    run_tool(f"unpacking {name}", ["dpkg-deb", "-x", str(package), str(folder)], folder)
    found = version_of(["dpkg-deb", "-f", str(package), "Version"])
    package.unlink()
    downloads.rmdir()
    return found


def download_jar(name: str, version: str, digest: str, folder: Path) -> None:
    """Put a jar of Maven Central, named ``group:artifact[:classifier]``, into ``folder``.

    Raises GuestError if the download fails or its SHA-256 differs.
    """
    import urllib.request  # takes a tenth of a second

    group, artifact, *classifier = name.split(":")
    file = "-".join([artifact, version, *classifier]) + ".jar"
    address = f"{MAVEN}/{group.replace('.', '/')}/{artifact}/{version}/{file}"
    try:
        with urllib.request.urlopen(address, timeout=NETWORK_SECONDS) as answer:
            content = answer.read(LARGEST_JAR)
    except OSError as error:
        raise GuestError(f"{address}: cannot be downloaded: {error}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise GuestError(f"{address}: its SHA-256 must be {digest} as in packages.txt, got {found}")
    (folder / file).write_bytes(content)


@dataclass(frozen=True)
class Entry:
    """A file of an initial RAM disk; folders have no content, links have their target."""

    mode: int  # type and permissions
    content: Union[bytes, Path] = b""  # or the file that holds it


FOLDER = Entry(stat.S_IFDIR | 0o755)


def program(content: Union[bytes, Path]) -> Entry:
    return Entry(stat.S_IFREG | 0o755, content)


def data(content: Union[bytes, Path]) -> Entry:
    return Entry(stat.S_IFREG | 0o644, content)


def link(target: str) -> Entry:
    return Entry(stat.S_IFLNK | 0o777, target.encode())


def write_cpio(path: Path, entries: Mapping[str, Entry]) -> None:
    """Write an archive in the kernel's "newc" format, the same bytes for the same entries.

    Source: Linux, Documentation/driver-api/early-userspace/buffer-format.rst.
    """
    with path.open("wb") as archive:

        def put(content: Union[bytes, Path]) -> None:
            if isinstance(content, bytes):
                archive.write(content)
            else:
                with content.open("rb") as file:
                    shutil.copyfileobj(file, archive, 1 << 20)
            archive.write(bytes(-archive.tell() % 4))

        ordered = [*sorted(entries.items()), ("TRAILER!!!", Entry(0))]
        for number, (name, entry) in enumerate(ordered, 1):
            content = entry.content
            size = len(content) if isinstance(content, bytes) else content.stat().st_size
            links = 2 if stat.S_ISDIR(entry.mode) else 1
            inside = name.encode() + b"\0"
            # inode, mode, user, group, links, time, size, device (2), device of a node (2), name,
            # check sum
            numbers = (number, entry.mode, 0, 0, links, 0, size, 0, 0, 0, 0, len(inside), 0)
            put(b"070701" + b"".join(b"%08x" % value for value in numbers) + inside)
            put(content)
