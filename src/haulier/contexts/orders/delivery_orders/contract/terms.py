"""The fields of an order that a client sets and reads back unchanged: those that create, detail, copy and hand-over share."""

from typing import Annotated

from pydantic import Field, StringConstraints

from haulier.contexts.identity.fields import Language
from haulier.contexts.orders.delivery_orders.contract.addresses import LongText, ShortText
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Day, Moment

ReferenceName = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f]+$")]
SkillCode = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern="^[a-z0-9_-]+$")]


class OrderTerms(Request):
    """Terms of an order. Each field is a column of the same name in the order table and has a default. `CreateOrder`
    extends it, `OrderDetail` and the goods of partners take their fields from it, and copies of an order keep it. A
    new field needs a line here, a column in the store and a migration.
    """

    scheduled_date: Day | None = None
    """Scheduled day in the time zone of the business. Default: the day of the delivery window."""
    window_start: Moment | None = None
    """Start of the delivery window, with UTC offset."""
    window_end: Moment | None = None
    """End of the delivery window, with UTC offset."""
    service_time_s: int = Field(default=180, ge=0, le=86_400)
    """Service time at the stop in seconds."""
    skills: Annotated[list[SkillCode], Field(max_length=20, examples=[["tail_lift"]])] = []
    """Skills or equipment required of the driver."""
    note: LongText | None = Field(default=None, examples=["Ring twice."])
    """Internal note for staff and drivers. Customers cannot read it."""
    delivery_instruction: LongText | None = Field(default=None, examples=["Leave it at the side door."])
    """Delivery instruction for the driver."""
    references: dict[ReferenceName, ShortText] = Field(default={}, max_length=20)
    """Identifiers of the order in other systems."""
    cod_minor: int | None = Field(default=None, ge=1, le=10**12, examples=[2500])
    """Cash to collect on delivery, in minor units of the business's currency."""
    photo_required: bool = False
    """If true, the driver must take a photo at delivery."""
    pin_required: bool = False
    """If true, the recipient must give a PIN to the driver. The PIN is generated, and only the recipient can see it."""
    minimum_age: int | None = Field(default=None, ge=1, le=99, examples=[19])
    """Minimum age of the recipient in years, checked by the driver."""
    language: Language | None = None
    """Language of messages to the recipient. Default: the language of the business."""
