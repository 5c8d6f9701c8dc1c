"""Output and errors of the command line."""

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from graphql import build_schema
from tests.processes.server_process import PATIENCE_S, make_admin, query_rows
from tests.support.databases import migrated_file
from typer.testing import CliRunner

from haulier.adapters.migrations import MIGRATIONS_FOLDER
from haulier.api.rest.openapi import openapi_document
from haulier.app import registry
from haulier.cli import app, main

Outcome = subprocess.CompletedProcess[str]


def haulier(*words: str, at: Path, **environment: str) -> Outcome:
    """Run a command in its own folder, without the settings of the test run."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HAULIER_")}
    command = [sys.executable, "-m", "haulier", *words]
    return subprocess.run(
        command, cwd=at, env={**clean, **environment}, text=True, capture_output=True, timeout=PATIENCE_S, check=False
    )


def printed(*words: str) -> str:
    """Return the output of a command that succeeds, run in this process."""
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    return ran.stdout.strip()


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Run in an empty folder without settings, and restore logging afterwards."""
    root = logging.getLogger()
    handlers, level, when_told_to_end = root.handlers[:], root.level, signal.getsignal(signal.SIGTERM)
    for name in [name for name in os.environ if name.startswith("HAULIER_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    yield monkeypatch
    root.handlers[:] = handlers
    root.setLevel(level)
    signal.signal(signal.SIGTERM, when_told_to_end)


def last_words(alone: pytest.MonkeyPatch, *words: str) -> str:
    """Return the message with which a failing command exits."""
    alone.setattr(sys, "argv", ["haulier", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert isinstance(ended.value.code, str)
    return ended.value.code


def test_a_database_can_be_migrated_and_downgraded(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new/haulier.db"
    newest = ScriptDirectory(str(MIGRATIONS_FOLDER)).get_revisions("head")[0]

    ran = haulier("db", "upgrade", "--database", url, at=tmp_path)
    assert (ran.returncode, ran.stdout.strip()) == (0, f"at {newest.revision}"), ran.stderr
    assert printed("db", "current", "--database", url) == newest.revision
    assert printed("db", "downgrade", "-1", "--database", url) == f"at {newest.down_revision or 'empty'}"


def test_the_printed_registry_is_complete_and_valid(tmp_path: Path) -> None:
    assert json.loads(printed("openapi")) == json.loads(json.dumps(openapi_document(registry())))
    assert build_schema(printed("graphql-schema")).mutation_type
    ran = haulier("operations", at=tmp_path)
    assert ran.returncode == 0, ran.stderr
    names = {line.split("│")[1].strip() for line in ran.stdout.splitlines() if "│" in line}
    assert names - {""} == {operation.name for operation in registry()}


def test_an_invalid_setting_is_reported_in_a_sentence_before_startup(tmp_path: Path) -> None:
    ran = haulier("serve", at=tmp_path, HAULIER_PORT="99999")
    assert ran.returncode == 1
    assert "HAULIER_PORT" in ran.stderr
    assert ran.stderr.startswith("haulier: ")
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / "var").exists(), "no database was made"


@pytest.mark.parametrize(
    ("file", "environment", "named"),
    [
        ('log_level = "loud"\n', {}, "'log_level'"),
        ("port = \n", {}, "haulier.toml"),
        ("", {"HAULIER_CONFIG": "elsewhere.toml"}, "elsewhere.toml"),
    ],
)
def test_an_invalid_setting_is_reported_from_any_source(
    file: str, environment: dict[str, str], named: str, tmp_path: Path, alone: pytest.MonkeyPatch
) -> None:
    (tmp_path / "haulier.toml").write_text(file)
    for name, text in environment.items():
        alone.setenv(name, text)
    said = last_words(alone, "serve")
    assert named in said
    assert said.startswith("haulier: ")
    assert not (tmp_path / "var").exists(), "no database was made"


def test_the_demo_refuses_a_database_with_a_business(
    tmp_path: Path, alone: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = migrated_file(tmp_path)
    make_admin(url, "mine")
    assert "not empty and not a demo one" in last_words(alone, "serve", "--demo", "--database", url)
    assert "Haulier is running" not in capsys.readouterr().out
    assert query_rows(url, "SELECT code FROM client") == [("mine",)]


PERSON = ("--client", "new", "--password", "a-long-password-42")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("already in use", ("user", "add", "admin@mine.example", *PERSON)),
        ("Moon/Base", ("user", "add", "b@new.example", *PERSON, "--time-zone", "Moon/Base")),
        ("no user has", ("token", "issue", "nobody@mine.example")),
        ("ops-readonly", ("token", "issue", "admin@mine.example", "--profile", "everything")),
        ("9999", ("db", "upgrade", "9999")),
    ],
)
def test_an_impossible_command_is_explained_in_a_sentence(said: str, words: tuple[str, ...], tmp_path: Path) -> None:
    url = migrated_file(tmp_path)
    make_admin(url, "mine")
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
def test_an_unavailable_database_prints_no_traceback(
    said: str, words: tuple[str, ...], alone: pytest.MonkeyPatch
) -> None:
    assert said in last_words(alone, *words)
