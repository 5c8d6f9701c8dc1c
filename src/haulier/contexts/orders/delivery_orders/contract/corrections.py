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
    """Who is at the address, and how to reach them. What is left out stays; null empties it."""

    name: NameText | None = Field(default=None, min_length=1, examples=["Ada Lovelace"])
    """The name of the person or business."""
    phone: Annotated[str, StringConstraints(max_length=50, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, examples=["+14165550100"]
    )
    """The phone number, for the driver."""
    email: EmailText | None = Field(default=None, examples=["ada@example.com"])
    """E-mail, for news about the order."""
    unit: ShortText | None = Field(default=None, examples=["Suite 4"])
    """Flat, floor, suite."""
    notes: LongText | None = Field(default=None, examples=["Gate code 1234"])
    """Gate code, doorbell, where to leave the parcel."""

    @model_validator(mode="after")
    def _keeps_a_name(self) -> "ContactCorrection":
        if "name" in self.model_fields_set and self.name is None:
            raise PydanticCustomError("name_needed", "a name is needed")
        return self


class CorrectOrder(OrderRef):
    """What of an order was wrong. What is left out stays as it is; null empties it."""

    consignee: ContactCorrection | None = None
    """Who receives. Another address is a reroute."""
    shipper: ContactCorrection | None = None
    """Who sends."""
    packages: Annotated[list[Package], Field(min_length=1, max_length=PIECES_MAX)] | None = None
    """All pieces, as they are; a piece keeps the number of its place in the list."""
    cod_minor: int | None = Field(default=None, ge=1, le=10**12, examples=[2500])
    """Cash to collect on delivery, in minor units of the business's currency."""
    skills: Annotated[list[SkillCode], Field(max_length=20, examples=[["tail_lift"]])] | None = None
    """Skills or equipment that the driver must have."""
    service: Annotated[str, StringConstraints(max_length=30, pattern="^[a-z0-9_]+$")] | None = Field(
        default=None, examples=["express"]
    )
    """A service of the rate card."""
    signature_required: bool | None = None
    """Whether the recipient must sign."""
    service_time_s: int | None = Field(default=None, ge=0, le=86_400, examples=[180])
    """Seconds of service at the stop."""

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
    """A place as a whole; whoever is there stays who they are."""

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
    country: CountryCode = Field(examples=["CA"])
    """ISO 3166-1 alpha-2."""
    lat: float | None = Field(default=None, ge=-90, le=90, examples=[43.65])
    """Degrees north, WGS 84."""
    lng: float | None = Field(default=None, ge=-180, le=180, examples=[-79.38])
    """Degrees east, WGS 84."""


class CorrectAddress(OrderRef):
    """Where an order really goes that nobody could deliver."""

    place: CorrectedPlace
    """The place."""
    end: Literal["consignee", "shipper"] | None = None
    """Whose place it is; the shipper's of a pickup and the consignee's of any other order when left out."""
    reason: Reason | None = Field(default=None, examples=["The house number was wrong."])
    """Why; stored with the order's steps."""


class UndoDelivery(OrderRef):
    """A delivery that never was, and how that is known."""

    reason: Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00]*$")] = Field(
        examples=["The driver pressed the wrong stop."]
    )
    """Why; stored with the step."""


class CorrectedOrder(Answer):
    """The order after the correction, and what that does to its price."""

    result: bool = True
    message: str
    order: OrderRecord
    price: PriceChange
    warnings: list[OrderWarning] = []
