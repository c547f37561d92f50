# SPDX-License-Identifier: BSD-3-Clause
"""Do the placement handles of writes reach the flash, from wherever users give them?

The oracle counts by hand the pages that each handle writes.
"""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import hmsim
import pytest
import zstandard
from hmsim import InputError, load_config
from support import fio_agents, write

SECTORS = 8  # of 512 B, in a page
# Pages of each handle, written once each, in an order that mixes them.
PAGES = {0: 400, 1: 200, 5: 100}
HANDLES = [handle for handle, pages in PAGES.items() for _ in range(pages)]
ORDER = sorted(range(len(HANDLES)), key=lambda page: page * 37 % len(HANDLES))
FLASH = {
    "capacity": "64MiB",
    "ftl.over_provisioning": 50,
    "ftl.placement": "by_handle",
    "ftl.streams": 8,
    "nand.channels": 2,
    "nand.chips": 1,
    "nand.pages_per_block": 64,
    "buffer.read_size": "64KiB",
    "buffer.write_size": "64KiB",
    "buffer.flush": "writeback",
}
DRIVE = {"capacity": "32MiB", "flash.nand.dies": 1, "flash.nand.planes": 1} | {
    f"flash.{key}": value for key, value in FLASH.items()
}
POSTED = {"controller.ack": "nvdimm_p"}
BLOCKS = Path(__file__).resolve().parents[2] / "workloads" / "blocks"
CSV = "time: 0, op: 1, offset: 2, size: 3, time_unit: 1us, offset_unit: 4KiB"


def under(prefix: str, keys: dict[str, object]) -> dict[str, object]:
    return {prefix + key: value for key, value in keys.items()}


def by_stream(result: hmsim.Result, name: str) -> dict[int, float]:
    """Return a statistic of the streams that wrote, and check that they add up."""
    owner = "storage.device.flash" if "storage.device.flash.ftl.waf" in result.stats else "nvdimm"
    for each in ("host_pages", "gc_pages"):
        parts = [result.stats[f"{owner}.ftl.stream.{stream}.{each}"] for stream in range(8)]
        assert sum(parts) == result.stats[f"{owner}.ftl.{each}"]
    counts = {stream: result.stats[f"{owner}.ftl.stream.{stream}.{name}"] for stream in range(8)}
    return {stream: count for stream, count in counts.items() if count}


@pytest.mark.parametrize(
    ("base", "keys", "kept"),  # pages that buffers may keep at the end
    [
        ("mascots16", under("nvdimm.", FLASH), 0),
        ("mascots16", under("nvdimm.", FLASH) | POSTED, 0),
        ("mascots16", under("nvdimm.", FLASH) | {"nvdimm.buffer.release": "datain"}, 0),
        ("storage/mqsim_ssd", under("storage.", DRIVE), 0),
        ("storage/mqsim_ssd", under("storage.", DRIVE) | {"storage.cache.first": "64KiB"}, 0),
        ("storage/mqsim_ssd", under("storage.", DRIVE) | {"storage.write_cache.size": "64KiB"}, 32),
    ],
    ids=["nvdimm", "posted", "datain", "drive", "page_cache", "write_cache"],
)
def test_handles_of_a_trace_reach_the_flash(
    tmp_path: Path, base: str, keys: dict[str, object], kept: int
) -> None:
    lines = [f"{time},W,{page},4096,{HANDLES[page]}" for time, page in enumerate(ORDER)]
    write(tmp_path / "t.csv", "\n".join([*lines, f"{len(lines)},F,0,0"]) + "\n")
    agent = f"{{kind: block_trace, path: t.csv, format: csv, columns: {{{CSV}, handle: 4}}}}"
    workload = write(tmp_path / "w.yaml", f"agents:\n  - {agent}\n")
    result = hmsim.run(load_config(base, keys), workload, check=True)
    counted = by_stream(result, "host_pages")
    assert counted.keys() == PAGES.keys()
    for handle, pages in PAGES.items():
        assert pages - kept <= counted[handle] <= pages


