"""The argument of every handler: caller, time, language and unit of work."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any, TypeVar, overload
from zoneinfo import ZoneInfo

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from haulier.kernel import background
from haulier.kernel.application import Application
from haulier.kernel.background.events import DomainEvent
from haulier.kernel.background.streams import FactStream, make_message
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import UNAUTHENTICATED
from haulier.kernel.principal import Business, Principal, system_principal
from haulier.kernel.values.ids import make_request_id
from haulier.kernel.values.networks import CallerNetwork

P = TypeVar("P")


class OutboxEntry(Struct, frozen=True):
    """A job enqueued or an event published by a call.

    A dry run returns these instead of committing them.
    """

    kind: str
    args: dict[str, Any]
    run_at: datetime | None = None


class SignedInActor(Struct, frozen=True):
    """The actor recorded in the audit trail.

    After a sign-in, this is the user who signed in.
    """

    client_id: int | None
    user_id: int | None
    account: Account


class Call(Struct, kw_only=True):
    """One call of one operation. Handlers must not store it."""

    app: Application
    principal: Principal
    work: UnitOfWork
    now: datetime
    language: str
    request_id: str
    dry_run: bool = False
    address: str | None = None
    agent: str | None = None
    """Name of the caller's program (User-Agent)."""
    prepared: Any = None
    side_effects: list[OutboxEntry] = []
    audited_records: list[tuple[str, int]] = []
    signed_in_as: SignedInActor | None = None
    headers: dict[str, str] = {}
    fingerprint: Any = None
    """`Fingerprint` of the data that the handler read, used as the ETag if the operation has a `fingerprint`."""

    @property
    def business(self) -> Business:
        """The client the call runs for. Raises `UNAUTHENTICATED` for a caller without one."""
        if self.principal.business is None:
            raise UNAUTHENTICATED()
        return self.principal.business

    @property
    def client_id(self) -> int:
        """Id of the tenant the call runs for."""
        return self.business.id

    @property
    def actor(self) -> int | None:
        """Id of the acting user; None for a job."""
        return self.principal.user_id

    @property
    def network(self) -> CallerNetwork:
        """Network that the call comes from.

        Limits and failures are counted per network, never per address.
        """
        return self.app.network_of(self.address)

    @property
    def time_zone(self) -> ZoneInfo:
        """The business's time zone."""
        return ZoneInfo(self.business.time_zone)

    @property
    def today(self) -> date:
        """The current day in the business's time zone."""
        return self.now.astimezone(self.time_zone).date()

    def span_of_days(self, first: date, last: date) -> tuple[datetime, datetime]:
        """Return the start and end of a range of days in the business's time zone."""
        return datetime.combine(first, time(), self.time_zone), datetime.combine(
            last + timedelta(days=1), time(), self.time_zone
        )

    @overload
    def local_time(self, moment: datetime) -> datetime: ...

    @overload
    def local_time(self, moment: datetime | None) -> datetime | None: ...

    def local_time(self, moment: datetime | None) -> datetime | None:
        """Convert a moment to the business's time zone; None stays None."""
        return moment and moment.astimezone(self.time_zone)

    def adapter(self, port: type[P]) -> P:
        """Return the adapter behind a port of a context."""
        return self.app.adapter(port)

    def translate(self, message_id: str, **params: Any) -> str:
        """Return a message of the catalogues in the caller's language."""
        return self.app.catalogues.translate(self.language, message_id, **params)

    def add_audit_subjects(self, kind: str, *ids: int) -> None:
        """Add records to the subjects of this call's audit entry."""
        self.audited_records.extend((kind, id) for id in ids)

    def set_signed_in(self, client_id: int, user_id: int, account: Account) -> None:
        """Record the user who signed in by this call as its actor in the audit trail."""
        self.signed_in_as = SignedInActor(client_id, user_id, account)

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """Open a savepoint.

        An exception rolls back its statements, side effects and audit subjects, not the call.
        """
        side_effects, audited_records = len(self.side_effects), len(self.audited_records)
        try:
            async with self.work.savepoint():
                yield
        except BaseException:
            del self.side_effects[side_effects:], self.audited_records[audited_records:]
            raise

    async def enqueue(
        self, kind: str, args: Struct, *, run_at: datetime | None = None, idempotency_key: str | None = None
    ) -> int | None:
        """Enqueue a job within this call's transaction and return its id."""
        job_type = self.app.background.job_types[kind]
        plain = to_builtins(args)
        self.side_effects.append(OutboxEntry(kind, plain, run_at))
        return await background.enqueue_job(
            self.work,
            kind,
            plain,
            client_id=self.principal.client_id,
            run_at=run_at or self.now,
            lane=job_type.queue,
            max_attempts=job_type.max_attempts,
            idempotency_key=idempotency_key,
        )

    async def stream(self, kind: str, args: Struct) -> bool:
        """Send a record to the fact stream.

        The stream stores it later, even if this call is rolled back.

        Returns False if there is no stream, and always in a dry run. The caller then writes the record in this
        transaction.
        """
        if self.dry_run:
            return False
        return await self.adapter(FactStream).send(make_message(kind, self.client_id, self.now, args))

    async def publish(self, event: DomainEvent) -> None:
        """Enqueue a job for each subscriber of this event and run its pre-commit hooks."""
        if names := [subscriber.name for subscriber in self.app.background.subscribers_of(type(event))]:
            plain = {"event": type(event).__name__, "news": to_builtins(event), "at": self.now.isoformat()}
            self.side_effects += [OutboxEntry(name, plain) for name in names]
            kinds = [f"news:{name}" for name in names]
            await background.enqueue_jobs(self.work, kinds, plain, client_id=self.principal.client_id, run_at=self.now)
        for hook in self.app.background.hooks_of(type(event)):
            self.work.defer_until_commit(hook.name, event, partial(hook.handler, self))


