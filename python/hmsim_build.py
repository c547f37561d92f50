# SPDX-License-Identifier: BSD-3-Clause
"""The PEP 517 and PEP 660 build backend: SCons compiles in the source tree, this packs the result.

``pip install . --config-settings scons="compiler=clang mode=debug"`` hands variables to SCons.
"""

import base64
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Any, Optional

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
DATA_FOLDERS = ("configs", "workloads")  # in the wheel: hmsim/data/<folder>
DATA_LIMIT = 4 << 20  # bytes; larger files are made by tools, not shipped
BUILD_PRODUCTS = (".a", ".o", ".pyc", ".so")
Settings = Optional[dict[str, Any]]


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return []  # all that is needed stands in pyproject.toml


get_requires_for_build_editable = get_requires_for_build_wheel
get_requires_for_build_sdist = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: Settings = None
) -> str:
    name = _dist_info()
    for path, content in _metadata_files().items():
        target = Path(metadata_directory, name, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None
) -> str:
    _compile(config_settings)
    extension = "_core" + sysconfig.get_config_var("EXT_SUFFIX")
    package = ROOT / "python" / "hmsim"
    files = {
        f"hmsim/{path.relative_to(package).as_posix()}": path
        for path in _files_below(package)
        if path.suffix != ".so" or path.name == extension or path.parent.name == "_capture"
    }
    for folder in DATA_FOLDERS:
        for path in _files_below(ROOT / folder):
            if not _is_build_product(path) and path.stat().st_size <= DATA_LIMIT:
                files[f"hmsim/data/{path.relative_to(ROOT).as_posix()}"] = path
    return _write_wheel(wheel_directory, {name: path.read_bytes() for name, path in files.items()})


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None
) -> str:
    _compile(config_settings)
    return _write_wheel(wheel_directory, {"hmsim.pth": f"{ROOT / 'python'}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Pack the files that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    stem = f"hmsim-{_project()['version']}"
    contents = {f"{stem}/PKG-INFO": (_metadata_files()["METADATA"], 0o644)}
    for name in sorted(set(os.fsdecode(listed).split("\0"))):
        path = ROOT / name
        if path.is_file():
            contents[f"{stem}/{name}"] = (path.read_bytes(), 0o644 | path.stat().st_mode & 0o111)
    archive = f"{stem}.tar.gz"
    with tarfile.open(Path(sdist_directory, archive), "w:gz", format=tarfile.PAX_FORMAT) as sdist:
        for name, (content, mode) in contents.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(content), mode, _timestamp()
            sdist.addfile(entry, io.BytesIO(content))
    return archive


def _compile(config_settings: Settings) -> None:
    variables = shlex.split((config_settings or {}).get("scons", ""))
    scons = [sys.executable, "-m", "SCons", "-Q", "extension", "capture"]
    subprocess.run([*scons, *variables], cwd=ROOT, check=True)


def _files_below(folder: Path) -> list[Path]:
    """Return the regular files, without hidden ones and caches, in a fixed order."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not any(
            part.startswith(".") or part == "__pycache__" for part in path.relative_to(folder).parts
        )
    )


def _is_build_product(path: Path) -> bool:
    with path.open("rb") as file:
        return path.suffix in BUILD_PRODUCTS or file.read(4) == b"\x7fELF"


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project


def _dist_info() -> str:
    return f"hmsim-{_project()['version']}.dist-info"


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    abi = "cp" + sysconfig.get_config_var("SOABI").split("-")[1]
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"{python}-{abi}-{platform}"


def _metadata_files() -> dict[str, bytes]:
    """Return the files of the ``.dist-info`` folder but RECORD."""
    project = _project()
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", project["name"]),
        ("Version", project["version"]),
        ("Summary", project["description"]),
        ("Author", ", ".join(author["name"] for author in project["authors"])),
        ("License-Expression", project["license"]),
        *(("License-File", name) for name in project["license-files"]),
        ("Keywords", ",".join(project["keywords"])),
        *(("Classifier", classifier) for classifier in project["classifiers"]),
        ("Requires-Python", project["requires-python"]),
        *(("Requires-Dist", requirement) for requirement in project["dependencies"]),
    ]
    for extra, requirements in project["optional-dependencies"].items():
        fields.append(("Provides-Extra", extra))
        fields += [("Requires-Dist", f'{item}; extra == "{extra}"') for item in requirements]
    fields.append(("Description-Content-Type", "text/markdown; charset=UTF-8"))
    header = "".join(f"{name}: {value}\n" for name, value in fields)
    wheel = f"Wheel-Version: 1.0\nGenerator: hmsim\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    scripts = "".join(f"{name} = {target}\n" for name, target in project["scripts"].items())
    texts = {
        "METADATA": header + "\n" + (ROOT / project["readme"]).read_text("utf-8"),
        "WHEEL": wheel,
        "entry_points.txt": "[console_scripts]\n" + scripts,
        **{f"licenses/{name}": (ROOT / name).read_text() for name in project["license-files"]},
    }
    return {name: text.encode() for name, text in texts.items()}


def _write_wheel(directory: str, contents: dict[str, bytes]) -> str:
    info = _dist_info()
    contents = {**contents, **{f"{info}/{k}": v for k, v in _metadata_files().items()}}
    record = "".join(f"{name},{_digest(data)},{len(data)}\n" for name, data in contents.items())
    contents[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{info[: -len('.dist-info')]}-{_tag()}.whl"
    date = time.gmtime(_timestamp())[:6]
    with zipfile.ZipFile(Path(directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100755 if data.startswith(b"#!") else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "sha256=" + digest.decode().rstrip("=")


def _timestamp() -> int:
    """Return the time written into archives, in seconds; zip's calendar begins in 1980."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)
