"""Serializers of the locker shop."""

from typing import Any

from haulier.contexts.lockers.shop.contract import (
    RestockTask,
    ShopItem,
    ShopOffer,
    ShopProduct,
    ShopPurchase,
    ShopPurchaseDetail,
)
from haulier.contexts.lockers.shop.rules import PAID_FOR, ShopStatus
from haulier.contexts.lockers.shop.store import (
    RestockTaskRow,
    ShopItemRow,
    ShopOfferRow,
    ShopProductRow,
    ShopPurchaseRow,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.taxes import tax_within


def _price(row: ShopProductRow | ShopOfferRow) -> dict[str, Any]:
    return {
        "tax_minor": tax_within(row.shelf_price_minor, row.tax_basis_points),
        "picture": row.picture_id is not None,
    }


def product_record(call: Call, row: ShopProductRow) -> ShopProduct:
    """Serialize a product."""
    return record(ShopProduct, row, **_price(row), created_at=call.local_time(row.created_at))


def offer_record(row: ShopOfferRow) -> ShopOffer:
    """Serialize a product on sale at a site."""
    return record(ShopOffer, row, **_price(row), shop_product_id=row.id)


def task_record(call: Call, row: RestockTaskRow) -> RestockTask:
    """Serialize a restock task."""
    times: dict[str, Any] = {name: call.local_time(getattr(row, name)) for name in ("created_at", "closed_at")}
    return record(RestockTask, row, **times, shop_product_id=row.product_id)


def item_record(call: Call, row: ShopItemRow) -> ShopItem:
    """Serialize an item."""
    return record(
        ShopItem,
        row,
        shop_product_id=row.product_id,
        locker_parcel_id=row.parcel_id,
        restock_task_id=row.task_id,
        expired=row.expires_on is not None and row.expires_on < call.today,
        available_at=call.local_time(row.available_at),
        ended_at=call.local_time(row.ended_at),
    )


def _bought(call: Call, row: ShopPurchaseRow) -> dict[str, Any]:
    status = ShopStatus(row.status)
    moments = ("reserved_until", "pickup_until", "created_at", "paid_at", "collected_at")
    return {
        **{name: call.local_time(getattr(row, name)) for name in moments},
        "shop_product_id": row.product_id,
        "can_be_paid": status is ShopStatus.RESERVED and row.reserved_until > call.now,
        "can_be_cancelled": status is ShopStatus.RESERVED or status in PAID_FOR,
    }


def purchase_record(call: Call, row: ShopPurchaseRow) -> ShopPurchase:
    """Serialize a purchase for its buyer."""
    return record(ShopPurchase, row, **_bought(call, row))


def purchase_detail(call: Call, row: ShopPurchaseRow) -> ShopPurchaseDetail:
    """Serialize a purchase and its customer for staff."""
    known: dict[str, Any] = {"shop_item_id": row.item_id, "locker_parcel_id": row.parcel_id}
    return record(ShopPurchaseDetail, row, **_bought(call, row), **known)
