"""Quotes: addresses of order requests, quoted goods, and answers."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.kernel.operations.answers import Answer, Priced, brief_for_agents, doc, for_agents, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import EmailText, OneLine
from haulier.kernel.operations.ids import QuotedRateId
from haulier.kernel.values.countries import CountryCode

LOCAL = PriceFamily.LOCAL_DELIVERY
ShortText = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")]
LongText = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]
NameText = Annotated[ShortText, OneLine]


class AddressParts(Request):
    """Optional parts of an address."""

    unit: ShortText | None = Field(default=None, examples=["Suite 4"])
    """Flat, floor or suite."""
    region: ShortText | None = Field(default=None, examples=["ON"])
    """Province or state."""
    postal_code: Annotated[str, StringConstraints(max_length=20, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["M5V 2T6"]
    )
    """Postal code. Affects the price if the rate card lists its prefix."""
    phone: Annotated[str, StringConstraints(max_length=50, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["+14165550100"]
    )
    """Phone number for the driver."""
    email: EmailText | None = Field(default=None, examples=["ada@example.com"])
    """Email for order notifications."""
    lat: float | None = Field(default=None, ge=-90, le=90, examples=[43.65])
    """Latitude in decimal degrees (WGS 84)."""
    lng: float | None = Field(default=None, ge=-180, le=180, examples=[-79.38])
    """Longitude in decimal degrees (WGS 84)."""
    notes: LongText | None = Field(default=None, examples=["Gate code 1234"])
    """Gate code, doorbell, or where to leave the parcel."""

    @property
    def place(self) -> tuple[float, float] | None:
        """Latitude and longitude, when both are known."""
        return None if self.lat is None or self.lng is None else (self.lat, self.lng)


class QuoteAddress(AddressParts):
    """Origin or destination of a quote. Every part of the address is optional."""

    name: NameText | None = Field(default=None, examples=["Ada Lovelace"])
    """Name of the person or business. Does not affect the price."""
    address: ShortText | None = Field(default=None, examples=["100 Queen St W"])
    """Street and house number."""
    city: ShortText | None = Field(default=None, examples=["Toronto"])
    """City."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """Country code (ISO 3166-1 alpha-2)."""

    @property
    def says_where(self) -> bool:
        """Return True if the address names a place."""
        return bool(self.place or self.postal_code or self.address or self.city)


class QuoteDelivery(Request):
    """Goods to quote, with origin and destination."""

    shipper: QuoteAddress = QuoteAddress()
    """Origin, as in `create_order`. Without coordinates, the location of the business's goods is used."""
    consignee: QuoteAddress = QuoteAddress()
    """Destination, as in `create_order`."""
    type: Literal["D", "P", "P2P"] | None = None
    """Type of order, as in `create_order`. P and P2P are collected from the shipper. Default: determined by
    `pickup`."""
    weight_g: int = Field(default=1000, ge=0, le=10_000_000_000)
    """Total weight of all packages in grams."""
    packages: int = Field(default=1, ge=1, le=200)
    """Number of packages."""
    cod: bool = False
    """If true, cash is collected on delivery."""
    signature_required: bool = False
    """If true, the recipient must sign."""
    pickup: bool = False
    """If true, the goods are collected from the shipper."""

    @model_validator(mode="after")
    def _has_a_place(self) -> "QuoteDelivery":
        if not (self.shipper.says_where or self.consignee.says_where):
            raise PydanticCustomError("place_needed", "shipper or consignee must have a location")
        return self

    @property
    def collected(self) -> bool:
        """Return True if the goods are collected from the shipper."""
        return self.pickup if self.type is None else self.type != "D"

    @property
    def visited_places(self) -> dict[str, tuple[float, float] | None]:
        """Return the places that a driver visits, by field.

        The shipper if the goods are collected; the consignee unless type is P.
        """
        shipper = {"shipper": self.shipper.place} if self.collected else {}
        return shipper if self.type == "P" else {**shipper, "consignee": self.consignee.place}

    @property
    def priced_postal_code(self) -> str | None:
        """Return the postal code that may decide the zone.

        That of the driver's stop, else that of the other end.
        """
        ends = [self.consignee, self.shipper]
        stop, other = reversed(ends) if self.type == "P" else ends
        return stop.postal_code or (other.postal_code if self.type is None else None)


class OrderWarning(Answer):
    """A warning about an accepted order."""

    field: Annotated[str, doc("Field of the warning.", "consignee")]
    code: Annotated[str, doc("Machine-readable code.", "NO_COORDINATES")]
    message: Annotated[str, doc("Warning in the caller's language.")]


class DeliveryRateLine(Priced):
    """A line of a price."""

    code: str
    amount: Annotated[int | UnsetType, price(LOCAL, "Amount in minor units, before tax.")] = UNSET


class DeliveryRate(Priced):
    """A service and its price."""

    rate_id: Annotated[QuotedRateId, doc("ID of the service and zone.", "standard:city")]
    service: Annotated[str, doc("Value of `service` for creating the order.", "standard")]
    service_name: str
    zone: str
    shipping_price: Annotated[int | UnsetType, price(LOCAL, "Total including tax, in minor units.")] = UNSET
    tax: Annotated[int | UnsetType, price(LOCAL, "Tax included in the total, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET
    price_details: Annotated[list[DeliveryRateLine] | UnsetType, price(LOCAL, "Price lines before tax.")] = UNSET


SERVICE_AND_PRICE = ("service", "service_name", "price_hidden", "shipping_price", "tax", "currency")


class DeliveryRateList(Answer):
    """Available services, cheapest first; sorted by name if prices are hidden."""

    result: bool = True
    quote_id: Annotated[str, doc("Quote id. An order with it keeps the price, with any of these services.")]
    expires_at: Annotated[datetime, doc("Expiry time of the price.")]
    distance_m: Annotated[int, doc("Estimated road distance in metres.")]
    distance_assumed: Annotated[
        bool, for_agents("filled", "True if an average distance was used because coordinates are missing.")
    ]
    rates: Annotated[list[DeliveryRate], brief_for_agents(*SERVICE_AND_PRICE)]
    warnings: Annotated[list[OrderWarning], for_agents("filled", "Odd coordinates, P.O. boxes, advisory zones.")] = []
