"""Writes of freight shipments, within the caller's transaction."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import to_builtins

from haulier.contexts.billing.public import ChargeDetails, MoneySubject, ProductClass, TaxPlace, charge, list_charges_of
from haulier.contexts.freight.events import FreightShipmentChanged
from haulier.contexts.freight.shipments import store
from haulier.contexts.freight.shipments.contract import (
    LTL,
    CreateFreightShipment,
    DeliverFreightShipment,
    RecordFreightStep,
    SetFreightAppointment,
    UpdateFreightShipment,
)
from haulier.contexts.freight.shipments.queries import get_visible_shipment, price_shipment
from haulier.contexts.freight.shipments.rules import (
    DELIVERED,
    EVENT_OF_APPOINTMENT,
    EVENT_OF_STEP,
    FREIGHT_LIFE,
    TIME_OF_STEP,
    AppointmentAction,
    ExceptionKind,
    FreightStatus,
    FreightStep,
    classify,
    digest_fields,
    find_exception_faults,
    missing_facts,
    next_appointment,
)
from haulier.contexts.freight.shipments.store import FreightShipmentRow
from haulier.contexts.freight.tariffs.queries import find_policy
from haulier.contexts.freight.tariffs.rules import FREIGHT_TARIFF_MISSING, FreightChargeTime
from haulier.contexts.identity.public import is_customer, require_customer
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_FOR_PICKUP, PICKUP_FULFILMENT
from haulier.contexts.orders.public import get_visible_order
from haulier.contexts.otep.public import Location, ProofOfDelivery, Source
from haulier.contexts.tracking.public import NewEvent, link_tracking_number, record_events, set_number_owner
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.operations.client_keys import require_same_content
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.values.ids import make_tracking_number
from haulier.kernel.values.money import Money

SUBJECT = "freight_shipment"
CLOCK_SKEW = timedelta(minutes=10)
PROFILE = "freight"
PARTIES = ("shipper", "consignee", "bill_to")


async def create_shipment(call: Call, request: CreateFreightShipment) -> tuple[FreightShipmentRow, bool]:
    """Create a freight shipment. Return it, and True if it existed.

    Raises `NOT_FOUND`, `NOT_A_CUSTOMER`, `ORDER_FOR_PICKUP`, `INVALID_REQUEST`, `CLIENT_KEY_REUSED`, and the errors of
    its price.
    """
    customer_id = await _customer_of(call, request.customer_id)
    sent = digest_fields(_dump(request))
    key = f"{customer_id or 0}:{request.shipment_ref}" if request.shipment_ref else None
    if before := await _find_repeated(call, key, request.shipment_ref, sent):
        return before, True
    if request.order_id is not None:
        order = await get_visible_order(call, request.order_id)
        if order.fulfilment == PICKUP_FULFILMENT:
            raise ORDER_FOR_PICKUP(order_id=order.id)
    values = await _terms_of(call, _dump(request))
    row = await store.insert_shipment(
        call.work,
        {
            **values,
            "customer_id": customer_id,
            "order_id": request.order_id,
            "status": FreightStatus.DRAFT.value,
            "claim_key": key,
            "shipment_ref": request.shipment_ref,
            "created_as": sent,
            "tracking_number": make_tracking_number(call.now),
            "appointments": {},
            "created_at": call.now,
            "updated_at": call.now,
        },
    )
    if row is None:
        if before := await _find_repeated(call, key, request.shipment_ref, sent):
            return before, True
        raise TransactionRetry
    call.add_audit_subjects(SUBJECT, row.id)
    if request.tender or is_customer(call):
        return await _apply_step(call, row, FreightStep.TENDER, call.now), False
    await _publish(call, row)
    return row, False


def _dump(request: CreateFreightShipment) -> dict[str, Any]:
    sent = request.model_dump(mode="json")
    return {**sent, "accessorials": sorted(sent["accessorials"])}


async def _customer_of(call: Call, customer_id: int | None) -> int | None:
    if is_customer(call):
        if customer_id not in (None, call.actor):
            raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.customer_not_yours"))
        return call.actor
    return None if customer_id is None else (await require_customer(call.work, customer_id)).id


async def _find_repeated(
    call: Call, key: str | None, reference: str | None, sent: Mapping[str, Any]
) -> FreightShipmentRow | None:
    before = await FreightShipmentRow.find_by(call.work, claim_key=key) if key else None
    if before is not None:
        require_same_content("shipment_ref", reference or "", sent, before.created_as)
    return before


async def _terms_of(call: Call, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of checked terms with their price.

    Raises `INVALID_REQUEST`, `FREIGHT_OUT_OF_AREA` and `SERVICE_PRICE_OUT_OF_RANGE`.
    """
    if faults := list(missing_facts(wanted)):
        raise INVALID_REQUEST.for_fields(*faults)
    units = [classify(unit) for unit in wanted["handling_units"]]
    consignee = wanted["consignee"]
    try:
        price = await price_shipment(call, units, consignee, wanted["accessorials"], wanted["declared_value_minor"])
    except OperationError as error:
        if error.error_type is not FREIGHT_TARIFF_MISSING:
            raise
        price = None
    plain = ("freight_terms", "declared_value_minor", "purchase_order", "instructions", "emergency_phone")
    return {
        **{name: wanted[name] for name in plain},
        "parties": {name: wanted[name] for name in PARTIES},
        "shipper_city": wanted["shipper"]["city"],
        **{f"consignee_{name}": consignee[name] for name in ("name", "city", "email", "phone")},
        "handling_units": units,
        "units": sum(unit["quantity"] for unit in units),
        "weight_g": sum(unit["quantity"] * unit["weight_g"] for unit in units),
        "accessorials": list(wanted["accessorials"]),
        "price": None if price is None else to_builtins(price),
        "price_minor": None if price is None else price.total_minor,
        "currency": call.business.currency,
    }


