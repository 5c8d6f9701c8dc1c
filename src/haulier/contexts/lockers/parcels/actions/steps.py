"""Writes of parcels for other families: steps."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT, ChargeDetails, MoneySubject, ProductClass, charge
from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.lockers.devices.actions.commands import Door, complete_command, record_opened_door
from haulier.contexts.lockers.devices.actions.credentials import record_codes
from haulier.contexts.lockers.devices.queries import (
    DeviceCommandRow,
    DeviceRow,
    find_command_of_frame,
    get_credential_digest,
)
from haulier.contexts.lockers.devices.rules import CommandState, CommandStep, DoorPurpose
from haulier.contexts.lockers.events import DeviceCommandEnded, LockerParcelChanged
from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.contract import ReserveLockerBox
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import (
    CODE_DIGITS,
    KEYPAD_REST,
    LOCKER_LIFE,
    NO_FREE_BOX,
    OFFLINE_LIFE,
    OFFLINE_OFF,
    OFFLINE_SETTING,
    OPENED_OFFLINE,
    PROFILES,
    REMINDED_BEFORE,
    WRONG_CODES_MAX,
    LockerStatus,
    LockerStep,
    OfflineGrant,
    ParcelKind,
    code_step,
    digest_code,
    offline_key,
    offline_proof,
    status_code,
    storage_fee,
)
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.contexts.lockers.sites.actions import lock_free_box, set_box_state
from haulier.contexts.lockers.sites.queries import find_box_of_cabinet, get_box, get_site
from haulier.contexts.lockers.sites.rules import BoxState
from haulier.contexts.orders.public import OrderStep, apply_order_transition, get_recipient_facts, get_visible_order
from haulier.contexts.tracking.public import Location, NewEvent, record_events
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.client_keys import require_same_content
from haulier.kernel.operations.enums import Account, PriceFamily
from haulier.kernel.operations.errors import OperationError, record_not_found
from haulier.kernel.values.money import Money
from haulier.kernel.values.one_time_codes import make_one_time_code, read_one_time_code

FEE_SUBJECT = "locker_parcel"


def fee_until(row: LockerParcelRow, at: datetime) -> int:
    """Return the storage fee at a time in minor units.

    Drop-offs and rented compartments are free.
    """
    if row.kind != ParcelKind.DELIVERY or row.lease_id is not None:
        return 0
    return storage_fee(row.deposited_at, at, row.storage_free_days, row.storage_day_minor)


def fee_due_minor(row: LockerParcelRow, at: datetime) -> int:
    """Return the unpaid storage fee in minor units."""
    if row.ended_at is None:
        return fee_until(row, at)
    return 0 if row.fee_charged else row.fee_minor or 0


async def charge_fee(call: Call, row: LockerParcelRow, at: datetime) -> tuple[int, bool]:
    """Charge the storage fee to the customer's wallet, once.

    Returns the fee and whether it is paid.

    Without an account or enough credit, the fee stays due: the door is already open.
    """
    fee, business = fee_until(row, at), call.principal.business
    if not fee or row.customer_id is None or business is None:
        return fee, False
    try:
        await charge(
            call,
            row.customer_id,
            Money(fee, business.currency),
            key=f"locker_parcel:{row.id}:storage",
            subject=MoneySubject(FEE_SUBJECT, row.id, PriceFamily.STORAGE_SERVICES),
            reason=row.reference,
            line=ChargeDetails(
                item=call.translate("charged_locker_storage"),
                reference=row.reference,
                recipient=row.recipient_name,
                serviced_on=call.local_time(at).date(),
                product_class=ProductClass.STORAGE,
            ),
        )
    except OperationError as fault:
        if fault.error_type is not CREDIT_INSUFFICIENT:
            raise
        return fee, False
    return fee, True


DUE_JOB, LETTER_JOB = "lockers.due", "lockers.letter"
READY, REMINDER, HANDED_IN = "ready", "reminder", "handed_in"
CODE_ATTEMPTS = 5


class DueParcel(Struct, frozen=True):
    """Job for a parcel with a due deadline."""

    parcel_id: int


class LockerEmail(Struct, frozen=True):
    """Message: `ready` or `reminder` to a recipient, `handed_in` to a sender."""

    parcel_id: int
    occasion: str


async def apply_step(
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
    await publish_parcel_changed(call, changed, tracked=reached != row.status, at=at)
    if until is not None:
        await watch(call, changed)
    if step is LockerStep.DEPOSIT:
        handed_in = row.kind == ParcelKind.DROP_OFF
        await call.enqueue(LETTER_JOB, LockerEmail(row.id, HANDED_IN if handed_in else READY))
    if step is LockerStep.COLLECT and row.order_id is not None:
        # Refusals are ignored: the parcel is gone whatever the order's status is, and tracking has it.
        await apply_order_transition(call, OrderStep.DELIVER, [row.order_id])
    return changed


async def clear_home(call: Call, row: LockerParcelRow) -> None:
    """Clear the original pickup address once it is no longer needed."""
    await store.update_parcel(call.work, row.id, {"home": None})


async def publish_parcel_changed(
    call: Call, row: LockerParcelRow, *, tracked: bool = True, at: datetime | None = None
) -> None:
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
        await call.enqueue(LETTER_JOB, LockerEmail(row.id, REMINDER), run_at=reminded_at)


async def issue_code(call: Call, row: LockerParcelRow) -> str:
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


async def find_or_issue_code(call: Call, row: LockerParcelRow) -> str:
    """Return the current code of a parcel, or create one."""
    return await find_code(call, row) or await issue_code(call, row)


def _about(call: Call, row: LockerParcelRow) -> str:
    return f"locker parcel {call.client_id}:{row.id}"


async def revoke_code(call: Call, row: LockerParcelRow) -> None:
    """Revoke the code of a parcel."""
    await store.update_parcel(call.work, row.id, {"code_sha256": None})


STEPS = {
    DoorPurpose.DEPOSIT: LockerStep.DEPOSIT,
    DoorPurpose.COLLECT: LockerStep.COLLECT,
    DoorPurpose.RETRIEVE: LockerStep.REMOVE,
}
DOOR_STUCK = "door_stuck"


@before_commit(DeviceCommandEnded)
async def on_doors_changed(call: Call, events: Sequence[DomainEvent]) -> None:
    """Take the step of an opened door, or mark a stuck compartment as faulty."""
    for event in events:
        if isinstance(event, DeviceCommandEnded) and event.box_id is not None:
            if event.status == CommandState.FAILED:
                await _on_door_failed(call, event)
            elif event.status == CommandState.DONE:
                await _on_door_opened(call, event)


async def _on_door_opened(call: Call, event: DeviceCommandEnded) -> None:
    step = STEPS.get(DoorPurpose(event.purpose or DoorPurpose.INSPECT))
    row = await _lock(call, event)
    # Late reports are accepted: they only state what the door did.
    if row is None or step is None or LOCKER_LIFE.next_status(step, LockerStatus(row.status)) is None:
        return
    if row.box_id != event.box_id:  # it has moved to another compartment
        return
    await apply_step(call, row, step, at=event.happened_at)


async def _on_door_failed(call: Call, event: DeviceCommandEnded) -> None:
    box = await get_box(call, event.box_id or 0, lock=True)
    await set_box_state(call, box, BoxState.FAULTY, DOOR_STUCK)
    row = await _lock(call, event)
    if row is None or event.purpose != DoorPurpose.DEPOSIT or row.status != LockerStatus.RESERVED:
        return
    if row.box_id != box.id:  # it has moved to another compartment
        return
    await track(call, row, "deposit_failed")
    other = await lock_free_box(call, row.site_id, box.size, low=box.low, lease_id=row.lease_id)
    if other is None:
        await apply_step(call, row, LockerStep.CANCEL, reason=DOOR_STUCK)
    else:
        await store.update_parcel(call.work, row.id, {"box_id": other.id})


async def _lock(call: Call, event: DeviceCommandEnded) -> LockerParcelRow | None:
    return await store.get_parcel_row(call.work, event.parcel_id, lock=True) if event.parcel_id else None


END_OF = {CommandStep.FINISH: CommandState.DONE, CommandStep.FAIL: CommandState.FAILED}
"""The state of a command after the outcome of a door that a cabinet opened by itself."""


class OpeningOutcome(StrEnum):
    """Outcome of an offline opening."""

    SETTLED = "settled"
    REPEATED = "repeated"
    CONTRADICTED = "contradicted"
    """The parcel was elsewhere or not to be deposited. The compartment is disabled until it is inspected."""
    UNKNOWN = "unknown"
    """The parcel does not belong to this locker."""


class OpenedDoor(Struct, frozen=True, kw_only=True):
    """A door opened offline, or a failed attempt. `at` is server time."""

    sequence: int
    place: int
    """Its index in the journal that was sent."""
    code_id: int
    box: int
    purpose: DoorPurpose
    outcome: CommandStep
    at: datetime
    fault: str | None


async def list_offline_codes(call: Call, device: DeviceRow) -> list[tuple[OfflineGrant, str]]:
    """List the codes of a device's locker with their proofs.

    Empty if turned off for the device.
    """
    digest = await get_credential_digest(call, device.id)
    if digest is None or (device.desired_settings or {}).get(OFFLINE_SETTING) == OFFLINE_OFF:
        return []
    key, begins, ends = offline_key(digest), int(call.now.timestamp()), call.now + OFFLINE_LIFE
    granted: list[tuple[OfflineGrant, str]] = []
    for row in await store.list_coded_parcels(call.work, device.id):
        if (does := code_step(row.kind, row.status)) and row.until > call.now:
            grant = OfflineGrant(
                code_id=row.id,
                box=row.box,
                purpose=does[1].value,
                not_before=begins,
                not_after=int(min(row.until, ends).timestamp()),
            )
            granted.append((grant, offline_proof(key, grant, row.code_sha256)))
    return granted


async def reconcile_opened_doors(call: Call, device: DeviceRow, opened: Sequence[OpenedDoor]) -> list[OpeningOutcome]:
    """Record the doors that a locker opened offline, each once, in order.

    The device's row must be locked. Raises `CLIENT_KEY_REUSED` for another door under a sequence number that was used.
    """
    return [await _reconcile_opening(call, device, each) for each in opened]


async def record_wrong_codes(call: Call, device: DeviceRow, sequence: int, wrong: int) -> None:
    """Add the wrong codes counted offline. Older frames change nothing."""
    if sequence <= device.code_sequence:
        return
    rests = wrong >= WRONG_CODES_MAX
    rests_until = call.now + KEYPAD_REST if rests else device.keypad_rests_until
    noted = {"wrong_codes": 0 if rests else wrong, "keypad_rests_until": rests_until, "code_sequence": sequence}
    await record_codes(call, device.id, noted)


def _require_same_door(before: DeviceCommandRow, opened: OpenedDoor) -> None:
    """Raise `CLIENT_KEY_REUSED` if a used sequence number names another door.

    The time is not compared, because the device's clock may be corrected.
    """
    pairs = {"code_id": (opened.code_id, before.parcel_id)}
    # Only journal entries: for online codes, the server chose the compartment and the purpose.
    if before.expires_at == before.created_at:
        pairs |= {
            "box": (opened.box, before.box_number),
            "purpose": (opened.purpose, before.purpose),
            "outcome": (END_OF[opened.outcome], before.status),
            "fault": (opened.fault, before.fault),
        }
    at = f"openings.{opened.place}."
    sent, stored = ({at + name: pair[side] for name, pair in pairs.items()} for side in (0, 1))
    require_same_content(at + "sequence", str(opened.sequence), sent, stored)


async def _reconcile_opening(call: Call, device: DeviceRow, opened: OpenedDoor) -> OpeningOutcome:
    if before := await find_command_of_frame(call, device.id, opened.sequence):
        _require_same_door(before, opened)
        # No second door: the code frame arrived, and only the response was lost.
        _, known = await complete_command(call, before.id, opened.outcome, device_id=device.id, fault=opened.fault)
        return OpeningOutcome.REPEATED if known else OpeningOutcome.SETTLED
    row = await store.get_parcel_row(call.work, opened.code_id, lock=True)
    here = row if row and row.device_id == device.id else None
    # Use the reported compartment: the parcel may have moved since the locker synced.
    box = await find_box_of_cabinet(call, here.cabinet_id, opened.box, lock=True) if here else None
    if here is None or box is None:
        return OpeningOutcome.UNKNOWN
    fits = here.box_id == box.id and LOCKER_LIFE.next_status(STEPS[opened.purpose], LockerStatus(here.status))
    contradicted = opened.outcome is CommandStep.FINISH and not fits
    door = Door(box_id=box.id, number=box.number, purpose=opened.purpose, parcel_id=here.id)
    await record_opened_door(
        call,
        device.id,
        door,
        frame_sequence=opened.sequence,
        outcome=opened.outcome,
        at=opened.at,
        fault=opened.fault,
    )
    if contradicted:
        await set_box_state(call, box, BoxState.FAULTY, OPENED_OFFLINE)
    return OpeningOutcome.CONTRADICTED if contradicted else OpeningOutcome.SETTLED


ATTEMPTS = 20
"""Retries for compartments that another call took before the lock."""


class WantedBox(Struct, frozen=True, kw_only=True):
    """Compartment, duration and reference of a reservation."""

    site_id: int
    size: str
    low: bool = False
    hold_hours: int
    keep_days: int
    reference: str | None = None
    lease_id: int | None = None
    """Rental of the compartment, or None for unrented ones."""


async def reserve_box(call: Call, request: ReserveLockerBox) -> LockerParcelRow:
    """Reserve the smallest suitable free compartment.

    Raises `NOT_FOUND`, `NO_FREE_BOX`.
    """
    site = await get_site(call, request.site_id)
    whose = await _recipient(call, request)
    wanted = request.model_dump(include={"size", "low", "hold_hours", "keep_days", "reference"})
    row = await occupy_box(call, WantedBox(site_id=site.id, **wanted), whose)
    if row is None:
        raise NO_FREE_BOX(size=request.size.upper())
    return row


async def occupy_box(call: Call, wanted: WantedBox, whose: Mapping[str, Any]) -> LockerParcelRow | None:
    """Reserve the smallest suitable free compartment of a site, or return None.

    `whose` is as returned by `recipient_of_order`.
    """
    for _ in range(ATTEMPTS):
        box = await lock_free_box(call, wanted.site_id, wanted.size, low=wanted.low, lease_id=wanted.lease_id)
        if box is None:
            return None
        parcel_id = await store.insert_parcel(
            call.work,
            {
                **whose,
                "site_id": wanted.site_id,
                "box_id": box.id,
                "lease_id": wanted.lease_id,
                "status": LockerStatus.RESERVED.value,
                "reference": wanted.reference,
                "until": call.now + timedelta(hours=wanted.hold_hours),
                "keep_days": wanted.keep_days,
                "reserved_at": call.now,
            },
        )
        if parcel_id is not None:
            row = await get_parcel(call, parcel_id)
            await publish_parcel_changed(call, row)
            await watch(call, row)
            return row
    return None


async def move_to_low_box(call: Call, row: LockerParcelRow) -> LockerParcelRow:
    """Move an undeposited parcel to a free wheelchair accessible compartment."""
    box = await get_box(call, row.box_id)
    other = None if box.low else await lock_free_box(call, row.site_id, box.size, low=True, lease_id=row.lease_id)
    if other is not None:
        with suppress(UniqueConflict):
            async with call.work.savepoint():
                await store.update_parcel(call.work, row.id, {"box_id": other.id})
    return await get_parcel(call, row.id)


async def recipient_of_order(call: Call, order_id: int) -> dict[str, Any]:
    """Return the recipient of an order as columns of the parcel."""
    facts = (await get_recipient_facts(call, [order_id]))[order_id]
    address = facts.consignee or {}
    return {
        "order_id": facts.id,
        "customer_id": facts.customer_id,
        "recipient_name": address.get("name"),
        "recipient_email": address.get("email"),
        "recipient_phone": address.get("phone"),
        "language": facts.language,
    }


async def _recipient(call: Call, request: ReserveLockerBox) -> dict[str, Any]:
    if request.order_id is not None:
        await get_visible_order(call, request.order_id)
        return await recipient_of_order(call, request.order_id)
    recipient = request.recipient
    assert recipient is not None
    customer_id = recipient.customer_id
    if customer_id is not None and await get_user_of_account(call, customer_id, Account.CUSTOMER) is None:
        raise record_not_found(customer_id=customer_id)
    return {
        "order_id": None,
        "customer_id": recipient.customer_id,
        "recipient_name": recipient.name,
        "recipient_email": recipient.email,
        "recipient_phone": recipient.phone,
        "language": None,
    }
