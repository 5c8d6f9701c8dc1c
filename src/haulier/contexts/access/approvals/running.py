"""A proposed write is run twice: once to see what it would do, rolled back, and once for good, as whoever proposed it."""

from typing import Any

import msgspec
from msgspec.structs import replace

from haulier.contexts.access.accounts.rules.scopes import effective
from haulier.contexts.access.accounts.store.tokens import API
from haulier.contexts.access.approvals import store
from haulier.contexts.access.approvals.contract import Preview
from haulier.contexts.access.approvals.effects import Effect, same
from haulier.contexts.access.approvals.rules import APPROVAL_PREVIEW_CHANGED, APPROVAL_PROPOSER_MAY_NOT
from haulier.kernel import codec
from haulier.kernel.answers import Answer
from haulier.kernel.call import Call
from haulier.kernel.data.watching import Watched
from haulier.kernel.declarations import Account, PriceFamily
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import INVALID_TOKEN, Refusal
from haulier.kernel.operation import Operation, Request
from haulier.kernel.principal import Principal
from haulier.kernel.steps.authorise import refusal as why_not
from haulier.kernel.steps.conceal import conceal
from haulier.kernel.steps.record import record

KEPT_MAX = 2_000
"""So many changed records are kept of a rehearsal and compared with what happens; beyond that their number is."""
DOOR = "approval"
"""The door that the audit trail names for what an approval carried out."""
Op = Operation[Any, Any]


class _Undo(Exception):
    """Raised at the end of a rehearsal, so that nothing of it remains."""


async def rehearse(call: Call, operation: Op, request: Request) -> Preview:
    """What a write would answer, send and change for this caller. Raises whatever refusal the write would meet."""
    watched = Watched(call.work)
    inner = replace(call, work=watched, rehearsing=True, letters=[], touched=[], headers={}, arrival=None)
    inner.prepared = call.prepared or await prepared(call, operation, request, call.principal)
    answer: Answer | None = None
    try:
        async with call.work.savepoint():
            answer = await operation.handler(inner, request)
            raise _Undo
    except _Undo:
        pass
    conceal(answer, call.principal.hidden_prices)  # type: ignore[arg-type]
    effect = _effect(inner, watched)
    return Preview(
        answer=codec.plain(answer),
        letters=effect.letters,
        changes=effect.changes,
        changes_total=effect.total,
        rehearsed_at=effect.at,
    )


async def carry_out(call: Call, row: Any, operation: Op) -> Answer:
    """Run what was proposed, from the bytes that were shown, with the rights the proposer has now; recorded as theirs.

    Raises `APPROVAL_PROPOSER_MAY_NOT`, `APPROVAL_PREVIEW_CHANGED` when it does something else than its preview showed, or
    whatever refusal the write meets. Nothing of it remains then, and it goes on waiting.
    """
    inner, request = await as_proposer(call, row, operation)
    inner.prepared = await prepared(call, operation, request, inner.principal)
    watched = call.work if isinstance(call.work, Watched) else Watched(call.work)
    inner.work, inner.letters = watched, []
    answer = await operation.handler(inner, request)
    if not same(_shown_effect(row), _effect(inner, watched)):
        raise APPROVAL_PREVIEW_CHANGED()
    call.letters.extend(inner.letters)
    inner.concerns("pending_write", row.id)
    await record(inner, operation, request, DOOR)
    conceal(answer, inner.principal.hidden_prices)
    return answer


async def as_proposer(call: Call, row: Any, operation: Op) -> tuple[Call, Request]:
    """The call as its proposer would make it now, and the request from the bytes that were shown.

    Raises `APPROVAL_PROPOSER_MAY_NOT`.
    """
    proposer = await proposer_of(call, row)
    if refusal := why_not(operation, proposer, call.house.modules_missing):
        raise may_not(call, refusal)
    inner = replace(
        call, principal=proposer, language=row.language, touched=[], headers={}, arrival=None, prepared=None
    )
    return inner, codec.read(operation.request, bytes(row.request), {})


def _effect(call: Call, watched: Watched) -> Effect:
    changes = watched.changes.all()
    kept, letters = msgspec.json.decode(codec.encode([changes[:KEPT_MAX], call.letters]))  # as a preview reads back
    return Effect(at=call.now, changes=kept, letters=letters, total=len(changes))


def _shown_effect(row: Any) -> Effect:
    """What the kept preview showed. Those of earlier versions know neither their moment nor how much they left out."""
    preview = msgspec.convert(row.preview, Preview)
    changes = preview.changes or []
    return Effect(
        at=preview.rehearsed_at or row.proposed_at,
        changes=changes,
        letters=preview.letters,
        total=preview.changes_total if isinstance(preview.changes_total, int) else len(changes),
    )


async def prepared(call: Call, operation: Op, request: Request, principal: Principal) -> Any:
    """What the slow part of a write gives. Here it runs while the database is held: a human has waited longer already."""
    if operation.prepare is None:
        return None
    doorstep = Doorstep(house=call.house, principal=principal, address=call.address)
    return await operation.prepare(doorstep, request)


def may_not(call: Call, refusal: Refusal) -> Refusal:
    """That the proposer may not do it any more, with the reason in the reviewer's words."""
    return APPROVAL_PROPOSER_MAY_NOT(reason=call.say(refusal.problem.id, **refusal.params))


async def proposer_of(call: Call, row: Any) -> Principal:
    """The proposer as they are now, with no more rights than at the time. Raises `APPROVAL_PROPOSER_MAY_NOT`.

    A session may have ended meanwhile; an API token that was revoked takes what it proposed with it.
    """
    user = await store.proposer(call.work, row.proposed_by, row.token_id)
    if user is None or not user.active or (user.kind == API and user.revoked_at is not None):
        raise may_not(call, INVALID_TOKEN())
    account = Account(user.account)
    return Principal(
        account,
        user_id=user.id,
        name=user.name,
        business=call.business,
        scopes=effective(account, row.scopes, user.granted),
        token_id=row.token_id,
        hidden_prices=frozenset(family for family in PriceFamily if family.value in user.hidden_prices),
    )


def as_asked(request: Request) -> bytes:
    """The request as JSON that reads back as itself: what is kept, shown and run."""
    return request.model_dump_json(exclude_unset=True, by_alias=True).encode()


def shown(document: bytes) -> dict[str, Any]:
    """The kept request as plain values."""
    return msgspec.json.decode(document)
