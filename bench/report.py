"""The results as tables: for the terminal, and as the page that is kept."""

import argparse
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import apsw
import psutil
from rich.table import Table

UNIT_TARGETS = {
    "timeline, token sent": (1.5, 0.5),
    "tracking read": (1.1, 1.1),
    "order read": (1.6, 0.9),
    "orders list": (4.0, 2.4),
    "quote": (1.5, 0.6),
    "order create": (6.0, 6.0),
    "ingest 100 events": (35.0, 25.0),
}
"""What a call may take of the server, and of PostgreSQL, in units."""
OTHER_DOORS, MOST_OF_REST = ("GraphQL trackingPublic", "MCP track_package"), 1.3
"""The same answer at another door, in the processor time of the REST door."""
COLUMNS = (
    *("case", "database", "orders", "server ms", "database ms", "units", "requests/s", "of bare", "p50 ms", "p99 ms"),
    "not 2xx",
)
OTHER_PAGES = {
    "START.md": "what a start costs: processor time until the first answer, memory then and under load",
    "DOORS.md": "GraphQL and the tools of agents beside REST",
    "BOARD.md": "how soon a change reaches open boards",
    "TRACKING.md": "reading and ingesting timelines, with millions of events",
    "STREAMS.md": "positions of drivers through a broker",
    "MCP.md": "the agents' door beside the SDK's minimal server",
    "QUERIES.md": "statements for each request",
    "ROUTING.md": "built routes beside the best known",
    "SCALE.md": "several nodes, and nodes that die",
    "GROWTH.md": "a long run up to a million orders",
    "TESTS.md": "what the tests take",
}
"""The pages of the other benches; those that there are, are named."""


@dataclass(frozen=True, kw_only=True)
class BenchResult:
    """One case on one database of one size; `bare` is the mean of the bare server just before and after."""

    case: str
    database: str
    size: int
    bare: float
    per_second: float
    p50_ms: float
    p99_ms: float
    not_ok: int
    server_ms: float
    database_ms: float
    unit_ms: float

    @property
    def units(self) -> str:
        """The processor time of server and database, in that of the server for a timeline out of its memory."""
        if not self.unit_ms:
            return ""
        server, database = self.server_ms / self.unit_ms, self.database_ms / self.unit_ms
        return f"{server:.1f} + {database:.1f}" if database else f"{server:.1f}"

    @property
    def ratio(self) -> float:
        """Requests a second, of those of the bare server."""
        return self.per_second / self.bare

    def cells(self) -> tuple[str, ...]:
        """As text, in the order of `COLUMNS`."""
        costs = (f"{self.server_ms:.3f}", f"{self.database_ms:.3f}" if self.database_ms else "", self.units)
        told = (f"{self.per_second:.0f}", f"{self.ratio:.3f}", f"{self.p50_ms:.2f}", f"{self.p99_ms:.2f}")
        return (self.case, self.database, f"{self.size}", *costs, *told, f"{self.not_ok}")


def results_table(results: Sequence[BenchResult]) -> Table:
    """For the terminal."""
    shown = Table(*COLUMNS[:2], padding=(0, 0))
    for head in COLUMNS[2:]:
        shown.add_column(head, justify="right")
    for result in results:
        shown.add_row(*result.cells())
    return shown


def results_page(
    results: Sequence[BenchResult], given: argparse.Namespace, postgres: str | None
) -> tuple[str, list[str]]:
    """The page that is kept, and the targets that were missed."""
    verdicts = report_targets(results)
    first = given.sizes[0]
    lines = ["# Results", "", *_circumstances(results, given.command, postgres), "", *_other_pages(), ""]
    lines += [
        f"## Every case, {first} stored orders",
        "",
        *_markdown(COLUMNS, [r.cells() for r in results if r.size == first]),
    ]
    if len(given.sizes) > 1:
        lines += ["", "## More stored orders", "", *_growth(results, given)]
    lines += ["", "## Targets", "", *_markdown(("target", "measured", "met"), [row for row, _ in verdicts])]
    missed = [f"{row[0]}: {row[1]}" for row, met in verdicts if not met]
    return "\n".join(lines) + "\n", missed


