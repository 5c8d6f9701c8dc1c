"""What is sent, and what it costs by each way."""

from datetime import datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.orders.delivery_orders.contract.orders import LongText, OrderReference
from haulier.contexts.shipping.accounts.contract.accounts import ServiceCode
from haulier.contexts.shipping.accounts.contract.tariffs import FAMILY, LABELS, PriceFamilyOf
from haulier.contexts.shipping.labels.contract.rates import MAX_SERVICES
from haulier.contexts.shipping.labels.contract.shipments import CarrierRemark, ShipmentTerms
from haulier.kernel.operations.answers import Answer, Priced, doc, price_by
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.moments import Moment

UniorderKind = Literal["local", "label"]
UniorderRateId = Annotated[str, Field(min_length=1, max_length=30, pattern="^[A-Za-z0-9_-]+$", examples=["u17-l0"])]


class UniorderForm(ShipmentTerms):
    """What is sent, from whom to whom: one form for local delivery and every carrier."""

    pickup: bool = False
    """Local delivery: fetch it at the shipper's door. Otherwise it lies at the business."""
    delivery_instruction: LongText | None = Field(default=None, examples=["Leave it at the side door."])
    """Local delivery: for the driver."""
    window_start: Moment | None = None
    """Local delivery: not before, with offset."""
    window_end: Moment | None = None
    """Local delivery: not after, with offset."""

    @model_validator(mode="after")
    def _can_be_driven(self) -> Self:
        if self.pickup and self.shipper is None:
            raise PydanticCustomError("shipper_for_pickup", "a shipper is needed where it is fetched")
        if self.window_start and self.window_end and self.window_end <= self.window_start:
            raise PydanticCustomError("window_inverted", "window_end must be after window_start")
        return self


class RateUniorder(UniorderForm):
    """A form to rate."""

    quote_labels: bool = False
    """Quote the services of every label carrier too. Local delivery is always quoted."""
    account_ids: list[RecordId] = Field(default=[], max_length=MAX_SERVICES)
    """Labels with these accounts; with all that are offered unless said."""
    services: list[ServiceCode] = Field(default=[], max_length=MAX_SERVICES)
    """Labels of these services; of all unless said."""
    customer_id: RecordId | None = None
    """The customer it is for; customers ask for themselves."""
    reference: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Your own name of it, which its outcome in a batch repeats."""


class UniorderCharge(Answer):
    """A part of a price."""

    code: Annotated[str, doc("base, fuel, signature, tax, mark_up, or the carrier's own code.", "base")]
    name: str | None
    amount: Annotated[int, doc("In minor units.")]


def family_of_kind(kind: str) -> PriceFamily:
    """Whose prices those of a kind of order are."""
    return PriceFamily.LOCAL_DELIVERY if kind == "local" else LABELS


class UniorderRate(Priced):
    """A way to send it, and its price. Prices of local delivery and of labels are hidden each for itself."""

    rate_id: Annotated[str, doc("Order with this id: the price then holds.", "u17-l0")]
    kind: Annotated[str, doc("local: the business's own delivery. label: a carrier's.", "local")]
    carrier: Annotated[str, doc("The carrier; LOCAL for local delivery.", "LOCAL")]
    account_id: Annotated[int | None, doc("The account with the carrier; null for local delivery.")]
    service: Annotated[str, doc("Its code.", "standard")]
    service_name: str
    price_family: PriceFamilyOf
    shipping_price: Annotated[int | UnsetType, price_by(FAMILY, "Total with tax, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
    price_details: Annotated[list[UniorderCharge] | UnsetType, price_by(FAMILY, "The parts of the price.")] = UNSET
    carrier_price: Annotated[int | UnsetType, price_by(FAMILY, "What the carrier charges; for the office.")] = UNSET
    transit_days: int | None
    deliver_by: datetime | None
    guaranteed: bool
    expires_at: Annotated[datetime, doc("Until when the rate holds.")]


class UniorderRates(Answer):
    """The ways to send something: the cheapest first, after them by name those whose price is hidden."""

    quote_id: int
    expires_at: Annotated[datetime, doc("Until when all of them hold.")]
    rates: list[UniorderRate]
    messages: Annotated[
        list[CarrierRemark], doc("Why a carrier or local delivery has no rate, and what else they say.")
    ]


class UniorderRateList(UniorderRates):
    """The ways to send something."""

    result: bool = True
