"""Request and response models of the freight tariff."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.freight.tariffs.rules import Accessorial, FreightChargeTime, FreightClass
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.postal_codes import DISTINCT_PREFIXES, PostalPrefix

RATES_MAX, ZONES_MAX = 20, 100
RATE_MAX_MINOR, WEIGHT_MAX_G, SHARE_MAX = 10**9, 50_000_000, 100_000
DAYS_MAX = 3_660
RateAmount = Annotated[int, Field(ge=0, le=RATE_MAX_MINOR)]
RateShare = Annotated[int, Field(ge=0, le=SHARE_MAX)]


class FreightRate(Request):
    """Rate of class 100 from a total weight on."""

    from_g: int = Field(default=0, ge=0, le=WEIGHT_MAX_G)
    """Total weight from which the rate applies, in grams."""
    rate_minor: RateAmount = Field(examples=[5200])
    """Price per `rate_weight_g` of class 100, in minor units."""


class FreightClassShare(Request):
    """Share of a freight class in the rate of class 100."""

    freight_class: FreightClass
    """Freight class."""
    rate_basis_points: RateShare = Field(examples=[7000])
    """Share of the rate of class 100, in hundredths of a percent."""


class FreightZone(Request):
    """Destination zone and its share of the rate.

    The first zone with the destination applies.
    """

    name: Name = Field(examples=["Atlantic provinces"])
    """Name of the zone."""
    countries: list[CountryCode] = Field(default=[], max_length=250)
    """Countries of the zone. If empty, all countries."""
    postal_prefixes: Annotated[list[PostalPrefix], Field(max_length=1000), DISTINCT_PREFIXES] = []
    """Postal code prefixes of the zone. If empty, all postal codes. Case, spaces and hyphens are ignored."""
    rate_basis_points: RateShare = 10_000
    """Share of the rate in this zone, in hundredths of a percent."""


class AccessorialPrice(Request):
    """Price of an additional service."""

    accessorial: Accessorial
    """Additional service."""
    amount_minor: RateAmount = Field(examples=[7500])
    """Price per shipment in minor units."""


class SetFreightTariff(Request):
    """Prices and periods of freight shipments. Existing shipments keep their price."""

    rate_weight_g: int = Field(default=100_000, ge=1_000, le=1_000_000)
    """Weight that a rate is the price of, in grams: 100000 for 100 kg, 45359 for 100 lb."""
    rates: list[FreightRate] = Field(min_length=1, max_length=RATES_MAX)
    """Rates of class 100 by total weight. The first also applies to lighter shipments."""
    class_shares: Annotated[list[FreightClassShare], Field(max_length=18)] = []
    """Shares of other classes. Default: proportional to the class, so class 50 pays half of class 100."""
    zones: Annotated[list[FreightZone], Field(max_length=ZONES_MAX)] = []
    """Destination zones. If empty, every destination is served at the full rate."""
    minimum_minor: RateAmount = 0
    """Minimum linehaul price in minor units, before fuel surcharge and additional services."""
    fuel_basis_points: RateShare = 0
    """Fuel surcharge on the linehaul price, in hundredths of a percent."""
    accessorials: Annotated[list[AccessorialPrice], Field(max_length=20)] = []
    """Prices of additional services. Services without a price are free."""
    hazardous_minor: RateAmount = 0
    """Surcharge for hazardous materials in minor units."""
    value_basis_points: RateShare = 0
    """Price of the liability for the declared value, in hundredths of a percent of the value."""
    charge_time: FreightChargeTime = FreightChargeTime.ON_DELIVERY
    """When shipments are charged."""
    claim_days: int = Field(default=270, ge=1, le=DAYS_MAX)
    """Days after the delivery within which claims are accepted."""
    concealed_damage_days: int = Field(default=5, ge=1, le=DAYS_MAX)
    """Days after the delivery within which concealed damage and shortage are accepted."""
    decision_days: int = Field(default=120, ge=1, le=DAYS_MAX)
    """Days within which a claim must be decided."""


class FreightRateRecord(Answer, fields_of=FreightRate):
    """Rate of class 100 from a total weight on."""


class FreightClassShareRecord(Answer, fields_of=FreightClassShare):
    """Share of a freight class in the rate of class 100."""


class FreightZoneRecord(Answer, fields_of=FreightZone):
    """Destination zone and its share of the rate."""


class AccessorialPriceRecord(Answer, fields_of=AccessorialPrice):
    """Price of an additional service."""


class FreightTariff(Answer, fields_of=SetFreightTariff):
    """Prices and periods of freight shipments."""

    rates: list[FreightRateRecord]
    class_shares: list[FreightClassShareRecord]
    zones: list[FreightZoneRecord]
    accessorials: list[AccessorialPriceRecord]
    currency: Annotated[str, doc("ISO 4217.")]
    updated_at: datetime


class FreightTariffAnswer(Answer):
    """The freight tariff; null if none is set."""

    result: bool = True
    freight_tariff: FreightTariff | None
