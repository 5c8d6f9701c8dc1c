"""Reads of delivery orders for other families: order papers."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from haulier.contexts.identity.public import require_client
from haulier.contexts.orders.delivery_orders.contract.labels import OrderLabelData
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.items import list_order_item_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.money import Money
from haulier.rendering.labels import LabelContent, LabelParty


async def load_label_contents(call: Call, order_ids: Collection[int]) -> list[LabelContent]:
    """Return the labels of all packages of these orders, in the given order."""
    rows = {row.id: row for row in await orders_store.list_order_rows(call.work, order_ids)}
    packages = await orders_store.list_order_package_rows(call.work, list(rows))
    return await build_label_contents(call, [rows[id] for id in order_ids if id in rows], packages)


async def build_label_contents(
    call: Call, rows: Sequence[orders_store.OrderRow], packages: Sequence[orders_store.PackageRow]
) -> list[LabelContent]:
    """The labels of the pieces of some orders, in the language of the caller."""
    carrier = (await require_client(call.work, call.client_id)).name
    pieces: defaultdict[int, list[orders_store.PackageRow]] = defaultdict(list)
    for package in packages:
        pieces[package.order_id].append(package)
    return [content for row in rows for content in _contents_of(call, carrier, row, pieces[row.id])]


def _contents_of(
    call: Call, carrier: str, row: orders_store.OrderRow, pieces: list[orders_store.PackageRow]
) -> list[LabelContent]:
    cod = str(Money(row.cod_minor, call.business.currency)) if row.cod_minor else None
    service = call.translate(f"label_type_{row.type}")
    labels = [build_label_data(row, package, number, len(pieces), cod) for number, package in enumerate(pieces, 1)]
    return [
        build_label_content(row, label, carrier=carrier, service=service, language=call.language) for label in labels
    ]


def build_label_data(
    order: orders_store.OrderRow, package: orders_store.PackageRow, number: int, count: int, cod: str | None
) -> OrderLabelData:
    """The content of the label of one piece. `cod` is the cash to collect, as text."""
    ends = (order.consignee, order.shipper) if order.type == "P" else (order.shipper, order.consignee)
    away, door = ends[0] or {}, ends[1] or {}
    return OrderLabelData(
        tracking_number=package.tracking_number,
        type=order.type,
        name=order.stop_name,
        address=order.stop_address,
        place=" ".join(
            filter(None, (order.stop_city, door.get("region"), order.stop_postal_code, door.get("country")))
        ),
        other_end=", ".join(filter(None, (away.get("name"), away.get("city")))) or None,
        phone=door.get("phone"),
        instruction=order.delivery_instruction,
        order_ref=order.order_ref,
        scheduled_date=order.scheduled_date,
        piece=number,
        pieces=count,
        weight_g=package.weight_g,
        cod=cod if number == 1 else None,
    )


def build_label_content(
    order: orders_store.OrderRow, label: OrderLabelData, *, carrier: str, service: str, language: str
) -> LabelContent:
    """Return the label content of one package.

    The label goes from the shipper to the consignee, regardless of the stop.
    """
    day = label.scheduled_date.isoformat() if label.scheduled_date else ""
    return LabelContent(
        carrier=carrier,
        service=f"{service}  {day}".strip(),
        tracking_number=label.tracking_number,
        sender=to_label_party(order.shipper, carrier),
        recipient=to_label_party(order.consignee, carrier),
        references=[label.order_ref] if label.order_ref else [],
        weight_g=label.weight_g,
        piece=label.piece,
        pieces=label.pieces,
        notes=label.instruction,
        cod=label.cod,
        language=language,
    )


def to_label_party(address: Mapping[str, Any] | None, otherwise: str) -> LabelParty:
    """Return an address as papers show it, or the business itself if there is none."""
    if not address:
        return LabelParty(name=otherwise)
    street = ", ".join(filter(None, (address.get("address"), address.get("unit"))))
    place = " ".join(filter(None, map(address.get, ("city", "region", "postal_code"))))
    return LabelParty(
        name=address.get("name") or "",
        company=address.get("company"),
        address=[street] if street else [],
        place=place,
        country=address.get("country"),
        phone=address.get("phone"),
    )


class PaperOrder(Struct, frozen=True, kw_only=True):
    """An order, as papers show it. `cod` is the cash to collect, as text."""

    id: int
    tracking_number: str
    order_ref: str | None
    type: str
    sender: LabelParty
    recipient: LabelParty
    scheduled_date: date | None
    delivery_instruction: str | None
    cod: str | None


class PaperItem(Struct, frozen=True, kw_only=True):
    """A line of an order, without its price."""

    sku: str | None
    description: str | None
    quantity: int


class PaperPiece(Struct, frozen=True, kw_only=True):
    """A piece of an order. `size_mm` is length, width and height."""

    order_id: int
    tracking_number: str
    description: str | None
    weight_g: int
    size_mm: tuple[int, int, int] | None


async def load_paper_items(call: Call, order_ids: Collection[int]) -> dict[int, list[PaperItem]]:
    """Return the lines of orders, by order. One statement."""
    rows = await list_order_item_rows(call.work, order_ids)
    return {id: [record(PaperItem, item) for item in items] for id, items in rows.items()}


async def load_paper_orders(call: Call, order_ids: Collection[int]) -> tuple[list[PaperOrder], list[PaperPiece]]:
    """Return these orders of the client in the given order, and all their packages.

    Two statements.
    """
    business = (await require_client(call.work, call.client_id)).name
    rows = {row.id: row for row in await orders_store.list_order_rows(call.work, order_ids)}
    packages = await orders_store.list_order_package_rows(call.work, list(rows)) if rows else []
    orders = [_paper_order(call, rows[id], business) for id in order_ids if id in rows]
    return orders, [_paper_piece(package) for package in packages]


def _paper_order(call: Call, row: orders_store.OrderRow, business: str) -> PaperOrder:
    return PaperOrder(
        id=row.id,
        tracking_number=row.tracking_number,
        order_ref=row.order_ref,
        type=row.type,
        sender=to_label_party(row.shipper, business),
        recipient=to_label_party(row.consignee, business),
        scheduled_date=row.scheduled_date,
        delivery_instruction=row.delivery_instruction,
        cod=str(Money(row.cod_minor, call.business.currency)) if row.cod_minor else None,
    )


def _paper_piece(package: orders_store.PackageRow) -> PaperPiece:
    length, width, height = package.length_mm, package.width_mm, package.height_mm
    return PaperPiece(
        order_id=package.order_id,
        tracking_number=package.tracking_number,
        description=package.description,
        weight_g=package.weight_g,
        size_mm=(length, width, height) if length and width and height else None,
    )
