"""Rules of Uniorders."""

import re
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderAddress
from haulier.contexts.orders.delivery_orders.contract.orders import Package as OrderPackage
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.quotes.contract import DeliveryRateList, QuoteAddress, QuoteDelivery
from haulier.contexts.shipping.accounts.contract import ShippingAddress
from haulier.contexts.shipping.labels.rules import Offer, Remark, ShipmentState
from haulier.contexts.shipping.uniorder.contract import LOCAL_SERVICE, UniorderForm
from haulier.kernel.operations.errors import declare_error

_RATE_ID = re.compile(r"u([1-9][0-9]{0,14})-([lc])([0-9]{1,4})", re.ASCII)
NAME_LENGTH = 200


class LocalRate(Struct, frozen=True, kw_only=True):
    """A service of the rate card, and its price."""

    service: str
    service_name: str
    total: int
    tax: int
    currency: str
    lines: tuple[tuple[str, int], ...]


class LocalQuote(Struct, frozen=True, kw_only=True):
    """Price of local delivery, or the reason why it is unavailable."""

    quote_id: str | None = None
    expires_at: datetime | None = None
    rates: tuple[LocalRate, ...] = ()
    """By name."""
    fault: dict[str, Any] | None = None


class QuotedForm(Struct, frozen=True, kw_only=True):
    """A rated form. Offers and local rates are by name."""

    local: LocalQuote
    offers: Sequence[Offer] = ()
    remarks: Sequence[Remark] = ()

    @property
    def expires_at(self) -> datetime | None:
        """Return the time until which all rates hold, or None without rates."""
        own = [self.local.expires_at] if self.local.expires_at else []
        return min((*own, *(offer.expires_at for offer in self.offers)), default=None)


class RatePlace(Struct, frozen=True):
    """Position of a rate: one of a quote's local rates, or of its offers."""

    quote_id: int
    local: bool
    index: int


def make_rate_id(place: RatePlace) -> str:
    """Return the id of a rate."""
    return f"u{place.quote_id}-{'l' if place.local else 'c'}{place.index}"


def read_rate_id(rate_id: str) -> RatePlace | None:
    """Return the position of a rate id, or None if it is malformed."""
    match = _RATE_ID.fullmatch(rate_id)
    return RatePlace(int(match[1]), match[2] == "l", int(match[3])) if match else None


def to_document(quoted: QuotedForm) -> dict[str, Any]:
    """Return rates as they are stored."""
    return msgspec.to_builtins(quoted)


def from_document(document: Any) -> QuotedForm:
    """Return rates that were kept."""
    return msgspec.convert(document, QuotedForm)


def local_quote(quoted: DeliveryRateList) -> LocalQuote:
    """Return a local quote as it is stored. It is no answer, so nothing is hidden."""
    rates = (
        LocalRate(
            service=rate.service,
            service_name=rate.service_name,
            total=rate.shipping_price or 0,
            tax=rate.tax or 0,
            currency=rate.currency or "",
            lines=tuple((line.code, line.amount or 0) for line in rate.price_details or ()),
        )
        for rate in quoted.rates
    )
    by_name = sorted(rates, key=lambda rate: (rate.service_name.casefold(), rate.service))
    # In whole seconds: the quote's id has no more precision, and an order must hold as long as its rate.
    until = quoted.expires_at.replace(microsecond=0)
    return LocalQuote(quote_id=quoted.quote_id, expires_at=until, rates=tuple(by_name))


def delivery_to_quote(form: UniorderForm) -> QuoteDelivery:
    """Return a form as a quote request for the rate card."""
    return QuoteDelivery(
        shipper=_quote_address(form.shipper) if form.shipper else QuoteAddress(),
        consignee=_quote_address(form.consignee),
        type=_type_of(form),
        weight_g=sum(parcel.weight_g for parcel in form.parcels),
        packages=len(form.parcels),
        signature_required=form.signature_required,
    )


def delivery_to_order(
    form: UniorderForm, *, service: str | None, quote_id: str | None, order_ref: str | None, customer_id: int | None
) -> CreateOrder:
    """Return a form as a local delivery order."""
    plain = set(OrderPackage.model_fields)
    order = CreateOrder(
        type=_type_of(form),
        consignee=_order_address(form.consignee),
        shipper=_order_address(form.shipper) if form.shipper else None,
        packages=[OrderPackage(**package.model_dump(include=plain)) for package in form.packages],
        signature_required=form.signature_required,
        scheduled_date=form.ship_date,
        window_start=form.window_start,
        window_end=form.window_end,
        delivery_instruction=form.delivery_instruction,
        quote_id=quote_id,
        order_ref=order_ref,
        customer_id=customer_id,
    )
    # Unchecked: carriers' codes have any format, and the rate card rejects unknown ones.
    return order.model_copy(update={"service": service or LOCAL_SERVICE})


def _type_of(form: UniorderForm) -> Any:
    return "P2P" if form.pickup else "D"


def _quote_address(address: ShippingAddress) -> QuoteAddress:
    return QuoteAddress(**address.model_dump(include=set(QuoteAddress.model_fields)))


def _order_address(address: ShippingAddress) -> OrderAddress:
    name = ", ".join(filter(None, (address.name, address.company)))[:NAME_LENGTH]
    return OrderAddress.model_validate({**address.model_dump(include=set(OrderAddress.model_fields)), "name": name})


UNIORDER_HAS_NO_LABEL = declare_error("uniorder_has_no_label", 409)
UNIORDER_JOB_IS_OVER = declare_error("uniorder_job_is_over", 409)
LOCAL_CARRIER = "LOCAL"


class UniorderStatus(StrEnum):
    """The status of an order."""

    CREATED = "CREATED"
    LABEL_PURCHASE_PENDING = "LABEL_PURCHASE_PENDING"
    LABEL_PURCHASE_FAILED = "LABEL_PURCHASE_FAILED"
    IN_TRANSIT = "IN_TRANSIT"
    DELIVERED = "DELIVERED"
    RETURNED = "RETURNED"
    CANCELLED = "CANCELLED"


_U, _S, _O = UniorderStatus, ShipmentState, OrderStatus
STATUS_OF_SHIPMENT = {
    _S.DRAFT: _U.LABEL_PURCHASE_FAILED,
    _S.FAILED: _U.LABEL_PURCHASE_FAILED,
    _S.PURCHASE_UNKNOWN: _U.LABEL_PURCHASE_PENDING,
    _S.PURCHASED: _U.CREATED,
    # A carrier that has not decided may keep the label valid.
    _S.VOID_PENDING: _U.CREATED,
    _S.IN_TRANSIT: _U.IN_TRANSIT,
    _S.DELIVERED: _U.DELIVERED,
    _S.VOIDED: _U.CANCELLED,
}
STATUS_OF_ORDER = {
    _O.NEW_ORDER: _U.CREATED,
    _O.HOLD: _U.CREATED,
    _O.PLANNED: _U.CREATED,
    _O.PICKED_UP: _U.IN_TRANSIT,
    _O.OUT_FOR_DELIVERY: _U.IN_TRANSIT,
    _O.FAILED: _U.IN_TRANSIT,
    _O.DELIVERED: _U.DELIVERED,
    _O.RETURNED: _U.RETURNED,
    _O.REJECTED: _U.RETURNED,
    _O.CANCELLED: _U.CANCELLED,
}
