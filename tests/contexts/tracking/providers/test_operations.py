"""Provider keys: issued once, listed without secrets, revoked, rate-limited."""

from typing import Any

from sqlalchemy import select
from tests.contexts.tracking.ingest.requests import make_event, make_key, make_timeline, push_document
from tests.support.app import App, make_app
from typer.testing import CliRunner

from haulier.cli import app as command_line
from haulier.contexts.tracking.providers.store import provider_keys
from haulier.kernel.operations.codec import encode_json
from haulier.kernel.values.ids import hash_token

HUB = {"name": "Hub", "carriers": ["Swift Post", "Slow Post"], "per_minute": 30, "source_type": "partner"}


async def listed(app: App, who: str = "admin") -> list[Any]:
    return (await app.answer(who, "list_provider_keys")).providers


async def test_only_admins_of_the_client_manage_keys(app: App) -> None:
    for operation, body in (
        ("issue_provider_key", HUB),
        ("list_provider_keys", {}),
        ("revoke_provider_key", {"provider_id": 1}),
    ):
        assert (await app.call(None, operation, body)).status == 401
        for who in ("employee", "contractor", "driver", "customer"):
            assert (await app.call(who, operation, body)).status == 403


async def test_a_key_is_shown_once_and_only_its_digest_is_stored(app: App) -> None:
    issued = await app.answer("admin", "issue_provider_key", HUB)
    (record,) = await listed(app)
    facts = (record.name, record.carriers, record.per_minute, record.source_type)
    assert facts == ("Hub", ["Slow Post", "Swift Post"], 30, "partner")
    assert issued.key.encode() not in encode_json(record)
    async with app.database.read(app.clients["demo"]) as work:
        (row,) = await work.all(select(provider_keys))
    assert bytes(row.token_sha256) == hash_token(issued.key)
    assert issued.key not in repr(tuple(row))


async def test_another_clients_keys_are_not_found(app: App) -> None:
    issued = await app.answer("admin", "issue_provider_key", HUB)
    assert await listed(app, "rival") == []
    assert (await app.call("rival", "revoke_provider_key", {"provider_id": issued.id})).status == 404


async def test_a_revoked_key_is_refused(app: App) -> None:
    issued = await app.answer("admin", "issue_provider_key", HUB)
    assert (await push_document(app, issued.key, make_timeline(make_event()))).status_code == 200
    for _ in range(2):
        await app.answer("admin", "revoke_provider_key", {"provider_id": issued.id})
    assert (await push_document(app, issued.key, make_timeline(make_event()))).status_code == 401
    (record,) = await listed(app)
    assert record.revoked_at == app.clock.now


async def test_a_key_holder_can_read_the_keys_permissions(app: App) -> None:
    issued = await app.answer("admin", "issue_provider_key", HUB)
    holder = {"headers": {"Authorization": f"Bearer {issued.key}"}}
    told = (await app.http.get("/api/v1/otep/providers/me", **holder)).json()
    assert told == {
        "result": True,
        "id": issued.id,
        "name": "Hub",
        "client": "demo",
        "source_type": "partner",
        "carriers": ["Slow Post", "Swift Post"],
        "per_minute": 30,
        "scopes": ["tracking:write"],
    }
    nobody = await app.http.get("/api/v1/user/me", **holder)
    assert (nobody.status_code, nobody.json()["code"]) == (403, "KEY_OF_NOBODY")
    assert "/v1/otep/providers/me" in nobody.json()["message"]
    assert (await app.call("admin", "get_own_provider_key")).status == 403


async def test_last_use_is_recorded_hourly(app: App) -> None:
    key = await make_key(app)
    await app.application.identity.record_token_use(app.database, app.clock.now)
    for noted in (1, 0):
        await push_document(app, key, make_timeline(make_event()))
        assert await app.application.identity.record_token_use(app.database, app.clock.now) == noted
    (record,) = await listed(app)
    assert record.last_used_at == app.clock.now
    app.clock.forward(hours=2)
    await push_document(app, key, make_timeline(make_event()))
    assert await app.application.identity.record_token_use(app.database, app.clock.now) == 1


async def test_a_key_is_limited_to_a_number_of_calls_per_minute(database_url: str) -> None:
    async with make_app(database_url, rate_limits=True) as app:
        slow, other = await make_key(app, per_minute=3), await make_key(app, name="Other Post", per_minute=3)
        statuses = [(await push_document(app, slow, b"no document")).status_code for _ in range(4)]
        assert statuses == [400, 400, 400, 429]
        refused = await push_document(app, slow, make_timeline(make_event()), to="ingest/epcis")
        assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
        assert int(refused.headers["retry-after"]) > 0
        assert (await push_document(app, other, make_timeline(make_event()))).status_code == 200


async def test_the_audit_trail_names_the_key_of_each_push(app: App) -> None:
    issued = await app.answer("admin", "issue_provider_key", HUB)
    source = {"type": "carrier", "name": "Swift Post"}
    await push_document(app, issued.key, make_timeline(make_event(source=source, event_id="secret-name")))
    from haulier.kernel.pipeline.audit import audit_entries, audit_subjects

    about = select(audit_entries.c.operation, audit_entries.c.account, audit_entries.c.request).join(
        audit_subjects, audit_subjects.c.entry_id == audit_entries.c.id
    )
    async with app.database.read(None) as work:
        rows = await work.all(about.where(audit_subjects.c.kind == "provider_key").order_by(audit_entries.c.id))
    assert [(row.operation, row.account) for row in rows] == [
        ("issue_provider_key", "client_admin"),
        ("ingest_timelines", "provider"),
    ]
    assert "secret-name" not in repr(rows[1].request)


async def test_the_cli_issues_a_working_key(database_url: str) -> None:
    async with make_app(database_url) as app:
        command = ["provider", "issue-key", "--database", database_url, "--client", "demo", "--name", "Hub"]
        issued = await run(*command, "--carrier", "Swift Post")
        assert issued.exit_code == 0
        key = issued.stdout.strip()
        other = {"type": "carrier", "name": "Other Post"}
        response = await push_document(app, key, make_timeline(make_event(), make_event(hours=1, source=other)))
        assert [receipt["outcome"] for receipt in response.json()["receipts"]] == ["accepted", "refused"]
        nobody = await run(*command[:-4], "--client", "nobody", "--name", "Hub")
        assert (nobody.exit_code, "unknown client nobody" in nobody.output) == (2, True)


async def run(*arguments: str) -> Any:
    """A command, in a thread: it has an event loop of its own."""
    import asyncio

    return await asyncio.to_thread(CliRunner().invoke, command_line, arguments)
