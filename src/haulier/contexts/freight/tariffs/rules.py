"""Freight classes by density, and prices of freight shipments."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction

from msgspec import Struct

from haulier.contexts.billing.ledger.rules import AMOUNT_MAX
from haulier.contexts.billing.services.rules import MINIMUM, SERVICE_PRICE_OUT_OF_RANGE, PriceLine, ServicePrice
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.postal_codes import matches_postal_prefix
from haulier.kernel.values.rounding import BASIS_POINTS, divide_half_up, share_of

FREIGHT_TARIFF_MISSING = declare_error("freight_tariff_missing", 409)
FREIGHT_OUT_OF_AREA = declare_error("freight_out_of_area", 409)


class FreightClass(StrEnum):
    """Classes of the National Motor Freight Classification."""

    CLASS_50 = "50"
    CLASS_55 = "55"
    CLASS_60 = "60"
    CLASS_65 = "65"
    CLASS_70 = "70"
    CLASS_77_5 = "77.5"
    CLASS_85 = "85"
    CLASS_92_5 = "92.5"
    CLASS_100 = "100"
    CLASS_110 = "110"
    CLASS_125 = "125"
    CLASS_150 = "150"
    CLASS_175 = "175"
    CLASS_200 = "200"
    CLASS_250 = "250"
    CLASS_300 = "300"
    CLASS_400 = "400"
    CLASS_500 = "500"


class Accessorial(StrEnum):
    """Additional services at pickup or delivery."""

    LIFTGATE_PICKUP = "liftgate_pickup"
    LIFTGATE_DELIVERY = "liftgate_delivery"
    RESIDENTIAL_PICKUP = "residential_pickup"
    RESIDENTIAL_DELIVERY = "residential_delivery"
    INSIDE_PICKUP = "inside_pickup"
    INSIDE_DELIVERY = "inside_delivery"
    LIMITED_ACCESS_PICKUP = "limited_access_pickup"
    LIMITED_ACCESS_DELIVERY = "limited_access_delivery"
    APPOINTMENT = "delivery_appointment"
    NOTIFY = "notify_before_delivery"


class FreightChargeTime(StrEnum):
    """Time at which a freight shipment is charged."""

    ON_PICKUP = "on_pickup"
    ON_DELIVERY = "on_delivery"


DENSITY_SCALE: Sequence[tuple[Fraction, FreightClass]] = (
    (Fraction(50), FreightClass.CLASS_50),
    (Fraction(35), FreightClass.CLASS_55),
    (Fraction(30), FreightClass.CLASS_60),
    (Fraction(45, 2), FreightClass.CLASS_65),
    (Fraction(15), FreightClass.CLASS_70),
    (Fraction(12), FreightClass.CLASS_85),
    (Fraction(10), FreightClass.CLASS_92_5),
    (Fraction(8), FreightClass.CLASS_100),
    (Fraction(6), FreightClass.CLASS_125),
    (Fraction(4), FreightClass.CLASS_175),
    (Fraction(2), FreightClass.CLASS_250),
    (Fraction(1), FreightClass.CLASS_300),
    (Fraction(0), FreightClass.CLASS_400),
)
"""Minimum density in pounds per cubic foot, and class.

