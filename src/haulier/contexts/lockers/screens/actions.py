"""Actions of screens: codes open doors, and wrong codes lock the screen."""

from datetime import datetime
from typing import Any

from msgspec import Struct
from pydantic import SecretStr

from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.parcels.actions.codes import find_pending_door, open_by_code, open_for_parcel
from haulier.contexts.lockers.parcels.actions.steps import move_to_low_box
from haulier.contexts.lockers.parcels.queries import LockerParcelRow, find_parcel_by_code, get_parcel
from haulier.contexts.lockers.parcels.rules import (
    KEYPAD_REST,
    LOCKER_STEP_REFUSED,
    WRONG_CODES_MAX,
    LockerStatus,
    digest_code,
)
from haulier.contexts.lockers.screens import store
from haulier.contexts.lockers.screens.rules import (
    COURIER_CODE_DIGITS,
    ERRANDS,
    LOCKER_SCREEN_UNKNOWN,
    SEEN_EACH,
    errand_of,
)
from haulier.contexts.lockers.screens.store import CourierCodeRow, LockerScreenRow
from haulier.kernel.call import Call, call_for_anybody
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.ids import hash_token
from haulier.kernel.values.one_time_codes import make_one_time_code

_ITSELF = "a screen that showed its key acts for its own client"


class ScreenOutcome(Struct, frozen=True, kw_only=True):
    """Outcome of a code: the door that it opens, or the courier."""

    command: DeviceCommandRow | None = None
    courier: CourierCodeRow | None = None
    tries_left: int = WRONG_CODES_MAX
    rests_until: datetime | None = None


async def act_as_screen(call: Call, key: SecretStr, *, lock: bool = False) -> tuple[Call, LockerScreenRow]:
    """Return a call on behalf of the screen with this key.

    Raises `LOCKER_SCREEN_UNKNOWN`.
    """
    found = await store.find_screen_by_key(call.work, hash_token(key.get_secret_value()))
    if found is None or found.ended_at is not None:
        raise LOCKER_SCREEN_UNKNOWN()
    own = await call_for_anybody(call, found.client_id, _ITSELF)
    row = await (LockerScreenRow.lock if lock else LockerScreenRow.get)(own.work, found.id)
    if row is None or row.ended_at is not None:
        raise LOCKER_SCREEN_UNKNOWN()
    return own, row


async def record_seen(call: Call, row: LockerScreenRow) -> None:
    """Record a request of a screen, at most once a minute."""
    if row.last_seen_at is None or call.now - row.last_seen_at >= SEEN_EACH:
        await LockerScreenRow.update(call.work, row.id, {"last_seen_at": call.now})


async def make_courier_code(call: Call, site_id: int, expires_at: datetime) -> str:
    """Create a courier code for the screens of a site.

    It is shown once: its nonce is not stored.
    """
    code, _ = make_one_time_code(f"courier {call.client_id}:{site_id}", COURIER_CODE_DIGITS)
    values = {"site_id": site_id, "code_sha256": digest_code(call.client_id, site_id, code), "made_by": call.actor}
    await CourierCodeRow.insert(call.work, **{**values, "created_at": call.now, "expires_at": expires_at})
    return code


async def enter_code(
    call: Call, screen: LockerScreenRow, code: str, *, parcel_id: int | None, low: bool
) -> ScreenOutcome:
    """Open the door of a code at a locked screen row.

    A code whose door is opening opens no other.
    """
    if screen.rests_until and screen.rests_until > call.now:
        return ScreenOutcome(tries_left=0, rests_until=screen.rests_until)
    digest = digest_code(call.client_id, screen.site_id, "".join(code.split()))
    courier = await CourierCodeRow.find_by(call.work, code_sha256=digest)
    if courier is not None and courier.site_id == screen.site_id and courier.expires_at > call.now:
        await _no_wrong_codes(call, screen)
        command = await _open_for_courier(call, screen, courier, parcel_id) if parcel_id else None
        return ScreenOutcome(command=command, courier=courier)
    found = await find_parcel_by_code(call, screen.site_id, digest)
    row = await get_parcel(call, found.id, lock=True) if found else None
    command = await _open_own(call, row, low=low) if row else None
    if command is None:
        return await _count_wrong(call, screen)
    await _no_wrong_codes(call, screen)
    return ScreenOutcome(command=command)


async def _open_own(call: Call, row: LockerParcelRow, *, low: bool) -> DeviceCommandRow | None:
    if opening := await find_pending_door(call, row.id):
        return opening
    if low and row.status == LockerStatus.RESERVED:
        row = await move_to_low_box(call, row)
    call.add_audit_subjects("locker_parcel", row.id)
    return await open_by_code(call, row)


async def _open_for_courier(
    call: Call, screen: LockerScreenRow, courier: CourierCodeRow, parcel_id: int
) -> DeviceCommandRow:
    row = await get_parcel(call, parcel_id, lock=True)
    if row.site_id != screen.site_id:
        raise record_not_found(locker_parcel_id=parcel_id)
    if opening := await find_pending_door(call, row.id):
        return opening
    step = errand_of(row.kind, row.status)
    if step is None:
        raise LOCKER_STEP_REFUSED(step="courier", status=row.status)
    call.add_audit_subjects("locker_parcel", row.id)
    if courier.made_by:
        call.add_audit_subjects("user", courier.made_by)
    return await open_for_parcel(call, row, step, ERRANDS[step])


async def _count_wrong(call: Call, screen: LockerScreenRow) -> ScreenOutcome:
    wrong = screen.wrong_codes + 1
    rests = wrong >= WRONG_CODES_MAX
    rests_until = call.now + KEYPAD_REST if rests else None
    noted: dict[str, Any] = {"wrong_codes": 0 if rests else wrong, "rests_until": rests_until}
    await LockerScreenRow.update(call.work, screen.id, noted)
    return ScreenOutcome(tries_left=WRONG_CODES_MAX - wrong, rests_until=rests_until)


async def _no_wrong_codes(call: Call, screen: LockerScreenRow) -> None:
    if screen.wrong_codes:
        await LockerScreenRow.update(call.work, screen.id, {"wrong_codes": 0, "rests_until": None})