def test_logs_of_stores_have_a_separate_stream() -> None:
    """Pages of the shipped traces that are written in the log and elsewhere."""
    for name, log in (("key_values", (18, 22)), ("berkeley_hash", (42, 64))):
        packed = (BLOCKS / f"{name}.blkparse.zst").read_bytes()
        text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed))
        writes: Counter[int] = Counter()
        distinct: set[int] = set()
        for fields in map(str.split, text):
            if fields[5] != "Q" or "W" not in fields[6]:
                continue
            first, sectors = int(fields[7]), int(fields[9])
            pages = range(first // SECTORS, (first + sectors - 1) // SECTORS + 1)
            logged = log[0] << 11 <= first < log[1] << 11
            writes[int(logged)] += len(pages)
            distinct.update(pages)
        assert all(writes.values())
        keys = under("storage.", DRIVE | {"capacity": "64MiB", "flash.capacity": "128MiB"})
        counted = by_stream(
            hmsim.run(load_config("storage/mqsim_ssd", keys), name, check=True), "host_pages"
        )
        inside = {page for page in distinct if log[0] << 8 <= page < log[1] << 8}
        for stream, least in ((1, len(inside)), (0, len(distinct) - len(inside))):
            assert least - 16 <= counted[stream] <= writes[stream]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fdp=1\n", ("0-63", "round_robin")),
        ("dataplacement=fdp\nplids=5,0-2\nplid_select=random\n", ("0-2, 5", "random")),
        ("fdp=1\nfdp_pli=4,5\nfdp_pli_select=roundrobin\n", ("4, 5", "round_robin")),
        ("dataplacement=streams\nplids=3\n", ("3", "round_robin")),
        ("fdp=0\nplids=3\n", None),
        ("fdp=1\nrw=read\n", None),
    ],
)
def test_fio_handles_are_read(tmp_path: Path, text: str, expected: tuple[str, str] | None) -> None:
    (agent,), notes = fio_agents(tmp_path, f"[a]\nrw=write\nsize=1m\n{text}")
    found = (agent["handle"], agent["handle_order"]) if "handle" in agent else None
    assert found == expected
    assert any("by_handle" in note for note in notes) == (expected is not None)


def test_schemes_of_fio_apply_to_each_file(tmp_path: Path) -> None:
    write(tmp_path / "scheme", "0, 65536, 2\n65536, 131072, 3\n")
    text = "[a]\nrw=randwrite\nsize=256k\nfdp=1\nplid_select=scheme\ndp_scheme=scheme\nnumjobs=2\n"
    (agent,), _ = fio_agents(tmp_path, text)
    ends = [(2, 0, 64), (3, 64, 128), (2, 256, 320), (3, 320, 384)]
    assert agent["handle"] == ", ".join(f"{h}/{a * 1024}B-{b * 1024}B" for h, a, b in ends)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fdp=1\nplids=1-x\n", "plids: must be numbers or ranges"),
        ("dataplacement=streams\n", "plids: is required with dataplacement=streams"),
        ("fdp=1\nplid_select=scheme\n", "dp_scheme: is required"),
        ("fdp=1\nplid_select=scheme\ndp_scheme=none\n", "dp_scheme: cannot read"),
    ],
)
def test_invalid_handles_of_fio_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fio_agents(tmp_path, f"[a]\nrw=write\nsize=1m\n{text}")


def test_each_clone_takes_handles_in_turn(tmp_path: Path) -> None:
    """A clone's writes alternate, so that half of each clone's pages have each handle."""
    job = "[a]\nrw=write\nsize=1m\nnumjobs=2\nfdp=1\nplids=2,3\nend_fsync=1\n"
    config = load_config("storage/mqsim_ssd", under("storage.", DRIVE))
    result = hmsim.run(config, write(tmp_path / "a.fio", job))
    counted = by_stream(result, "host_pages")
    assert counted.keys() == {2, 3} and all(256 - 16 <= pages <= 256 for pages in counted.values())


def test_invalid_handles_are_rejected(tmp_path: Path) -> None:
    for handle, message in (("1/3MiB-2MiB", "END"), ("2-1", "FIRST-LAST"), ("65536", "0 to 65535")):
        agent = f'{{kind: io_pattern, handle: "{handle}"}}'
        workload = write(tmp_path / "w.yaml", f"agents:\n  - {agent}\n")
        with pytest.raises(InputError, match=message):
            hmsim.run("storage/nvme", workload)
    write(tmp_path / "t.csv", "0,W,0,4096,65536\n")
    agent = f"{{kind: block_trace, path: t.csv, format: csv, columns: {{{CSV}, handle: 4}}}}"
    workload = write(tmp_path / "w.yaml", f"agents:\n  - {agent}\n")
    with pytest.raises(InputError, match="the handle 65536 exceeds 65535"):
        hmsim.run("storage/nvme", workload)
