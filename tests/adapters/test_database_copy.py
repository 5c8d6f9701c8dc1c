"""Copy of a SQLite database with the demo business to PostgreSQL."""

from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.support.databases import cluster, demo_file
from typer.testing import CliRunner, Result

from haulier.adapters.database_copy import EXCLUDED, TableSum
from haulier.app import load_tables
from haulier.cli import app as command_line
from haulier.kernel.data.tables import metadata


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
