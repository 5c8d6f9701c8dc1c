"""What a carrier's answer leaves behind: labels, timelines, money, news. All of it in the caller's transaction."""

import logging
from collections.abc import Sequence
from typing import Any

from msgspec import to_builtins

from haulier.contexts.shipping.accounts.rules.remarks import make_own_message
from haulier.contexts.shipping.events import LabelBought, LabelPurchaseFailed, LabelVoided
from haulier.contexts.shipping.labels.actions.money import release_price, return_price, take_price
from haulier.contexts.shipping.labels.rules.lifecycle import SHIPMENT_LIFE, ShipmentState, ShipmentStep, track_pause
from haulier.contexts.shipping.labels.rules.rates import Remark, remark
from haulier.contexts.shipping.labels.rules.work import TRACK_JOB, TrackShipment
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.contexts.shipping.ports import BoughtParcel, LabelFormat, Purchase, Severity
from haulier.contexts.tracking.public import NewEvent, Source, record_events, set_number_owner
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money
from haulier.rendering.zpl import normalise_zpl

log = logging.getLogger("haulier.shipping")
LABEL_CREATED, CANCELLED = "label_created", "cancelled"
MAX_REMARKS = 50


async def store_purchase(call: Call, row: store.ShipmentRow, purchase: Purchase) -> None:
    """Store a label that was bought, begin its timeline and announce it."""
    state = SHIPMENT_LIFE.next_status_or_raise(ShipmentStep.BOUGHT, ShipmentState(row.state))
    said = [remark(message, row.account_id, row.carrier) for message in purchase.messages]
    await store.insert_labels(
        call.work,
        [
            {
                "shipment_id": row.id,
                "number": number,
                "tracking_number": parcel.tracking_number,
                "label_format": parcel.label_format.value,
                "content": printable_label(parcel),
            }
            for number, parcel in enumerate(purchase.parcels, 1)
        ],
    )
    values: dict[str, Any] = {
        "state": state.value,
        "leased_until": None,
        "tracking_number": purchase.tracking_number,
        "carrier_reference": purchase.carrier_reference,
        "bought_at": call.now,
        "moved_at": call.now,
        "updated_at": call.now,
    }
    if purchase.price is not None and purchase.price.currency == row.currency:
        values["cost_minor"] = purchase.price.minor
    values["messages"] = to_builtins(said)[:MAX_REMARKS]
    await store.update_shipment_row(call.work, row.id, values)
    await take_price(call, row, purchase.price or _known_cost(row))
    numbers = [parcel.tracking_number for parcel in purchase.parcels]
    unmatched = await _begin_timelines(call, row, numbers)
    if unmatched:
        values["messages"] = (to_builtins([*said, *unmatched]))[:MAX_REMARKS]
        await store.update_shipment_row(call.work, row.id, {"messages": values["messages"]})
    await call.enqueue(TRACK_JOB, TrackShipment(shipment_id=row.id), run_at=call.now + track_pause(call.now - call.now))
    await call.publish(
        LabelBought(
            shipment_id=row.id,
            carrier=row.carrier or "",
            tracking_number=purchase.tracking_number,
            order_ref=row.order_ref,
        )
    )


def printable_label(parcel: BoughtParcel) -> bytes:
    """A label as it is kept: ZPL without what changes the printer for the labels after it.

    ZPL that redefines its control characters is kept as it came: it was paid for, and nobody knows what each sign of it means.
    """
    if parcel.label_format is not LabelFormat.ZPL:
        return parcel.label
    try:
        return normalise_zpl(parcel.label)
    except ValueError:
        log.warning("the label of %s redefines its control characters", parcel.tracking_number)
        return parcel.label


def _known_cost(row: store.ShipmentRow) -> Money | None:
    """What the carrier said that it would cost."""
    return None if row.cost_minor is None or row.currency is None else Money(row.cost_minor, row.currency)


async def _begin_timelines(call: Call, row: store.ShipmentRow, numbers: Sequence[str]) -> list[Remark]:
    """Begin the timeline of each parcel. A number that another business tracks stays without one, and that is remarked."""
    try:
        async with call.savepoint():
            await record_events(call, [_own_event(row, number, LABEL_CREATED, call) for number in numbers])
            await set_number_owner(call, row.customer_id, shipped_numbers=numbers)
    except OperationError as error:
        log.warning("shipment %s has no timeline: %s", row.id, error)
        return [
            remark(make_own_message("carrier.not_tracked", "NOT_TRACKED", Severity.INFO), row.account_id, row.carrier)
        ]
    return []


def _own_event(row: store.ShipmentRow, number: str, code: str, call: Call) -> NewEvent:
    return NewEvent(
        tracking_number=number,
        status_code=code,
        occurred_at=call.now,
        source=Source(type="system"),
        reference=f"shipment-{row.id}-{code}",
        order_ref=row.order_ref,
    )


async def store_refusal(call: Call, row: store.ShipmentRow, remarks: Sequence[Remark], *, certain: bool) -> None:
    """Store that a carrier sold nothing, and announce it. The shipment can be bought later.

    Unless that is `certain`, because an earlier answer was lost, the carrier is asked what it sold before it is bought then.
    """
    state = SHIPMENT_LIFE.next_status_or_raise(ShipmentStep.REFUSED, ShipmentState(row.state))
    values = {
        "state": state.value,
        "leased_until": None,
        "messages": to_builtins(list(remarks))[:MAX_REMARKS],
        "asked_at": None if certain else row.asked_at,
        "updated_at": call.now,
    }
    await store.update_shipment_row(call.work, row.id, values)
    await release_price(call, row)
    await call.publish(LabelPurchaseFailed(shipment_id=row.id, carrier=row.carrier or "", order_ref=row.order_ref))


async def store_void(call: Call, row: store.ShipmentRow) -> None:
    """Store that a label is void, record it in the timeline and announce it. Its reference is free again.

    It stays on the manifest with which it was handed over: a closed manifest never changes.
    """
    values = {
        "state": ShipmentState.VOIDED.value,
        "leased_until": None,
        "claim_key": None,
        "voided_at": call.now,
        "updated_at": call.now,
    }
    await store.update_shipment_row(call.work, row.id, values)
    await return_price(call, row)
    numbers = [parcel.tracking_number for parcel in await store.list_parcel_rows(call.work, row.id)]
    if not numbers:
        return
    try:
        async with call.savepoint():
            await record_events(call, [_own_event(row, number, CANCELLED, call) for number in numbers])
    except OperationError as error:
        log.warning("shipment %s has no timeline: %s", row.id, error)
    await call.publish(
        LabelVoided(
            shipment_id=row.id,
            carrier=row.carrier or "",
            tracking_number=row.tracking_number or numbers[0],
            order_ref=row.order_ref,
        )
    )
