"""Quotes: what a local delivery would cost by the rate card."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType
from pydantic import Field, StringConstraints

from haulier.contexts.orders.quotes import store
from haulier.contexts.orders.quotes.rules import (
    DEFAULT_RATE_CARD,
    RATE_NOT_AVAILABLE,
    Haul,
    RateCard,
    haul_distance_m,
    price_haul_per_service,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Request, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, PriceFamily, Risk, Scope

LOCAL = PriceFamily.LOCAL_DELIVERY


class QuoteLocation(Request):
    """One end of a haul."""

    lat: float | None = Field(default=None, ge=-90, le=90, examples=[43.65])
    """Latitude in degrees."""
    lng: float | None = Field(default=None, ge=-180, le=180, examples=[-79.38])
    """Longitude in degrees."""
    postal_code: Annotated[str, StringConstraints(max_length=20), Field(examples=["M5V 2T6"])] | None = None
    """Postal code. Where the rate card lists its beginning, that decides the zone; otherwise the distance does."""

    @property
    def place(self) -> tuple[float, float] | None:
        """Latitude and longitude, when both are known."""
        return None if self.lat is None or self.lng is None else (self.lat, self.lng)


class QuoteDelivery(Request):
    """The goods and their two ends."""

    shipper: QuoteLocation = QuoteLocation()
    """From where. Without coordinates an average trip across town is charged."""
    consignee: QuoteLocation = QuoteLocation()
    """To where."""
    weight_g: int = Field(default=1000, ge=0, le=50_000_000)
    """Total weight in grams."""
    packages: int = Field(default=1, ge=1, le=200)
    """How many pieces."""
    cod: bool = False
    """Whether cash is collected."""
    signature_required: bool = False
    """Whether the recipient signs."""
    pickup: bool = False
    """Whether it is collected from the shipper."""


class DeliveryRateLine(Priced):
    """One line of a price."""

    code: str
    amount: Annotated[int | UnsetType, price(LOCAL, "In minor units, before tax.")] = UNSET


class DeliveryRate(Priced):
    """One service and its price."""

    rate_id: Annotated[str, doc("Names service and zone.", "standard:city")]
    service: str
    service_name: str
    zone: str
    shipping_price: Annotated[int | UnsetType, price(LOCAL, "Total with tax, in minor units.")] = UNSET
    tax: Annotated[int | UnsetType, price(LOCAL, "Tax within the total, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET
    price_details: Annotated[list[DeliveryRateLine] | UnsetType, price(LOCAL, "The lines before tax.")] = UNSET


class DeliveryRateList(Answer):
    """Every service that can be bought, cheapest first; by name where prices are hidden."""

    result: bool = True
    distance_m: Annotated[int, doc("Estimated road distance in metres.")]
    rates: list[DeliveryRate]


class SetRateCard(Request):
    """A rate card."""

    rate_card: RateCard
    """Replaces the whole card."""


class RateZoneRecord(Priced):
    """A zone of the card."""

    code: str
    up_to_m: int
    postal_prefixes: list[str]
    base: Annotated[int | UnsetType, price(LOCAL, "In minor units.")] = UNSET


class RateServiceRecord(Answer):
    """A product of the card."""

    code: str
    name: str
    percent: int


class RateCardRecord(Priced):
    """A rate card in the form in which it is set: change it and send it back."""

    zones: list[RateZoneRecord]
    services: list[RateServiceRecord]
    included_g: int
    per_extra_kg: Annotated[int | UnsetType, price(LOCAL, "In minor units.")] = UNSET
    surcharges: Annotated[dict[str, int] | UnsetType, price(LOCAL, "In minor units, by what causes them.")] = UNSET
    tax_name: str
    tax_basis_points: int
    origin_lat: float | None
    origin_lng: float | None


class RateCardAnswer(Answer):
    """The rate card in force."""

    result: bool = True
    own: Annotated[bool, doc("Whether the client set it; otherwise it is the platform's default.")]
    rate_card: RateCardRecord


@reads(
    "quote_delivery",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    doors=(Rest("POST", "/v1/orders/rate"), GraphQL("ordersRate"), Mcp("quote_delivery", title="Quote a delivery")),
    errors=(RATE_NOT_AVAILABLE,),
)
async def quote_delivery(call: Call, request: QuoteDelivery) -> DeliveryRateList:
    """Quote a local delivery: every service of the rate card with its price, cheapest first.

    Where prices are hidden the services come by name, or their order would tell which is the cheapest.
    """
    card = await store.load_rate_card(call.work)
    distance = haul_distance_m(card, request.shipper.place, request.consignee.place)
    haul = Haul(
        distance_m=distance,
        postal_code=request.consignee.postal_code or request.shipper.postal_code,
        weight_g=request.weight_g,
        packages=request.packages,
        cod=request.cod,
        signature=request.signature_required,
        pickup=request.pickup,
    )
    names = {service.code: service.name for service in card.services}
    rates = [
        DeliveryRate(
            rate_id=priced.rate_id,
            service=priced.service,
            service_name=names[priced.service],
            zone=priced.zone,
            shipping_price=priced.total,
            tax=priced.tax,
            currency=call.business.currency,
            price_details=[DeliveryRateLine(code=line.code, amount=line.amount) for line in priced.lines],
        )
        for priced in price_haul_per_service(card, haul)
    ]
    if call.principal.hides(LOCAL):
        rates.sort(key=lambda rate: (rate.service_name.casefold(), rate.rate_id))
    return DeliveryRateList(distance_m=distance, rates=rates)


@reads(
    "get_rate_card",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/rate-card"), GraphQL("rateCard")),
)
async def get_rate_card(call: Call, request: EmptyRequest) -> RateCardAnswer:
    """Show the rate card in force; the platform's default while the client has none of its own."""
    card = await store.find_own_rate_card(call.work)
    return RateCardAnswer(own=card is not None, rate_card=_rate_card_record(card or DEFAULT_RATE_CARD))


@writes(
    "set_rate_card",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("PUT", "/v1/rate-card"), GraphQL("setRateCard")),
)
async def set_rate_card(call: Call, request: SetRateCard) -> RateCardAnswer:
    """Replace the rate card. Existing orders keep their price."""
    await store.save_rate_card(call.work, request.rate_card, call.now)
    return RateCardAnswer(own=True, rate_card=_rate_card_record(request.rate_card))


def _rate_card_record(card: RateCard) -> RateCardRecord:
    return msgspec.convert(card.model_dump(mode="json"), RateCardRecord)
