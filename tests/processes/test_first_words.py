"""Output of the demo, and modules loaded by a command before its first output."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from tests.processes.server_process import PATIENCE_S, eventually
from tests.support.databases import demo_file, migrated_file
from tests.support.live import free_port

from haulier.adapters.migrations import MIGRATIONS_FOLDER, downgrade_schema
from haulier.adapters.revisions import is_at_newest_revision, newest_revision
from haulier.cli.server import prepare_database
from haulier.demo import LOGINS, PASSWORD
from haulier.settings import Settings

HEAVY = ("pydantic", "sqlalchemy", "alembic", "starlette", "haulier.settings", "haulier.app")


class Demo:
    """The demo as started by `make run`, stopped with Ctrl+C after its output."""

    def __init__(self, folder: Path) -> None:
        out, errors = folder / "out", folder / "errors"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HAULIER_")}
        command = [sys.executable, "-m", "haulier", "serve", "--demo", "--port", str(free_port())]
        with out.open("w") as said, errors.open("w") as complained:
            process = subprocess.Popen(command, cwd=folder, env=clean, stdout=said, stderr=complained)
        try:
            eventually(lambda: process.poll() is not None or LOGINS[-1][0] in out.read_text())
        finally:
            process.send_signal(2)
            self.exit_code = process.wait(PATIENCE_S)
        self.lines, self.complaints = out.read_text().splitlines(), errors.read_text()


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return Demo(tmp_path_factory.mktemp("first"))


def test_the_demo_prints_progress_then_its_address_emails_and_logins(first: Demo) -> None:
    steps = [line for line in first.lines if line.endswith("…")]
    assert [step.split()[0] for step in steps] == ["migrating", "preparing", "starting"]
    (where,) = [line for line in first.lines if "http://127.0.0.1:" in line]
    assert first.lines.index(where) > first.lines.index(steps[-1])
    assert sum("var/mail.jsonl" in line for line in first.lines) == 1
    assert any(PASSWORD in line for line in first.lines)
    assert [line.split()[0] for line in first.lines[-len(LOGINS) :]] == [email for email, _ in LOGINS]


def test_the_demo_prints_nothing_else_and_stops_on_ctrl_c(first: Demo) -> None:
    assert (first.exit_code, first.complaints) == (0, "")
    assert len(first.lines) <= 3 + 4 + len(LOGINS)


def test_a_migrated_database_is_not_migrated_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prepare_database(Settings(database=demo_file(tmp_path), demo=True))
    steps = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert steps == ["preparing", "starting"]


def test_the_newest_revision_is_read_from_the_files(tmp_path: Path) -> None:
    assert newest_revision() == ScriptDirectory(str(MIGRATIONS_FOLDER)).get_current_head()
    url = migrated_file(tmp_path)
    assert is_at_newest_revision(url)
    downgrade_schema(url, "-1")
    assert not is_at_newest_revision(url)
    assert not is_at_newest_revision(f"sqlite:///{tmp_path}/nothing.db")
    assert not (tmp_path / "nothing.db").exists()


def test_listing_commands_loads_no_settings_and_no_context() -> None:
    code = f"import sys, haulier.cli; print([name for name in {HEAVY} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, timeout=PATIENCE_S, check=True)
    assert ran.stdout.strip() == "[]"


NOT_AT_START = (
    "alembic",
    "asyncpg",
    "cryptography",
    "email_validator",
    "graphql",
    "httpx",
    "jinja2",
    "joserfc",
    "jsonschema_rs",
    "matplotlib",
    "mqtt5",
    "python_calamine",
)
NOT_AT_START += ("aiohttp", "freetype", "pyhanko", "zint")
NOT_AT_START += (
    "mcp",
    "mcp_types",
    "numpy",
    "ortools",
    "packingsolver3d",
    "phonenumbers",
    "pyvrp",
    "rich",
    "scipy",
    "vrplib",
)
"""Packages that only some interfaces and calls need."""


def test_server_startup_loads_no_optional_packages(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from haulier.cli.server import prepare_database
from haulier.settings import load_settings
settings = load_settings(database="sqlite:///{tmp_path}/new.db")
prepare_database(settings)
from haulier.server import create_asgi_app
create_asgi_app(settings)
print([name for name in {NOT_AT_START} if name in sys.modules], file=sys.stderr)
"""
    ran = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, timeout=PATIENCE_S, check=True)
    assert ran.stderr.strip() == "[]"
