"""The command line. One file per command; here is what holds for all: errors, warnings, exit codes.

Exit codes: 0; 2 for wrong use (options, patterns, columns) and where there is no Spark; 1 for the
rest (files, events).
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated

import typer

import tocsin
from tocsin.cli import detect, explain, laws, state, warm
from tocsin.cli.terminal import complain
from tocsin.errors import DefinitionError, SparkError, TocsinError, TocsinWarning

app = typer.Typer(
    name="tocsin",
    help="Say which pattern of events matters, find every occurrence.",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("detect")(detect.command)
app.command("explain")(explain.command)
app.command("laws")(laws.command)
app.command("state")(state.command)
app.command("warm")(warm.command)


WRONG_USE = (DefinitionError, SparkError)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"tocsin {tocsin.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version.")
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code. What a user did wrong is one sentence on stderr."""
    if sys.stdout is None:
        return complain("standard output is closed", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("always", TocsinWarning)
        warnings.showwarning = _show_warning
        try:
            code = app(arguments, prog_name="tocsin", standalone_mode=False)
            sys.stdout.flush()
            return code or 0
        except typer.TyperException as error:
            return _wrong_use(error.format_message())
        except TocsinError as error:
            return complain(str(error), 2 if isinstance(error, WRONG_USE) else 1)
        except BrokenPipeError:
            _forget_stdout()
            return 1
        except KeyboardInterrupt:
            return 130
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            return complain(f"{where}{error.strerror or error}", 1)


def _wrong_use(message: str) -> int:
    # Without a message help has been shown already.
    sentence = message.replace("Value error, ", "").rstrip(".")
    return complain(f"{sentence}; see tocsin --help", 2) if sentence else 2


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    complain(f"warning: {message}", 0)


def _forget_stdout() -> None:
    """Nobody reads any more; keep Python from saying so when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
