"""Freight shipments as answers and documents show them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import UNSET, convert

from haulier.contexts.billing.public import ServicePrice
from haulier.contexts.freight.shipments.contract import (
    DeliveryReceipt,
    FreightAppointment,
    FreightCharge,
    FreightPartyRecord,
    FreightShipment,
    FreightShipmentSummary,
    HandlingUnitRecord,
)
from haulier.contexts.freight.shipments.rules import AppointmentKind, FreightStatus, loading_length_mm, next_steps
from haulier.contexts.freight.shipments.store import FreightShipmentRow
from haulier.contexts.freight.tariffs.rules import Accessorial
from haulier.contexts.identity.public import require_client
from haulier.contexts.orders.public import to_label_party
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.money import Money
from haulier.rendering.freight_papers import FreightPaper, FreightPaperUnit, lay_out_freight_paper
from haulier.rendering.pdf import render_pdf
from haulier.rendering.sheets import PaperHead

ADDITIONAL_SERVICES = frozenset(each.value for each in Accessorial)


def unit_records(units: Sequence[Mapping[str, Any]]) -> list[HandlingUnitRecord]:
    """Return classified handling units."""
    return convert(list(units), list[HandlingUnitRecord])


def price_lines(call: Call, price: ServicePrice) -> list[FreightCharge]:
    """Return the parts of a price, in the caller's language."""
    return [
        FreightCharge(code=line.code, name=call.translate(_line_message(line.code)), amount=line.minor)
        for line in price.lines
    ]


def _line_message(code: str) -> str:
    return f"choice.{code}" if code in ADDITIONAL_SERVICES else f"freight_line.{code}"


def shipment_summary(call: Call, row: FreightShipmentRow) -> FreightShipmentSummary:
    """Return a freight shipment in a list."""
    return record(FreightShipmentSummary, row, **_shared(call, row))


def shipment_detail(call: Call, row: FreightShipmentRow) -> FreightShipment:
    """Return a freight shipment."""
    price = convert(row.price, ServicePrice) if row.price else None
    return record(
        FreightShipment,
        row,
        **_shared(call, row),
        shipper=convert(row.parties["shipper"], FreightPartyRecord),
        consignee=convert(row.parties["consignee"], FreightPartyRecord),
        bill_to=convert(row.parties["bill_to"], FreightPartyRecord | None),
        handling_units=unit_records(row.handling_units),
        loading_mm=loading_length_mm(row.handling_units),
        appointments=[
            _appointment(call, row.appointments[kind.value])
            for kind in AppointmentKind
            if kind.value in row.appointments
        ],
        receipt=convert(row.receipt, DeliveryReceipt | None),
        price_details=price_lines(call, price) if price else UNSET,
        tendered_at=call.local_time(row.tendered_at),
        accepted_at=call.local_time(row.accepted_at),
        picked_up_at=call.local_time(row.picked_up_at),
        delivered_at=call.local_time(row.delivered_at),
        cancelled_at=call.local_time(row.cancelled_at),
    )


def _shared(call: Call, row: FreightShipmentRow) -> dict[str, Any]:
    return {
        "status": FreightStatus(row.status),
        "next_steps": next_steps(row.status),
        "shipping_price": row.price_minor,
        "created_at": call.local_time(row.created_at),
        "updated_at": call.local_time(row.updated_at),
    }


def _appointment(call: Call, stored: Mapping[str, Any]) -> FreightAppointment:
    times = {
        name: call.local_time(datetime.fromisoformat(stored[name])) if stored[name] else None
        for name in ("window_start", "window_end", "updated_at")
    }
    return convert({**stored, **times}, FreightAppointment)


async def shipment_pdf(call: Call, row: FreightShipmentRow, *, receipt: bool) -> bytes:
    """Return the bill of lading or the delivery receipt without prices.

    It is in the caller's language.
    """
    client = await require_client(call.work, call.client_id)
    title = "paper_delivery_receipt" if receipt else "paper_bill_of_lading"
    paper = _paper(call, row, client.name, title)
    return render_pdf(lay_out_freight_paper(paper), title=call.translate(title), language=call.language)


def _paper(call: Call, row: FreightShipmentRow, issuer: str, title: str) -> FreightPaper:
    shipper, consignee, bill_to = (
        to_label_party(row.parties[name], "") if row.parties[name] else None
        for name in ("shipper", "consignee", "bill_to")
    )
    assert shipper is not None
    assert consignee is not None
    noted = row.receipt["exceptions"] if row.receipt and title == "paper_delivery_receipt" else []
    declared = row.declared_value_minor
    return FreightPaper(
        head=PaperHead(
            issuer=issuer,
            number=row.tracking_number,
            verify_url="",
            moment=_time(call, row.tendered_at or row.created_at),
            language=call.language,
            paper="letter" if consignee.country in ("US", "CA", "MX") else "a4",
        ),
        title=title,
        shipper=shipper,
        consignee=consignee,
        bill_to=bill_to,
        carrier=row.carrier or issuer,
        pro_number=row.pro_number,
        terms=row.freight_terms,
        references=[text for text in (row.shipment_ref, row.purchase_order) if text],
        units=[_paper_unit(unit) for unit in row.handling_units],
        accessorials=[call.translate(f"choice.{name}") for name in row.accessorials],
        declared_value=Money(declared, row.currency).format(call.language) if declared is not None else None,
        instructions=row.instructions,
        emergency_phone=row.emergency_phone,
        appointments=[
            (call.translate(f"paper_freight_{kind.value}_appointment"), _window(call, row.appointments[kind.value]))
            for kind in AppointmentKind
            if row.appointments.get(kind.value)
        ],
        received_by=row.receipt["received_by"] if row.receipt and title == "paper_delivery_receipt" else None,
        delivered_at=_time(call, row.delivered_at) if row.delivered_at else None,
        exceptions=[
            (
                str(each["unit"]),
                call.translate(f"choice.{each['kind']}"),
                str(each["quantity"]),
                each["note"] or "",
            )
            for each in noted
        ],
    )


def _paper_unit(unit: Mapping[str, Any]) -> FreightPaperUnit:
    return FreightPaperUnit(
        type=unit["type"],
        quantity=unit["quantity"],
        pieces=unit["pieces"],
        weight_g=unit["weight_g"] * unit["quantity"],
        size_mm=(unit["length_mm"], unit["width_mm"], unit["height_mm"]),
        description=unit["description"],
        nmfc_item=unit["nmfc_item"],
        freight_class=unit["freight_class"],
        hazardous=unit["hazardous"],
        hazard=", ".join(
            part
            for part in (
                unit["un_number"],
                unit["hazard_class"],
                f"PG {unit['packing_group']}" if unit["packing_group"] else None,
            )
            if part
        ),
    )


def _time(call: Call, at: datetime) -> str:
    return f"{call.local_time(at):%Y-%m-%d %H:%M}"


def _window(call: Call, stored: Mapping[str, Any]) -> str:
    start, end = (
        call.local_time(datetime.fromisoformat(stored[name])) if stored[name] else None
        for name in ("window_start", "window_end")
    )
    times = f"{start:%Y-%m-%d %H:%M}–{end:%H:%M}" if start and end else ""
    return " · ".join(filter(None, (times, stored["confirmation_number"], stored["contact"])))
