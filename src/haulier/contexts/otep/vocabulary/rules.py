"""Vocabulary of the protocol: the table of status codes and its lookups.

A code belongs to a profile; the universal codes (`parcel`) belong to every profile. An *exception* is a problem within
a phase, not a phase of its own. Codes that are not registered yet carry the prefix `x-`.

Four universal codes end a journey. A profile's own word for one of them (`collected` for `delivered`) ends it as well.
"""

from enum import StrEnum
from typing import Literal, get_args

from msgspec import Struct

EXPERIMENTAL_PREFIX = "x-"
UNIVERSAL_PROFILE = "parcel"


class Phase(StrEnum):
    """Where a parcel is on its journey, in the order of the journey."""

    PRE_SHIPMENT = "pre_shipment"
    PICKUP = "pickup"
    INBOUND = "inbound"
    TRANSIT = "transit"
    OUT_FOR_DELIVERY = "out_for_delivery"
    DELIVERED = "delivered"


PHASE_RANK = {phase.value: rank for rank, phase in enumerate(Phase)}
"""The place of a phase in the journey, from 0."""


class StatusCode(Struct, frozen=True):
    """One row of the table. `pod` says that proof of the hand-over belongs to it."""

    code: str
    phase: str
    profile: str = UNIVERSAL_PROFILE
    terminal: bool = False
    exception: bool = False
    pod: bool = False


def _status_codes(profile: str, phase: Phase, *codes: str, exception: bool = False) -> list[StatusCode]:
    return [StatusCode(code, phase.value, profile, exception=exception) for code in codes]


STATUS_CODES: tuple[StatusCode, ...] = (
    *_status_codes(
        UNIVERSAL_PROFILE,
        Phase.PRE_SHIPMENT,
        "information_submitted",
        "booking_confirmed",
        "label_created",
        "awaiting_pickup",
    ),
    StatusCode("cancelled", "pre_shipment", terminal=True, exception=True),
    *_status_codes(UNIVERSAL_PROFILE, Phase.PICKUP, "out_for_pickup"),
    StatusCode("picked_up", "pickup", pod=True),
    *_status_codes(UNIVERSAL_PROFILE, Phase.PICKUP, "pickup_failed", "pickup_rescheduled", exception=True),
    *_status_codes(UNIVERSAL_PROFILE, Phase.INBOUND, "received", "arrival_scan", "sorted", "stored"),
    *_status_codes(
        UNIVERSAL_PROFILE, Phase.TRANSIT, "in_transit", "package_outbound", "customs_clearance", "customs_released"
    ),
    *_status_codes(
        UNIVERSAL_PROFILE,
        Phase.TRANSIT,
        "removed_from_route",
        "route_cancelled",
        "delayed",
        "damaged",
        "lost",
        "on_hold",
        "customs_held",
        exception=True,
    ),
    StatusCode("returned", "transit", terminal=True, exception=True, pod=True),
    *_status_codes(
        UNIVERSAL_PROFILE, Phase.OUT_FOR_DELIVERY, "out_for_delivery", "arriving_soon", "ready_for_collection"
    ),
    *_status_codes(
        UNIVERSAL_PROFILE,
        Phase.OUT_FOR_DELIVERY,
        "delivery_failed",
        "delivery_rescheduled",
        "address_issue",
        exception=True,
    ),
    StatusCode("rejected", "out_for_delivery", terminal=True, exception=True),
    StatusCode("delivered", "delivered", terminal=True, pod=True),
    *_status_codes("locker", Phase.OUT_FOR_DELIVERY, "compartment_reserved", "deposited", "retrieval_code_sent"),
    *_status_codes("locker", Phase.OUT_FOR_DELIVERY, "deposit_failed", "expired", "recalled", exception=True),
    StatusCode("collected", "delivered", "locker", terminal=True, pod=True),
    *_status_codes("storage", Phase.INBOUND, "put_away", "counted", "moved_within_store"),
    *_status_codes("storage", Phase.PRE_SHIPMENT, "picked_from_store", "packed"),
    *_status_codes("storage", Phase.INBOUND, "quarantined", exception=True),
    *_status_codes("moving", Phase.PRE_SHIPMENT, "survey_completed"),
    *_status_codes("moving", Phase.PICKUP, "crew_on_the_way", "packing_started", "loading_completed"),
    *_status_codes("moving", Phase.OUT_FOR_DELIVERY, "unloading_started"),
    StatusCode("unloading_completed", "delivered", "moving", terminal=True, pod=True),
    *_status_codes("freight", Phase.PICKUP, "gate_in"),
    *_status_codes("freight", Phase.TRANSIT, "loaded_on_vessel", "vessel_departed", "transshipped", "vessel_arrived"),
    *_status_codes("freight", Phase.TRANSIT, "discharged", "gate_out"),
    *_status_codes("freight", Phase.TRANSIT, "flight_departed", "flight_arrived", "train_departed", "train_arrived"),
    *_status_codes("freight", Phase.TRANSIT, "rolled_over", exception=True),
    *_status_codes("food", Phase.PRE_SHIPMENT, "accepted_by_kitchen", "preparing", "ready_for_courier"),
    *_status_codes("food", Phase.PICKUP, "courier_at_kitchen"),
    *_status_codes("food", Phase.TRANSIT, "temperature_excursion", exception=True),
)

