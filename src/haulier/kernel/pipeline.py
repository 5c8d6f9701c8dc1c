"""What happens to every call, whichever door it came through. `_run` reads like the list in ARCHITECTURE.md."""

import logging
import time
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from haulier.kernel import codec
from haulier.kernel.answers import Answer
from haulier.kernel.audience import demand_audience
from haulier.kernel.call import Call, Letter
from haulier.kernel.data.watching import Change, Watched
from haulier.kernel.data.work import Conflict, Retry, Work
from haulier.kernel.declarations import Effect, Risk, Scope, Server
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import BUSY_TRY_AGAIN, CANNOT_WAIT, CONFIRM_REQUIRED, CONFLICT, INTERNAL_ERROR, Refusal
from haulier.kernel.house import House
from haulier.kernel.kept import Keep, Noted
from haulier.kernel.languages import negotiate
from haulier.kernel.metrics import count
from haulier.kernel.operation import Operation, Request
from haulier.kernel.principal import NOBODY, Principal
from haulier.kernel.rendering import error_body
from haulier.kernel.spans import span
from haulier.kernel.steps.authorise import refusal as why_not
from haulier.kernel.steps.conceal import conceal
from haulier.kernel.steps.freshness import Known, given_before, has_it, mark, question, say_how_long, unchanged
from haulier.kernel.steps.record import record
from haulier.kernel.steps.repeat import claim

ATTEMPTS = 4
log = logging.getLogger("haulier.call")


class Knock(Struct, kw_only=True):
    """What a door hands in: which operation, with which request, and what its headers say."""

    operation: Operation[Any, Any]
    door: str
    request_id: str
    body: bytes = b""
    body_field: str | None = None
    texts: Mapping[str, Any] = {}
    token: str | None = None
    server: Server | None = None
    """The MCP server that was called; None at the other doors."""
    principal: Principal | None = None
    """Who calls, where that is known already: a call inside a call."""
    accept_language: str | None = None
    idempotency_key: str | None = None
    address: str | None = None
    agent: str | None = None
    confirmed: bool = True
    rehearse: bool = False
    ask_a_human: bool = False
    narrow_to: frozenset[Scope] | None = None
    known: Known | None = None

    @property
    def waits(self) -> bool:
        """Whether a human has to look at this call before it is carried out."""
        return self.ask_a_human and self.operation.risk is Risk.HIGH and not self.rehearse


class Outcome(Struct, kw_only=True):
    """What a door carries out: an answer or an error body, and what belongs into its headers."""

    language: str
    request_id: str
    answer: Answer | None = None
    error: dict[str, Any] | None = None
    status: int = 200
    headers: Mapping[str, str] = {}
    repeated: bool = False
    queued: bool = False
    unchanged: bool = False
    """The caller has this answer already."""
    sent: bytes | None = None
    """The bytes of the same answer as it was sent a moment ago."""
    keep: Keep | None = None
    """Where the door puts the bytes of the answer, so that it may be sent again."""
    letters: list[Letter] | None = None
    """What a rehearsal would have sent; None when the call was real."""
    changes: list[Change] | None = None
    """Which records a rehearsal would have changed; None when the call was real, or its caller may not look so deep."""
    message: str | None = None
    """What a rehearsal says about itself."""

    @property
    def rehearsed(self) -> dict[str, Any]:
        """What stands beside the preview of a rehearsal."""
        said: dict[str, Any] = {"message": self.message, "dry_run": True, "letters": self.letters}
        return said if self.changes is None else {**said, "changes": self.changes}


async def handle(house: House, knock: Knock) -> Outcome:
    """Answer one call. Never raises: a refusal, a fault of ours and a busy database all come back as an outcome."""
    language = negotiate(knock.accept_language)
    outcome = Outcome(language=language, request_id=knock.request_id)
    began = time.perf_counter()
    with span(knock.operation.name):
        try:
            await _run(house, knock, outcome)
        except Refusal as refusal:
            _refuse(house, outcome, refusal)
        except Conflict:
            _refuse(house, outcome, CONFLICT())
        except Retry:
            _refuse(house, outcome, BUSY_TRY_AGAIN())
        except Exception:
            log.exception("operation %s failed", knock.operation.name, extra={"request_id": knock.request_id})
            _refuse(house, outcome, INTERNAL_ERROR(request_id=knock.request_id))
    count(knock.operation.name, knock.door, outcome.status, time.perf_counter() - began)
    if knock.operation.effect is Effect.WRITE:
        facts = {"request_id": knock.request_id, "door": knock.door, "status": outcome.status}
        log.info("%s", knock.operation.name, extra=facts)
    return outcome


async def _run(house: House, knock: Knock, outcome: Outcome) -> None:
    operation = knock.operation
    principal = await identify(house, knock)
    authorise(house, operation, principal)
    body = codec.inside(knock.body_field, knock.body) if knock.body_field else knock.body
    request = codec.read(operation.request, body, knock.texts)
    _throttle(house, knock, principal, request)
    _confirm(knock)
    if operation.effect is Effect.WRITE:
        await _write(house, knock, outcome, principal, request)
    else:
        asked = question(knock, outcome) if operation.heard and principal is NOBODY else None
        if asked is None or not given_before(house, knock, outcome, asked):
            await _read(
                house, knock, outcome, principal, request, house.kept.noted(asked, operation) if asked else None
            )
    if principal.hidden_prices:
        conceal(outcome.answer, principal.hidden_prices)  # type: ignore[arg-type]


