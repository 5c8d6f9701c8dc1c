"""The command line, as a shell runs it: what it prints, and how it says what is wrong."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from graphql import build_schema
from openapi_spec_validator import OpenAPIV31SpecValidator
from tests.processes.server_process import an_admin, query_rows
from tests.support.databases import migrated_file
from typer.testing import CliRunner

from haulier.adapters.migrations import MIGRATIONS_FOLDER
from haulier.app import registry
from haulier.cli import app, main

Outcome = subprocess.CompletedProcess[str]


def haulier(*words: str, at: Path, **environment: str) -> Outcome:
    """Run a command in a folder of its own, without the settings of whoever runs the tests."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HAULIER_")}
    command = [sys.executable, "-m", "haulier", *words]
    return subprocess.run(
        command, cwd=at, env={**clean, **environment}, text=True, capture_output=True, timeout=60, check=False
    )


def side_by_side(at: Path, commands: Mapping[str, tuple[str, ...]]) -> dict[str, Outcome]:
    with ThreadPoolExecutor(2) as pool:
        ran = pool.map(lambda words: haulier(*words, at=at), commands.values())
    return dict(zip(commands, ran, strict=True))


def test_a_database_is_migrated_and_taken_back(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new/haulier.db"
    newest = ScriptDirectory(str(MIGRATIONS_FOLDER)).get_revisions("head")[0]

    def run(*words: str) -> str:
        ran = haulier(*words, "--database", url, at=tmp_path)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    assert run("db", "upgrade") == f"at {newest.revision}"
    assert run("db", "current") == newest.revision
    assert run("db", "downgrade", "-1") == f"at {newest.down_revision or 'empty'}"


def test_what_it_prints_about_the_registry_is_whole_and_valid(tmp_path: Path) -> None:
    ran = side_by_side(tmp_path, {name: (name,) for name in ("openapi", "graphql-schema", "operations")})
    assert [each.returncode for each in ran.values()] == [0, 0, 0]
    OpenAPIV31SpecValidator(json.loads(ran["openapi"].stdout)).validate()
    assert build_schema(ran["graphql-schema"].stdout).mutation_type
    names = {line.split("│")[1].strip() for line in ran["operations"].stdout.splitlines() if "│" in line}
    assert names - {""} == {operation.name for operation in registry()}


@pytest.mark.parametrize(
    ("file", "environment", "named"),
    [
        ("", {"HAULIER_PORT": "99999"}, "HAULIER_PORT"),
        ('log_level = "loud"\n', {}, "'log_level'"),
        ("port = \n", {}, "haulier.toml"),
        ("", {"HAULIER_CONFIG": "elsewhere.toml"}, "elsewhere.toml"),
    ],
)
def test_a_bad_setting_is_named_in_a_sentence_before_anything_starts(
    file: str, environment: dict[str, str], named: str, tmp_path: Path
) -> None:
    (tmp_path / "haulier.toml").write_text(file)
    ran = haulier("serve", at=tmp_path, **environment)
    assert ran.returncode == 1
    assert named in ran.stderr
    assert ran.stderr.startswith("haulier: ")
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / "var").exists(), "no database was made"


def test_the_demo_refuses_a_database_that_holds_a_business(tmp_path: Path) -> None:
    url = migrated_file(tmp_path)
    an_admin(url, "mine")
    ran = haulier("serve", "--demo", "--database", url, at=tmp_path)
    assert ran.returncode == 1
    assert "Haulier is on" not in ran.stdout
    assert "not empty and not a demo one" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert query_rows(url, "SELECT code FROM client") == [("mine",)]


PERSON = ("--client", "new", "--password", "a-long-password-42")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("has the address", ("user", "add", "admin@mine.example", *PERSON)),
        ("Moon/Base", ("user", "add", "b@new.example", *PERSON, "--time-zone", "Moon/Base")),
        ("nobody has", ("token", "issue", "nobody@mine.example")),
        ("ops-readonly", ("token", "issue", "admin@mine.example", "--profile", "everything")),
        ("0099", ("db", "upgrade", "0099")),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(said: str, words: tuple[str, ...], tmp_path: Path) -> None:
    url = migrated_file(tmp_path)
    an_admin(url, "mine")
    ran = CliRunner().invoke(app, [*words, "--database", url])
    assert ran.exit_code == 2
    assert said in " ".join(ran.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("haulier db upgrade", ("user", "add", "a@mine.example", *PERSON, "--database", "sqlite:///empty.db")),
        ("Connect call failed", ("db", "current", "--database", "postgresql://nobody@127.0.0.1:1/nothing")),
    ],
)
def test_a_database_that_is_not_there_is_no_traceback(
    said: str, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["haulier", *words])
    with pytest.raises(SystemExit, match=said):
        main()
