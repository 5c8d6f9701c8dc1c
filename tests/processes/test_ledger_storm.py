"""Killed processes neither lose confirmed transfers nor repeat any."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.processes.server_process import PATIENCE_S, eventually, make_admin, query_rows
from typer.testing import CliRunner

from haulier.cli import app as command_line

WRITERS, ENOUGH = 2, 15


def make_writer(database: str, folder: Path, seed: int, count: int = 0) -> subprocess.Popen[bytes]:
    words = [database, "1", str(seed), str(folder / f"{seed}.txt"), str(count)]
    return subprocess.Popen([sys.executable, "-m", "tests.processes.ledger_writer", *words])


def done_by(folder: Path, seed: int) -> list[str]:
    file = folder / f"{seed}.txt"
    return file.read_text().split() if file.exists() else []


def test_killed_processes_lose_nothing_and_count_nothing_twice(database_url: str, tmp_path: Path) -> None:
    make_admin(database_url)
    first = [make_writer(database_url, tmp_path, seed) for seed in range(WRITERS)]
    try:
        # They never end by themselves, so they are killed in the middle on any machine.
        eventually(lambda: all(len(done_by(tmp_path, seed)) >= ENOUGH for seed in range(WRITERS)))
    finally:
        for process in first:
            process.kill()
            process.wait(PATIENCE_S)
    done = [key for seed in range(WRITERS) for key in done_by(tmp_path, seed)]
    kept = Counter(key for (key,) in query_rows(database_url, "SELECT key FROM ledger_transfer"))
    assert set(done) <= kept.keys()
    assert len(kept.keys() - set(done)) <= WRITERS, "each writer may have been killed between its commit and saying so"
    before = query_rows(database_url, "SELECT key, id, amount_minor FROM ledger_transfer")
    reached = [max(int(key.split(":")[1]) for key in kept if key.startswith(f"{seed}:")) for seed in range(WRITERS)]
    again = [make_writer(database_url, tmp_path, seed, reached[seed] + 2) for seed in range(WRITERS)]
    assert [process.wait(PATIENCE_S) for process in again] == [0] * WRITERS
    after = query_rows(database_url, "SELECT key, id, amount_minor FROM ledger_transfer")
    assert set(before) <= set(after)
    assert len({key for key, _, _ in after}) == len(after)
    checked = CliRunner().invoke(command_line, ["ledger", "check", "--database", database_url])
    assert (checked.exit_code, checked.output.strip()) == (0, "the ledgers of 1 clients are correct"), checked.output
