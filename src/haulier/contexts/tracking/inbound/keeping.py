"""Writing down what was decided: a constant number of statements, however many events there are."""

from haulier.contexts.tracking.events import TrackingCorrected, TrackingUpdate
from haulier.contexts.tracking.inbound.deciding import Decision, Entry
from haulier.contexts.tracking.inbound.places import make
from haulier.contexts.tracking.inbound.rules.fates import Fate, correction_id
from haulier.contexts.tracking.timelines import store as timelines
from haulier.contexts.tracking.timelines.recording import give_notice, tell
from haulier.kernel.call import Call
from haulier.kernel.data.work import Conflict, Retry


async def keep(call: Call, decision: Decision) -> None:
    """Make new timelines, add events and corrections, and let everyone know. Raises `Retry` where another call was first."""
    await make(call, decision.places, [entry.named for entry in decision.entries])
    fresh = [entry for entry in decision.entries if entry.fresh]
    corrected = {
        (entry.place.id or 0, correction_id(entry.correction)): entry.correction
        for entry in decision.entries
        if entry.correction and entry.fate is Fate.CORRECTED
    }
    try:
        await timelines.add_events(call.work, [timelines.event_row(each.place.id or 0, each.event) for each in fresh])
        await timelines.add_corrections(call.work, corrected, call.now)
    except Conflict:
        raise Retry from None
    await tell(call, [_update(entry) for entry in fresh if entry.correction is None])
    if numbers := {entry.place.number for entry in decision.entries if entry.fate is Fate.CORRECTED}:
        give_notice(call, numbers)
        await call.announce(TrackingCorrected(tracking_numbers=tuple(sorted(numbers))))


def _update(entry: Entry) -> TrackingUpdate:
    return TrackingUpdate(
        tracking_number=entry.place.number,
        event_id=entry.event.event_id,
        status_code=entry.event.status_code,
        phase=entry.event.phase,
        occurred_at=entry.event.occurred_at,
        order_id=entry.place.order_id,
        package_id=entry.place.package_id,
    )
