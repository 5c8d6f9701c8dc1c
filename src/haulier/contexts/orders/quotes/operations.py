"""Quotes: what a local delivery would cost by the rate card."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from haulier.contexts.orders.quotes import store
from haulier.contexts.orders.quotes.contract import LOCAL, DeliveryRateList, QuoteDelivery
from haulier.contexts.orders.quotes.queries import quote_rates
from haulier.contexts.orders.quotes.rules import RATE_NOT_AVAILABLE, ZONE_ERRORS, RateCard, get_default_rate_card
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.caching import Cached
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Request, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope


class SetRateCard(Request):
    """A new rate card."""

    rate_card: RateCard
    """New rate card. It replaces the whole current card."""


class RateZoneRecord(Priced):
    """A zone of the rate card."""

    code: str
    up_to_m: int
    postal_prefixes: list[str]
    base: Annotated[int | UnsetType, price(LOCAL, "Amount in minor units.")] = UNSET


class RateServiceRecord(Answer):
    """A service of the rate card."""

    code: str
    name: str
    percent: int


class RateCardRecord(Priced):
    """A rate card, in the format for setting it."""

    zones: list[RateZoneRecord]
    services: list[RateServiceRecord]
    included_g: int
    per_extra_kg: Annotated[int | UnsetType, price(LOCAL, "Amount in minor units.")] = UNSET
    surcharges: Annotated[dict[str, int] | UnsetType, price(LOCAL, "Amounts in minor units, by kind.")] = UNSET
    tax_name: str
    tax_basis_points: int
    tax_included: Annotated[bool, doc("True if the prices and surcharges of the card include the tax.")]
    origin_lat: float | None
    origin_lng: float | None


class RateCardAnswer(Answer):
    """Current rate card."""

    result: bool = True
    own: Annotated[bool, doc("True if the business set the card; false if it is the platform default.")]
    rate_card: RateCardRecord


@reads(
    "quote_delivery",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("POST", "/v1/orders/rate"),
        GraphQL("ordersRate"),
        Mcp("quote_delivery", title="Quote a delivery"),
    ),
    errors=(RATE_NOT_AVAILABLE, *ZONE_ERRORS),
    cached=Cached(OFFICE | {Account.CUSTOMER}),
)
async def quote_delivery(call: Call, request: QuoteDelivery) -> DeliveryRateList:
    """Quote a local delivery.

    Returns every service of the rate card with its price, cheapest first. `create_order` with the `quote_id` uses the
    quoted price while the order matches the quote.

    If prices are hidden, services are sorted by name to avoid revealing the cheapest. An address that the zones in
    force close is refused.
    """
    quoted = await quote_rates(call, request)
    if call.principal.hides(LOCAL):
        quoted.rates.sort(key=lambda rate: (rate.service_name.casefold(), rate.rate_id))
    return quoted


@reads(
    "get_rate_card",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/rate-card"), GraphQL("rateCard")),
)
async def get_rate_card(call: Call, request: EmptyRequest) -> RateCardAnswer:
    """Get the current rate card.

    Returns the platform default if the business has none. It has no tax unless the currency of the business is CAD.
    """
    card = await store.find_own_rate_card(call.work)
    shown = card or get_default_rate_card(call.business.currency)
    return RateCardAnswer(own=card is not None, rate_card=_rate_card_record(shown))


@writes(
    "set_rate_card",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", "/v1/rate-card"), GraphQL("setRateCard")),
)
async def set_rate_card(call: Call, request: SetRateCard) -> RateCardAnswer:
    """Replace the rate card.

    Existing orders keep their price.
    """
    replaced = await store.find_own_rate_card(call.work) or get_default_rate_card(call.business.currency)
    await store.save_rate_card(call.work, request.rate_card, replaced=replaced, now=call.now)
    return RateCardAnswer(own=True, rate_card=_rate_card_record(request.rate_card))


def _rate_card_record(card: RateCard) -> RateCardRecord:
    return msgspec.convert(card.model_dump(mode="json"), RateCardRecord)
