# SPDX-License-Identifier: BSD-3-Clause
"""Command line: python -m serving --config CONFIG ..."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import hmsim
from hmsim import InputError
from hmsim.common.directories import check_file, new_file

from .experts import ExpertTiers, TraceRouting, ZipfRouting
from .load import SECOND, poisson, read_trace
from .model import MODELS, Model
from .policy import POLICIES
from .result import figures, table
from .server import Limits, Server
from .slow_tier import PAGE, SlowTier
from .step import Machine, Step
from .tier import KeyTiers


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message; exit with status 2."""
        self.exit(2, f"serving: {message.removeprefix('argument ')}\n")


def _number(least: float, most: float, kind: type) -> Any:
    def parse(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(f"must be in {least:g} .. {most:g}, got {text!r}")
        return value

    return parse


def parser() -> Parser:
    """Return the parser of the command line."""
    made = Parser(prog="serving", description=__doc__, allow_abbrev=False)
    made.add_argument("--config", default="hbm3e_hbf", help="configuration of the slow tier")
    made.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a parameter of the configuration",
    )
    made.add_argument("--model", choices=sorted(MODELS), default="llama_3_1_8b")
    made.add_argument("--policy", choices=sorted(POLICIES), default="lru")
    made.add_argument("--trace", type=Path, help="CSV: arrival_s,conversation,prompt,output")
    made.add_argument("--routing", type=Path, help="lines of: layer expert expert ...")
    made.add_argument(
        "--copies", action="store_true", help="simulate DRAM's part of a block's move, too"
    )
    made.add_argument(
        "--first-lines",
        action="store_true",
        help="read a line of each page of a block before the block",
    )
    made.add_argument("--out", type=Path, help="JSON file of all figures")
    whole, real = (1, 10**9, int), (1e-6, 1e9, float)
    for name, default, limits, text in (
        ("layers", None, (1, 1024, int), "layers, instead of the model's"),
        ("bandwidth", 3350.0, real, "GB/s of the fast tier"),
        ("gflops", 990e3, (0, 1e12, float), "GFLOP/s; 0: computing takes no time"),
        ("fast", 16.0, (0, 1e6, float), "GiB of the fast tier for blocks of keys and values"),
        ("block", 16, (1, 4096, int), "tokens of a block"),
        ("batch", 32, (1, 4096, int), "requests that run at once"),
        ("chunk", 512, whole, "tokens of a step"),
        ("read-ahead", 1, (0, 1024, int), "layers whose blocks are read ahead"),
        ("load-ahead", 4, (1, 4096, int), "requests that load before they run"),
        ("rate", 10.0, real, "requests/s, a Poisson process"),
        ("requests", 100, (1, 10**6, int), "requests"),
        ("conversations", 50, (1, 10**6, int), "conversations that requests belong to"),
        ("history", 2048, (0, 10**7, int), "tokens of a conversation before its first request"),
        ("prompt", 128, (1, 10**7, int), "mean new tokens of a prompt"),
        ("output", 64, (1, 10**7, int), "mean tokens of an answer"),
        ("experts", 0.5, (0, 1, float), "share of experts in the fast tier"),
        ("zipf", 0.8, (0, 10, float), "exponent of the experts' popularity"),
        ("first-token-target", 500.0, real, "ms to the first token of a good request"),
        ("token-target", 50.0, real, "ms a token of a good request"),
        ("seed", 1, (0, 2**32, int), "seed"),
    ):
        made.add_argument(
            f"--{name}",
            type=_number(*limits),
            default=default,
            metavar="N",
            help=f"{text} (default: {default})",
        )
    return made


def overrides(settings: list[str]) -> dict[str, str]:
    """Return the parameters of --set."""
    for each in settings:
        if "=" not in each:
            raise InputError(f"--set: expected KEY=VALUE, got {each!r}")
    return dict(each.split("=", 1) for each in settings)


def check_block(model: Model, block: int) -> None:
    """Refuse a block whose part of a layer is not of whole pages."""
    if block * model.kv_bytes % PAGE:
        pages = next(n for n in range(block, block + PAGE) if n * model.kv_bytes % PAGE == 0)
        raise InputError(
            f"--block: {block} tokens of a layer have {block * model.kv_bytes} bytes, which must "
            f"be a multiple of {PAGE}; nearest: {pages}"
        )


def serve(args: argparse.Namespace) -> dict[str, Any]:
    """Run the server; return its figures."""
    if args.out:
        check_file(args.out, force=True)
    if args.chunk < args.batch:
        raise InputError(f"--chunk: must be at least --batch, {args.batch}, got {args.chunk}")
    model = MODELS[args.model]
    model = replace(model, layers=args.layers or model.layers)
    check_block(model, args.block)
    if args.routing and not model.experts:
        raise InputError(f"--routing: {args.model} has no experts")
    load = (
        read_trace(args.trace)
        if args.trace
        else poisson(
            args.rate, args.requests, args.conversations, args.prompt, args.output, args.seed
        )
    )
    settings = overrides(args.set)
    if not args.copies:  # no request goes to DRAM, whose refresh would take most of the time
        settings.setdefault("dram.refresh", "false")
    system = hmsim.System(args.config, settings, seed=args.seed)
    block_bytes = args.block * model.kv_bytes * model.layers
    experts_bytes = model.layers * model.experts * model.expert_bytes
    slow = SlowTier(system, experts_bytes, block_bytes, args.copies, args.first_lines)
    policy = POLICIES[args.policy]()
    tiers = KeyTiers(slow, policy, int(args.fast * 2**30 // block_bytes), block_bytes)
    experts = routing = None
    if model.experts:
        experts = ExpertTiers(
            slow, policy, model.layers, model.experts, model.expert_bytes, args.experts
        )
        routing = (
            TraceRouting(args.routing, model.layers, model.experts)
            if args.routing
            else (ZipfRouting(model.experts, model.experts_per_token, args.zipf, args.seed))
        )
    machine = Machine(args.bandwidth * 1e9 / SECOND, args.gflops * 1e9 / SECOND)
    step = Step(system, model, machine, tiers, args.read_ahead, args.block, experts, routing)
    limits = Limits(args.batch, args.chunk, args.load_ahead, args.history, args.block)
    server = Server(system, load, tiers, step, limits)
    server.run()
    return figures(server, slow, experts, (args.first_token_target, args.token_target))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    args = parser().parse_args(arguments)
    try:
        found = serve(args)
        if args.out:
            with new_file(args.out, force=True) as fresh:
                fresh.write_text(json.dumps(found, indent=2) + "\n")
    except InputError as error:
        print(f"serving: {error}", file=sys.stderr)
        return 2
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
