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
    """Each field is a column of the order's table under the same name, and has a default.

    `CreateOrder` extends it, `OrderDetail` and a partner's goods take their fields from it, and copies of an order keep it.
    A new field therefore needs a line here, a column in the store and a migration.
    """

    scheduled_date: Day | None = None
    """The day in the business's time zone; when omitted, the day of the time window."""
    window_start: Moment | None = None
    """Not before, with offset."""
    window_end: Moment | None = None
    """Not after, with offset."""
    service_time_s: int = Field(default=180, ge=0, le=86_400)
    """Seconds of service at the stop."""
    skills: Annotated[list[SkillCode], Field(max_length=20, examples=[["tail_lift"]])] = []
    """Skills or equipment that the driver must have."""
    note: LongText | None = Field(default=None, examples=["Ring twice."])
    """For the people who work on the order; customers do not read it back."""
    delivery_instruction: LongText | None = Field(default=None, examples=["Leave it at the side door."])
    """For the driver."""
    references: dict[ReferenceName, ShortText] = Field(default={}, max_length=20)
    """Other systems' names for the order."""
    cod_minor: int | None = Field(default=None, ge=1, le=10**12, examples=[2500])
    """Cash to collect on delivery, in minor units of the business's currency."""
    photo_required: bool = False
    """Whether a photo must prove the delivery."""
    pin_required: bool = False
    """Whether the recipient must say a PIN at the door. We make it, and only the recipient can see it."""
    minimum_age: int | None = Field(default=None, ge=1, le=99, examples=[19])
    """The age in years that the driver has to check before handing over."""
    language: Language | None = None
    """The language in which the recipient is written to. Left out, it is the business's."""
