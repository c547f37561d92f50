# SPDX-License-Identifier: BSD-3-Clause
"""Helpers shared by the commands: options, tables, and exit on errors."""

import contextlib
import errno
import json
import os
import shutil
import signal
import sys
import textwrap
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Optional, Union

import typer
from typer.core import TyperGroup

from hmsim._core import InputError, parse_integer, parse_time
from hmsim.cli.statuses import FAULT, INPUT, INTERRUPTED, UNHEARD
from hmsim.common.hints import hint
from hmsim.common.os_errors import reason
from hmsim.common.paths import shipped
from hmsim.common.tables import Row, number, render
from hmsim.runs.options import LARGEST_SEED

if TYPE_CHECKING:
    from hmsim.config.configuration import Config

TIME_LIMIT = "frontend.time_limit"
UNTIL = "frontend.until"
ENDS = ("finished", "steady")
ANEW = "nothing was written; the same command starts over"


def count(least: int, most: int = 2**63 - 1) -> Callable[[str], int]:
    """Return a parser of counts: 40000, 5M or 1e6."""

    def read(text: str) -> int:
        try:
            number = parse_integer(str(text))
        except InputError as error:
            raise typer.BadParameter(str(error)) from error
        if not least <= number <= most:
            raise typer.BadParameter(f"must be in {least} .. {most}, got {number}")
        return number

    return read


