"""Rights of all accounts, tokens, agents and keys, and the writes that grant them."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any, NamedTuple

import pytest
from sqlalchemy import select
from tests.support.app import App

from haulier.app import registry
from haulier.contexts.identity.accounts.rules import permitted_scopes
from haulier.contexts.identity.accounts.store.tables import members, tokens, users
from haulier.contexts.identity.invitations.store import invitations
from haulier.contexts.identity.sign_in_links.store import links
from haulier.contexts.integrations.webhooks.rules import list_subscribed_events
from haulier.contexts.integrations.webhooks.store import endpoints
from haulier.contexts.oauth.grants.store import grants
from haulier.contexts.tracking.providers.queries import PROVIDER_SCOPES
from haulier.contexts.tracking.providers.store import provider_keys
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.pipeline import run
from haulier.kernel.pipeline.reach import reach_of

GIVES = {
    "user_account": {"email", "password_hash", "account", "active"},
    "member": {"scopes"},
    "access_token": {"token_sha256", "scopes", "expires_at"},
    "password_reset": {"token_sha256"},
    "sign_in_link": {"token_sha256"},
    "setup_code": {"code_sha256"},
    "invitation": {"token_sha256", "user_id", "expires_at"},
    "oauth_grant": {"scopes", "code_sha256", "expires_at"},
    "oauth_refresh_token": {"token_sha256"},
    "provider_key": {"token_sha256", "set_up_by"},
    "identity_binding": {"subject"},
    "user_phone": {"phone"},
    "app_session_token": {"token_id"},
    "webhook_endpoint": {"events", "enabled", "customer_id"},
}
"""Columns by which a person or an address is let in, or let do or receive more."""
GIVES_NOTHING = {
    "stock_import": "the digest recognises a file that is sent twice",
    "stored_file": "the digests prove the content of a file",
    "failed_sign_in": "counts failures",
    "idempotency_key": "tells a repeat of a request from another request",
    "phone_challenge": "where a code was asked for",
    "app_registration": "an application: the customer comes with its completion or approval",
    "driver_registration": "a link to the state of an application",
    "chat_push_device": "the digest finds a device by its address, and opens nothing",
    "channel_ticket": "lets a program listen at one topic for minutes, and opens no account",
    "recipient_access": "opens one delivery to its recipient, and nothing of an account",
    "device_key": "lets a device speak for itself, and opens no account",
    "locker_parcel": "a code opens one box, once",
    "luggage_booking": "a PIN proves whose the bags of one booking are",
    "locker_screen": "lets a screen ask for codes, and opens no account",
    "locker_courier_code": "opens boxes of one site for some hours, and no account",
    "payment_link": "pays one bill, and opens nothing of an account",
    "shop_link": "pays for one purchase and opens its box, and nothing of an account",
    "recipient_message": "tells how many messages went to one address",
    "pending_write": "a write that runs later, with these scopes of whoever proposed it",
    "agent_turn": "a question that is answered later, with these scopes of whoever asked it",
}
"""Tables with a digest or scopes that grant no access."""


class Right(NamedTuple):
    """Scopes and operations of one credential, and their expiry."""

    scopes: frozenset[Scope]
    until: datetime | None = None
    operations: frozenset[str] = frozenset()


Rights = dict[tuple[Any, ...], Right]


async def read_rights(app: App) -> Rights:
    """Return the right of every valid credential.

    A user with another address or password counts as another credential.
    """
    async with app.database.read(None) as plain:
        work = plain.without_tenant_filter("a test compares everything")
        left = {row.user_id: row.scopes for row in await work.all(select(members))}
        people = {row.id: row for row in await work.all(select(users))}
        may = {id: permitted_scopes(Account(row.account), left.get(id)) for id, row in people.items()}
        return {
            **{
                ("user", row.id, row.email, row.password_hash): right_of(row.account, may[row.id])
                for row in people.values()
                if row.active
            },
            **{
                ("token", row.id): right_of(
                    people[row.user_id].account, _scopes(row.scopes, may[row.user_id]), row.expires_at
                )
                for row in await work.all(select(tokens))
                if row.revoked_at is None and row.expires_at > app.clock.now and people[row.user_id].active
            },
            **{
                ("agent", row.id): Right(_scopes(row.scopes, may[row.user_id]), row.expires_at)
                for row in await work.all(select(grants).where(grants.c.ended_at.is_(None)))
            },
            **{
                ("invitation", row.id, row.expires_at): right_of(people[row.user_id].account, may[row.user_id])
                for row in await work.all(select(invitations).where(invitations.c.withdrawn_at.is_(None)))
            },
            **{
                ("link", row.id): right_of(people[row.user_id].account, may[row.user_id], row.expires_at)
                for row in await work.all(select(links))
                if row.used_at is None and row.revoked_at is None and people[row.user_id].active
            },
            **{
                ("webhook", row.id): _right_of_endpoint(row.events, of_customer=row.customer_id is not None)
                for row in await work.all(select(endpoints).where(endpoints.c.enabled.is_(True)))
            },
            **{
                ("provider key", row.id): Right(PROVIDER_SCOPES)
                for row in await work.all(
                    select(provider_keys).where(
                        provider_keys.c.revoked_at.is_(None), provider_keys.c.suspended_at.is_(None)
                    )
                )
            },
        }


def right_of(account: str, scopes: frozenset[Scope], until: datetime | None = None) -> Right:
    """Return the right of a kind of account with some scopes."""
    return Right(scopes, until, reach_of(registry(), Account(account), scopes).operations)


def _right_of_endpoint(events: list[str], *, of_customer: bool) -> Right:
    """Return the right of a webhook endpoint: the reads behind its events."""
    readers = {entry.read_by for entry in list_subscribed_events(events, of_customer=of_customer)}
    scopes = frozenset[Scope]().union(*(registry()[name].scopes for name in readers))
    return Right(scopes, None, frozenset(readers))


def _scopes(stored: list[str] | None, may: frozenset[Scope]) -> frozenset[Scope]:
    """Return the scopes of a token or agent; a session has all of its user's."""
    return may if stored is None else frozenset(map(Scope, stored)) & may


