# SPDX-License-Identifier: BSD-3-Clause
"""Does the capture plug-in recognise instructions with effects other than their accesses?"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "workloads" / "capture"

OPCODES = r"""
#include <stdio.h>
#include "opcodes.h"
int main(void) {
    unsigned char code[15];
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        size_t size = 0;
        unsigned byte;
        int used;
        for (char *at = line; sscanf(at, "%2x%n", &byte, &used) == 1; at += used)
            code[size++] = (unsigned char)byte;
        printf("%d%d%d%d%d%d%d%d\n", is_marker(code, size), is_self_test(code, size),
               is_probe(code, size), is_flush(code, size), stores_non_temporal(code, size),
               is_flush_probe(code, size), is_store_fence(code, size), message_part(code, size));
    }
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_instructions_are_recognised(tmp_path: Path) -> None:
    (tmp_path / "opcodes.c").write_text(OPCODES)
    binary = tmp_path / "opcodes"
    command = ["gcc", "-O1", f"-I{SOURCES}", "-o", binary, tmp_path / "opcodes.c"]
    subprocess.run(command, check=True)
    cases = {
        "6687DB": "10000000",  # xchg %bx,%bx
        "6687C9": "01000000",  # xchg %cx,%cx
        "3E3E3E8A06": "00100000",  # the probe
        "3E3E3E3E8A06": "00000100",  # the one before a flush
        "3E3E3E3E3E8A06": "00000001",  # a message's begin
        "3E3E3E3E3E3E8A06": "00000002",  # a word of it
        "3E3E3E3E3E3E3E8A06": "00000003",  # its end
        "3E3E3E3E3E3E3E3E8A06": "00000000",
        "8A06": "00000000",  # mov (%rsi),%al
        "0FAE38": "00010000",  # clflush (%rax)
        "3E0FAE38": "00010000",  # as Linux writes it, room for a prefix
        "660FAE38": "00010000",  # clflushopt (%rax)
        "660FAE30": "00010000",  # clwb (%rax)
        "0FAE30": "00000000",  # xsaveopt (%rax)
        "0FAEE8": "00000000",  # lfence
        "0FAEF0": "00000010",  # mfence
        "0FAEF8": "00000010",  # sfence
        "480FC307": "00001000",  # movnti %rax,(%rdi)
    }
    text = "\n".join(cases) + "\n"
    done = subprocess.run([binary], input=text, capture_output=True, text=True, check=True)
    assert dict(zip(cases, done.stdout.split())) == cases
