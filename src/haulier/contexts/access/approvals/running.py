"""A proposed write is run twice: once to see what it would do, rolled back, and once for good, as whoever proposed it."""

from dataclasses import replace
from typing import Any

import msgspec

from haulier.contexts.access.accounts.rules.scopes import effective
from haulier.contexts.access.accounts.store.tokens import API
from haulier.contexts.access.approvals import store
from haulier.contexts.access.approvals.contract import Preview
from haulier.contexts.access.approvals.rules import APPROVAL_PROPOSER_MAY_NOT
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
    letters, changes = codec.plain(inner.letters), codec.plain(watched.changes.listed())
    return Preview(answer=codec.plain(answer), letters=letters, changes=changes)


async def carry_out(call: Call, row: Any, operation: Op) -> Answer:
    """Run what was proposed, from the bytes that were shown, with the rights the proposer has now; recorded as theirs.

    Raises `APPROVAL_PROPOSER_MAY_NOT`, or whatever refusal the write meets: it then goes on waiting.
    """
    proposer = await proposer_of(call, row)
    if refusal := why_not(operation, proposer, call.house.modules_missing):
        raise may_not(call, refusal)
    request = codec.read(operation.request, bytes(row.request), {})
    inner = replace(call, principal=proposer, language=row.language, touched=[], headers={}, arrival=None)
    inner.prepared = await prepared(call, operation, request, proposer)
    answer = await operation.handler(inner, request)
    inner.concerns("pending_write", row.id)
    await record(inner, operation, request, DOOR)
    conceal(answer, proposer.hidden_prices)
    return answer


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
