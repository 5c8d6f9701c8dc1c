"""Which returns a business lets recipients begin."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.recipient_returns.rules import ReturnWay
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request

DAYS_MAX, REASONS_MAX, HOLD_HOURS_MAX = 365, 20, 24 * 14
REASON_CODE_MAX, SERVICE_MAX = 40, 30
Language = Literal["en", "zh-Hans", "zh-Hant", "fr", "de", "es"]
ReasonCode = Annotated[
    str,
    StringConstraints(min_length=1, max_length=REASON_CODE_MAX, pattern="^[a-z0-9_]+$"),
    Field(examples=["too_small"]),
]
ReasonText = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\x00]+$")]


class OfferedReturnReason(Request):
    """Why recipients send something back."""

    code: ReasonCode
    """Its code, unique within the list."""
    texts: dict[Language, ReasonText] = Field(min_length=1, examples=[{"en": "It does not fit"}])
    """The texts by language; English is shown where one is missing."""


class SetReturnSettings(Request):
    """Which returns recipients may begin on the tracking page."""

    active: bool = True
    """Whether they may at all. Returns that were begun go on."""
    days: int = Field(default=30, ge=1, le=DAYS_MAX)
    """For so many days after the delivery."""
    ways: list[ReturnWay] = Field(default=[ReturnWay.LOCKER, ReturnWay.PICKUP], min_length=1, max_length=2)
    """How they may come back."""
    reasons: list[OfferedReturnReason] = Field(min_length=1, max_length=REASONS_MAX)
    """What recipients choose from, in this order."""
    hold_hours: int = Field(default=48, ge=1, le=HOLD_HOURS_MAX)
    """A box is kept for so long."""
    service: Annotated[str, StringConstraints(min_length=1, max_length=SERVICE_MAX, pattern="^[a-z0-9_]+$")] = (
        "standard"
    )
    """The service of the rate card by which the order is priced that brings a return back."""

    @model_validator(mode="after")
    def _names_each_reason_once(self) -> "SetReturnSettings":
        codes = [each.code for each in self.reasons]
        if len(set(codes)) < len(codes):
            raise PydanticCustomError("return_reason_twice", "a reason is named twice")
        return self


class OfferedReason(Answer):
    """Why recipients send something back."""

    code: str
    texts: Annotated[dict[str, str], doc("By language.")]


class ReturnSettings(Answer):
    """Which returns recipients may begin."""

    active: bool
    days: Annotated[int, doc("For so many days after the delivery.")]
    ways: list[ReturnWay]
    reasons: list[OfferedReason]
    hold_hours: Annotated[int, doc("A box is kept for so long.")]
    service: Annotated[str, doc("Of the rate card.", "standard")]


class ReturnSettingsAnswer(Answer):
    """Which returns recipients may begin; null until somebody chose it: then they may begin none."""

    result: bool = True
    return_settings: ReturnSettings | None
