"""What a local delivery costs: zones by postal code or distance, weight, surcharges and tax. Money is in minor units."""

from math import ceil
from typing import Annotated, Literal

from msgspec import Struct
from pydantic import ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.kernel.operations.errors import declare_error
from haulier.kernel.operations.field_docs import DocumentedModel
from haulier.kernel.values.geography import great_circle_m
from haulier.kernel.values.postal_codes import DISTINCT_PREFIXES, PostalPrefix, find_longest_postal_prefix

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
    """Short code, part of the rate id."""
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
    origin_lat: float | None = Field(default=None, ge=-90, le=90)
    """Latitude in decimal degrees of the business's goods, used for an end without coordinates."""
    origin_lng: float | None = Field(default=None, ge=-180, le=180)
    """Longitude in decimal degrees of that location."""

    @model_validator(mode="after")
    def _is_unambiguous(self) -> "RateCard":
        reach = [zone.up_to_m for zone in self.zones]
        if reach != sorted(set(reach)):
            raise PydanticCustomError("zones_must_grow", "zones must grow in distance")
        for codes in ([zone.code for zone in self.zones], [service.code for service in self.services]):
            if len(codes) > len(set(codes)):
                raise PydanticCustomError("codes_must_differ", "every code may stand only once")
        prefixes = [prefix for zone in self.zones for prefix in zone.postal_prefixes]
        if len(prefixes) > len(set(prefixes)):
            raise PydanticCustomError("prefix_twice", "a postal prefix may belong to one zone only")
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
    """Road distance of a haul in metres; an end without coordinates is where the client's goods lie."""
    if shipper is None and consignee is None:
        return UNKNOWN_DISTANCE_M
    return road_distance_m(shipper or card.origin, consignee or card.origin)


def is_distance_assumed(card: RateCard, shipper: Coordinates | None, consignee: Coordinates | None) -> bool:
    """Whether an average trip stands for the distance, because an end is not known."""
    unknown_end = shipper is None or consignee is None
    return (shipper is None and consignee is None) or (unknown_end and card.origin is None)


def find_rate_zone(card: RateCard, haul: Haul) -> RateZone | None:
    """Return the zone with the longest matching prefix, else the first that reaches far enough, else None."""
    listed = find_longest_postal_prefix(haul.postal_code, ((zone, zone.postal_prefixes) for zone in card.zones))
    return listed or next((zone for zone in card.zones if haul.distance_m <= zone.up_to_m), None)


def road_distance_m(a: Coordinates | None, b: Coordinates | None) -> int:
    """Road distance in metres between two (latitude, longitude) pairs, by great circle and a road factor."""
    if a is None or b is None:
        return UNKNOWN_DISTANCE_M
    return round(great_circle_m(a, b) * ROAD_FACTOR_PCT / 100)


def tax_on(card: RateCard, amount: int) -> int:
    """The tax on an amount, rounded half up."""
    return _divide_half_up(amount * card.tax_basis_points, 10_000)


def price_haul(card: RateCard, service: RateService, haul: Haul) -> HaulPrice:
    """The price of a service for a haul. Raises `RATE_NOT_AVAILABLE` beyond the last zone."""
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
    net = sum(line.amount for line in lines)
    tax = tax_on(card, net)
    return HaulPrice(
        rate_id=f"{service.code}:{zone.code}",
        service=service.code,
        zone=zone.code,
        lines=tuple(lines),
        tax=tax,
        total=net + tax,
    )


def price_haul_per_service(card: RateCard, haul: Haul) -> list[HaulPrice]:
    """The price of every service of a card, cheapest first."""
    return sorted((price_haul(card, service, haul) for service in card.services), key=lambda priced: priced.total)


def _percent_of(amount: int, percent: int) -> int:
    return _divide_half_up(amount * percent, 100)


def _divide_half_up(numerator: int, denominator: int) -> int:
    """Half up, in integers."""
    return (2 * numerator + denominator) // (2 * denominator)
