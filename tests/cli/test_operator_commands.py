"""Operator commands for accounts, jobs, maintenance and the doctor."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.adapters.fake_mail_server import run_mail_server
from tests.processes.server_process import query_rows
from tests.support.databases import migrated_file
from typer.testing import CliRunner

from haulier import __version__
from haulier.adapters.database import database_for
from haulier.adapters.mailer import SmtpMailer
from haulier.cli import app as command_line
from haulier.cli.transactions import run_with_application
from haulier.kernel.application import Application
from haulier.kernel.background import enqueue_job
from haulier.kernel.background.queue import ClaimingWorker, JobAttemptOutcome, JobState, claim_jobs, finish_attempts
from haulier.kernel.data.clock import utc_now
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.maintenance import watch_maintenance
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request

ADA = "ada@shop.example"
PASSWORD = "four long words here"
Run = Callable[..., str]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return migrated_file(tmp_path)


@pytest.fixture
def run(url: str) -> Run:
    """Return a function that runs a command and returns its output on one line."""

    def run(*words: str, fails: bool = False) -> str:
        ran = CliRunner().invoke(command_line, [*words, "--database", url])
        assert (ran.exit_code != 0) is fails, ran.output
        return " ".join(ran.output.replace("│", " ").split())

    return run


@pytest.fixture
def shop(run: Run) -> Run:
    """Return `run` with a client that has two admins."""
    for name in ("ada", "bo"):
        run("user", "add", f"{name}@shop.example", "--client", "shop", "--password", PASSWORD, "--name", name)
    return run


def status_of(url: str, operation: str, request: dict[str, Any] | None = None, token: str | None = None) -> Any:
    """Call an operation in an application that uses the same database."""

    async def call(app: Application) -> Any:
        async with watch_maintenance(app):
            incoming = OperationRequest(
                operation=app.registry[operation],
                interface="rest",
                request_id="test",
                body=json.dumps(request or {}).encode(),
                token=token,
            )
            result = await handle_request(app, incoming)
            return (result.error or {}).get("code", 200)

    return run_with_application(url, call)


def sign_in(url: str, password: str = PASSWORD) -> Any:
    return status_of(url, "login", {"email": ADA, "password": password})


def test_the_version_is_printed() -> None:
    assert CliRunner().invoke(command_line, ["--version"]).output == f"haulier {__version__}\n"


def test_users_can_be_listed_disabled_enabled_and_given_a_new_password(shop: Run, url: str) -> None:
    listed = json.loads(shop("user", "list", "--json"))
    assert [(each["client"], each["email"], each["active"]) for each in listed] == [
        ("shop", ADA, True),
        ("shop", "bo@shop.example", True),
    ]
    assert shop("user", "disable", ADA) == f"{ADA} is disabled"
    assert [each["email"] for each in json.loads(shop("user", "list", "--disabled", "--json"))] == [ADA]
    assert "LAST_ADMIN" in shop("user", "disable", "bo@shop.example", fails=True)
    assert sign_in(url) == "INVALID_CREDENTIALS"
    shop("user", "enable", ADA)
    assert "at least" in shop("user", "reset-password", ADA, "--password", "short", fails=True)
    shop("user", "reset-password", ADA, "--password", "other long words here")
    assert sign_in(url, "other long words here") == 200
    assert "no user has the address" in shop("user", "disable", "x@shop.example", fails=True)
    entries = query_rows(url, "SELECT operation FROM audit_entry WHERE door = 'cli' ORDER BY id")
    assert entries == [("disable_user",), ("enable_user",), ("set_user_password",)]


def test_sessions_and_tokens_can_be_listed_and_revoked(shop: Run, url: str) -> None:
    assert sign_in(url) == 200
    assert len(json.loads(shop("session", "list", ADA, "--json"))) == 1
    assert shop("session", "revoke", ADA) == "1 sessions revoked"
    assert json.loads(shop("session", "list", ADA, "--json")) == []
    token = shop("token", "issue", ADA)
    assert status_of(url, "who_am_i", token=token) == 200
    ((found),) = json.loads(shop("token", "list", "--client", "shop", "--json"))
    assert (found["user_name"], found["name"], token in str(found)) == ("ada", "ops-readonly", False)
    shop("token", "revoke", str(found["id"]), "--client", "shop")
    assert status_of(url, "who_am_i", token=token) == "INVALID_TOKEN"
    assert "NOT_FOUND" in shop("token", "revoke", "999", "--client", "shop", fails=True)


def test_a_suspended_client_is_refused_until_resumed(shop: Run, url: str) -> None:
    token = shop("token", "issue", ADA)
    assert shop("client", "suspend", "shop") == "shop is suspended"
    assert shop("client", "suspend", "shop") == "shop is suspended (unchanged)"
    ((listed),) = json.loads(shop("client", "list", "--json"))
    assert (listed["code"], listed["active_users"], listed["suspended"]) == ("shop", 2, True)
    assert status_of(url, "who_am_i", token=token) == "CLIENT_SUSPENDED"
    assert json.loads(shop("user", "list", "--json")), "the operator still sees its users"
    assert shop("client", "resume", "shop") == "shop is active"
    assert status_of(url, "who_am_i", token=token) == 200
    assert "unknown client" in shop("client", "suspend", "nowhere", fails=True)


def test_maintenance_mode_refuses_writes_and_allows_reads(shop: Run, url: str) -> None:
    token = shop("token", "issue", ADA)
    shop("maintenance", "start", "--reason", "a new disk")
    assert json.loads(shop("maintenance", "status", "--json"))["reason"] == "a new disk"
    assert (sign_in(url), status_of(url, "who_am_i", token=token)) == ("MAINTENANCE", 200)
    assert shop("maintenance", "end") == "maintenance is off"
    assert shop("maintenance", "end") == "maintenance is off (unchanged)"
    assert sign_in(url) == 200


def within(url: str, action: Callable[[UnitOfWork], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        database = database_for(url)
        await database.open()
        async with database.write(None) as work:
            done = await action(work)
        await database.close()
        return done

    return asyncio.run(run())


def test_dead_jobs_can_be_retried_and_waiting_ones_cancelled(run: Run, url: str) -> None:
    async def fail_one(work: UnitOfWork) -> list[int]:
        for number in range(2):
            await enqueue_job(work, f"kind.{number}", {"email": "a@b.example"}, client_id=None, run_at=utc_now())
        worker = ClaimingWorker(me="w", kinds=("kind.0",), lease=utc_now() - utc_now())
        (job,) = await claim_jobs(work, worker, utc_now(), "default", 1)
        outcome = JobAttemptOutcome(job=job, state=JobState.DEAD, at=utc_now(), error="it broke", attempts=1)
        await finish_attempts(work, worker, [outcome], utc_now())
        return [job.id, job.id + 1]

    dead, waiting = map(str, within(url, fail_one))
    assert [each["id"] for each in json.loads(run("job", "list", "--json"))] == [int(waiting), int(dead)]
    counts = {each["state"]: each["jobs"] for each in json.loads(run("job", "count", "--json"))}
    assert counts == {"dead": 1, "ready": 1}
    shown = json.loads(run("job", "show", dead, "--json"))
    assert (shown["state"], shown["last_error"], "a@b.example" in str(shown)) == ("dead", "it broke", False)
    assert "is ready. Only dead jobs can be retried." in run("job", "retry", waiting, fails=True)
    assert run("job", "retry", "--kind", "kind.0") == "1 jobs will run again"
    assert json.loads(run("job", "show", dead, "--json"))["attempts"] == 0
    assert run("job", "cancel", waiting) == f"job {waiting} is cancelled"
    assert "is dead. Only waiting jobs" in run("job", "cancel", waiting, fails=True)
    assert run("job", "retry", waiting) == "1 jobs will run again"
    assert "there is no job 999" in run("job", "show", "999", fails=True)
    assert "give ids or a kind" in run("job", "retry", fails=True)


def test_the_doctor_reports_problems(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAULIER_OBJECTS", f"file:{tmp_path}/files")
    found = {each["check"]: each["state"] for each in json.loads(run("doctor", "--json"))}
    assert found == {
        **dict.fromkeys(("settings", "database", "object store", "jobs"), "ok"),
        **dict.fromkeys(("role", "clock", "mail", "keys", "signing", "TLS", "brokers"), "skipped"),
        "disk": found["disk"],
    }
    monkeypatch.setenv("HAULIER_MAIL", "smtp://127.0.0.1:1")
    run("maintenance", "start")
    broken = {each["check"]: each for each in json.loads(run("doctor", "--json", fails=True))}
    assert (broken["mail"]["state"], broken["database"]["state"]) == ("error", "warning")
    assert "Connection refused" in broken["mail"]["detail"]


async def test_the_doctor_tests_the_mail_server_login() -> None:
    async with run_mail_server() as server:
        await SmtpMailer(f"smtp://ada:secret@127.0.0.1:{server.port}", "a@b.example").check()
    assert (server.logins, server.letters) == ([("ada", "secret", False)], [])