async def update_shipment(call: Call, request: UpdateFreightShipment) -> FreightShipmentRow:
    """Change a shipment before its pickup, and its price.

    Customers may change it until it is accepted. Raises `NOT_FOUND`, `FREIGHT_STEP_REFUSED`, and the errors of new
    terms.
    """
    row = await get_visible_shipment(call, request.freight_shipment_id, lock=True)
    FREIGHT_LIFE.next_status_or_raise(FreightStep.UPDATE, FreightStatus(row.status))
    if is_customer(call) and row.status == FreightStatus.ACCEPTED:
        FREIGHT_LIFE.next_status_or_raise(FreightStep.TENDER, FreightStatus(row.status))
    named = set(request.model_fields_set) - {"freight_shipment_id"}
    given = request.model_dump(mode="json", include=named)
    changes = {name: value for name, value in given.items() if value is not None or name == "bill_to"}
    if request.accessorials is not None:
        changes["accessorials"] = sorted(each.value for each in request.accessorials)
    before = {**{name: getattr(row, name) for name in _KEPT}, **row.parties, "handling_units": _as_sent(row)}
    await _update(call, row, **await _terms_of(call, {**before, **changes}))
    return await _reload(call, row.id)


_KEPT = (
    *("freight_terms", "accessorials", "declared_value_minor", "purchase_order", "instructions", "emergency_phone"),
)


def _as_sent(row: FreightShipmentRow) -> list[dict[str, Any]]:
    """Return stored units as they were sent: classes by density are found again."""
    return [{**unit, "freight_class": None} if unit["class_by_density"] else unit for unit in row.handling_units]


async def record_step(call: Call, request: RecordFreightStep) -> FreightShipmentRow:
    """Record a step of the journey, on the timeline too.

    Raises `NOT_FOUND`, `FREIGHT_STEP_REFUSED`, `TRACKING_NUMBER_TAKEN` for a used PRO number, and the errors of a
    charge.
    """
    row = await get_visible_shipment(call, request.freight_shipment_id, lock=True)
    at = _time_of(call, request.occurred_at)
    named: dict[str, Any] = request.model_dump(include={"carrier", "pro_number"}, exclude_none=True)
    return await _apply_step(call, row, FreightStep(request.step), at, city=request.city, **named)


