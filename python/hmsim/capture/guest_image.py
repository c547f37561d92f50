# SPDX-License-Identifier: BSD-3-Clause
"""The guests' images: archives of files that the kernel unpacks into memory when it starts.

The small one holds busybox, jobs and C programs; the full one also a Java runtime and Spark.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

from hmsim.capture import guest_tools as tools
from hmsim.capture.guest_kernel import build_modules
from hmsim.capture.guest_tools import Entry, GuestError, Report, pinned, source

PROGRAMS = "../programs"  # that captures in user mode run, too
SMALL_TOOLS = ["apt-get", "dpkg-deb", "g++", "gcc", "gzip", "ld", "make", "tar"]
# Busybox applets for init and jobs; those in the last line are for Hadoop's local files and
# clusters.
APPLETS = (
    *("cat", "cp", "dd", "echo", "grep", "hostname", "ifconfig", "insmod", "ln", "ls", "mkdir"),
    "mount",
    *("poweroff", "printf", "rm", "sh", "sleep", "sync", "umount"),
    *("chmod", "groups", "id", "readlink", "setsid", "stat", "taskset", "whoami"),
)
# Tools that make a file system inside the guest when the host did not, and their libraries.
E2FS_PACKAGES = ("e2fsprogs", "libext2fs2", "libcom-err2", "libblkid1", "libuuid1", "libc6")
E2FS_LIBRARIES = ("ext2fs", "e2p", "com_err", "blkid", "uuid", "c")
LIBRARIES = "lib/x86_64-linux-gnu"
LOADER = "lib64/ld-linux-x86-64.so.2"
# Java's runtime environment. The packages are only unpacked: they work without installation.
JAVA_PACKAGES = ("libc6", "libgcc-s1", "libstdc++6", "zlib1g", "openjdk-17-jre-headless")
COMPILER_PACKAGE = "openjdk-17-jdk-headless"
JAVA_FOLDERS = ("etc/java-17-openjdk", "lib", "lib64", "usr/lib/jvm", "usr/lib/x86_64-linux-gnu")
NOT_OF_JAVA = ("lib/ct.sym", "usr/lib/x86_64-linux-gnu/gconv")
JAVA_HOME = "usr/lib/jvm/java-17-openjdk-amd64"
SPARK_PACKAGE = "pyspark"  # of PyPI; it holds all of Spark's own jars
# Packages of Maven Central: Lucene, and Hadoop's tests, which include TestDFSIO.
MAVEN_PACKAGES = (
    "org.apache.hadoop:hadoop-mapreduce-client-jobclient:tests",
    "org.apache.lucene:lucene-core",
)
# Parts of Spark that no job here can use: other clusters, databases, columnar files, other systems.
NOT_OF_SPARK = (
    *("HikariCP", "bonecp", "datanucleus-", "derby", "hive-", "ivy", "javax.jdo", "jdo-"),
    *("jline", "jpam", "jta", "kubernetes-", "libfb303", "libthrift", "logging-interceptor"),
    *("mesos", "netty-all", "netty-codec-http2", "netty-codec-socks", "netty-transport-native-k"),
    *("okhttp", "okio", "opencsv", "orc-", "rocksdbjni", "scala-compiler", "spark-hive"),
    *("spark-kubernetes", "spark-mesos", "spark-repl", "spark-yarn", "super-csv", "tink"),
    "zjsonpatch",
)


def job_names(small: bool) -> tuple[str, ...]:
    """Return the names of all jobs of the small image, or of the full one."""
    return tuple(sorted(path.name for path in _jobs(small)))


def _jobs(small: bool) -> list[Path]:
    folders = ("jobs",) if small else ("jobs", "jvm")
    return [path for folder in folders for path in sorted((source() / folder).iterdir())]


def build_image(
    kernel: Path, small: bool, folder: Path, scratch: Path, report: Report
) -> dict[str, Any]:
    """Put an image into ``folder``; return its inputs. Raises GuestError."""
    tools.need_tools(SMALL_TOOLS, ["libc.a"])
    report("image", None)
    versions: dict[str, str] = {}
    entries = _base(kernel, scratch, versions)
    for path in _jobs(small):
        entries[f"jobs/{path.name}"] = tools.data(path)
    if not small:
        entries |= _java(scratch, versions)
        entries |= _spark(scratch, versions, report)
    tools.write_cpio(folder / "initramfs.cpio", entries)
    report("image", 1)
    return {"packages": versions, "jobs": list(job_names(small))}


def _base(kernel: Path, scratch: Path, versions: dict[str, str]) -> dict[str, Entry]:
    """Return busybox, init, our programs and our kernel modules."""
    package = scratch / "busybox"
    _unpack("busybox-static", package, versions)
    folders = ("bin", "data", "dev", "jobs", "lib", "proc", "sys", "tmp")
    entries: dict[str, Entry] = {name: tools.FOLDER for name in folders}
    entries["bin/busybox"] = tools.program(package / "bin" / "busybox")
    entries |= {f"bin/{name}": tools.link("busybox") for name in APPLETS}
    entries["init"] = tools.program(source() / "init")
    lemon = scratch / "lemon"
    _unpack("liblemon-dev", lemon, versions)
    compilers = {".c": ["gcc"], ".cc": ["g++", "-std=c++17", f"-isystem{lemon}/usr/include"]}
    for path in sorted([*(source() / "programs").iterdir(), *(source() / PROGRAMS).iterdir()]):
        if path.suffix in compilers:
            binary = scratch / path.stem
            flags = ["-O2", "-static", "-s", "-Wl,--build-id=none", "-o", str(binary)]
            flags.append(f"-ffile-prefix-map={scratch}=.")  # assertions name their files
            compiler = compilers[path.suffix]
            tools.run_tool(path.name, [*compiler, *flags, path.name], path.parent)
            entries[f"bin/{path.stem}"] = tools.program(binary)
    entries |= _mkfs(scratch / "e2fs", versions)
    for name, module in build_modules(kernel, scratch).items():
        entries[f"lib/{name}"] = tools.data(module)
    return entries


def _mkfs(root: Path, versions: dict[str, str]) -> dict[str, Entry]:
    """Return mkfs.ext4 and its libraries."""
    for package in E2FS_PACKAGES:
        _unpack(package, root, versions)
    entries = {name: tools.FOLDER for name in ("lib64", LIBRARIES)}
    entries["bin/mkfs.ext4"] = tools.program(root / "sbin" / "mke2fs")
    entries[LOADER] = tools.program((root / LOADER).resolve())
    for name in E2FS_LIBRARIES:
        (library,) = root.glob(f"**/{LIBRARIES}/lib{name}.so.[0-9]")
        entries[f"{LIBRARIES}/{library.name}"] = tools.program(library.resolve())
    return entries


def _unpack(package: str, folder: Path, versions: dict[str, str]) -> None:
    versions[package] = tools.unpack_package(package, pinned()[package], folder)


def _java(scratch: Path, versions: dict[str, str]) -> dict[str, Entry]:
    """Return Debian's Java runtime and the libraries that it needs."""
    root = scratch / "java"
    for package in JAVA_PACKAGES:
        _unpack(package, root, versions)
    entries = {
        "etc": tools.FOLDER,
        "etc/hosts": tools.data(b"127.0.0.1 localhost\n"),
        "etc/passwd": tools.data(b"root:x:0:0:root:/:/bin/sh\n"),
        "usr": tools.FOLDER,
        "usr/lib": tools.FOLDER,
    }
    for top in JAVA_FOLDERS:
        for path in [root / top, *sorted((root / top).rglob("*"))]:
            name = path.relative_to(root).as_posix()
            if any(part in name for part in NOT_OF_JAVA):
                continue
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                entries[name] = tools.link(os.readlink(path))
            elif stat.S_ISDIR(mode):
                entries[name] = tools.FOLDER
            else:
                entries[name] = tools.program(path) if mode & stat.S_IXUSR else tools.data(path)
    return entries


