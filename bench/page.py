"""Results page: each benchmark updates its own section."""

import os
import platform
import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).parent / "RESULTS.md"
ORDER = (
    "Calls, sqlite",
    "Calls, postgres",
    "Doors",
    "Imports",
    "Board",
    "Starts",
    "Memory, sqlite",
    "Memory, postgres",
    "Memory over mixed calls",
    "Copy from SQLite to PostgreSQL",
)
"""The order of the sections."""
HEAD = """# Results

Written by `make bench`, each section by the command that stands in it. Server, load generator and database shared the cores
of one machine, with whatever else ran then: ratios within a section count, single figures do not. [README.md](README.md) says
what a number means. Other pages: [tracking](TRACKING.md), [MCP](MCP.md), [statements of a request](QUERIES.md),
[routes](ROUTING.md), [zones](ZONES.md), [datasets](DATASETS.md), [places](PLACES.md), [many nodes](SCALE.md),
[a long run](GROWTH.md), [tests](TESTS.md), [pages in a browser](BROWSER.md).
"""


def keep_section(title: str, lines: Sequence[str]) -> None:
    """Replace the section with the same title."""
    kept = dict[str, str]()
    for part in (RESULTS.read_text() if RESULTS.exists() else "").split("\n## ")[1:]:
        name, _, text = part.partition("\n")
        kept[name] = text.strip("\n")
    kept[title] = "\n".join([*circumstances(), "", *lines])
    parts = (f"## {name}\n\n{kept[name]}\n" for name in ORDER if name in kept)
    RESULTS.write_text("\n".join([HEAD, *parts]))


def keep_results(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], missed: Sequence[str], about: str
) -> int:
    """Print a table and missed targets, and store both as a section.

    Returns 1 if a target was missed.
    """
    shown = Table(*columns)
    for row in rows:
        shown.add_row(*row)
    console = Console()
    console.print(shown)
    for line in missed:
        console.print(f"[red]missed[/]: {line}")
    verdicts = ["Targets missed:", "", *(f"- {line}" for line in missed)] if missed else ["Every target is met."]
    keep_section(title, [about, "", *markdown_table(columns, rows), "", *verdicts])
    return int(bool(missed))


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table; all columns except the first are numbers."""
    rule = ["---", *("---:" for _ in heads[1:])]
    return [f"| {' | '.join(row)} |" for row in (heads, rule, *rows)]


def circumstances() -> list[str]:
    """Return date, command and machine of a measurement."""
    load = ", ".join(f"{each:.1f}" for each in psutil.getloadavg())
    command = shlex.join(["python", "-m", f"bench.{Path(sys.argv[0]).stem}".removesuffix(".__main__"), *sys.argv[1:]])
    return [
        f"- {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, `{command}`",
        f"- {platform.system()}, {os.cpu_count()} cores, Python {platform.python_version()}; load average at the end {load}",
    ]