def _time_of(call: Call, given: datetime | None) -> datetime:
    if given is not None and given > call.now + CLOCK_SKEW:
        raise INVALID_REQUEST.for_fields(FieldError("occurred_at", "field.in_the_future"))
    return given or call.now


async def deliver_shipment(call: Call, request: DeliverFreightShipment) -> FreightShipmentRow:
    """Record the delivery receipt with its exceptions.

    Raises `NOT_FOUND`, `FREIGHT_STEP_REFUSED`, `INVALID_REQUEST` for units that the shipment does not have, and the
    errors of a charge.
    """
    row = await get_visible_shipment(call, request.freight_shipment_id, lock=True)
    noted = [(each.unit, each.quantity) for each in request.exceptions]
    if faults := list(find_exception_faults(row.handling_units, noted)):
        raise INVALID_REQUEST.for_fields(*faults)
    step = FreightStep.DELIVER_WITH_EXCEPTIONS if noted else FreightStep.DELIVER
    receipt = request.model_dump(mode="json", include={"received_by", "exceptions"})
    return await _apply_step(call, row, step, _time_of(call, request.occurred_at), receipt=receipt)


async def cancel_shipment(call: Call, freight_shipment_id: int, reason: str | None) -> FreightShipmentRow:
    """Cancel a shipment that is not picked up. A cancelled one is unchanged.

    Raises `NOT_FOUND`, `FREIGHT_STEP_REFUSED`.
    """
    row = await get_visible_shipment(call, freight_shipment_id, lock=True)
    if row.status == FreightStatus.CANCELLED:
        return row
    return await _apply_step(call, row, FreightStep.CANCEL, call.now, cancelled_at=call.now, cancel_reason=reason)


async def _apply_step(
    call: Call, row: FreightShipmentRow, step: FreightStep, at: datetime, *, city: str | None = None, **values: Any
) -> FreightShipmentRow:
    """Take a step: status, timeline and charge."""
    status = FREIGHT_LIFE.next_status_or_raise(step, FreightStatus(row.status))
    if name := TIME_OF_STEP.get(step):
        values[name] = at
    await _update(call, row, status=status.value, **values)
    changed = await _reload(call, row.id)
    if (code := EVENT_OF_STEP.get(step)) and changed.tendered_at is not None:
        await _record_event(call, changed, code, at, city)
    if changed.pro_number and changed.pro_number != row.pro_number:
        await link_tracking_number(call, changed.tracking_number, external=changed.pro_number)
    await _charge_when_due(call, changed)
    return await _reload(call, row.id)


async def _record_event(call: Call, row: FreightShipmentRow, code: str, at: datetime, city: str | None = None) -> None:
    """Record an event on the timeline of a shipment."""
    events = [_event(row, code, at, city)]
    if code == "delivered" and row.receipt:
        noted = {each["kind"] for each in row.receipt["exceptions"]}
        if ExceptionKind.DAMAGE in noted:
            events.insert(0, _event(row, "damaged", at, city))
    await record_events(call, events)
    if code == EVENT_OF_STEP[FreightStep.TENDER]:
        await set_number_owner(call, row.customer_id, shipped_numbers=[row.tracking_number])


def _event(row: FreightShipmentRow, code: str, at: datetime, city: str | None) -> NewEvent:
    country = row.parties["consignee"]["country"]
    receipt = row.receipt if code == "delivered" else None
    return NewEvent(
        tracking_number=row.tracking_number,
        status_code=code,
        occurred_at=at,
        source=Source(type="carrier", name=row.carrier) if row.carrier else Source(type="self_delivery"),
        location=Location(city=city, country=country) if city else None,
        pod=ProofOfDelivery(recipient=receipt["received_by"]) if receipt else None,
        profile=PROFILE,
        order_ref=row.shipment_ref,
    )


