"""Writes of webhooks for other families."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct, to_builtins

from haulier.contexts.identity.public import SetUpBy, list_standing_principals
from haulier.contexts.integrations.ports import SecretSealer
from haulier.contexts.integrations.webhooks import rules, store
from haulier.contexts.integrations.webhooks.rules import (
    EVENT_BY_NAME,
    EVENT_BY_RECORD,
    CatalogEvent,
    DisableReason,
    is_subscribed,
)
from haulier.contexts.integrations.webhooks.store import EndpointSecretsRow
from haulier.kernel.application import Application
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.declaration import Request
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.pipeline.reach import can_call
from haulier.kernel.principal import Business, Principal, system_principal

FAN_OUT_JOB = "webhooks.fan_out"


class OutboxEvent(Struct, frozen=True, kw_only=True):
    """A domain event as a document, under its name in the event catalog."""

    event: str
    record: dict[str, Any]


class FanOutEvents(Struct, frozen=True, kw_only=True):
    """Job arguments: the events of one transaction.

    Message ids derive from the job's id. Nothing is random, because a preview of a write shows this job, and approval
    compares it with the actual job.
    """

    at: datetime
    events: list[OutboxEvent]
    token: str | None = None
    """Seed of message ids in jobs of earlier versions."""


@before_commit(DomainEvent)
async def collect_events(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue one job for the events that some endpoint subscribed to.

    Reads the client's endpoints once.
    """
    client_id = call.principal.client_id
    entries = [(EVENT_BY_RECORD[name], event) for event in events if (name := type(event).__name__) in EVENT_BY_RECORD]
    if client_id is None or not entries:
        return
    own = call.work.client_id == client_id
    work = call.work if own else call.work.for_tenant(client_id, "the events of a client go to its own endpoints")
    subscriptions = [endpoint.events for endpoint in await store.list_active_webhook_endpoint_rows(work)]
    collected = [
        OutboxEvent(event=entry.name, record=to_builtins(event))
        for entry, event in entries
        if any(is_subscribed(names, entry.name) for names in subscriptions)
    ]
    if collected:
        await call.enqueue(FAN_OUT_JOB, FanOutEvents(at=call.now, events=collected))


class StoppedEndpoint(Request):
    """Audit entry of an endpoint that was disabled with its user or token."""

    url: str
    disabled_why: str
    set_up_by: int
    set_up_with: int | None = None


class SetUpEndpoint(Protocol):
    """A row that names the user who set an endpoint up."""

    @property
    def set_up_by(self) -> int | None: ...
    @property
    def set_up_with(self) -> int | None: ...


class EndpointPrincipals:
    """Principals of a client's endpoints, loaded in two statements."""

    def __init__(self, business: Business, standing: dict[SetUpBy, Principal]) -> None:
        self._business = business
        self._standing = standing

    def find(self, row: SetUpEndpoint) -> Principal | None:
        """Return an endpoint's principal; None if its user or token has ended."""
        if row.set_up_by is None:
            return system_principal(self._business)
        return self._standing.get((row.set_up_by, row.set_up_with))


async def load_endpoint_principals(
    app: Application, work: UnitOfWork, business: Business, rows: Iterable[SetUpEndpoint]
) -> EndpointPrincipals:
    """Load the principals behind some endpoints."""
    who = {(row.set_up_by, row.set_up_with) for row in rows if row.set_up_by is not None}
    return EndpointPrincipals(business, await list_standing_principals(work, business, who, app.clock()))


def may_receive(app: Application, principal: Principal, event: CatalogEvent | str) -> bool:
    """Return True if a principal can read the data of an event.

    Test messages have none.
    """
    entry = EVENT_BY_NAME.get(event) if isinstance(event, str) else event
    if entry is None:
        return True
    reader = app.registry.get(entry.read_by)
    return reader is not None and can_call(reader, principal)


async def stop_endpoint(run: JobRun, endpoint_id: int, url: str, row: SetUpEndpoint) -> None:
    """Disable an endpoint whose user or token has ended, once, with an audit entry."""
    why = DisableReason.SET_UP_ENDED.value
    async with run.call() as call:
        if await store.disable_webhook_endpoint(call.work, endpoint_id, at=call.now, why=why):
            call.add_audit_subjects("client", call.client_id)
            entry = StoppedEndpoint(
                url=url, disabled_why=why, set_up_by=row.set_up_by or 0, set_up_with=row.set_up_with
            )
            await record_audit_entry(call, "update_webhook_settings", entry, "system")


def secret_context(client_id: int) -> str:
    """Return the context that binds a secret to a client."""
    return f"webhooks of client {client_id}"


def seal_endpoint_secret(app: Application, client_id: int, secret: str) -> str:
    """Return a secret as it is stored."""
    return app.adapter(SecretSealer).seal(secret, secret_context(client_id))


def list_signing_keys(app: Application, client_id: int, row: EndpointSecretsRow, now: datetime) -> list[bytes]:
    """Return the current signing keys of an endpoint, newest first.

    Empty if its secret is unreadable.
    """
    sealed = [row.sealed_secret] if row.sealed_secret else []
    if row.sealed_old_secret and row.overlap_until and now < row.overlap_until:
        sealed.append(row.sealed_old_secret)
    opened = (app.adapter(SecretSealer).open(secret, secret_context(client_id)) for secret in sealed)
    return [key for secret in opened if secret and (key := rules.decode_secret_key(secret))]
