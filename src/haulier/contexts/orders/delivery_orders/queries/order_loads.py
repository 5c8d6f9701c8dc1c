"""What an order takes up in a vehicle, and where it is collected when that is not its stop."""

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.kernel.call import Call

MM3_PER_CM3 = 1000


class OrderLoad(Struct, frozen=True, kw_only=True):
    """An order as a load. `volume_cm3` counts packages of known size; `pickup` is the shipper's place for P2P.

    `boxes` are the packages of known size: length, width and height in millimetres, and weight in grams.
    """

    order_id: int
    parcels: int
    volume_cm3: int
    pickup: tuple[float, float] | None = None
    boxes: tuple[tuple[int, int, int, int], ...] = ()


async def get_order_loads(call: Call, order_ids: Collection[int]) -> dict[int, OrderLoad]:
    """The loads of the client's orders among some ids, in two statements."""
    if not order_ids:
        return {}
    packages: dict[int, list[store.PackageRow]] = {}
    for package in await store.list_order_package_rows(call.work, list(order_ids)):
        packages.setdefault(package.order_id, []).append(package)
    return {
        row.id: _order_load(row, packages.get(row.id, ())) for row in await store.list_order_rows(call.work, order_ids)
    }


def _order_load(row: store.OrderRow, packages: Sequence[store.PackageRow]) -> OrderLoad:
    shipper: dict[str, Any] = row.shipper or {}
    lat, lng = shipper.get("lat"), shipper.get("lng")
    return OrderLoad(
        order_id=row.id,
        parcels=row.package_count,
        volume_cm3=sum(_package_volume_cm3(package) for package in packages),
        boxes=tuple(box for box in map(_box, packages) if box),
        pickup=None if row.type != "P2P" or lat is None or lng is None else (lat, lng),
    )


def _package_volume_cm3(package: store.PackageRow) -> int:
    length, width, height = package.length_mm, package.width_mm, package.height_mm
    if length is None or width is None or height is None:
        return 0
    return -(-length * width * height // MM3_PER_CM3)


def _box(package: store.PackageRow) -> tuple[int, int, int, int] | None:
    length, width, height = package.length_mm, package.width_mm, package.height_mm
    return (length, width, height, package.weight_g) if length and width and height else None