def report_targets(results: Sequence[BenchResult]) -> list[tuple[tuple[str, str, str], bool]]:
    """What `README.md` promises, against what the smallest size measured."""
    found = {(r.case, r.database): r for r in reversed(results) if r.unit_ms}
    verdicts: list[tuple[tuple[str, str, str], bool]] = []
    for (case, name), result in found.items():
        server, database = result.server_ms / result.unit_ms, result.database_ms / result.unit_ms
        if case in UNIT_TARGETS:
            most, most_database = UNIT_TARGETS[case]
            aim = f"{most} + {most_database}" if name == "postgres" else f"{most}"
            met = server <= most and (name != "postgres" or database <= most_database)
            verdicts.append(((f"{case} <= {aim} units, {name}", result.units, "yes" if met else "no"), met))
        tracking = found.get(("tracking read", name))
        if tracking and case in OTHER_DOORS:
            times = (result.server_ms + result.database_ms) / (tracking.server_ms + tracking.database_ms)
            met = times <= MOST_OF_REST
            target = f"{case} <= {MOST_OF_REST} of tracking read, {name}"
            verdicts.append(((target, f"{times:.2f}", "yes" if met else "no"), met))
    return verdicts


def _growth(results: Sequence[BenchResult], given: argparse.Namespace) -> list[str]:
    found = {(r.case, r.database, r.size): r for r in results}
    rows = []
    for database in given.databases:
        for case in dict.fromkeys(result.case for result in results):
            each = [found[key] for size in given.sizes if (key := (case, database, size)) in found]
            if len(each) < len(given.sizes):
                continue  # it is measured at the smallest size alone, or the run was broken off
            told = [f"{r.server_ms:.2f} + {r.database_ms:.2f} ms ({r.ratio:.3f})" for r in each]
            last, first = (each[at].server_ms + each[at].database_ms for at in (-1, 0))
            rows.append((case, database, *told, f"{last / first:.2f}"))
    heads = ("server + database (of bare)", "database", *(f"{size} orders" for size in given.sizes), "last / first")
    return _markdown(heads, rows)


def _other_pages() -> list[str]:
    folder = Path(__file__).parent
    pages = [f"[{name}]({name}): {about}" for name, about in OTHER_PAGES.items() if (folder / name).exists()]
    return ["Other pages:", "", *(f"- {page}" for page in pages)]


def _markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    rule = ["---", *("---:" for _ in heads[1:])]
    return [f"| {' | '.join(row)} |" for row in (heads, rule, *rows)]


def _circumstances(results: Sequence[BenchResult], command: str, postgres: str | None) -> list[str]:
    bares = [result.bare for result in results]
    info = Path("/proc/cpuinfo")
    models = (
        [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
        if (info.exists())
        else []
    )
    servers = ", ".join(f"{name} {version(name)}" for name in ("uvicorn", "uvloop", "httptools"))
    memory = psutil.virtual_memory().total / 2**30
    load = ", ".join(f"{each:.1f}" for each in psutil.getloadavg())
    return [
        f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"- command: `{command}`",
        f"- machine: {models[0] if models else platform.machine()}, {psutil.cpu_count()} cores, {memory:.0f} GiB, "
        f"{platform.system()} {platform.release()}",
        f"- versions: Python {platform.python_version()}, {servers}, SQLite {apsw.sqlite_lib_version()}, "
        f"PostgreSQL {postgres or 'not measured'} (fsync off)",
        f"- bare server: {min(bares):.0f} to {max(bares):.0f} requests/s during the run; load average at the end {load}",
        "",
        "Server, load generator and PostgreSQL share the cores, with whatever else ran then: the ratios are noisy. The wider "
        "the range of the bare server, the less a single figure says.",
    ]
