# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hmsim.runs.session import CAUSES

from .experts import ExpertTiers
from .load import SECOND
from .server import Parts, Request, Server
from .slow_tier import SlowTier

MS = 10**9  # picoseconds


T = TypeVar("T")


def at_p95(items: Sequence[T], key: Callable[[T], float]) -> T:
    """Return the first item, by key, that at least 95 % do not exceed."""
    return sorted(items, key=key)[-(-95 * len(items) // 100) - 1]


def _figure(
    requests: list[Request], time: Callable[[Request], float], parts: Callable[[Request], Parts]
) -> dict[str, float]:
    """Return mean and P95 of a time in ms, and the parts of the mean and of the request at P95."""
    at = at_p95(requests, time)
    whole = parts(at).queue + parts(at).roofline + parts(at).device
    scale = time(at) / whole if whole else 0.0
    found = {"mean": sum(map(time, requests)) / len(requests) / MS, "p95": time(at) / MS}
    for part in ("queue", "roofline", "device"):
        found[f"p95_{part}"] = getattr(parts(at), part) * scale / MS
    return found


def token_time(request: Request) -> float:
    """Return the picoseconds of a token after the first; 0 if there is none."""
    tokens = request.arrival.output - 1
    return (request.ended - request.first_token) / tokens if tokens else 0.0


def figures(
    server: Server, slow: SlowTier, experts: ExpertTiers | None, targets: tuple[float, float]
) -> dict[str, Any]:
    """Return all figures; `targets` are the milliseconds of a good request's two times."""
    requests = server.ended
    begun = min(each.arrival.time for each in requests)
    seconds = (max(each.ended for each in requests) - begun) / SECOND
    first = _figure(requests, lambda r: r.first_token - r.arrival.time, lambda r: r.first)
    token = _figure(requests, token_time, lambda r: r.rest)
    good = sum(
        each.first_token - each.arrival.time <= targets[0] * MS
        and token_time(each) <= targets[1] * MS
        for each in requests
    )
    count = slow.reads["count"]
    found: dict[str, Any] = {
        "requests": len(requests),
        "seconds": seconds,
        "steps": server.steps,
        "tokens_per_s": sum(each.arrival.output for each in requests) / seconds,
        "goodput_per_s": good / seconds,
        "first_token_ms": first,
        "token_ms": token,
        "prefix_hit_rate": server.prefix_resident / max(1, server.prefix_blocks),
        "slow_bytes": {name: slow.bytes[name] for name in ("read", "write", "trim")},
        "read_us_p95": at_p95(slow.latencies, float) / 1e6 if count else 0.0,
        "read_us": {cause: slow.reads[cause] / 1e6 / max(1, count) for cause in CAUSES},
    }
    if experts is not None:
        found["expert_hit_rate"] = 1 - experts.missed / max(1, experts.used)
    return found


def table(found: dict[str, Any]) -> str:
    """Return the figures as text."""
    lines = [
        f"{found['requests']} requests in {found['seconds']:.3f} s, {found['steps']} steps: "
        f"{found['tokens_per_s']:.1f} tokens/s, goodput {found['goodput_per_s']:.2f} requests/s",
        f"{'ms':20}{'mean':>10}{'P95':>10} = {'queue':>10}{'roofline':>10}{'device':>10}",
    ]
    for key, name in (("first_token_ms", "time to first token"), ("token_ms", "time per token")):
        of = found[key]
        lines.append(
            f"{name:20}{of['mean']:10.2f}{of['p95']:10.2f}   "
            f"{of['p95_queue']:10.2f}{of['p95_roofline']:10.2f}{of['p95_device']:10.2f}"
        )
    moved = found["slow_bytes"]
    rates = f"{100 * found['prefix_hit_rate']:.1f} % of prefixes"
    if "expert_hit_rate" in found:
        rates += f", {100 * found['expert_hit_rate']:.1f} % of experts"
    causes = " ".join(
        f"{name} {time:.1f}" for name, time in found["read_us"].items() if time >= 0.05
    )
    lines += [
        f"in the fast tier: {rates}",
        f"slow tier: {moved['read'] / 1e9:.2f} GB read, {moved['write'] / 1e9:.2f} GB written",
        f"a read, us: P95 {found['read_us_p95']:.1f}; mean by cause: {causes or 'no reads'}",
    ]
    return "\n".join(lines)