def gained(before: Rights, after: Rights) -> Rights:
    """Return the rights in `after` that the same credential did not have in `before`."""
    nothing = Right(frozenset())
    more = {
        way: Right(
            right.scopes - before.get(way, nothing).scopes,
            right.until,
            right.operations - before.get(way, nothing).operations,
        )
        for way, right in after.items()
    }
    return {way: right for way, right in more.items() if right.scopes or right.operations}


_running: ContextVar[str | None] = ContextVar("_running", default=None)


def record_giving(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """Record the columns of `GIVES` that each operation writes from now on.

    Dry runs count as well.
    """
    giving: dict[str, set[str]] = {}

    def note(table: str, columns: set[str]) -> None:
        if (operation := _running.get()) and (given := columns & GIVES.get(table, set())):
            giving.setdefault(operation, set()).update(f"{table}.{column}" for column in given)

    for name in ("_execute_write", "_run_dry_write"):
        monkeypatch.setattr(run, name, _naming_the_operation(getattr(run, name)))
    _note_statements(monkeypatch, note)
    return giving


def _naming_the_operation(execute: Any) -> Any:
    async def named(app: Any, incoming: Any, *rest: Any) -> None:
        with _operation(incoming.operation.name):
            await execute(app, incoming, *rest)

    return named


@contextmanager
def _operation(name: str) -> Iterator[None]:
    before = _running.set(name)
    try:
        yield
    finally:
        _running.reset(before)


def _note_statements(monkeypatch: pytest.MonkeyPatch, note: Any) -> None:
    run_one, insert, insert_many = UnitOfWork.run, UnitOfWork.insert, UnitOfWork.insert_many
    upsert_many = UnitOfWork.upsert_many

    async def noted_run(self: UnitOfWork, statement: Any, /, **params: Any) -> Any:
        values = getattr(statement, "_values", None)
        note(statement.table.name, {getattr(column, "key", column) for column in values or ()})
        return await run_one(self, statement, **params)

    async def noted_insert(self: UnitOfWork, table: Any, /, **values: Any) -> Any:
        note(table.name, set(values))
        return await insert(self, table, **values)

    async def noted_inserts(self: UnitOfWork, table: Any, rows: Any, /) -> Any:
        note(table.name, {column for row in rows for column in row})
        return await insert_many(self, table, rows)

    async def noted_upserts(self: UnitOfWork, table: Any, key: Any, rows: Any, /) -> Any:
        note(table.name, {column for row in rows for column in row})
        return await upsert_many(self, table, key, rows)

    monkeypatch.setattr(UnitOfWork, "run", noted_run)
    monkeypatch.setattr(UnitOfWork, "upsert_many", noted_upserts)
    monkeypatch.setattr(UnitOfWork, "insert", noted_insert)
    monkeypatch.setattr(UnitOfWork, "insert_many", noted_inserts)
