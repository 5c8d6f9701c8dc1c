"""Rules of quotes.

A quote promises the prices of the rate card in force when it was issued. It is sealed: it cannot be forged, and its
date cannot be changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Annotated, Any, Literal, Protocol

import msgspec
from msgspec import Struct
from pydantic import ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.places.zone_maps.rules import Closure, ZoneIndex, ZoneSurcharge, find_zone_effects
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError, declare_error
from haulier.kernel.operations.field_docs import DocumentedModel
from haulier.kernel.values.geography import great_circle_m
from haulier.kernel.values.postal_codes import (
    DISTINCT_PREFIXES,
    PostalPrefix,
    find_longest_postal_prefix,
    normalize_postal_code,
)
from haulier.kernel.values.rounding import divide_half_up, share_of
from haulier.kernel.values.sealing import SealedKind, seal, unseal
from haulier.kernel.values.taxes import tax_within

RATE_NOT_AVAILABLE = declare_error("rate_not_available", 422, fields=("consignee",))
ROAD_FACTOR_PCT = 130
"""Roads are about a third longer than the great circle between two doors of a city region."""
UNKNOWN_DISTANCE_M = 10_000
"""The distance that is charged where a place has no coordinates: an average trip across town."""

MinorUnits = Annotated[int, Field(ge=0, le=10**12)]
ZoneCode = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9_-]+$")]
PlainText = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$")]
Coordinates = tuple[float, float]
"""Latitude and longitude in degrees, WGS 84."""


class RateCardPart(DocumentedModel):
    """A part of a rate card."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class RateZone(RateCardPart):
    """Destinations up to a distance, and postal areas at any distance."""

    code: ZoneCode = Field(min_length=1, max_length=20)
    """Short code, part of the rate ID."""
    up_to_m: int = Field(ge=1, le=5_000_000)
    """Maximum road distance of the zone in metres."""
    postal_prefixes: Annotated[list[PostalPrefix], Field(max_length=2_000), DISTINCT_PREFIXES] = []
    """Postal code prefixes in the zone at any distance. Case, spaces and hyphens are ignored."""
    base: MinorUnits
    """Price of a parcel within the included weight."""


class RateService(RateCardPart):
    """A service: its speed, and its share of the standard price."""

    code: str = Field(min_length=1, max_length=30, pattern="^[a-z0-9_]+$")
    """Code of the service."""
    name: PlainText = Field(min_length=1, max_length=80)
    """Name shown to customers."""
    percent: int = Field(ge=1, le=1000)
    """Share of the zone price in percent."""


class RateCard(RateCardPart):
    """Prices of a business."""

    zones: Annotated[list[RateZone], Field(min_length=1, max_length=50)]
    """Zones by increasing distance. There is no service beyond the last."""
    services: Annotated[list[RateService], Field(min_length=1, max_length=20)]
    """Available services."""
    included_g: int = Field(default=5_000, ge=0, le=10**9)
    """Weight included in the base price, in grams."""
    per_extra_kg: int = Field(default=75, ge=0, le=10**8)
    """Price per additional kilogram or part of it."""
    surcharges: dict[Literal["cod", "signature", "pickup", "extra_package"], MinorUnits] = Field(default_factory=dict)
    """Surcharges by cause."""
    tax_name: PlainText = Field(default="Tax", max_length=40)
    """Name of the tax."""
    tax_basis_points: int = Field(default=0, ge=0, le=10_000)
    """Tax rate in hundredths of a percent."""
    tax_included: bool = False
    """If true, the prices and surcharges of the card include the tax."""
    origin_lat: float | None = Field(default=None, ge=-90, le=90)
    """Latitude in decimal degrees of the business's goods, used for an end without coordinates."""
    origin_lng: float | None = Field(default=None, ge=-180, le=180)
    """Longitude in decimal degrees of that location."""

    @model_validator(mode="after")
    def _is_unambiguous(self) -> "RateCard":
        reach = [zone.up_to_m for zone in self.zones]
        if reach != sorted(set(reach)):
            raise PydanticCustomError("zones_must_grow", "zones must be in order of distance")
        for codes in ([zone.code for zone in self.zones], [service.code for service in self.services]):
            if len(codes) > len(set(codes)):
                raise PydanticCustomError("codes_must_differ", "each code must be unique")
        prefixes = [prefix for zone in self.zones for prefix in zone.postal_prefixes]
        if len(prefixes) > len(set(prefixes)):
            raise PydanticCustomError("prefix_twice", "a postal prefix can belong to only one zone")
        return self

    @property
    def origin(self) -> Coordinates | None:
        """The place of the client's goods, when it is known."""
        return None if self.origin_lat is None or self.origin_lng is None else (self.origin_lat, self.origin_lng)


