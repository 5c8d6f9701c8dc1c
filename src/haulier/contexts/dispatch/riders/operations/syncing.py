"""The offline queue's one door."""

from haulier.contexts.dispatch.riders.acting import NO_DRIVER_RECORD, myself
from haulier.contexts.dispatch.riders.contract.syncing import Sync, SyncAnswer
from haulier.contexts.dispatch.riders.operations.day import DRIVER, TAG
from haulier.contexts.dispatch.riders.rules.queue import EventFate
from haulier.contexts.dispatch.riders.syncing import receipt, receipts, take_in, work_through
from haulier.kernel.call import Call
from haulier.kernel.declarations import Risk, Scope
from haulier.kernel.operation import GraphQL, Rest, writes


@writes(
    "sync_rider_events",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NO_DRIVER_RECORD,),
    doors=(Rest("POST", "/v1/rider/sync", tag=TAG), GraphQL("syncRiderEvents")),
)
async def sync_rider_events(call: Call, request: Sync) -> SyncAnswer:
    """Hand in what the device wrote down while it was out of reach: up to 100 events, in any order, also late and twice.

    They take effect in the order in which they happened. An event that is refused spoils no other; one that comes before what
    it builds on waits for that. Every event gets a receipt, and is kept once it has one.
    """
    driver = await myself(call)
    known = await take_in(call, driver, request.events)
    verdicts = await work_through(call, driver)
    told = receipts(call, request.events, known, verdicts)
    named = {event.id for event in request.events}
    earlier = {id: each for id, each in verdicts.items() if id not in named and each.fate is not EventFate.WAITING}
    return SyncAnswer(
        applied=sum(each.fate is EventFate.APPLIED and not each.duplicate for each in told),
        refused=sum(each.fate is EventFate.REFUSED and not each.duplicate for each in told),
        waiting=sum(each.fate is EventFate.WAITING and not each.duplicate for each in told),
        duplicates=sum(each.duplicate for each in told),
        receipts=told,
        settled=[receipt(call, id, each, duplicate=True) for id, each in earlier.items()],
        clock_ahead_s=round((request.sent_at - call.now).total_seconds()) if request.sent_at else None,
    )