def _spark(scratch: Path, versions: dict[str, str], report: Report) -> dict[str, Entry]:
    """Return Spark's jars and our jobs in Java."""
    report("image: Spark", None)
    version = pinned()[SPARK_PACKAGE]
    downloads, jars = scratch / "spark", scratch / "jars"
    downloads.mkdir()
    jars.mkdir()
    wanted = scratch / "requirements.txt"  # pip runs nothing of a package before its digest fits
    digest = tools.digest_of(SPARK_PACKAGE)
    wanted.write_text(f"{SPARK_PACKAGE}=={version} --hash=sha256:{digest}\n")
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    fetch += ["--disable-pip-version-check", "--require-hashes", "--requirement", str(wanted)]
    tools.run_tool("Spark", fetch, downloads)
    (archive,) = downloads.iterdir()
    unpack = ["tar", "-C", str(jars), "-xzf", str(archive), "--strip-components=3", "--wildcards"]
    tools.run_tool("Spark", [*unpack, "*/deps/jars/*.jar"], downloads)
    for path in list(jars.iterdir()):
        if path.name.startswith(NOT_OF_SPARK) or "aarch_64" in path.name or "osx" in path.name:
            path.unlink()
    versions[SPARK_PACKAGE] = version
    for package in MAVEN_PACKAGES:
        versions[package] = pinned()[package]
        tools.download_jar(package, versions[package], tools.digest_of(package), jars)
    entries = {f"spark/{path.name}": tools.data(path) for path in sorted(jars.iterdir())}
    if not entries:
        raise GuestError(f"Spark: {archive.name} contains no jars")
    entries["spark"] = tools.FOLDER
    classes = scratch / "classes"
    _compile(scratch, jars, classes, versions)
    for path in sorted(classes.rglob("*")):
        name = f"spark/classes/{path.relative_to(classes).as_posix()}"
        entries[name] = tools.FOLDER if path.is_dir() else tools.data(path)
    entries["spark/classes"] = tools.FOLDER
    report("image: Spark", 1)
    return entries


def _compile(scratch: Path, jars: Path, classes: Path, versions: dict[str, str]) -> None:
    """Compile our jobs with Debian's Java compiler, run by the guest's Java."""
    root = scratch / "compiler"
    _unpack(COMPILER_PACKAGE, root, versions)
    _unpack("openjdk-17-jre-headless", root, versions)
    sources = [str(path) for path in sorted((source() / "java").glob("*.java"))]
    javac = [str(root / JAVA_HOME / "bin" / "javac"), "-cp", f"{jars}/*", "-d", str(classes)]
    tools.run_tool("javac", [*javac, *sources], scratch)
