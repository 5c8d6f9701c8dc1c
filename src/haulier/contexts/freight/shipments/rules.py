"""Rules of freight shipments: life cycle, appointments, classes and exceptions."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import Any

import msgspec

from haulier.contexts.freight.tariffs.rules import FreightClass, class_by_density, density_kg_m3
from haulier.kernel.operations.errors import FieldError, OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

FREIGHT_STEP_REFUSED = declare_error("freight_step_refused", 409)
FREIGHT_APPOINTMENT_REFUSED = declare_error("freight_appointment_refused", 409)
FREIGHT_NOT_DELIVERED = declare_error("freight_not_delivered", 409)


class FreightStatus(StrEnum):
    """Status of a freight shipment."""

    DRAFT = "draft"
    TENDERED = "tendered"
    ACCEPTED = "accepted"
    PICKED_UP = "picked_up"
    IN_TRANSIT = "in_transit"
    OUT_FOR_DELIVERY = "out_for_delivery"
    DELIVERED = "delivered"
    DELIVERED_WITH_EXCEPTIONS = "delivered_with_exceptions"
    CANCELLED = "cancelled"


class FreightStep(StrEnum):
    """Steps of a freight shipment."""

    TENDER = "tender"
    ACCEPT = "accept"
    DECLINE = "decline"
    PICK_UP = "pick_up"
    DEPART = "depart"
    GO_OUT = "go_out"
    FAIL_DELIVERY = "fail_delivery"
    DELIVER = "deliver"
    DELIVER_WITH_EXCEPTIONS = "deliver_with_exceptions"
    UPDATE = "update"
    CANCEL = "cancel"


_S = FreightStatus
_MOVING = (_S.PICKED_UP, _S.IN_TRANSIT, _S.OUT_FOR_DELIVERY)
_NOT_MOVED = (_S.DRAFT, _S.TENDERED, _S.ACCEPTED)


def _refused(step: FreightStep, status: FreightStatus) -> OperationError:
    return FREIGHT_STEP_REFUSED(step=step.value, status=status.value)


FREIGHT_LIFE = StateMachine(
    {
        FreightStep.TENDER: {_S.DRAFT: _S.TENDERED},
        FreightStep.ACCEPT: {_S.TENDERED: _S.ACCEPTED},
        FreightStep.DECLINE: {_S.TENDERED: _S.DRAFT},
        FreightStep.PICK_UP: {_S.ACCEPTED: _S.PICKED_UP},
        FreightStep.DEPART: {_S.PICKED_UP: _S.IN_TRANSIT},
        FreightStep.GO_OUT: {_S.PICKED_UP: _S.OUT_FOR_DELIVERY, _S.IN_TRANSIT: _S.OUT_FOR_DELIVERY},
        FreightStep.FAIL_DELIVERY: {_S.OUT_FOR_DELIVERY: _S.IN_TRANSIT},
        FreightStep.DELIVER: dict.fromkeys(_MOVING, _S.DELIVERED),
        FreightStep.DELIVER_WITH_EXCEPTIONS: dict.fromkeys(_MOVING, _S.DELIVERED_WITH_EXCEPTIONS),
        FreightStep.UPDATE: {each: each for each in _NOT_MOVED},
        FreightStep.CANCEL: dict.fromkeys(_NOT_MOVED, _S.CANCELLED),
    },
    created={_S.DRAFT: "created"},
    error=_refused,
)
mermaid = FREIGHT_LIFE.mermaid
RECORDED_STEPS = (
    *(FreightStep.TENDER, FreightStep.ACCEPT, FreightStep.DECLINE, FreightStep.PICK_UP, FreightStep.DEPART),
    *(FreightStep.GO_OUT, FreightStep.FAIL_DELIVERY),
)
"""Steps that `record_freight_step` takes."""
DELIVERED = frozenset({_S.DELIVERED, _S.DELIVERED_WITH_EXCEPTIONS})
OVER = DELIVERED | {_S.CANCELLED}
OPEN_FOR_CLAIMS = DELIVERED | frozenset(_MOVING)
EVENT_OF_STEP = {
    FreightStep.TENDER: "information_submitted",
    FreightStep.ACCEPT: "booking_confirmed",
    FreightStep.PICK_UP: "picked_up",
    FreightStep.DEPART: "in_transit",
    FreightStep.GO_OUT: "out_for_delivery",
    FreightStep.FAIL_DELIVERY: "delivery_failed",
    FreightStep.DELIVER: "delivered",
    FreightStep.DELIVER_WITH_EXCEPTIONS: "delivered",
    FreightStep.CANCEL: "cancelled",
}
"""Tracking events by step. The status codes are those of all parcels."""
TIME_OF_STEP = {
    FreightStep.TENDER: "tendered_at",
    FreightStep.ACCEPT: "accepted_at",
    FreightStep.PICK_UP: "picked_up_at",
    FreightStep.DELIVER: "delivered_at",
    FreightStep.DELIVER_WITH_EXCEPTIONS: "delivered_at",
}


def next_steps(status: str) -> list[str]:
    """Return the steps that a shipment can take now, the usual one first."""
    return [each.value for each in FREIGHT_LIFE.actions(FreightStatus(status)) if each is not FreightStep.UPDATE]


class AppointmentKind(StrEnum):
    """End of the journey that an appointment is for."""

    PICKUP = "pickup"
    DELIVERY = "delivery"


class AppointmentAction(StrEnum):
    """Change of an appointment."""

    REQUEST = "request"
    CONFIRM = "confirm"
    RESCHEDULE = "reschedule"
    MISS = "miss"


class AppointmentState(StrEnum):
    """State of an appointment."""

    REQUESTED = "requested"
    CONFIRMED = "confirmed"
    MISSED = "missed"


_A = AppointmentState
_NEXT_APPOINTMENT: Mapping[AppointmentAction, Mapping[AppointmentState | None, AppointmentState]] = {
    AppointmentAction.REQUEST: {None: _A.REQUESTED, _A.REQUESTED: _A.REQUESTED, _A.MISSED: _A.REQUESTED},
    AppointmentAction.CONFIRM: {None: _A.CONFIRMED, _A.REQUESTED: _A.CONFIRMED, _A.MISSED: _A.CONFIRMED},
    AppointmentAction.RESCHEDULE: {_A.REQUESTED: _A.REQUESTED, _A.CONFIRMED: _A.REQUESTED, _A.MISSED: _A.REQUESTED},
    AppointmentAction.MISS: {_A.CONFIRMED: _A.MISSED},
}
EVENT_OF_APPOINTMENT = {
    (AppointmentKind.PICKUP, AppointmentAction.RESCHEDULE): "pickup_rescheduled",
    (AppointmentKind.PICKUP, AppointmentAction.MISS): "pickup_failed",
    (AppointmentKind.DELIVERY, AppointmentAction.RESCHEDULE): "delivery_rescheduled",
    (AppointmentKind.DELIVERY, AppointmentAction.MISS): "delivery_failed",
}
OPEN_FOR_APPOINTMENT = {
    AppointmentKind.PICKUP: frozenset(_NOT_MOVED),
    AppointmentKind.DELIVERY: frozenset(_NOT_MOVED) | frozenset(_MOVING),
}
"""Statuses in which an appointment can change."""


def next_appointment(
    kind: AppointmentKind, action: AppointmentAction, state: str | None, status: str
) -> AppointmentState:
    """Return the state of an appointment after a change.

    Raises `FREIGHT_STEP_REFUSED` for a shipment past this end, and `FREIGHT_APPOINTMENT_REFUSED`.
    """
    if status not in OPEN_FOR_APPOINTMENT[kind]:
        raise FREIGHT_STEP_REFUSED(step=f"{action.value} {kind.value} appointment", status=status)
    reached = _NEXT_APPOINTMENT[action].get(AppointmentState(state) if state else None)
    if reached is None:
        raise FREIGHT_APPOINTMENT_REFUSED(action=action.value, kind=kind.value, state=state or "none")
    return reached


class ExceptionKind(StrEnum):
    """Exception that the recipient noted at delivery."""

    SHORTAGE = "shortage"
    DAMAGE = "damaged"
    REFUSED = "refused"


STACK_WIDTH_MM = 2_400
"""Inner width of a trailer."""


def loading_length_mm(units: Sequence[Mapping[str, Any]]) -> int:
    """Return the length of trailer floor that units take, rounded up.

    Two stackable units of a line stand on each other.
    """
    area = sum(
        unit["length_mm"] * unit["width_mm"] * (-(-unit["quantity"] // 2) if unit["stackable"] else unit["quantity"])
        for unit in units
    )
    return -(-area // STACK_WIDTH_MM)


def classify(unit: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored handling unit with its density and class.

    A class named by the shipper, as NMFC items require, takes precedence over the density.
    """
    volume = unit["length_mm"] * unit["width_mm"] * unit["height_mm"]
    weight = unit["weight_g"]
    found = unit.get("freight_class") or class_by_density(weight, volume).value
    return {
        **unit,
        "freight_class": found,
        "class_by_density": unit.get("freight_class") is None,
        "density_kg_m3": density_kg_m3(weight, volume),
    }