PROFILES = tuple(dict.fromkeys(row.profile for row in STATUS_CODES))
SOURCE_TYPES = ("self_delivery", "third_party", "carrier", "partner", "system")
TERMINAL_CODES = frozenset(row.code for row in STATUS_CODES if row.terminal)

IncidentReasonCode = Literal[
    "recipient_absent",
    "address_incorrect",
    "access_denied",
    "refused",
    "damaged",
    "weather",
    "traffic",
    "vehicle_breakdown",
    "capacity",
    "customs_documents",
    "payment_due",
    "wrong_parcel",
    "security",
    "other",
]
"""Why something went wrong."""
INCIDENT_REASONS: tuple[IncidentReasonCode, ...] = get_args(IncidentReasonCode)

CODE_ALIASES = {"return_to_sender": "returned", "rejected_by_recipient": "rejected", "canceled": "cancelled"}
"""Other spellings that are accepted from senders."""

GENERIC_CODES = {
    "pre_shipment": "information_submitted",
    "pickup": "picked_up",
    "inbound": "received",
    "transit": "in_transit",
    "out_for_delivery": "out_for_delivery",
    "delivered": "delivered",
}
"""The code that stands for a phase when nothing finer is known."""

_CODES_BY_PROFILE: dict[str, dict[str, StatusCode]] = {
    profile: {row.code: row for row in STATUS_CODES if row.profile in (UNIVERSAL_PROFILE, profile)}
    for profile in PROFILES
}

PHASES_BY_CODE = {row.code: row.phase for row in STATUS_CODES}
"""The phase of each registered code, of whatever profile: no two profiles share one."""


def resolve_status(code: str, profile: str = UNIVERSAL_PROFILE) -> StatusCode | None:
    """Return the row of a code or alias in a profile, or None.

    None also for `x-` codes.
    """
    rows = _CODES_BY_PROFILE.get(profile, _CODES_BY_PROFILE[UNIVERSAL_PROFILE])
    return rows.get(code) or rows.get(CODE_ALIASES.get(code, ""))


def is_experimental_code(code: str) -> bool:
    """Return True if a code is experimental: `x-` and a name."""
    return code.startswith(EXPERIMENTAL_PREFIX) and len(code) > len(EXPERIMENTAL_PREFIX)


def phase_of_code(code: str, profile: str = UNIVERSAL_PROFILE) -> str:
    """Return the phase of a code; `transit` for an unregistered one."""
    row = resolve_status(code, profile)
    return row.phase if row else Phase.TRANSIT.value


def phase_of_code_of_any_profile(code: str) -> str:
    """Return the phase of a code of any profile; `transit` for an unregistered one."""
    return PHASES_BY_CODE.get(code, Phase.TRANSIT.value)


def code_address(code: str, profile: str = UNIVERSAL_PROFILE) -> str:
    """Return a code's address, `otep:<profile>:<code>`.

    A universal code has one address in all profiles, an alias its code's.
    """
    row = resolve_status(code, profile)
    return f"otep:{row.profile}:{row.code}" if row else f"otep:{profile}:{code}"


def phase_address(phase: str) -> str:
    """Return a phase's address, `otep:phase:<name>`."""
    return f"otep:phase:{phase}"


def split_code_address(text: str) -> tuple[str, str] | None:
    """Return the profile and code of a code address, or None."""
    profile, _, code = text.removeprefix("otep:").partition(":")
    if not text.startswith("otep:") or profile not in PROFILES:
        return None
    row = resolve_status(code, profile)
    owned = row is not None and (row.profile, row.code) == (profile, code)
    return (profile, code) if owned or is_experimental_code(code) else None


def phase_of_address(text: str) -> str | None:
    """Return the phase of a phase address, or None."""
    phase = text.removeprefix("otep:phase:")
    return phase if phase in PHASE_RANK and text == phase_address(phase) else None
