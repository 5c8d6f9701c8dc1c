"""Copy of a SQLite database with the demo business to PostgreSQL."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import httpx
import pytest
from tests.processes.server_process import make_server
from tests.support.databases import cluster, demo_file
from typer.testing import CliRunner, Result

from haulier.adapters.database_copy import EXCLUDED, TableSum
from haulier.app import load_tables
from haulier.cli import app as command_line
from haulier.kernel.data.tables import metadata

DEPOT = {"name": "Main", "address": "1 Front St", "lat": 43.64, "lng": -79.38}


def run(*words: str) -> Result:
    return CliRunner().invoke(command_line, [*words])


@pytest.fixture
def source(tmp_path: Path) -> str:
    url = demo_file(tmp_path)
    assert run("maintenance", "start", "--database", url).exit_code == 0
    return url


def test_every_row_is_copied_once_and_numbers_continue(source: str) -> None:
    load_tables()
    file = apsw.Connection(source.removeprefix("sqlite:///"))
    with cluster().nothing() as target:
        first = run("db", "copy", source, target)
        assert first.exit_code == 0, first.output
        name = target.partition("?")[0].rpartition("/")[2]
        for table in sorted(set(metadata.tables) - EXCLUDED):
            count = f'SELECT count(*) FROM "{table}"'
            assert cluster().ask(count, name=name)[0][0] == next(file.execute(count))[0], table
        last = next(file.execute("SELECT seq FROM sqlite_sequence WHERE name = 'delivery_order'"))[0]
        assert cluster().ask("SELECT last_value FROM delivery_order_id_seq", name=name)[0][0] == last
        again = run("db", "copy", source, target)
        assert again.exit_code == 0
        assert again.output.count("(unchanged)") == len(metadata.tables) - len(EXCLUDED)


def test_an_interrupted_copy_is_resumed(source: str) -> None:
    with cluster().nothing() as target:
        assert run("db", "copy", source, target).exit_code == 0
        name = target.partition("?")[0].rpartition("/")[2]
        cluster().ask("TRUNCATE delivery_order", name=name)
        again = run("db", "copy", source, target)
        assert again.exit_code == 0, again.output
        copied = [line for line in again.output.splitlines() if " rows, " in line and "(unchanged)" not in line]
        assert [line.partition(":")[0] for line in copied] == ["delivery_order"]


@contextmanager
def copying(source: str, target: str, until: str) -> Iterator[subprocess.Popen[str]]:
    """Run the command until it prints a line, suspend it, and kill it in the end."""
    command = [sys.executable, "-m", "haulier", "db", "copy", source, target, "--commit-every", "500"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        lines: list[str] = []
        while until not in "".join(lines[-1:]):
            lines.append(process.stderr.readline())
            assert lines[-1], "".join(lines)
        process.send_signal(signal.SIGSTOP)
        yield process
    finally:
        process.kill()
        process.wait()


def add_numbers(source: str, count: int) -> None:
    file = apsw.Connection(source.removeprefix("sqlite:///"))
    file.execute(
        "WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < ?) INSERT INTO tracking_number"
        " (number, number_key, owner_client_id) SELECT 'X' || n, 'x' || n, 1 FROM s",
        (count,),
    )
    file.close()


def test_a_copy_killed_in_the_middle_of_a_table_continues_there(source: str) -> None:
    add_numbers(source, 20_000)
    with cluster().nothing() as target:
        name = target.partition("?")[0].rpartition("/")[2]
        count = "SELECT count(*) FROM tracking_number"
        with copying(source, target, "tracking_number: 3000 rows so far"):
            pass
        left = cluster().ask(count, name=name)[0][0]
        assert 3000 <= left < 20_000
        again = run("db", "copy", source, target, "--commit-every", "500")
        assert again.exit_code == 0, again.output
        parts = [int(part) for part in re.findall(r"tracking_number: (\d+) rows so far", again.output)]
        assert min(parts) > left
        assert cluster().ask(count, name=name)[0][0] >= 20_000
        assert cluster().ask("SELECT to_regclass('database_copy')", name=name)[0][0] is None
        repeated = run("db", "copy", source, target)
        assert repeated.output.count("(unchanged)") == len(metadata.tables) - len(EXCLUDED)


def test_a_copy_refuses_rows_that_changed_in_the_part_copied_before_the_kill(source: str) -> None:
    add_numbers(source, 20_000)
    with cluster().nothing() as target:
        with copying(source, target, "tracking_number: 3000 rows so far"):
            pass
        file = apsw.Connection(source.removeprefix("sqlite:///"))
        file.execute("UPDATE tracking_number SET number = 'changed' WHERE number = 'X5'")
        file.close()
        again = run("db", "copy", source, target)
        assert (again.exit_code, "the source has changed meanwhile in tracking_number" in again.output) == (1, True)


def test_the_source_is_read_and_refuses_writes_during_the_copy(tmp_path: Path) -> None:
    source = demo_file(tmp_path)
    token = (
        run("token", "issue", "admin@demo.example", "--profile", "full", "--database", source)
        .output.strip()
        .splitlines()[-1]
    )
    assert run("maintenance", "start", "--database", source).exit_code == 0
    add_numbers(source, 20_000)
    headers = {"Authorization": f"Bearer {token}"}
    with (
        cluster().nothing() as target,
        make_server(tmp_path, source, background="false", demo_live="false") as server,
        copying(source, target, "tracking_number: 1000 rows so far") as process,
    ):
        assert server.get("/api/v1/orders", headers=headers).json()["total"] > 0
        refused = httpx.post(f"{server.base}/api/v1/depots", json=DEPOT, headers=headers, timeout=60, verify=False)
        assert (refused.status_code, refused.json()["code"]) == (503, "MAINTENANCE")
        process.send_signal(signal.SIGCONT)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said


def test_a_target_with_other_rows_is_refused_and_keeps_them(source: str) -> None:
    with cluster().nothing() as target:
        assert run("db", "copy", source, target).exit_code == 0
        name = target.partition("?")[0].rpartition("/")[2]
        cluster().ask("UPDATE depot SET name = 'another'", name=name)
        refused = run("db", "copy", source, target)
        assert refused.exit_code == 1
        assert "not copied: depot has other rows in the target" in refused.output
        assert cluster().ask("SELECT DISTINCT name FROM depot", name=name)[0][0] == "another"


def test_a_source_that_accepts_writes_is_refused(tmp_path: Path) -> None:
    with cluster().nothing() as target:
        refused = run("db", "copy", demo_file(tmp_path), target)
        assert (refused.exit_code, "haulier maintenance start" in refused.output) == (1, True)


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("postgresql://a/b", "postgresql://a/c", "the source is sqlite:///file"),
        ("sqlite:///none.db", "postgresql://a/c", "there is no file none.db"),
    ],
)
def test_invalid_addresses_are_refused_in_one_line(source: str, target: str, said: str) -> None:
    refused = run("db", "copy", source, target)
    assert (refused.exit_code, refused.output.count("\n")) == (1, 1)
    assert said in refused.output


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"a": {"x": 1.0, "y": [2]}}, {"a": {"y": [2], "x": 1}}, True),
        ({"a": 1, "b": None}, {"b": None, "a": 1}, True),
        ({"a": 1, "b": 2}, {"a": 2, "b": 1}, False),
        ({"a": None}, {"a": ""}, False),
    ],
)
def test_the_checksum_depends_on_values_and_not_on_their_format(one: Any, other: Any, *, equal: bool) -> None:
    assert (TableSum().plus([one]) == TableSum().plus([other])) is equal
    assert TableSum().plus([one, other]) == TableSum().plus([other, one])