def weights_by_class(units: Sequence[Mapping[str, Any]]) -> dict[FreightClass, int]:
    """Return the total weight of classified units by class."""
    found: dict[FreightClass, int] = {}
    for unit in units:
        freight_class = FreightClass(unit["freight_class"])
        found[freight_class] = found.get(freight_class, 0) + unit["weight_g"] * unit["quantity"]
    return found


def missing_facts(values: Mapping[str, Any]) -> Iterator[FieldError]:
    """Yield errors for facts that a bill of lading requires."""
    hazardous = [at for at, unit in enumerate(values["handling_units"]) if unit["hazardous"]]
    for at in hazardous:
        for name in ("un_number", "hazard_class"):
            if not values["handling_units"][at][name]:
                yield FieldError(f"handling_units.{at}.{name}", "field.hazardous_needs")
    if hazardous and not values["emergency_phone"]:
        yield FieldError("emergency_phone", "field.hazardous_needs")
    if values["freight_terms"] == "third_party" and not values["bill_to"]:
        yield FieldError("bill_to", "field.missing")


def find_exception_faults(units: Sequence[Mapping[str, Any]], noted: Sequence[tuple[int, int]]) -> Iterator[FieldError]:
    """Yield errors for noted units that the shipment does not have."""
    left = {number: unit["quantity"] for number, unit in enumerate(units, 1)}
    for at, (number, quantity) in enumerate(noted):
        if number not in left:
            yield FieldError(f"exceptions.{at}.unit", "field.no_such_handling_unit")
        elif quantity > left[number]:
            yield FieldError(f"exceptions.{at}.quantity", "field.too_many_units", {"most": left[number]})
        else:
            left[number] -= quantity


def digest_fields(sent: Mapping[str, Any]) -> dict[str, str]:
    """Return a digest of each field of a request, to compare a repeat with it."""
    return {
        name: blake2b(msgspec.json.encode(value, order="sorted"), digest_size=8).hexdigest()
        for name, value in sent.items()
    }
