"""Steps of locker parcels: status, tracking, notifications and deadlines."""

from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.events import LockerParcelChanged
from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.actions.fees import charge_fee
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import (
    CODE_DIGITS,
    LOCKER_LIFE,
    PROFILES,
    REMINDED_BEFORE,
    LockerStatus,
    LockerStep,
    ParcelKind,
    digest_code,
    status_code,
)
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.contexts.lockers.sites.queries import get_site
from haulier.contexts.orders.public import OrderStep, apply_order_transition, get_recipient_facts
from haulier.contexts.tracking.public import Location, NewEvent, record_events
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.values.one_time_codes import make_one_time_code, read_one_time_code

DUE_JOB, LETTER_JOB = "lockers.due", "lockers.letter"
READY, REMINDER, HANDED_IN = "ready", "reminder", "handed_in"
CODE_ATTEMPTS = 5


class DueParcel(Struct, frozen=True):
    """Job for a parcel with a due deadline."""

    parcel_id: int


class LockerLetter(Struct, frozen=True):
    """Message: `ready` or `reminder` to a recipient, `handed_in` to a sender."""

    parcel_id: int
    occasion: str


async def take_step(
    call: Call,
    row: LockerParcelRow,
    step: LockerStep,
    *,
    until: datetime | None = None,
    reason: str | None = None,
    at: datetime | None = None,
) -> LockerParcelRow:
    """Take a step with a locked parcel; `at` is its time if earlier than now.

    Raises `LOCKER_STEP_REFUSED`.
    """
    at = at or call.now
    reached = LOCKER_LIFE.next_status_or_raise(step, LockerStatus(row.status))
    values: dict[str, Any] = {"status": reached.value}
    if reached is LockerStatus.DEPOSITED and row.deposited_at is None:
        values["deposited_at"] = at
        until = at + timedelta(days=row.keep_days)
        values["code_sha256"] = None  # the depositor can no longer open the compartment
    if reached in LOCKER_LIFE.terminal:
        values |= {"ended_at": at, "end_reason": reason, "code_sha256": None}
        values["fee_minor"], values["fee_charged"] = await charge_fee(call, row, at)
    if until is not None:
        values["until"] = until
    await store.update_parcel(call.work, row.id, values)
    changed = await get_parcel(call, row.id)
    await announce(call, changed, tracked=reached != row.status, at=at)
    if until is not None:
        await watch(call, changed)
    if step is LockerStep.DEPOSIT:
        handed_in = row.kind == ParcelKind.DROP_OFF
        await call.enqueue(LETTER_JOB, LockerLetter(row.id, HANDED_IN if handed_in else READY))
    if step is LockerStep.COLLECT and row.order_id is not None:
        # Refusals are ignored: the parcel is gone whatever the order's status is, and tracking has it.
        await apply_order_transition(call, OrderStep.DELIVER, [row.order_id])
    return changed


async def forget_home(call: Call, row: LockerParcelRow) -> None:
    """Clear the original pickup address once it is no longer needed."""
    await store.update_parcel(call.work, row.id, {"home": None})


async def announce(call: Call, row: LockerParcelRow, *, tracked: bool = True, at: datetime | None = None) -> None:
    """Publish the status of a parcel to listeners and its order's timeline."""
    code = status_code(row.kind, LockerStatus(row.status))
    if tracked and code:
        await track(call, row, code, at=at)
    if tracked:
        await call.publish(
            LockerParcelChanged(
                parcel_id=row.id,
                site_id=row.site_id,
                status=row.status,
                order_id=row.order_id,
                reference=row.reference,
            )
        )
    call.add_audit_subjects("locker_parcel", row.id)


async def track(call: Call, row: LockerParcelRow, code: str, *, at: datetime | None = None) -> None:
    """Add an event to the timeline of the parcel's order, if any."""
    facts = (await get_recipient_facts(call, [row.order_id])).get(row.order_id) if row.order_id else None
    if facts is None:
        return
    site = await get_site(call, row.site_id)
    event = NewEvent(
        tracking_number=facts.tracking_number,
        status_code=code,
        occurred_at=at or call.now,
        order_id=facts.id,
        location=Location(name=site.name, lat=site.lat, lng=site.lng),
        profile=PROFILES[ParcelKind(row.kind)],
    )
    await record_events(call, [event])


async def watch(call: Call, row: LockerParcelRow) -> None:
    """Schedule the end of a parcel's period and the reminder before it."""
    await call.enqueue(DUE_JOB, DueParcel(row.id), run_at=row.until)
    reminded_at = row.until - REMINDED_BEFORE
    waits = row.status == LockerStatus.DEPOSITED and row.kind == ParcelKind.DELIVERY
    if waits and reminded_at > call.now:
        await call.enqueue(LETTER_JOB, LockerLetter(row.id, REMINDER), run_at=reminded_at)


async def give_code(call: Call, row: LockerParcelRow) -> str:
    """Give a parcel a new code; the one before stops working.

    Stored are its digest and the nonce it is derived from.
    """
    for attempt in range(CODE_ATTEMPTS):
        code, nonce = make_one_time_code(_about(call, row), CODE_DIGITS)
        try:
            async with call.work.savepoint():
                digest = digest_code(call.client_id, row.site_id, code)
                made = {"code_sha256": digest, "code_nonce": nonce, "code_made_at": call.now}
                await store.update_parcel(call.work, row.id, made)
        except UniqueConflict:
            if attempt == CODE_ATTEMPTS - 1:
                raise
        else:
            return code
    raise AssertionError("unreachable")


async def find_code(call: Call, row: LockerParcelRow) -> str | None:
    """Return the current code of a parcel, or None."""
    stored = await store.get_code_row(call.work, row.id)
    if stored is None or stored.code_sha256 is None:
        return None

    def fits(code: str) -> bool:
        return digest_code(call.client_id, row.site_id, code) == stored.code_sha256

    return read_one_time_code(_about(call, row), stored.code_nonce, CODE_DIGITS, fits)


async def find_or_give_code(call: Call, row: LockerParcelRow) -> str:
    """Return the current code of a parcel, or create one."""
    return await find_code(call, row) or await give_code(call, row)


def _about(call: Call, row: LockerParcelRow) -> str:
    return f"locker parcel {call.client_id}:{row.id}"


async def forget_code(call: Call, row: LockerParcelRow) -> None:
    """Revoke the code of a parcel."""
    await store.update_parcel(call.work, row.id, {"code_sha256": None})
