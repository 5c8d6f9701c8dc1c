"""Life cycle of locker parcels, their codes and lockouts."""

import hmac
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.lockers.devices.rules import DoorPurpose
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.ids import hash_token
from haulier.kernel.values.state_machine import StateMachine

NO_FREE_BOX = declare_error("no_free_box", 409)
LOCKER_STEP_REFUSED = declare_error("locker_step_refused", 409)
LOCKER_WITHOUT_DEVICE = declare_error("locker_without_device", 409)

CODE_DIGITS = 8
WRONG_CODES_MAX = 5
"""Wrong codes before a keypad is locked. Guessing one of a hundred million is hopeless in so few tries."""
KEYPAD_REST = timedelta(minutes=15)
REMINDED_BEFORE = timedelta(hours=24)
OFFLINE_LIFE = timedelta(hours=24)
"""Time for which an offline locker may verify its last known codes."""
OFFLINE_RENEWAL = timedelta(minutes=5)
OFFLINE_SETTING, OFFLINE_OFF = "offline_codes", "off"
"""Setting that turns offline codes off."""
OPENED_OFFLINE = "opened_offline"
"""Fault of a compartment whose offline opening contradicts its parcel. It needs an inspection."""


class OfflineGrant(Struct, frozen=True, kw_only=True):
    """Grant of a code at an offline locker: one compartment, once, for a period."""

    code_id: int
    box: int
    purpose: str
    not_before: int
    not_after: int


class LockerStatus(StrEnum):
    """Status of a locker parcel."""

    RESERVED = "reserved"
    """It has a compartment and is not inside yet."""
    DEPOSITED = "deposited"
    COLLECTED = "collected"
    EXPIRED = "expired"
    """Still inside; its code stopped working."""
    REMOVED = "removed"
    """Taken out by a courier to be returned."""
    CANCELLED = "cancelled"


class ParcelKind(StrEnum):
    """Kind of locker parcel, by depositor and collector."""

    DELIVERY = "delivery"
    """Deposited by a courier, collected by the recipient."""
    DROP_OFF = "drop_off"
    """Deposited by the sender, collected by a courier."""


class LockerStep(StrEnum):
    """Step in the life of a locker parcel."""

    DEPOSIT = "deposit"
    COLLECT = "collect"
    EXTEND = "extend"
    EXPIRE = "expire"
    REMOVE = "remove"
    CANCEL = "cancel"


_S = LockerStatus
IN_A_BOX = frozenset({_S.DEPOSITED, _S.EXPIRED})
LIVE = frozenset({_S.RESERVED, _S.DEPOSITED, _S.EXPIRED})
"""Statuses with a compartment."""


def _refused(step: LockerStep, status: LockerStatus) -> OperationError:
    return LOCKER_STEP_REFUSED(step=step.value, status=status.value)


LOCKER_LIFE = StateMachine(
    {
        LockerStep.DEPOSIT: {_S.RESERVED: _S.DEPOSITED},
        # Expired is included: a door that opened in time may be reported later.
        LockerStep.COLLECT: {_S.DEPOSITED: _S.COLLECTED, _S.EXPIRED: _S.COLLECTED},
        LockerStep.EXTEND: {_S.RESERVED: _S.RESERVED, _S.DEPOSITED: _S.DEPOSITED, _S.EXPIRED: _S.DEPOSITED},
        LockerStep.EXPIRE: {_S.DEPOSITED: _S.EXPIRED},
        LockerStep.REMOVE: {_S.DEPOSITED: _S.REMOVED, _S.EXPIRED: _S.REMOVED},
        LockerStep.CANCEL: {_S.RESERVED: _S.CANCELLED},
    },
    created={_S.RESERVED: "reserve"},
    error=_refused,
)
HANDED_IN = "awaiting_pickup"
"""Tracking status of a dropped-off parcel. Its order reports the collection."""
STATUS_CODES = {
    _S.RESERVED: "compartment_reserved",
    _S.DEPOSITED: "deposited",
    _S.COLLECTED: "collected",
    _S.EXPIRED: "expired",
    _S.REMOVED: "recalled",
}
"""Tracking statuses; released reservations have none."""


PROFILES = {ParcelKind.DELIVERY: "locker", ParcelKind.DROP_OFF: "parcel"}
"""Tracking vocabulary by kind."""


def status_code(kind: str, status: LockerStatus) -> str | None:
    """Return the tracking status of a parcel, or None."""
    if kind == ParcelKind.DROP_OFF:
        return HANDED_IN if status is LockerStatus.DEPOSITED else None
    return STATUS_CODES.get(status)


def storage_fee(deposited_at: datetime | None, left_at: datetime, free_days: int | None, day_minor: int | None) -> int:
    """Return the storage fee in minor units, per started day after the free days."""
    if deposited_at is None or not day_minor:
        return 0
    over = left_at - deposited_at - timedelta(days=free_days or 0)
    return max(-(-over // timedelta(days=1)), 0) * day_minor


def digest_code(client_id: int, site_id: int, code: str) -> bytes:
    """Return the digest of a code, valid for one site."""
    return hash_token(digest_prefix(client_id, site_id) + code)


def code_step(kind: str, status: str) -> tuple[LockerStep, DoorPurpose] | None:
    """Return the step of a code for a parcel: deposit, collect or None."""
    if status == LockerStatus.RESERVED:
        return LockerStep.DEPOSIT, DoorPurpose.DEPOSIT
    if kind == ParcelKind.DELIVERY and status == LockerStatus.DEPOSITED:
        return LockerStep.COLLECT, DoorPurpose.COLLECT
    return None


def digest_prefix(client_id: int, site_id: int) -> str:
    """Return the prefix of a code's digest."""
    return f"locker:{client_id}:{site_id}:"


def offline_proof(key: bytes, grant: OfflineGrant, code_digest: bytes) -> str:
    """Return the HMAC-SHA256 (RFC 2104) that a locker compares with an entered code.

    It covers all that the code opens and its validity. `key` belongs to the device of the locker, so that a proof is
    useless at another one and can't be changed.
    """
    said = f"{grant.code_id}:{grant.box}:{grant.purpose}:{grant.not_before}:{grant.not_after}:{code_digest.hex()}"
    return hmac.digest(key, said.encode(), "sha256").hex()


def offline_key(credential_digest: bytes) -> bytes:
    """Return the key for `offline_proof` from the SHA-256 of a credential."""
    return hmac.digest(credential_digest, OFFLINE_SETTING.encode(), "sha256")


def mermaid() -> str:
    """Render the life of a locker parcel as a Mermaid diagram."""
    return LOCKER_LIFE.mermaid()
