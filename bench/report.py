"""Result tables for the terminal and the results page."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from bench.page import keep_section, markdown_table

UNIT_TARGETS = {
    "timeline, token sent": (1.5, 0.5),
    "tracking read": (1.1, 1.1),
    "order, kept": (1.6, 0.9),
    "order read": (1.6, 0.9),
    "orders list, kept": (4.0, 2.4),
    "orders list": (4.0, 2.4),
    "quote, kept": (1.5, 0.6),
    "quote": (1.5, 0.6),
    "order create": (6.0, 6.0),
    "ingest 100 events": (35.0, 25.0),
    "EPCIS JSON, 100 events": (35.0, 25.0),
    "EPCIS XML, 100 events": (50.0, 25.0),
}
"""Maximum units of the server and of PostgreSQL per call."""
COLUMNS = (
    *("case", "database", "orders", "server ms", "database ms", "units", "requests/s", "of bare", "p50 ms", "p99 ms"),
    "not 2xx",
)


@dataclass(frozen=True, kw_only=True)
class BenchResult:
    """One case on one database of one size.

    `bare` is the mean of the bare server just before and after.
    """

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
        """Return processor time of server and database in units of a cached timeline."""
        if not self.unit_ms:
            return ""
        server, database = self.server_ms / self.unit_ms, self.database_ms / self.unit_ms
        return f"{server:.1f} + {database:.1f}" if database else f"{server:.1f}"

    @property
    def ratio(self) -> float:
        """Return requests per second relative to the bare server."""
        return self.per_second / self.bare

    def cells(self) -> tuple[str, ...]:
        """Return the cells as text, in the order of `COLUMNS`."""
        costs = (f"{self.server_ms:.3f}", f"{self.database_ms:.3f}" if self.database_ms else "", self.units)
        cells = (f"{self.per_second:.0f}", f"{self.ratio:.3f}", f"{self.p50_ms:.2f}", f"{self.p99_ms:.2f}")
        return (self.case, self.database, f"{self.size}", *costs, *cells, f"{self.not_ok}")


def keep_calls(results: Sequence[BenchResult], database: str, sizes: Sequence[int]) -> None:
    """Store the cost of calls on one database."""
    bares = [result.bare for result in results]
    lines = [
        f"Bare server: {min(bares):.0f} to {max(bares):.0f} requests/s during the run. {sizes[0]} stored orders:",
        "",
    ]
    lines += markdown_table(COLUMNS, [each.cells() for each in results if each.size == sizes[0]])
    if len(sizes) > 1:
        lines += ["", "More stored orders, server + database (of bare):", "", *_growth(results, sizes)]
    rows = [row for row, _ in report_targets(results)]
    keep_section(f"Calls, {database}", [*lines, "", *markdown_table(("target", "measured", "met"), rows)])


def results_table(results: Sequence[BenchResult]) -> Table:
    """Return the table for the terminal."""
    shown = Table(*COLUMNS[:2], padding=(0, 0))
    for head in COLUMNS[2:]:
        shown.add_column(head, justify="right")
    for result in results:
        shown.add_row(*result.cells())
    return shown


def report_targets(results: Sequence[BenchResult]) -> list[tuple[tuple[str, str, str], bool]]:
    """Compare the targets in `README.md` with results at the smallest size."""
    found = {(r.case, r.database): r for r in reversed(results) if r.unit_ms}
    verdicts: list[tuple[tuple[str, str, str], bool]] = []
    for (case, name), result in found.items():
        server, database = result.server_ms / result.unit_ms, result.database_ms / result.unit_ms
        if case in UNIT_TARGETS:
            most, most_database = UNIT_TARGETS[case]
            aim = f"{most} + {most_database}" if name == "postgres" else f"{most}"
            met = server <= most and (name != "postgres" or database <= most_database)
            verdicts.append(((f"{case} <= {aim} units, {name}", result.units, "yes" if met else "no"), met))
    return verdicts


def _growth(results: Sequence[BenchResult], sizes: Sequence[int]) -> list[str]:
    found = {(r.case, r.size): r for r in results}
    rows: list[tuple[str, ...]] = []
    for case in dict.fromkeys(result.case for result in results):
        each = [found[key] for size in sizes if (key := (case, size)) in found]
        if len(each) < len(sizes):
            continue  # only measured at the smallest size, or the run was interrupted
        cells = [f"{r.server_ms:.2f} + {r.database_ms:.2f} ms ({r.ratio:.3f})" for r in each]
        last, first = (each[at].server_ms + each[at].database_ms for at in (-1, 0))
        rows.append((case, *cells, f"{last / first:.2f}"))
    return markdown_table(("case", *(f"{size} orders" for size in sizes), "last / first"), rows)
