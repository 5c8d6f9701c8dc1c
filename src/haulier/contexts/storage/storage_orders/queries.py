"""Reads of storage orders for other families."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

import msgspec
from msgspec import Struct

from haulier.contexts.storage.storage_orders import store
from haulier.contexts.storage.storage_orders.contract import SetStorageTariff, StorageWish
from haulier.contexts.storage.storage_orders.rules import (
    Stay,
    StorageTerms,
    StoredSize,
    local_day,
    price_of_stays,
    price_with_minimum,
)
from haulier.contexts.storage.storage_orders.store import StorageOrderRow, TariffRow
from haulier.contexts.storage.stored_packages.queries import StoredPackageRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found


async def get_visible_order(call: Call, storage_order_id: int, *, lock: bool = False) -> StorageOrderRow:
    """Return an order for storage; customers see their own. Raises `NOT_FOUND`."""
    row = await (StorageOrderRow.lock if lock else StorageOrderRow.get)(call.work, storage_order_id)
    if row is None or (call.principal.account is Account.CUSTOMER and row.customer_id != call.actor):
        raise record_not_found(storage_order_id=storage_order_id)
    return row


class PricedWish(Struct, frozen=True, kw_only=True):
    """A wish, the service that it is for, and what it costs."""

    wish: StorageWish
    service: TariffRow
    terms: StorageTerms
    stored_minor: int
    """Price of the time, without the minimum."""

    @property
    def price_minor(self) -> int:
        """Return the total price."""
        return price_with_minimum(self.terms, self.stored_minor)


def read_terms(document: object) -> StorageTerms:
    """Return a tariff that was stored."""
    return msgspec.convert(document, StorageTerms)


def terms_of(request: SetStorageTariff, currency: str) -> StorageTerms:
    """Return a tariff in the currency of the business."""
    document = request.model_dump(mode="json", include={"unit", "interval", "tiers", "free_days", "minimum_minor"})
    return read_terms(document | {"currency": currency})


async def get_offered_tariff(call: Call, service_code: str) -> TariffRow:
    """Return the tariff of a service that can be ordered. Raises `NOT_FOUND`."""
    row = await TariffRow.find_by(call.work, service_code=service_code)
    if row is None or not row.active:
        raise record_not_found(service_code=service_code)
    return row


async def list_tariffs(call: Call, *, offered: bool) -> Sequence[TariffRow]:
    """Return all tariffs, by code; or only those that can be ordered."""
    return [row for row in await store.list_tariff_rows(call.work) if row.active or not offered]


async def price_storage(call: Call, wish: StorageWish, *, at: str = "") -> PricedWish:
    """Return today's price of a request.

    Raises `NOT_FOUND`, and `INVALID_REQUEST` for a past day, at the field below `at`.
    """
    service = await get_offered_tariff(call, wish.service_code)
    if wish.start_date < call.today:
        raise INVALID_REQUEST.for_fields(FieldError(f"{at}start_date", "field.date_over"))
    terms = read_terms(service.terms)
    until = wish.start_date + timedelta(days=wish.days)
    stored = price_of_stays(terms, requested_stays(wish), until)
    return PricedWish(wish=wish, service=service, terms=terms, stored_minor=stored)


def stays_of_packages(call: Call, packages: Iterable[StoredPackageRow]) -> list[Stay]:
    """Return the stays of packages in the business's time zone."""
    zone = call.time_zone
    return [
        Stay(
            StoredSize(weight_g=row.weight_g, length_mm=row.length_mm, width_mm=row.width_mm, height_mm=row.height_mm),
            local_day(row.received_at, zone),
            local_day(row.left_at, zone) if row.left_at else None,
        )
        for row in packages
    ]


def requested_stays(wish: StorageWish) -> list[Stay]:
    """Return the requested stays, one for each package."""
    sizes = [
        StoredSize(weight_g=each.weight_g, length_mm=each.length_mm, width_mm=each.width_mm, height_mm=each.height_mm)
        for each in wish.packages
        for _ in range(each.quantity)
    ]
    return [Stay(size, wish.start_date) for size in sizes]