DEFAULT_RATE_CARD = RateCard(
    zones=[
        RateZone(code="local", up_to_m=10_000, base=799),
        RateZone(code="city", up_to_m=30_000, base=1_099),
        RateZone(code="region", up_to_m=100_000, base=1_899),
        RateZone(code="far", up_to_m=400_000, base=3_499),
    ],
    services=[
        RateService(code="standard", name="Standard", percent=100),
        RateService(code="express", name="Express", percent=150),
    ],
    surcharges={"cod": 250, "signature": 150, "pickup": 300, "extra_package": 350},
    tax_name="HST",
    tax_basis_points=1_300,
)
UNTAXED_RATE_CARD = DEFAULT_RATE_CARD.model_copy(update={"tax_name": "Tax", "tax_basis_points": 0})


def get_default_rate_card(currency: str) -> RateCard:
    """Return the card of a business without its own; HST only in Canadian dollars."""
    return DEFAULT_RATE_CARD if currency == "CAD" else UNTAXED_RATE_CARD


class Haul(Struct, frozen=True, kw_only=True):
    """Facts of a shipment that determine its price."""

    distance_m: int
    weight_g: int
    postal_code: str | None = None
    packages: int = 1
    cod: bool = False
    signature: bool = False
    pickup: bool = False
    zone_minor: int = 0
    zone_percent: int = 0


class ChargeLine(Struct, frozen=True, kw_only=True):
    """One line of a price."""

    code: str
    amount: int


class HaulPrice(Struct, frozen=True, kw_only=True):
    """A price with its lines; `total` includes tax."""

    rate_id: str
    service: str
    zone: str
    lines: tuple[ChargeLine, ...]
    tax: int
    total: int


def haul_distance_m(card: RateCard, shipper: Coordinates | None, consignee: Coordinates | None) -> int:
    """Return the road distance of a haul in metres.

    An end without coordinates counts as the location of the client's goods.
    """
    if shipper is None and consignee is None:
        return UNKNOWN_DISTANCE_M
    return road_distance_m(shipper or card.origin, consignee or card.origin)


def is_distance_assumed(card: RateCard, shipper: Coordinates | None, consignee: Coordinates | None) -> bool:
    """Return True if an average trip replaces the distance because an end is unknown."""
    unknown_end = shipper is None or consignee is None
    return (shipper is None and consignee is None) or (unknown_end and card.origin is None)


def find_rate_zone(card: RateCard, haul: Haul) -> RateZone | None:
    """Return the zone with the longest matching prefix, else the first in reach.

    None beyond the last zone.
    """
    listed = find_longest_postal_prefix(haul.postal_code, ((zone, zone.postal_prefixes) for zone in card.zones))
    return listed or next((zone for zone in card.zones if haul.distance_m <= zone.up_to_m), None)


def road_distance_m(a: Coordinates | None, b: Coordinates | None) -> int:
    """Return the road distance in metres between two (latitude, longitude) pairs.

    Great-circle distance times a road factor.
    """
    if a is None or b is None:
        return UNKNOWN_DISTANCE_M
    return round(great_circle_m(a, b) * ROAD_FACTOR_PCT / 100)


def tax_on(card: RateCard, amount: int) -> int:
    """The tax on an amount, rounded half up."""
    return share_of(amount, card.tax_basis_points)