Source: the density scale with 13 subprovisions of the National Motor Freight Classification (NMFTA, Docket 2025-1, in
force since 2025-07-19).
"""
_G_PER_LB = Fraction("453.59237")
_MM3_PER_FT3 = Fraction("28316846.592")
MM3_PER_M3, G_PER_KG = 10**9, 1_000


def class_by_density(weight_g: int, volume_mm3: int) -> FreightClass:
    """Return the class of goods by their density, as they are tendered."""
    density = weight_g / _G_PER_LB / (volume_mm3 / _MM3_PER_FT3)
    return next(each for least, each in DENSITY_SCALE if density >= least)


def density_kg_m3(weight_g: int, volume_mm3: int) -> int:
    """Return the density in kilograms per cubic metre, rounded half up."""
    return divide_half_up(weight_g * MM3_PER_M3, volume_mm3 * G_PER_KG)


class WeightRate(Struct, frozen=True):
    """Rate of class 100 from a total weight on."""

    from_g: int
    rate_minor: int


class FreightRateZone(Struct, frozen=True):
    """Destinations, and their share of the linehaul rate."""

    name: str
    countries: Sequence[str]
    postal_prefixes: Sequence[str]
    rate_basis_points: int


class TariffTerms(Struct, frozen=True, kw_only=True):
    """Terms of a freight tariff.

    Amounts are in minor units of the business's currency.
    """

    rate_weight_g: int
    rates: Sequence[WeightRate]
    class_basis_points: Mapping[str, int]
    zones: Sequence[FreightRateZone]
    minimum_minor: int
    fuel_basis_points: int
    accessorial_minor: Mapping[str, int]
    hazardous_minor: int
    value_basis_points: int


class RatedGoods(Struct, frozen=True, kw_only=True):
    """Goods of a shipment as far as they decide its price."""

    weight_g: Mapping[FreightClass, int]
    """Weight by class."""
    hazardous: bool
    declared_minor: int
    accessorials: Collection[Accessorial]
    country: str
    postal_code: str | None


LINEHAUL, DEFICIT, FUEL, HAZARDOUS, VALUATION = "linehaul", "deficit_weight", "fuel", "hazardous", "valuation"


def price_freight(terms: TariffTerms, currency: str, goods: RatedGoods) -> ServicePrice:
    """Return the price of a shipment before tax.

    Each class has its share of the rate for the total weight; by default class 50 pays half of class 100. If the next
    weight step is cheaper, the missing weight is added to the lowest class (deficit weight). The minimum counts before
    the fuel surcharge. Raises `FREIGHT_OUT_OF_AREA` if no zone has the destination, and `SERVICE_PRICE_OUT_OF_RANGE`.
    """
    zone_bp = _zone_share(terms.zones, goods)
    haul, deficit = _cheapest(terms, goods.weight_g)
    lines = [PriceLine(LINEHAUL, share_of(haul, zone_bp)), PriceLine(DEFICIT, share_of(deficit, zone_bp))]
    net = sum(line.minor for line in lines)
    lines.append(PriceLine(MINIMUM, max(0, terms.minimum_minor - net)))
    net = max(net, terms.minimum_minor)
    lines.append(PriceLine(FUEL, share_of(net, terms.fuel_basis_points)))
    lines += _extra_lines(terms, goods)
    price = ServicePrice(currency, tuple(line for line in lines if line.minor))
    if price.total_minor > AMOUNT_MAX:
        raise SERVICE_PRICE_OUT_OF_RANGE()
    return price


def is_in_zone(zone: FreightRateZone, country: str, postal_code: str | None) -> bool:
    """Return True if a zone contains a destination. Empty lists contain all."""
    in_country = not zone.countries or country in zone.countries
    return in_country and (not zone.postal_prefixes or matches_postal_prefix(postal_code, zone.postal_prefixes))


def _zone_share(zones: Sequence[FreightRateZone], goods: RatedGoods) -> int:
    if not zones:
        return BASIS_POINTS
    for zone in zones:
        if is_in_zone(zone, goods.country, goods.postal_code):
            return zone.rate_basis_points
    raise FREIGHT_OUT_OF_AREA(country=goods.country, postal_code=goods.postal_code or "–")


def _cheapest(terms: TariffTerms, weight_g: Mapping[FreightClass, int]) -> tuple[int, int]:
    """Return the linehaul price, and that of the deficit weight."""
    total = sum(weight_g.values())
    lowest = min(weight_g, key=lambda each: class_share(terms, each))
    step = max((at for at, each in enumerate(terms.rates) if each.from_g <= total), default=0)
    options: list[tuple[int, int]] = []
    for rate in terms.rates[step : step + 2]:
        haul = sum(_rate(terms, rate, each, grams) for each, grams in weight_g.items())
        missing = max(0, rate.from_g - total) if options else 0
        options.append((haul, _rate(terms, rate, lowest, missing)))
    return min(options, key=sum)


def _rate(terms: TariffTerms, rate: WeightRate, freight_class: FreightClass, grams: int) -> int:
    return divide_half_up(
        grams * rate.rate_minor * class_share(terms, freight_class), terms.rate_weight_g * BASIS_POINTS
    )


def class_share(terms: TariffTerms, freight_class: FreightClass) -> int:
    """Return the share of a class in the rate of class 100, in basis points."""
    default = int(Fraction(freight_class.value) * BASIS_POINTS / 100)
    return terms.class_basis_points.get(freight_class.value, default)


def _extra_lines(terms: TariffTerms, goods: RatedGoods) -> Iterator[PriceLine]:
    for each in Accessorial:
        if each in goods.accessorials:
            yield PriceLine(each.value, terms.accessorial_minor.get(each.value, 0))
    yield PriceLine(HAZARDOUS, terms.hazardous_minor if goods.hazardous else 0)
    yield PriceLine(VALUATION, share_of(goods.declared_minor, terms.value_basis_points))
