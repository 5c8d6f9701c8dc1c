"""The life of a parcel in a locker, its code, and how often a wrong one may be tried."""

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
"""After so many wrong codes a keypad rests: of a hundred million, nobody finds one of a site's in so few tries."""
KEYPAD_REST = timedelta(minutes=15)
REMINDED_BEFORE = timedelta(hours=24)
OFFLINE_LIFE = timedelta(hours=24)
"""A cabinet that cannot ask judges the codes that it knew last for so long."""
OFFLINE_RENEWAL = timedelta(minutes=5)
OFFLINE_SETTING, OFFLINE_OFF = "offline_codes", "off"
"""A device that is set so gets no codes to judge."""
OPENED_OFFLINE = "opened_offline"
"""What is wrong with a box that a cabinet opened for a parcel whose it is no more, or that was in it: somebody has to look."""


class OfflineGrant(Struct, frozen=True, kw_only=True):
    """What a code opens at a cabinet that cannot ask: one box, once, between two moments in Unix seconds."""

    code_id: int
    box: int
    purpose: str
    not_before: int
    not_after: int


class LockerStatus(StrEnum):
    """Where a parcel is in its life in a locker."""

    RESERVED = "reserved"
    """It has a box and is not in it yet."""
    DEPOSITED = "deposited"
    COLLECTED = "collected"
    EXPIRED = "expired"
    """It is still in its box, and its code works no more."""
    REMOVED = "removed"
    """A courier took it out, to bring it back."""
    CANCELLED = "cancelled"


class ParcelKind(StrEnum):
    """Who puts a parcel in, and who takes it out."""

    DELIVERY = "delivery"
    """A courier puts it in, its recipient takes it out."""
    DROP_OFF = "drop_off"
    """Its sender puts it in, a courier takes it out."""


class LockerStep(StrEnum):
    """What happens to a parcel."""

    DEPOSIT = "deposit"
    COLLECT = "collect"
    EXTEND = "extend"
    EXPIRE = "expire"
    REMOVE = "remove"
    CANCEL = "cancel"


_S = LockerStatus
IN_A_BOX = frozenset({_S.DEPOSITED, _S.EXPIRED})
LIVE = frozenset({_S.RESERVED, _S.DEPOSITED, _S.EXPIRED})
"""The box is theirs."""


def _refused(step: LockerStep, status: LockerStatus) -> OperationError:
    return LOCKER_STEP_REFUSED(step=step.value, status=status.value)


LOCKER_LIFE = StateMachine(
    {
        LockerStep.DEPOSIT: {_S.RESERVED: _S.DEPOSITED},
        # Why expired: a door that opened in time may be told of later.
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
"""What tracking says of a parcel that its sender has put in; what a courier takes out is told by its order."""
STATUS_CODES = {
    _S.RESERVED: "compartment_reserved",
    _S.DEPOSITED: "deposited",
    _S.COLLECTED: "collected",
    _S.EXPIRED: "expired",
    _S.REMOVED: "recalled",
}
"""What tracking says; nothing of a reservation that is given up."""


PROFILES = {ParcelKind.DELIVERY: "locker", ParcelKind.DROP_OFF: "parcel"}
"""Whose words tracking takes: what is handed in is on its way as any parcel is."""


def status_code(kind: str, status: LockerStatus) -> str | None:
    """What tracking says of a parcel that reached a status, or None."""
    if kind == ParcelKind.DROP_OFF:
        return HANDED_IN if status is LockerStatus.DEPOSITED else None
    return STATUS_CODES.get(status)


def storage_fee(deposited_at: datetime | None, left_at: datetime, free_days: int | None, day_minor: int | None) -> int:
    """What the storage of a parcel comes to, in minor units: each day that begins after the free ones costs the same."""
    if deposited_at is None or not day_minor:
        return 0
    over = left_at - deposited_at - timedelta(days=free_days or 0)
    return max(-(-over // timedelta(days=1)), 0) * day_minor


def digest_code(client_id: int, site_id: int, code: str) -> bytes:
    """What is kept of a code: it opens boxes of one site only."""
    return hash_token(digest_prefix(client_id, site_id) + code)


def code_step(kind: str, status: str) -> tuple[LockerStep, DoorPurpose] | None:
    """What a code does with a parcel: sender or courier puts it in, its recipient takes it out. None where it opens nothing."""
    if status == LockerStatus.RESERVED:
        return LockerStep.DEPOSIT, DoorPurpose.DEPOSIT
    if kind == ParcelKind.DELIVERY and status == LockerStatus.DEPOSITED:
        return LockerStep.COLLECT, DoorPurpose.COLLECT
    return None


def digest_prefix(client_id: int, site_id: int) -> str:
    """What stands before a code when its digest is made."""
    return f"locker:{client_id}:{site_id}:"


def offline_proof(key: bytes, grant: OfflineGrant, code_digest: bytes) -> str:
    """What a cabinet compares a typed code with: HMAC-SHA256 (RFC 2104) over all that the code opens, and until when.

    `key` is that of the cabinet's device, so that what one knows opens nothing at another, and nothing in it can be changed.
    """
    said = f"{grant.code_id}:{grant.box}:{grant.purpose}:{grant.not_before}:{grant.not_after}:{code_digest.hex()}"
    return hmac.digest(key, said.encode(), "sha256").hex()


def offline_key(credential_digest: bytes) -> bytes:
    """The key of a device for `offline_proof`; `credential_digest` is the SHA-256 of its credential."""
    return hmac.digest(credential_digest, OFFLINE_SETTING.encode(), "sha256")


def mermaid() -> str:
    """The life of a parcel in a locker as a diagram."""
    return LOCKER_LIFE.mermaid()
