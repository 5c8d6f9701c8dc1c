"""`haulier db copy` of a million rows: `python -m bench.database_copy`.

Copies a seeded SQLite database to the private PostgreSQL, once without interruption and once killed with `kill -9` in
the middle and repeated. The processor times are those of the command and of PostgreSQL.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import psutil

from bench.databases import private_cluster
from bench.page import keep_results
from bench.seed import EVENTS_PER_ORDER, Business, seed_orders
from bench.serve import processor_seconds
from haulier.adapters.new_schema import upgrade_to_newest_revision
from haulier.app import load_tables
from haulier.kernel.data.tables import metadata

TITLE = "Copy from SQLite to PostgreSQL"
HEADS = ("run", "rows", "seconds", "rows/s", "command s", "PostgreSQL s", "µs a row")
ROWS_PER_ORDER = EVENTS_PER_ORDER + 4
"""An order, its package, its first step, its timeline, and the events."""


def make_source(folder: Path, rows: int) -> tuple[str, int]:
    """Return the URL and the number of rows of a database in maintenance.

    `rows` is the least number.
    """
    url = f"sqlite:///{folder / 'source.db'}"
    upgrade_to_newest_revision(url)
    seed_orders(url, Business(), -(-rows // ROWS_PER_ORDER), lambda _: None)
    run_command("maintenance", "start", "--database", url)
    file = apsw.Connection(str(folder / "source.db"))
    count = sum(next(file.execute(f'SELECT count(*) FROM "{name}"'))[0] for name in metadata.tables)
    file.close()
    return url, count


def run_command(*words: str) -> float:
    """Run a command that must succeed, and return its processor seconds."""
    before = psutil.Process().cpu_times()
    subprocess.run([sys.executable, "-m", "haulier", *words], check=True, stdout=subprocess.DEVNULL)
    after = psutil.Process().cpu_times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def run_killed(source: str, target: str) -> float:
    """Kill a copy in the middle and repeat it. Return the processor seconds of both."""
    before = psutil.Process().cpu_times()
    command = [sys.executable, "-m", "haulier", "db", "copy", source, target]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    parts = 0
    while parts < 3:
        parts += "tracking_event:" in process.stderr.readline()
    process.kill()
    process.wait()
    run_command("db", "copy", source, target)
    after = psutil.Process().cpu_times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def measure(name: str, rows: int, run: Callable[[str], float]) -> list[str]:
    """Return the row of a run into an empty database."""
    from tests.support.databases import cluster

    pid = int(cluster().read("SELECT pg_backend_pid()")[0][0])
    postmaster = psutil.Process(pid).ppid()
    with cluster().nothing() as target:
        busy, began = processor_seconds(postmaster), time.perf_counter()
        command_s = run(target)
        seconds, database_s = time.perf_counter() - began, processor_seconds(postmaster) - busy
    per_row = 1e6 * (command_s + database_s) / rows
    shown = (f"{seconds:.0f}", f"{rows / seconds:,.0f}", f"{command_s:.0f}", f"{database_s:.0f}", f"{per_row:.0f}")
    return [name, f"{rows:,}", *shown]


def main() -> int:
    """Measure both runs and write a section of RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    load_tables()
    with private_cluster(["postgres"]), tempfile.TemporaryDirectory(prefix="haulier-bench-") as folder:
        source, rows = make_source(Path(folder), given.rows)
        table = [
            measure("whole", rows, lambda target: run_command("db", "copy", source, target)),
            measure("killed and repeated", rows, lambda target: run_killed(source, target)),
        ]
    return keep_results(TITLE, HEADS, table, [], "Every row is read, inserted and read back for its checksum.")


if __name__ == "__main__":
    sys.exit(main())
