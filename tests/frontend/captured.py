# SPDX-License-Identifier: BSD-3-Clause
"""Captures a program of our own, and decodes the trace."""

from __future__ import annotations

import re
import shutil
import subprocess
from array import array
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pytest
from hmsim.capture import CaptureSummary, ProgramSettings, capture, guest
from hmsim.capture.emulation import PLUGIN
from hmsim.capture.guest_tools import GuestError, need_tools
from hmsim.traces.file import Header, TraceFile

FILL, WRITE_BACK, NON_TEMPORAL, ESCAPE = range(4)
ADD, BEGIN, END = range(3)

needs_qemu = pytest.mark.skipif(
    shutil.which("qemu-x86_64") is None or not PLUGIN.is_file() or shutil.which("gcc") is None,
    reason="needs qemu-user, gcc and the built plug-in",
)


def rows_of(folder: Path, suffix: str) -> dict[str, list[str]]:
    """Return the cells of README.md's rows that begin with a file's name, by that name."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    rows = re.findall(rf"^\| `(\w+)\.{suffix}` \|(.*)\|$", text, re.M)
    return {name: rest.replace(",", "").replace(" ", "").split("|") for name, rest in rows}


def without_guest(*tools: str) -> str:
    """Return what captures of whole systems lack here, or ""."""
    if shutil.which("qemu-system-x86_64") is None:
        return "needs qemu-system-x86_64 (Debian: qemu-system-x86)"
    try:
        guest.find_guest("fio-direct-read")
        need_tools([*tools])
    except GuestError as error:
        return str(error)
    return ""


PROGRAM = r"""
#define _GNU_SOURCE
#include <immintrin.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile char *memory;
static void marker(void) { __asm__ volatile("xchg %bx,%bx"); }
static void *pages(size_t bytes) {
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void read_lines(size_t lines, size_t stride) {
    for (size_t i = 0; i < lines; i++) (void)memory[i * stride];
}
static void write_lines(size_t lines) {
    for (size_t i = 0; i < lines; i++) memory[i * 64] = 1;
}
static pthread_barrier_t all_started;  // else a late thread takes over the index of one that ended
static void *reader(void *start) {
    volatile char *mine = start;
    pthread_barrier_wait(&all_started);
    for (size_t i = 0; i < 65536; i++) (void)mine[i * 64];
    return NULL;
}
__attribute__((target("avx"))) static void stream_avx(char *to, size_t n) {
    for (size_t i = 0; i < n; i++) {
        _mm256_stream_si256((__m256i *)(to + i * 64), _mm256_set1_epi8(1));
        _mm256_stream_ps((float *)(to + i * 64 + 32), _mm256_set1_ps(1));
    }
}
int main(int argc, char **argv) {
    const char *what = argv[1];
    size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (!strcmp(what, "read") || !strcmp(what, "write") || !strcmp(what, "stride")) {
        memory = pages(n * 4096);
        marker();
        if (*what == 'r') read_lines(n, 64);
        else if (*what == 'w') write_lines(n);
        else read_lines(n, 4096);
        marker();
    } else if (!strcmp(what, "nt")) {
        char *to = pages(n * 64);
        marker();
        for (size_t i = 0; i < n * 4; i++)
            _mm_stream_si128((__m128i *)to + i, _mm_set1_epi8(1));
        marker();
    } else if (!strcmp(what, "nt_avx")) {
        char *to = pages(n * 64);
        marker();
        stream_avx(to, n);
        marker();
    } else if (!strcmp(what, "nt_half")) {
        char *to = pages(n * 64);
        marker();
        for (size_t i = 0; i < n; i++) _mm_stream_si64((long long *)(to + i * 64), 1);
        marker();
    } else if (!strcmp(what, "files")) {
        static char buffer[1 << 21];
        int in = open(argv[2], O_RDONLY), out = open(argv[3], O_RDWR | O_CREAT | O_TRUNC, 0600);
        struct iovec parts[2] = {{buffer, 512}, {buffer, 1024}};
        off_t offset = 4096;
        long done = read(in, buffer, 1000);
        done += pread(in, buffer, 100, 512 * 9 + 500);
        done += write(out, buffer, 4096);
        done += pwrite(out, buffer, 512, 1 << 20);
        done += readv(in, parts, 2);
        done += sendfile(out, in, &offset, 8192);
        done += read(in, buffer, 1 << 21);
        int log = open(argv[3], O_WRONLY | O_APPEND);
        done += write(log, buffer, 10);
        printf("%ld\n", done);
    } else if (!strcmp(what, "syncs")) {
        static char buffer[4096];
        int file = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600), other = open(argv[3], O_RDWR);
        fsync(file);
        for (int i = 0; i < 3; i++) {
            pwrite(file, buffer, 4096, i * 4096);
            if (i != 1) fdatasync(file);
        }
        fsync(other);
        fsync(99);
        pread(file, buffer, 4096, 4096);
        close(file);
        file = open(argv[2], O_RDWR | O_DSYNC);
        pwrite(file, buffer, 512, 8192);
        syncfs(file);
        sync();
    } else if (!strcmp(what, "threads")) {
        pthread_t threads[12];
        pthread_barrier_init(&all_started, NULL, n);
        for (size_t i = 0; i < n; i++) {
            memory = pages(1 << 22);
            pthread_create(&threads[i], NULL, reader, (void *)memory);
        }
        for (size_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
    } else if (!strcmp(what, "fork")) {
        memory = pages(1 << 24);
        if (fork() == 0) { read_lines(1 << 18, 64); exit(7); }
        int status;
        wait(&status);
        return WEXITSTATUS(status) == 7 ? 0 : 1;
    } else if (!strcmp(what, "exit")) {
        return (int)n;
    } else if (!strcmp(what, "abort")) {
        abort();
    } else if (!strcmp(what, "exec")) {
        execl(argv[2], argv[2], NULL);
    } else if (!strcmp(what, "sleep")) {
        sleep(60);
    }
    return 0;
}
"""


@dataclass
class Trace:
    """A decoded trace: (kind, line, vCPU, instruction count of the vCPU) of each access."""

    header: Header
    accesses: list[tuple[int, int, int, int]] = field(default_factory=list)
    instructions: int = 0
    regions: list[int] = field(default_factory=list)  # number of accesses before each marker

    def lines(self, kind: int) -> list[int]:
        return [line for what, line, _, _ in self.accesses if what == kind]


def decode(path: Path) -> Trace:
    file = TraceFile(path)
    trace = Trace(file.header)
    records = array("Q", b"".join(file.records()))
    assert file.header.records == len(records)
    counts = [0] * 8
    for record in records:
        line, kind = record & (1 << 40) - 1, record >> 40 & 3
        vcpu, high = record >> 42 & 7, record >> 45
        if kind == ESCAPE:
            assert high in (ADD, BEGIN, END)
            if high == ADD:
                counts[vcpu] += line
            else:
                trace.regions.append(len(trace.accesses))
        else:
            counts[vcpu] += high
            trace.accesses.append((kind, line, vcpu, counts[vcpu]))
    trace.instructions = sum(counts)
    return trace


def run(
    folder: Path, *command: str, name: str = "t.hmsim.zst", **options: Any
) -> tuple[CaptureSummary, Trace]:
    options.setdefault("timeout", 120)
    settings, others = settings_of(options)
    others.setdefault("stdout", subprocess.DEVNULL)
    summary = capture(command, folder / name, settings, **others)
    return summary, decode(folder / name)


def settings_of(options: dict[str, Any]) -> tuple[ProgramSettings, dict[str, Any]]:
    """Return the settings among some options, and the other options."""
    names = {field.name for field in fields(ProgramSettings)}
    mine = {name: value for name, value in options.items() if name in names}
    return ProgramSettings(**mine), {n: v for n, v in options.items() if n not in names}


def has_run(lines: list[int], length: int) -> bool:
    """Return whether ``length`` successive lines appear in order, possibly with others between."""
    best: dict[int, int] = {}
    for line in lines:
        best[line] = best.get(line - 1, 0) + 1
    return max(best.values(), default=0) >= length
