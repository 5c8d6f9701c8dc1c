"""Rules of delivery orders: goods that were delivered to a wrong address."""

from collections.abc import Mapping
from typing import Any

from haulier.kernel.operations.errors import declare_error

GOODS_ON_ROUTE = declare_error("goods_on_route", 409, fields=("goods_at",))
POINT_TO_POINT = "P2P"


def get_movement(order_type: str, goods_at: Mapping[str, Any] | None) -> str:
    """Return P2P for goods at a wrong address, else the order type."""
    return POINT_TO_POINT if goods_at else order_type


def locate_goods(
    order_type: str, shipper: Mapping[str, Any] | None, goods_at: Mapping[str, Any] | None
) -> tuple[float, float] | None:
    """Return the coordinates where goods are collected, if they are known."""
    place = goods_at or (shipper if order_type != "D" else None) or {}
    lat, lng = place.get("lat"), place.get("lng")
    return None if lat is None or lng is None else (lat, lng)
