# SPDX-License-Identifier: BSD-3-Clause
"""Is access to the ports of a running sweep limited as docs/security.md states?"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import socket
import struct
from pathlib import Path
from typing import Any

import pytest
import yaml
from hmsim.common.paths import data_directory
from hmsim.points.clusters import listens, load_cluster
from hmsim.points.workers import Processes

LISTENS = "0A"  # TCP_LISTEN of Linux's include/net/tcp_states.h
KUBERNETES = data_directory() / "configs" / "clusters" / "kubernetes" / "dask.yaml"
SCHEDULER, WORKER = ({"app": f"hmsim-dask-{name}"} for name in ("scheduler", "worker"))
IMAGE = r".+@sha256:[0-9a-f]{64}"


def processes_below(root: int) -> set[int]:
    """Return a process and all below it."""
    parents = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            # Its name, in parentheses, may hold anything; its state and its parent follow.
            parents[int(file.parent.name)] = int(file.read_text().rpartition(")")[2].split()[1])
    found = {root}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def sockets(process: int) -> set[str]:
    """Return the inodes of a process's sockets."""
    found = set()
    with contextlib.suppress(OSError):  # the process has just ended
        for file in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):  # or the file was closed
                found.add(os.readlink(file))
    return {link[8:-1] for link in found if link.startswith("socket:[")}


def listening() -> set[tuple[str, int]]:
    """Return the addresses and ports on which this process and its descendants listen."""
    own = set().union(*(sockets(process) for process in processes_below(os.getpid())))
    found = set()
    for family, table in ((socket.AF_INET, "tcp"), (socket.AF_INET6, "tcp6")):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            columns = line.split()
            if columns[3] == LISTENS and columns[9] in own:
                address, port = columns[1].split(":")
                words = [int(address[at : at + 8], 16) for at in range(0, len(address), 8)]
                packed = b"".join(struct.pack("=I", word) for word in words)
                found.add((socket.inet_ntop(family, packed), int(port, 16)))
    return found


def place(address: str) -> tuple[str, int]:
    host, port = address.removeprefix("tcp://").split(":")
    return host, int(port)


def test_a_local_sweep_listens_nowhere() -> None:
    before = listening()
    with Processes(2) as processes:
        future = processes.submit([], 0)
        with pytest.raises(ZeroDivisionError):  # a batch of no points
            future.result()
        assert len(processes_below(os.getpid())) > 1 and listening() == before


def test_a_batch_cluster_serves_no_web_pages() -> None:
    pytest.importorskip("dask_jobqueue")
    before = listening()
    with load_cluster("slurm").batch() as cluster:
        assert "--no-dashboard --preload hmsim.points.workers" in cluster.job_script()
        ports = {port for _, port in listening() - before}
        assert ports == {place(cluster.scheduler_address)[1]}


@pytest.mark.parametrize("interface", ["", "lo"])
@pytest.mark.parametrize("name", ["slurm", "pbs"])
def test_a_batch_cluster_reports_its_address(name: str, interface: str) -> None:
    pytest.importorskip("dask_jobqueue")
    shipped = load_cluster(name)
    assert "interface" not in shipped.options
    options = {**shipped.options, **({"interface": interface} if interface else {})}
    before = listening()
    with dataclasses.replace(shipped, options=options).batch() as cluster:
        opened = listening() - before
        reported = listens(cluster)
        script = cluster.job_script()
    (port,) = {port for _, port in opened}
    host = "127.0.0.1" if interface else "0.0.0.0"
    assert {(host, port)} <= opened <= {(host, port)} | (set() if interface else {("::", port)})
    assert f" {host}:{port}" in reported
    assert ("options: interface" in reported) == (not interface)
    assert (f"--interface {interface}" in script) == bool(interface)


@pytest.fixture
def objects() -> list[dict[str, Any]]:
    """The objects that the file for Kubernetes makes."""
    return list(yaml.safe_load_all(KUBERNETES.read_text(encoding="utf-8")))


def test_pods_are_confined(objects: list[dict[str, Any]]) -> None:
    pods = [each["spec"]["template"] for each in objects if each["kind"] == "Deployment"]
    assert [pod["metadata"]["labels"] for pod in pods] == [SCHEDULER, WORKER]
    images = set()
    for pod in (pod["spec"] for pod in pods):
        assert pod["automountServiceAccountToken"] is False
        context = pod["securityContext"]
        assert context["runAsNonRoot"] is True and context["runAsUser"] > 0
        assert context["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
        (container,) = pod["containers"]
        images.add(container["image"])
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert set(container["resources"]["limits"]) == {"cpu", "memory"}
        kinds = {volume["name"]: set(volume) - {"name"} for volume in pod["volumes"]}
        assert {each["name"] for each in container["volumeMounts"]} == set(kinds)
        assert {kind for own in kinds.values() for kind in own} <= {
            "emptyDir",
            "persistentVolumeClaim",
        }
        assert "--no-dashboard" in container["command"]
        assert "hmsim.points.workers" in " ".join(container["command"])
    assert len(images) == 1 and re.fullmatch(IMAGE, images.pop())


def test_only_workers_reach_the_scheduler(objects: list[dict[str, Any]]) -> None:
    policies = {
        each["spec"]["podSelector"]["matchLabels"]["app"]: each["spec"]
        for each in objects
        if each["kind"] == "NetworkPolicy"
    }
    assert set(policies) == {SCHEDULER["app"], WORKER["app"]}
    for spec in policies.values():
        assert sorted(spec["policyTypes"]) == ["Egress", "Ingress"]

    def peers(app: str, way: str, who: str) -> list[dict[str, str]]:
        rules = policies[app][way]
        assert all(rule[who] and rule["ports"] for rule in rules)  # a rule without is for all
        return [peer["podSelector"]["matchLabels"] for rule in rules for peer in rule[who]]

    dns = {"k8s-app": "kube-dns"}
    assert peers(SCHEDULER["app"], "ingress", "from") == [WORKER]
    assert peers(SCHEDULER["app"], "egress", "to") == [WORKER, dns]
    assert peers(WORKER["app"], "ingress", "from") == [SCHEDULER, WORKER]
    assert peers(WORKER["app"], "egress", "to") == [SCHEDULER, WORKER, dns]
    (service,) = (each for each in objects if each["kind"] == "Service")
    assert "type" not in service["spec"]  # inside the cluster alone
