"""The audit trail is a hash chain that reveals changes made by SQL."""

import asyncio
import datetime
import tempfile
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import pytest
from sqlalchemy import func, select
from tests.support.app import App
from tests.support.databases import cluster
from typer.testing import CliRunner

from haulier.cli import app as command_line
from haulier.contexts.control_tower.retention.jobs import schedule_retention
from haulier.kernel.pipeline.audit import audit_entries
from haulier.kernel.pipeline.audit_digests import digest_entry
from haulier.kernel.pipeline.audit_seals import seal_audit_trail

SIGNING_FOLDER = str(Path(tempfile.gettempdir(), "haulier-test-signing"))
COPY = """INSERT INTO audit_entry (owner_client_id, at, operation, user_id, account, door, request_id, request, salt, digest)
SELECT owner_client_id, at, operation, user_id, account, door, request_id, request, salt, digest
FROM audit_entry WHERE id = {id}"""

CHANGES = (
    "UPDATE audit_entry SET operation = 'other'",
    "DELETE FROM audit_entry",
    "UPDATE audit_subject SET subject_id = 1",
    "DELETE FROM audit_subject",
    "UPDATE audit_seal SET digest = ''",
    "DELETE FROM audit_seal",
)


def tamper(app: App, sql: str) -> None:
    """Run SQL past the triggers, as someone does who has the file, or is a superuser."""
    if not app.database_url.startswith("sqlite:"):
        cluster().ask(f"DO $$ BEGIN SET LOCAL session_replication_role = replica; {sql}; END $$")
        return
    connection = apsw.Connection(app.database_url.removeprefix("sqlite:///"))
    for (name,) in list(connection.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'audit_%_refused'")):
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(sql)
    connection.close()


async def run_sql(app: App, sql: str) -> None:
    """Run SQL as the application's own role."""
    if app.database_url.startswith("sqlite:"):
        apsw.Connection(app.database_url.removeprefix("sqlite:///")).execute(sql)
        return
    connection = await asyncpg.connect(app.database_url)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


async def verify(app: App) -> Any:
    words = ["audit", "verify", "--database", app.database_url]
    return await asyncio.to_thread(
        CliRunner(env={"HAULIER_SIGNING_FOLDER": SIGNING_FOLDER}).invoke, command_line, words
    )


async def three_entries(app: App, *, sealed: bool = True) -> list[int]:
    """Create three entries with two or three sealed; return their ids."""
    await app.answer(
        "admin", "create_address", {"name": "Ann", "address": "1 Front St", "city": "Toronto", "country": "CA"}
    )
    await app.answer("admin", "update_me", {"language": "de"})
    await seal_audit_trail.handler(app.application)
    await app.answer("employee", "update_me", {"language": "fr"})
    if sealed:
        await seal_audit_trail.handler(app.application)
    async with app.database.read(None) as work:
        return [row.id for row in await work.all(select(audit_entries.c.id).order_by(audit_entries.c.id))]


async def test_an_unmodified_trail_is_intact(app: App) -> None:
    ids = await three_entries(app, sealed=False)
    found = await verify(app)
    assert (found.exit_code, "the audit trail is intact" in found.output) == (0, True), found.output
    assert f"{len(ids)} entries, 0 erased, 0 removed by retention, 1 not sealed yet; newest seal 1 " in found.output


@pytest.mark.parametrize("sealed", [True, False])
async def test_a_changed_entry_is_reported(app: App, sealed: bool) -> None:
    *_, last = await three_entries(app, sealed=sealed)
    tamper(app, f"UPDATE audit_entry SET user_id = 77 WHERE id = {last}")
    found = await verify(app)
    assert (found.exit_code, f"entry {last} was changed or inserted" in found.output) == (1, True), found.output


async def test_a_changed_subject_is_reported(app: App) -> None:
    first, *_ = await three_entries(app)
    tamper(app, f"UPDATE audit_subject SET subject_id = 77 WHERE entry_id = {first}")
    assert f"entry {first} was changed or inserted" in (await verify(app)).output


async def test_a_removed_entry_is_reported(app: App) -> None:
    _, second, _ = await three_entries(app)
    tamper(app, f"DELETE FROM audit_entry WHERE id = {second}")
    found = await verify(app)
    assert (found.exit_code, f"entry {second} was removed" in found.output) == (1, True), found.output


async def test_an_inserted_copy_is_reported(app: App) -> None:
    *_, last = await three_entries(app)
    tamper(app, COPY.format(id=last))
    await seal_audit_trail.handler(app.application)
    found = await verify(app)
    assert (found.exit_code, "was inserted: it repeats another entry" in found.output) == (1, True), found.output


async def test_an_inserted_entry_without_a_digest_is_reported(app: App) -> None:
    *_, last = await three_entries(app)
    tamper(app, COPY.format(id=last).replace("request, salt, digest\nFROM", "request, NULL, NULL\nFROM"))
    await seal_audit_trail.handler(app.application)
    assert "was inserted: it has no digest" in (await verify(app)).output


async def test_an_entry_deleted_by_sql_is_detected(app: App) -> None:
    first, *_ = await three_entries(app)
    tamper(app, f"UPDATE audit_entry SET salt = NULL, request = '{{}}' WHERE id = {first}")
    assert f"entry {first} was changed or inserted" in (await verify(app)).output


async def test_a_removed_or_forged_seal_breaks_the_chain(app: App) -> None:
    await three_entries(app)
    tamper(app, "DELETE FROM audit_seal WHERE number = 1")
    assert "is the first of seal 2, which breaks the chain" in (await verify(app)).output
    tamper(app, "UPDATE audit_seal SET number = 1, previous = ''")
    assert "is the first of seal 1, which breaks the chain" in (await verify(app)).output


async def test_the_database_prevents_changes(app: App) -> None:
    await three_entries(app)
    for sql in CHANGES:
        with pytest.raises(
            (apsw.ConstraintError, asyncpg.InsufficientPrivilegeError), match="the audit trail cannot be changed"
        ):
            await run_sql(app, sql)


async def test_an_erasure_is_recorded_and_the_remaining_entries_stay_protected(app: App) -> None:
    email = "ann@example.com"
    address = {"name": "Ann", "address": "1 Front St", "city": "Toronto", "country": "CA", "email": email}
    await app.answer("admin", "create_address", address)
    (entry,) = (await app.answer("admin", "list_audit_entries", {"operation": "create_address"})).entries
    await seal_audit_trail.handler(app.application)
    await app.answer("admin", "erase_personal_data", {"email": email})
    await app.work_off()
    (erased,) = (await app.answer("admin", "list_audit_entries", {"operation": "create_address"})).entries
    assert email not in str(erased.request)
    assert (await app.answer("admin", "list_audit_entries", {"operation": "erase_audit_entries"})).total == 1
    found = await verify(app)
    assert (found.exit_code, "1 erased" in found.output) == (0, True), found.output
    tamper(app, f"UPDATE audit_entry SET user_id = 77 WHERE id = {entry.id}")
    assert f"entry {entry.id} was changed" in (await verify(app)).output


async def test_entries_deleted_by_retention_do_not_break_the_chain(app: App) -> None:
    ids = await three_entries(app)
    app.clock.forward(days=1096)
    await schedule_retention.handler(app.application)
    await app.work_off()
    await seal_audit_trail.handler(app.application)
    async with app.database.read(None) as work:
        assert await work.value(select(func.count()).where(audit_entries.c.id.in_(ids))) == 0
    found = await verify(app)
    assert (found.exit_code, f"{len(ids)} removed by retention" in found.output) == (0, True), found.output


async def test_entries_from_before_digests_are_sealed(app: App) -> None:
    await app.answer("admin", "update_me", {"language": "de"})
    tamper(app, "UPDATE audit_entry SET salt = NULL, digest = NULL")
    await app.answer("admin", "update_me", {"language": "fr"})
    await seal_audit_trail.handler(app.application)
    assert (await verify(app)).exit_code == 0
    tamper(app, "UPDATE audit_entry SET user_id = 77 WHERE digest IS NULL")
    assert "was changed after it was sealed" in (await verify(app)).output


async def test_a_lower_id_committed_late_is_sealed(app: App) -> None:
    ids = await three_entries(app, sealed=False)
    tamper(app, f"UPDATE audit_entry SET id = {ids[-1] + 50} WHERE id = {ids[-1]}")
    await seal_audit_trail.handler(app.application)
    tamper(app, f"UPDATE audit_entry SET id = {ids[-1]} WHERE id = {ids[-1] + 50}")
    await app.answer("admin", "update_me", {"language": "es"})
    await seal_audit_trail.handler(app.application)
    assert ", 0 not sealed yet" in (await verify(app)).output


@pytest.mark.parametrize("number", [1e16, 1e22, -0.0, 1e-7, 43.6426, 1e15])
def test_a_digest_does_not_depend_on_the_databases_number_format(number: float) -> None:
    entry: dict[str, Any] = dict.fromkeys(("owner_client_id", "user_id", "address", "agent"))
    entry |= {"operation": "o", "account": "a", "door": "rest", "request_id": "r", "salt": "s"}
    entry["at"] = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    stored = number + 0.0 if abs(number) < 1e16 else int(number)
    assert digest_entry(entry | {"request": {"a": number}}, ()) == digest_entry(entry | {"request": {"a": stored}}, ())


async def test_admins_see_the_latest_seal_of_their_own_trail(app: App) -> None:
    assert (await app.answer("admin", "get_audit_seal")).number == 0
    await three_entries(app)
    seal = await app.answer("admin", "get_audit_seal")
    assert (seal.number, seal.entries, seal.sealed_at) == (2, 1, app.clock.now)
    assert f"newest seal 2 {seal.digest}" in (await verify(app)).output
    assert (await app.answer("rival", "get_audit_seal")).number == 0
    assert (await app.call("employee", "get_audit_seal")).status == 403
