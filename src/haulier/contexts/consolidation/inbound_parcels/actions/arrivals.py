"""Receiving a parcel: weighed, measured, photographed, and matched where it is known whose it is."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.consolidation.claims.actions import CLAIMED, open_claim
from haulier.contexts.consolidation.events import InboundParcelArrived, InboundParcelUnmatched
from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.actions.matches import (
    NOTHING_ANNOUNCED,
    MatchedBy,
    announce_match,
    reload_parcel,
)
from haulier.contexts.consolidation.inbound_parcels.contract import ReceiveInboundParcel
from haulier.contexts.consolidation.inbound_parcels.queries import is_number_of_business
from haulier.contexts.consolidation.inbound_parcels.rules.lifecycle import UNDER_WAY_STATES, InboundState
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.contexts.consolidation.suites.queries import find_customers_in_texts, require_suite_customer
from haulier.contexts.documents.public import save_upload
from haulier.contexts.tracking.public import make_number_key
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry

MEASURES = ("weight_g", "length_mm", "width_mm", "height_mm")
TOLD = ("carrier", "label_text", *MEASURES)
PHOTOS = "inbound_parcel"
"""The kind of record that photos are about."""


async def receive_parcel(call: Call, request: ReceiveInboundParcel) -> tuple[InboundParcelRow, bool]:
    """Receive a parcel. Returns it, and whether it was received before: then only what was not told yet is added.

    Raises `NOT_FOUND` for a suite that nobody has.
    """
    by_suite = await _customer_of_label(call, request)
    key = make_number_key(request.tracking_number)
    row = (await store.list_parcels_of_keys(call.work, [key], lock=True)).get(key)
    if row is None:
        row, was_new = await _insert_received(call, request, key)
    else:
        was_new = row.state in UNDER_WAY_STATES
    told = {name: getattr(request, name) for name in TOLD if getattr(row, name) is None}
    changes: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    if request.photo is not None and row.photo_id is None:
        changes["photo_id"] = await _save_photo(call, row.id, request)
    if was_new:
        row = await _hold_claim_on_own_number(call, row)
        return await _arrive(call, row, by_suite, changes), False
    if changes:
        await InboundParcelRow.update(call.work, row.id, {**changes, "updated_at": call.now})
    return await reload_parcel(call, row.id), True


async def _customer_of_label(call: Call, request: ReceiveInboundParcel) -> int | None:
    if request.suite:
        return await require_suite_customer(call.work, request.suite)
    if not request.label_text:
        return None
    return (await find_customers_in_texts(call.work, [request.label_text])).get(request.label_text)


async def _insert_received(call: Call, request: ReceiveInboundParcel, key: str) -> tuple[InboundParcelRow, bool]:
    new = {
        "tracking_number": request.tracking_number,
        "number_key": key,
        "state": InboundState.ARRIVED.value,
        "created_at": call.now,
        "updated_at": call.now,
    }
    written = await store.insert_parcels(call.work, [new])
    if not written:
        raise TransactionRetry  # Why: another call wrote it just now, and is to be met as it is after that.
    return written[0], True


async def _save_photo(call: Call, parcel_id: int, request: ReceiveInboundParcel) -> int | None:
    photo = request.photo
    if photo is None:
        return None
    about = f"{PHOTOS}:{parcel_id}"
    return await save_upload(call, photo, about=about)


async def _hold_claim_on_own_number(call: Call, row: InboundParcelRow) -> InboundParcelRow:
    """Turn an announcement into a claim if an order or shipment of the business has carried the number since."""
    if row.customer_id is None or not await is_number_of_business(call.work, row.tracking_number):
        return row
    await open_claim(call, row.id, row.customer_id, {name: getattr(row, name) for name in CLAIMED})
    await InboundParcelRow.update(call.work, row.id, {"customer_id": None, "matched_by": None, **NOTHING_ANNOUNCED})
    return await reload_parcel(call, row.id)


async def _arrive(
    call: Call, row: InboundParcelRow, by_suite: int | None, changes: Mapping[str, Any]
) -> InboundParcelRow:
    """Write that a parcel is here. Whoever announced it counts before the suite on its label."""
    customer = row.customer_id or by_suite
    state = InboundState.MATCHED if customer else InboundState.ARRIVED
    arrived = {"state": state.value, "arrived_at": call.now, "received_by": call.actor, "updated_at": call.now}
    found = {"customer_id": by_suite, "matched_by": MatchedBy.SUITE.value} if by_suite and not row.customer_id else {}
    await InboundParcelRow.update(call.work, row.id, {**changes, **arrived, **found})
    number = row.tracking_number
    await call.publish(InboundParcelArrived(parcel_id=row.id, tracking_number=number, customer_id=customer))
    if found and by_suite:
        await announce_match(call, row, by_suite, MatchedBy.SUITE)
    elif customer is None:
        await call.publish(InboundParcelUnmatched(parcel_id=row.id, tracking_number=number))
    return await reload_parcel(call, row.id)
