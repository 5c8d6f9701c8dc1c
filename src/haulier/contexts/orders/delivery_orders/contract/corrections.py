"""Corrections of orders: requests and answers."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.orders.delivery_orders.contract.addresses import PIECES_MAX, LongText, Package, ShortText
from haulier.contexts.orders.delivery_orders.contract.orders import OrderRecord, OrderRef, OrderWarning, PriceChange
from haulier.contexts.orders.delivery_orders.contract.terms import SkillCode
from haulier.contexts.orders.quotes.contract import NameText
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import EmailText, Reason
from haulier.kernel.values.countries import CountryCode


class ContactCorrection(Request):
    """Corrected contact at the address. Omitted fields are unchanged; null clears a field."""

    name: NameText | None = Field(default=None, min_length=1, examples=["Ada Lovelace"])
    """Name of the person or business."""
    phone: Annotated[str, StringConstraints(max_length=50, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["+14165550100"]
    )
    """Phone number for the driver."""
    email: EmailText | None = Field(default=None, examples=["ada@example.com"])
    """Email for order notifications."""
    unit: ShortText | None = Field(default=None, examples=["Suite 4"])
    """Flat, floor or suite."""
    notes: LongText | None = Field(default=None, examples=["Gate code 1234"])
    """Gate code, doorbell, or where to leave the parcel."""

    @model_validator(mode="after")
    def _keeps_a_name(self) -> "ContactCorrection":
        if "name" in self.model_fields_set and self.name is None:
            raise PydanticCustomError("name_needed", "a name is needed")
        return self


class CorrectOrder(OrderRef):
    """Corrections of an order. Omitted fields are unchanged; null clears a field."""

    consignee: ContactCorrection | None = None
    """Recipient. Use a reroute for another address."""
    shipper: ContactCorrection | None = None
    """Sender."""
    packages: Annotated[list[Package], Field(min_length=1, max_length=PIECES_MAX)] | None = None
    """Complete list of packages. A package keeps the number of its position in the list."""
    cod_minor: int | None = Field(default=None, ge=1, le=10**12, examples=[2500])
    """Cash to collect on delivery, in minor units of the business's currency."""
    skills: Annotated[list[SkillCode], Field(max_length=20, examples=[["tail_lift"]])] | None = None
    """Skills or equipment required of the driver."""
    service: Annotated[str, StringConstraints(max_length=30, pattern="^[a-z0-9_]+$")] | None = Field(
        default=None, examples=["express"]
    )
    """Service of the rate card."""
    signature_required: bool | None = None
    """If true, the recipient must sign."""
    service_time_s: int | None = Field(default=None, ge=0, le=86_400, examples=[180])
    """Service time at the stop in seconds."""

    @model_validator(mode="after")
    def _empties_only_what_may_be_empty(self) -> "CorrectOrder":
        emptied = {name for name in self.given_fields if getattr(self, name) is None} - {"cod_minor"}
        if emptied or not self.given_fields:
            raise PydanticCustomError("nothing_corrected", "say what is to be corrected, and how")
        return self

    @property
    def given_fields(self) -> set[str]:
        """The fields that the request names."""
        return self.model_fields_set - {"order_id"}


class CorrectedPlace(Request):
    """A complete address. Its contact is unchanged."""

    address: ShortText = Field(min_length=1, examples=["100 Queen St W"])
    """Street and house number."""
    unit: ShortText | None = Field(default=None, examples=["Suite 4"])
    """Flat, floor or suite."""
    city: ShortText = Field(min_length=1, examples=["Toronto"])
    """City."""
    region: ShortText | None = Field(default=None, examples=["ON"])
    """Province or state."""
    postal_code: Annotated[str, StringConstraints(max_length=20, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["M5V 2T6"]
    )
    """Postal code."""
    country: CountryCode = Field(examples=["CA"])
    """Country code (ISO 3166-1 alpha-2)."""
    lat: float | None = Field(default=None, ge=-90, le=90, examples=[43.65])
    """Latitude in decimal degrees (WGS 84)."""
    lng: float | None = Field(default=None, ge=-180, le=180, examples=[-79.38])
    """Longitude in decimal degrees (WGS 84)."""


class CorrectAddress(OrderRef):
    """Corrected address of an order that could not be delivered."""

    place: CorrectedPlace
    """Corrected address."""
    end: Literal["consignee", "shipper"] | None = None
    """Party whose address is corrected. Default: the shipper of a pickup, the consignee of any other order."""
    reason: Reason | None = Field(default=None, examples=["The house number was wrong."])
    """Reason, stored in the order history."""


class UndoDelivery(OrderRef):
    """A delivery reported by mistake, and the evidence."""

    reason: Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00]*$")] = Field(
        examples=["The driver pressed the wrong stop."]
    )
    """Reason, stored in the order history."""


class CorrectedOrder(Answer):
    """The order after the correction, with the price change."""

    result: bool = True
    message: str
    order: OrderRecord
    price: PriceChange
    warnings: list[OrderWarning] = []