async def _read(
    house: House, knock: Knock, outcome: Outcome, principal: Principal, request: Request, noted: Noted | None
) -> None:
    operation = knock.operation
    async with house.database.read(principal.client_id) as work:
        call = _call(house, knock, outcome, principal, work)
        if operation.fingerprint:
            say_how_long(call, knock)
            outcome.unchanged = noted is None and await unchanged(call, knock, request)
        if outcome.unchanged:
            return
        outcome.answer = await operation.handler(call, request)
        if operation.fingerprint and call.fingerprint:
            etag = mark(call, knock, call.fingerprint)
            if noted:  # whoever has it is spared it, but it is read to be kept
                outcome.keep = house.kept.keeper(noted, operation, request, call.headers, call.fingerprint)
                outcome.unchanged = has_it(knock.known, etag, call.fingerprint)


async def identify(house: House, knock: Knock) -> Principal:
    """Who calls. A public operation does not fail over a stale token: it is then answered as to nobody."""
    if knock.principal is not None:
        return knock.principal
    if knock.token is None:
        return NOBODY
    try:
        demand_audience(knock.token, knock.server)
        async with house.database.read(None) as work:
            principal = await house.identity.identify(work, knock.token, house.clock())
    except Refusal:
        if knock.operation.public:
            return NOBODY
        if knock.operation.stale:
            await knock.operation.stale(_doorstep(house, knock, NOBODY), knock.token)
        raise
    if knock.narrow_to is None:
        return principal
    return Principal(
        **{name: getattr(principal, name) for name in principal.__struct_fields__ if name != "scopes"},
        scopes=principal.scopes & knock.narrow_to,
    )


def authorise(house: House, operation: Operation[Any, Any], principal: Principal) -> None:
    """Refuse a caller who may not. The rule is `steps/authorise.py`."""
    if refusal := why_not(operation, principal, house.modules_missing):
        raise refusal


def _throttle(house: House, knock: Knock, principal: Principal, request: Request) -> None:
    if knock.operation.limits:
        known = {"address": knock.address, "user": principal.user_id}

        def fact(name: str) -> Any:
            return known[name] if name in known else getattr(request, name, "")

        house.throttle.pass_or_refuse(knock.operation.name, knock.operation.limits, fact)


def _confirm(knock: Knock) -> None:
    operation = knock.operation
    if operation.confirm and not (knock.confirmed or knock.rehearse or knock.waits):
        raise CONFIRM_REQUIRED(operation=operation.name)


async def _write(house: House, knock: Knock, outcome: Outcome, principal: Principal, request: Request) -> None:
    """One transaction, tried again when the database asks for it (a deadlock, a serialisation failure)."""
    operation = knock.operation
    prepared = await operation.prepare(_doorstep(house, knock, principal), request) if operation.prepare else None
    for attempt in range(ATTEMPTS):
        try:
            async with house.database.write(principal.client_id) as work:
                watched = Watched(work) if knock.rehearse else None
                call = _call(house, knock, outcome, principal, watched or work)
                call.prepared = prepared
                await _decide(house, knock, outcome, call, request)
                if watched:
                    await work.settle()
                    work.rollback_only()
                    outcome.message = call.say("rehearsed")
                    outcome.letters = call.letters if principal is not NOBODY else []  # else: who has an account here?
                    outcome.changes = watched.changes.listed() if principal.sees_records else None
            return
        except Retry:
            if attempt == ATTEMPTS - 1:
                raise


async def _decide(house: House, knock: Knock, outcome: Outcome, call: Call, request: Request) -> None:
    """A write that has to wait becomes the write that proposes it: claimed, recorded and answered like any other."""
    operation = knock.operation
    if knock.waits:
        if house.approvals is None:
            raise CANNOT_WAIT(operation=operation.name)
        operation, request = house.approvals.instead(operation, request)
        outcome.queued = True
    key = knock.idempotency_key if operation.keeps_answer else None
    repeat = await claim(call, operation, key, _said(knock)) if key is not None else None
    if repeat and repeat.stored:
        outcome.answer, outcome.repeated = repeat.stored, True
        return
    answer = outcome.answer = await operation.handler(call, request)
    await record(call, operation, request, knock.door)
    if repeat:
        await repeat.keep(call, answer)


def _said(knock: Knock) -> bytes:
    """The request as it came, for telling a repeat from another request. Hashed at once: it may hold a password."""
    return knock.body + codec.encode([knock.operation.name, *sorted(knock.texts.items())])


def _call(house: House, knock: Knock, outcome: Outcome, principal: Principal, work: Work) -> Call:
    headers: dict[str, str] = {}
    outcome.headers = headers
    return Call(
        house=house,
        principal=principal,
        work=work,
        now=house.clock(),
        language=outcome.language,
        request_id=knock.request_id,
        rehearsing=knock.rehearse,
        address=knock.address,
        agent=knock.agent,
        headers=headers,
    )


def _doorstep(house: House, knock: Knock, principal: Principal) -> Doorstep:
    return Doorstep(
        house=house, principal=principal, address=knock.address, rehearsing=knock.rehearse, agent=knock.agent
    )


def _refuse(house: House, outcome: Outcome, refusal: Refusal) -> None:
    outcome.answer = None
    outcome.status = refusal.problem.status
    outcome.headers = refusal.headers
    outcome.error = error_body(refusal, house.catalogues, outcome.language, outcome.request_id)