def call_as(
    app: Application,
    principal: Principal,
    work: UnitOfWork,
    *,
    now: datetime | None = None,
    language: str = DEFAULT_LANGUAGE,
    request_id: str | None = None,
    dry_run: bool = False,
    address: str | None = None,
    agent: str | None = None,
    headers: dict[str, str] | None = None,
) -> Call:
    """Create the call of a principal in an open unit of work.

    All calls are created here.
    """
    return Call(
        app=app.of_business(principal.business),
        principal=principal,
        work=work,
        now=now or app.clock(),
        language=language,
        request_id=request_id or make_request_id(),
        dry_run=dry_run,
        address=address,
        agent=agent,
        headers={} if headers is None else headers,
    )


async def call_as_system(app: Application, client_id: int | None, work: UnitOfWork, **options: Any) -> Call:
    """Create a call for a client with the rights of the system.

    `options` are those of `call_as`.

    Raises `NOT_FOUND` if the client does not exist.
    """
    business = await app.identity.business(work, client_id) if client_id else None
    return call_as(app, system_principal(business), work, **options)


async def call_for_anybody(call: Call, client_id: int, why: str) -> Call:
    """Create a call at one business for a caller without an account.

    `why` is the reason for the access.
    """
    business = await call.app.identity.business(call.work, client_id)
    call.signed_in_as = SignedInActor(client_id, None, Account.PUBLIC)
    work = call.work.for_tenant(client_id, why)
    principal = Principal(Account.PUBLIC, business=business)
    return replace(call, app=call.app.of_business(business), principal=principal, work=work)


def call_within(outer: Call, principal: Principal, language: str | None = None, *, now: datetime | None = None) -> Call:
    """Create a nested call in the same transaction.

    It shares the request and, unless `now` is given, the time. It has separate side effects and audit subjects.
    """
    return call_as(
        outer.app,
        principal,
        outer.work,
        now=now or outer.now,
        language=language or outer.language,
        request_id=outer.request_id,
        dry_run=outer.dry_run,
        address=outer.address,
        agent=outer.agent,
    )
