"""Addresses and packages of orders, in requests and answers."""

from typing import Annotated

from pydantic import Field, StringConstraints

from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Request

ShortText = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")]
LongText = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]


class OrderAddress(Request):
    """A person or business at a place."""

    name: ShortText = Field(min_length=1, examples=["Ada Lovelace"])
    """The name of the person or business."""
    address: ShortText = Field(min_length=1, examples=["100 Queen St W"])
    """Street and number."""
    unit: ShortText | None = Field(default=None, examples=["Suite 4"])
    """Flat, floor, suite."""
    city: ShortText = Field(min_length=1, examples=["Toronto"])
    """The city."""
    region: ShortText | None = Field(default=None, examples=["ON"])
    """Province or state."""
    postal_code: Annotated[str, StringConstraints(max_length=20, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["M5V 2T6"]
    )
    """Postal code."""
    country: str = Field(min_length=2, max_length=2, pattern="^[A-Z]{2}$", examples=["CA"])
    """ISO 3166-1 alpha-2."""
    phone: Annotated[str, StringConstraints(max_length=50, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["+14165550100"]
    )
    """The phone number, for the driver."""
    email: Annotated[str, StringConstraints(max_length=254, pattern=r"^[^@\s\x00]+@[^@\s\x00]+$")] | None = Field(
        default=None, examples=["ada@example.com"]
    )
    """The e-mail address, for news about the order."""
    lat: float | None = Field(default=None, ge=-90, le=90, examples=[43.65])
    """Latitude in degrees, WGS 84."""
    lng: float | None = Field(default=None, ge=-180, le=180, examples=[-79.38])
    """Longitude in degrees, WGS 84."""
    notes: LongText | None = Field(default=None, examples=["Gate code 1234"])
    """Gate code, doorbell, where to leave the parcel."""

    @property
    def place(self) -> tuple[float, float] | None:
        """Latitude and longitude, when both are known."""
        return None if self.lat is None or self.lng is None else (self.lat, self.lng)


class Package(Request):
    """One physical piece."""

    weight_g: int = Field(default=1000, ge=0, le=50_000_000)
    """Weight in grams."""
    length_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[300])
    """Length in millimetres."""
    width_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[200])
    """Width in millimetres."""
    height_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[150])
    """Height in millimetres."""
    quantity: int = Field(default=1, ge=1, le=10_000)
    """The number of items inside."""
    description: ShortText | None = Field(default=None, examples=["Shoes"])
    """What it is."""


class OrderAddressRecord(Answer):
    """A person or business at a place."""

    name: str
    address: str
    city: str
    country: str
    unit: str | None = None
    region: str | None = None
    postal_code: str | None = None
    phone: str | None = None
    email: str | None = None
    lat: float | None = None
    lng: float | None = None
    notes: str | None = None