def shipped_names(folder: str) -> Callable[[str], list[str]]:
    """Return a function for shells that completes the names of a folder's shipped files."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in shipped(folder) if name.startswith(incomplete)]

    return complete


CONFIGS, POLICIES, WORKLOADS = map(shipped_names, ("configs", "configs/policies", "workloads"))

Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Sets = Annotated[
    Optional[list[str]],
    typer.Option("--set", metavar="PATH=VALUE", help="Set a parameter; may be repeated."),
]
Seed = Annotated[
    int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of all pseudo-random choices.")
]
Warmup = Annotated[
    Optional[str],
    typer.Option(
        metavar="TIME|N", help="Time ('10ms') or instructions per core to run before measuring."
    ),
]
For = Annotated[
    Optional[str],
    typer.Option(
        "--for",
        metavar="TIME",
        help="Simulated time to measure ('200ms') if agents do not finish earlier.",
    ),
]
Until = Annotated[
    Optional[str],
    typer.Option(
        "--until",
        metavar="finished|steady",
        help="steady: also end when the rates of all agents are steady.",
    ),
]
RequestLogFlag = Annotated[
    bool,
    typer.Option(
        "--request-log",
        help="Write requests.parquet (each memory request, its latency by cause) and "
        "io_requests.parquet (each block request).",
    ),
]
CommandLogFlag = Annotated[
    bool,
    typer.Option(
        "--command-log",
        help="Write commands, modules and threads.parquet, from which 'hmsim timeline' draws.",
    ),
]
LogRows = Annotated[
    int,
    typer.Option(
        parser=count(1, 10**9),
        metavar="N",
        help="Most rows of the command log, and of threads; later ones are dropped.",
    ),
]
Check = Annotated[
    bool,
    typer.Option(
        "--check", help="Check every command against the rules of devices, buses and acks."
    ),
]
NoCalibrate = Annotated[
    bool,
    typer.Option(
        "--no-calibrate", help="Fail if a policy needs an untrained table, instead of training it."
    ),
]
Jobs = Annotated[
    Optional[int],
    typer.Option(min=1, help="Simulations to run at a time; by default the number of processors."),
]
Cluster = Annotated[
    Optional[str], typer.Option(metavar="FILE", help="A cluster file: a path or a shipped name.")
]
Out = Annotated[
    Optional[str], typer.Option(metavar="DIR", help="Directory to write; must not exist yet.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace files of an earlier run.")]
ConfigArgument = Annotated[
    str,
    typer.Argument(
        metavar="CONFIG", help="A configuration: a path or a shipped name.", autocompletion=CONFIGS
    ),
]
Configs = Annotated[
    list[str],
    typer.Argument(
        metavar="CONFIG...",
        help="Configurations: paths or shipped names; CONFIG,POLICY adds a bundle.",
        autocompletion=CONFIGS,
    ),
]
WorkloadOption = Annotated[
    list[str],
    typer.Option(
        *("--workload", "--trace"),
        metavar="NAME",
        help="A workload: a YAML or fio job file, a shipped name, or a trace, as FILE,cores=0-3.",
        autocompletion=WORKLOADS,
    ),
]
PolicyOption = Annotated[
    Optional[list[str]],
    typer.Option(
        "--policy",
        metavar="NAME",
        help="A policy bundle: a path or a shipped name; or NAME,drained or NAME,mixed.",
        autocompletion=POLICIES,
    ),
]


class Terminated(KeyboardInterrupt):
    """A signal other than Ctrl-C asked the command to end.

    SIGTERM arrives from batch systems, for example, and SIGHUP when a terminal is closed.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Raise `Terminated` in the block when SIGTERM or SIGHUP arrives; nohup's SIGHUP is ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield  # where no signal arrives
        return

    def terminate(number: int, frame: object) -> None:
        raise Terminated(number)

    before = {
        number: signal.signal(number, terminate)
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def interruption(stop: KeyboardInterrupt, kept: str) -> typer.Exit:
    """Report that the command was stopped and what is ``kept``; return the exit exception."""
    if isinstance(stop, Terminated):
        print_message(f"terminated; {kept}")
        return typer.Exit(stop.status)
    print_message(f"interrupted; {kept}")
    return typer.Exit(INTERRUPTED)


@contextlib.contextmanager
def exit_on_errors() -> Iterator[None]:
    """End the program with status 2 for an input error, or 1 for a fault of hmsim.

    Errors of the file system count as input errors. Output is flushed when the block ends.
    """
    try:
        try:
            with _terminable():
                yield
        finally:
            _flush()
    except KeyboardInterrupt as stop:
        raise interruption(stop, ANEW) from None
    except InputError as error:
        print_message(str(error))
        raise typer.Exit(INPUT) from None
    except MemoryError as error:
        print_message(str(error) or "the machine provides no more memory")
        raise typer.Exit(INPUT) from None
    except Exception as error:
        if hasattr(error, "format_message") and type(error).__name__ != "NoArgsIsHelpError":
            print_message(_usage(error).rstrip("."))
            raise typer.Exit(INPUT) from None
        # Help and exits of typer carry their exit status.
        if isinstance(error, typer.Abort) or hasattr(error, "exit_code"):
            raise
        if isinstance(error, OSError) and error.errno:
            if error.errno == errno.EPIPE:
                raise typer.Exit(UNHEARD) from None
            # Errors of any other file carry its name.
            print_message(f"{error.filename or 'standard output'}: {reason(error)}")
            raise typer.Exit(INPUT) from None
        if os.environ.get("HMSIM_DEBUG") == "1":
            traceback.print_exc()
        print_message(f"{type(error).__name__}: {error}")
        print_message(
            "This is a fault of hmsim. Please report it with the command, the "
            "configuration and the output of HMSIM_DEBUG=1."
        )
        raise typer.Exit(FAULT) from None


def _usage(error: Any) -> str:
    """Return a usage error of typer as a line that begins with the option, or the command."""
    command = error.ctx.command_path if error.ctx else "hmsim"
    if hasattr(error, "possibilities"):
        near = " or ".join(f"'{each}'" for each in error.possibilities or ())
        advice = f"did you mean {near}?" if near else f"'{command} -h' lists them"
        return f"{error.option_name}: no such option; {advice}"
    if hasattr(error, "option_name"):
        text = error.message.removeprefix(f"Option '{error.option_name}' ")
        return f"{error.option_name}: {text}"
    if getattr(error, "param", None) is None:
        text = error.format_message()
        return f"{error.ctx.info_name}: {text[:1].lower()}{text[1:]}; see '{command} -h'"
    name = error.param.get_error_hint(error.ctx).replace("'", "")
    if hasattr(error, "param_type"):
        return f"{name}: is required: {error.param.help}"
    return f"{name}: {error.message}".replace("a valid int range", "a whole number")


class Group(TyperGroup):
    """A group of commands with the `exit_on_errors` of the program."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            raise InputError(f"{name}: no such command; {hint(name, self.commands)}")
        return super().resolve_command(ctx, args)

    def make_context(self, *arguments: Any, **keywords: Any) -> Any:
        with exit_on_errors():  # of --help and --version, too
            return super().make_context(*arguments, **keywords)

    def invoke(self, ctx: Any) -> Any:
        with exit_on_errors():
            return super().invoke(ctx)


@contextlib.contextmanager
def resumable(kept: str) -> Iterator[None]:
    """If the block is interrupted, report what is ``kept`` and that the same command resumes."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise interruption(stop, f"{kept}: the same command continues") from None


def application(
    text: Optional[str] = None,
    cls: type[Group] = Group,
    completion: bool = False,
    end: Optional[str] = None,
) -> typer.Typer:
    """Return an empty group of commands. ``completion`` adds the options for shell completion."""
    return typer.Typer(
        cls=cls,
        help=text,
        epilog=end,
        no_args_is_help=True,
        add_completion=completion,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def epilog(example: str, page: str) -> str:
    """Return the end of a command's help: example arguments, and a page to read."""
    return f"\b\nExample:  hmsim {example}\nMore in:  docs/{page}"


def print_message(message: str) -> None:
    """Print a message for the user on standard error; terminal control codes are escaped."""
    message = "".join(
        each if each.isprintable() or each == "\n" else ascii(each)[1:-1] for each in message
    )
    with contextlib.suppress(OSError):  # there is nobody left to tell
        print(f"hmsim: {message}", file=sys.stderr)


def _flush() -> None:
    """Flush standard output. After an OSError, which it raises, output goes to /dev/null."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        raise


def configuration(
    name: str, sets: Optional[Sequence[str]], policy: Optional[str] = None, check: bool = True
) -> "Config":
    """Return a configuration with the user's ``--set`` and ``--policy``. Raises InputError.

    With a policy it is always checked, otherwise only if ``check`` is true.
    """
    from hmsim.config.configuration import load_config  # with YAML, which lists need not

    overrides = {}
    for text in sets or ():
        path, equals, value = text.partition("=")
        if not equals or not path:
            raise InputError(f"--set {text}: expected PATH=VALUE")
        overrides[path.strip()] = value.strip()
    config = load_config(name, overrides, where="--set", check=check and policy is None)
    return config if policy is None else config.with_policy(policy)


def limited(sets: Optional[Sequence[str]], time: Optional[str], until: Optional[str]) -> list[str]:
    """Return the user's ``--set`` with the ends of ``--for`` and ``--until``. Raises InputError."""
    try:
        if time is not None and parse_time(time) <= 0:
            raise InputError(f"must be above 0s, got '{time}'")
    except InputError as error:
        raise InputError(f"--for: {error}") from error
    if until is not None and until not in ENDS:
        raise InputError(f"--until: '{until}' is not allowed; {hint(until, ENDS)}")
    given = [*(sets or ())]
    names = {text.partition("=")[0].strip() for text in given}
    for option, name, value in (("--for", TIME_LIMIT, time), ("--until", UNTIL, until)):
        if value is not None and name in names:
            raise InputError(f"{option}: sets {name}, which --set sets as well; use one of them")
        given += [] if value is None else [f"{name}={value}"]
    return given


def print_json(content: Any) -> None:
    """Print JSON on standard output."""
    print(json.dumps(content, indent=2, allow_nan=False))


def print_table(
    columns: Sequence[str], rows: Iterable[Union[Sequence[Any], str]], title: Optional[str] = None
) -> None:
    """Print a table on standard output: `tables.render`, with numbers as cells too."""
    if title:
        print(title)
    texts: list[Row] = [
        row if isinstance(row, str) else [c if isinstance(c, str) else number(c) for c in row]
        for row in rows
    ]
    print(render(columns, texts, terminal_width()), end="")


def print_facts(facts: Mapping[str, Any], title: str, as_json: bool) -> None:
    """Print named values on standard output, as JSON or as a table."""
    if as_json:
        print_json(facts)
    else:
        print_table(("", ">"), facts.items(), title)


def print_wrapped(sentence: str) -> None:
    """Print a sentence in lines that fit the terminal."""
    print(textwrap.fill(sentence, terminal_width(), subsequent_indent="  ", break_on_hyphens=False))


def terminal_width() -> int:
    """Return the terminal's width in characters, or 80 without a terminal."""
    return shutil.get_terminal_size().columns
