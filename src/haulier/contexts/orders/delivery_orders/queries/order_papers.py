"""What papers say of orders: both ends, the terms, and each piece."""

from collections.abc import Collection
from datetime import date

from msgspec import Struct

from haulier.contexts.identity.public import require_client
from haulier.contexts.orders.delivery_orders.queries.order_labels import to_label_party
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money
from haulier.rendering.labels import LabelParty


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


class PaperPiece(Struct, frozen=True, kw_only=True):
    """A piece of an order. `size_mm` is length, width and height."""

    order_id: int
    tracking_number: str
    description: str | None
    weight_g: int
    size_mm: tuple[int, int, int] | None


async def load_paper_orders(call: Call, order_ids: Collection[int]) -> tuple[list[PaperOrder], list[PaperPiece]]:
    """These orders of the client as they were named, and all their pieces; two statements."""
    business = (await require_client(call.work, call.client_id)).name
    rows = {row.id: row for row in await store.list_order_rows(call.work, order_ids)}
    packages = await store.list_order_package_rows(call.work, list(rows)) if rows else []
    orders = [_paper_order(call, rows[id], business) for id in order_ids if id in rows]
    return orders, [_paper_piece(package) for package in packages]


def _paper_order(call: Call, row: store.OrderRow, business: str) -> PaperOrder:
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


def _paper_piece(package: store.PackageRow) -> PaperPiece:
    length, width, height = package.length_mm, package.width_mm, package.height_mm
    return PaperPiece(
        order_id=package.order_id,
        tracking_number=package.tracking_number,
        description=package.description,
        weight_g=package.weight_g,
        size_mm=(length, width, height) if length and width and height else None,
    )
