"""Addresses and packages of orders, in requests and answers."""

from typing import Annotated

from pydantic import Field

from haulier.contexts.custom_fields.fields import FieldValues, values_of
from haulier.contexts.orders.quotes.contract import AddressParts, LongText, NameText, ShortText
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.countries import CountryCode

PIECES_MAX = 200
"""Maximum number of packages per order."""
__all__ = ["PIECES_MAX", "LongText", "OrderAddress", "OrderAddressRecord", "Package", "ShortText"]


class OrderAddress(AddressParts):
    """A person or business with an address."""

    name: NameText = Field(min_length=1, examples=["Ada Lovelace"])
    """Name of the person or business."""
    address: ShortText = Field(min_length=1, examples=["100 Queen St W"])
    """Street and house number."""
    city: ShortText = Field(min_length=1, examples=["Toronto"])
    """City."""
    country: CountryCode = Field(examples=["CA"])
    """Country code (ISO 3166-1 alpha-2)."""


class Package(Request):
    """A package, or several identical ones."""

    weight_g: int = Field(default=1000, ge=0, le=50_000_000)
    """Weight of one package in grams."""
    length_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[300])
    """Length in millimetres."""
    width_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[200])
    """Width in millimetres."""
    height_mm: int | None = Field(default=None, ge=1, le=50_000, examples=[150])
    """Height in millimetres."""
    quantity: int = Field(default=1, ge=1, le=PIECES_MAX)
    """Number of identical packages. Each has its own label."""
    description: ShortText | None = Field(default=None, examples=["Shoes"])
    """Description of the contents."""
    custom_fields: Annotated[FieldValues, values_of("package")] = {}
    """Values of the custom fields of packages."""


class OrderAddressRecord(Answer):
    """A person or business with an address."""

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