def price_haul(card: RateCard, service: RateService, haul: Haul) -> HaulPrice:
    """Return the price of a service for a haul.

    Raises `RATE_NOT_AVAILABLE` beyond the last zone.
    """
    zone = find_rate_zone(card, haul)
    if zone is None:
        raise RATE_NOT_AVAILABLE(distance_km=haul.distance_m // 1000, reach_km=card.zones[-1].up_to_m // 1000)
    extra_kg = ceil(max(0, haul.weight_g - card.included_g) / 1000)
    applies = {"cod": haul.cod, "signature": haul.signature, "pickup": haul.pickup, "extra_package": haul.packages > 1}
    lines = [ChargeLine(code="base", amount=_percent_of(zone.base, service.percent))]
    if extra_kg and card.per_extra_kg:
        lines.append(ChargeLine(code="weight", amount=extra_kg * card.per_extra_kg))
    for code, amount in card.surcharges.items():
        if applies[code] and amount:
            times = haul.packages - 1 if code == "extra_package" else 1
            lines.append(ChargeLine(code=code, amount=amount * times))
    if extra := haul.zone_minor + _percent_of(lines[0].amount, haul.zone_percent):
        lines.append(ChargeLine(code="zone", amount=extra))
    if card.tax_included:
        lines, tax = _without_tax(lines, card.tax_basis_points)
    else:
        tax = tax_on(card, sum(line.amount for line in lines))
    return HaulPrice(
        rate_id=f"{service.code}:{zone.code}",
        service=service.code,
        zone=zone.code,
        lines=tuple(lines),
        tax=tax,
        total=sum(line.amount for line in lines) + tax,
    )


def _without_tax(lines: Sequence[ChargeLine], basis_points: int) -> tuple[list[ChargeLine], int]:
    """Return gross lines before tax, and their tax.

    The first line takes the rounding.
    """
    tax = tax_within(sum(line.amount for line in lines), basis_points)
    first, *others = lines
    net = [ChargeLine(code=line.code, amount=line.amount - tax_within(line.amount, basis_points)) for line in others]
    rest = sum(line.amount for line in lines) - tax - sum(line.amount for line in net)
    return [ChargeLine(code=first.code, amount=rest), *net], tax


def price_haul_per_service(card: RateCard, haul: Haul) -> list[HaulPrice]:
    """The price of every service of a card, cheapest first."""
    return sorted((price_haul(card, service, haul) for service in card.services), key=lambda priced: priced.total)


def _percent_of(amount: int, percent: int) -> int:
    return divide_half_up(amount * percent, 100)


QUOTE_VALIDITY = timedelta(hours=24)
QUOTE_ID_MAX = 500
QUOTE_EXPIRED = declare_error("quote_expired", 409)
QUOTE_MISMATCH = declare_error("quote_mismatch", 409)
_UNSEALED = "eyJjbGllbnRfaWQi"
"""The first characters of an unsealed id: `{"client_id"` in base64."""
DIFFERS = "field.differs_from_quote"


class PastRateCard(Struct, frozen=True):
    """A rate card that was in force until a moment."""

    card: RateCard
    replaced_at: datetime


class ZonePrices(Protocol):
    """Surcharges of orders by their delivery location."""

    def at(self, place: Coordinates | None, moment: datetime | None = None) -> ZoneSurcharge | None:
        """The surcharge at a place, now or at a moment."""
        ...


class RateCards(Struct, frozen=True):
    """The rate card in force, earlier ones (oldest first), and zone surcharges."""

    current: RateCard
    past: Sequence[PastRateCard] = ()
    zones: ZonePrices | None = None

    def in_force_at(self, moment: datetime) -> RateCard:
        """The rate card that was in force then."""
        return next((past.card for past in self.past if moment < past.replaced_at), self.current)


class PricedFacts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts of a price besides service and card.

    The names are those of the order's fields.
    """

    shipper: Coordinates | None = None
    consignee: Coordinates | None = None
    postal_code: str | None = None
    weight_g: int
    packages: int = 1
    cod_minor: bool = False
    signature_required: bool = False
    type: bool = False
    """True if the goods are collected from the shipper."""


class Quote(Struct, frozen=True, kw_only=True):
    """A quote that was given. `client_id` is the business that gave it."""

    client_id: int
    issued_s: int
    facts: PricedFacts

    @property
    def issued_at(self) -> datetime:
        """When it was given."""
        return datetime.fromtimestamp(self.issued_s, UTC)


def haul_of(
    card: RateCard, facts: PricedFacts, zones: ZonePrices | None = None, moment: datetime | None = None
) -> Haul:
    """Return the facts of a quote or order that prices depend on.

    Includes the surcharge of the delivery zone, or that of the other end if this one has no coordinates. `moment` is
    the time of the quote, if any.
    """
    surcharge = zones.at(facts.consignee or facts.shipper, moment) if zones else None
    return Haul(
        zone_minor=surcharge.amount_minor if surcharge else 0,
        zone_percent=surcharge.percent if surcharge else 0,
        distance_m=haul_distance_m(card, facts.shipper, facts.consignee),
        postal_code=facts.postal_code,
        weight_g=facts.weight_g,
        packages=facts.packages,
        cod=facts.cod_minor,
        signature=facts.signature_required,
        pickup=facts.type,
    )


def priced_postal_code(postal_code: str | None) -> str | None:
    """Return a postal code in the form that prices compare, None if it is empty."""
    return normalize_postal_code(postal_code or "") or None


def make_quote_id(client_id: int, now: datetime, facts: PricedFacts) -> str:
    """The id of a quote."""
    quote = Quote(client_id=client_id, issued_s=int(now.timestamp()), facts=facts)
    return seal(SealedKind.QUOTE, msgspec.json.encode(quote))


def read_quote_id(quote_id: str, client_id: int, now: datetime) -> Quote:
    """Return the quote behind an id.

    Raises `INVALID_REQUEST` for ids that this business did not issue, and `QUOTE_EXPIRED`, also for ids from before quotes
    were sealed.
    """
    document = unseal(SealedKind.QUOTE, quote_id)
    if document is None:
        raise QUOTE_EXPIRED() if quote_id.startswith(_UNSEALED) else _unknown()
    try:
        quote = msgspec.json.decode(document, type=Quote)
    except (ValueError, msgspec.DecodeError):
        raise _unknown() from None
    if quote.client_id != client_id or not 0 <= quote.issued_s <= now.timestamp():
        raise _unknown()
    if quote.issued_at + QUOTE_VALIDITY < now:
        raise QUOTE_EXPIRED()
    return quote


def _unknown() -> OperationError:
    return INVALID_REQUEST.for_fields(FieldError("quote_id", "field.quote_unknown"))


def require_quoted(quote: Quote, facts: PricedFacts) -> None:
    """Raise `QUOTE_MISMATCH` with each field in which an order differs from its quote."""
    if names := list(_differing_fields(quote.facts, facts)):
        raise QUOTE_MISMATCH.for_fields(*(FieldError(name, DIFFERS) for name in names))


def _differing_fields(quoted: PricedFacts, ordered: PricedFacts) -> Iterator[str]:
    names: dict[str, Any] = msgspec.structs.asdict(quoted)
    for name in names:
        if names[name] != getattr(ordered, name):
            yield "packages" if name == "weight_g" else name


OUTSIDE_SERVICE_AREA = declare_error("outside_service_area", 422, fields=("consignee", "shipper"))
NO_GO_ZONE = declare_error("no_go_zone", 422, fields=("consignee", "shipper"))
ZONE_ERRORS = (OUTSIDE_SERVICE_AREA, NO_GO_ZONE)
"""Errors of requests that need a driver in a closed zone."""
_ERRORS = {Closure.OUTSIDE: OUTSIDE_SERVICE_AREA, Closure.NO_GO: NO_GO_ZONE}


class ClosedEnd(Struct, frozen=True):
    """An end of an order that zones close, by its field."""

    field: str
    closure: Closure
    advisory: bool
    """True if the zones only warn."""

    @property
    def error_id(self) -> str:
        """Return the error code of the closed zone, also if it only warns."""
        return _ERRORS[self.closure].id


def find_closed_ends(index: ZoneIndex, ends: Mapping[str, Coordinates | None]) -> list[ClosedEnd]:
    """Return the ends in closed zones, by their fields.

    Ends without coordinates are checked when a plan is made.
    """
    if not index.count:
        return []
    effects = {field: find_zone_effects(index, place) for field, place in ends.items() if place}
    return [ClosedEnd(field, each.closure, each.closure_is_advisory) for field, each in effects.items() if each.closure]


def require_open(closed: Sequence[ClosedEnd]) -> None:
    """Raise `OUTSIDE_SERVICE_AREA` or `NO_GO_ZONE` if zones close an end.

    The first closed end decides which.
    """
    refusing = [end for end in closed if not end.advisory]
    if refusing:
        error = _ERRORS[refusing[0].closure]
        raise error.for_fields(*(FieldError(end.field, end.error_id) for end in refusing))