async def set_appointment(call: Call, request: SetFreightAppointment) -> FreightShipmentRow:
    """Request, confirm, reschedule or miss an appointment.

    Raises `NOT_FOUND`, `FREIGHT_STEP_REFUSED`, `FREIGHT_APPOINTMENT_REFUSED`, and `INVALID_REQUEST` for a window that
    is missing or ends before it starts.
    """
    row = await get_visible_shipment(call, request.freight_shipment_id, lock=True)
    before: dict[str, Any] = row.appointments.get(request.kind.value) or {}
    state = next_appointment(request.kind, request.action, before.get("state"), row.status)
    given = request.model_dump(mode="json", exclude={"freight_shipment_id", "action"}, exclude_none=True)
    after = {**_NO_APPOINTMENT, **before, **given, "state": state.value, "updated_at": call.now.isoformat()}
    if request.action is not AppointmentAction.MISS:
        _check_window(after)
    await _update(call, row, appointments={**row.appointments, request.kind.value: after})
    code = EVENT_OF_APPOINTMENT.get((request.kind, request.action))
    changed = await _reload(call, row.id)
    if code and row.tendered_at is not None:
        await _record_event(call, changed, code, call.now)
    return changed


_NO_APPOINTMENT = dict.fromkeys(("window_start", "window_end", "contact", "confirmation_number", "note"))


def _check_window(appointment: Mapping[str, Any]) -> None:
    faults = [FieldError(name, "field.missing") for name in ("window_start", "window_end") if not appointment[name]]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
    if datetime.fromisoformat(appointment["window_end"]) <= datetime.fromisoformat(appointment["window_start"]):
        raise INVALID_REQUEST.for_fields(FieldError("window_end", "field.window_inverted"))


async def _charge_when_due(call: Call, row: FreightShipmentRow) -> None:
    """Charge the customer once, at the time that the tariff states.

    The credit limit does not apply.
    """
    if row.customer_id is None or not row.price_minor or row.transfer_id is not None:
        return
    policy = await find_policy(call)
    on_pickup = policy is not None and policy.charge_time is FreightChargeTime.ON_PICKUP
    if row.status not in DELIVERED and not (on_pickup and row.picked_up_at is not None):
        return
    consignee = row.parties["consignee"]
    subject = MoneySubject(SUBJECT, row.id, LTL)
    posted = await charge(
        call,
        row.customer_id,
        Money(row.price_minor, row.currency),
        key=f"{SUBJECT}:{row.id}",
        subject=subject,
        line=ChargeDetails(
            item=call.translate("freight_charge", units=row.units),
            reference=row.shipment_ref or row.tracking_number,
            recipient=row.consignee_name,
            serviced_on=call.local_time(row.delivered_at or row.picked_up_at or call.now).date(),
            product_class=ProductClass.DELIVERY,
            place=TaxPlace(consignee["country"], (consignee["region"] or "").upper() or None),
        ),
        beyond_limit=True,
    )
    charges = await list_charges_of(call, (SUBJECT, [row.id]), (SUBJECT, []))
    amount = next(each.amount_minor for each in charges if each.id == posted.transfer_id)
    await FreightShipmentRow.update(call.work, row.id, {"transfer_id": posted.transfer_id, "charged_minor": amount})


async def _update(call: Call, row: FreightShipmentRow, **values: Any) -> None:
    await FreightShipmentRow.update(call.work, row.id, {**values, "updated_at": call.now})
    call.add_audit_subjects(SUBJECT, row.id)
    await _publish(call, row, values.get("status"))


async def _publish(call: Call, row: FreightShipmentRow, status: str | None = None) -> None:
    await call.publish(
        FreightShipmentChanged(freight_shipment_id=row.id, customer_id=row.customer_id, status=status or row.status)
    )


async def _reload(call: Call, id: int) -> FreightShipmentRow:
    found = await FreightShipmentRow.get(call.work, id)
    assert found is not None  # it is locked
    return found
