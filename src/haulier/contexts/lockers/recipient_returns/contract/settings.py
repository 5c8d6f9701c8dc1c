"""Request and response models for return settings."""

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
    """A return reason to offer."""

    code: ReasonCode
    """Reason code, unique within the list."""
    texts: dict[Language, ReasonText] = Field(min_length=1, examples=[{"en": "It does not fit"}])
    """Texts by language. English is shown if a language is missing."""


class SetReturnSettings(Request):
    """Settings for returns on the tracking page."""

    active: bool = True
    """If true, recipients can start returns. Returns in progress continue either way."""
    days: int = Field(default=30, ge=1, le=DAYS_MAX)
    """Return period in days after the delivery."""
    ways: list[ReturnWay] = Field(default=[ReturnWay.LOCKER, ReturnWay.PICKUP], min_length=1, max_length=2)
    """Return methods to offer."""
    reasons: list[OfferedReturnReason] = Field(min_length=1, max_length=REASONS_MAX)
    """Reasons to offer, in display order."""
    hold_hours: int = Field(default=48, ge=1, le=HOLD_HOURS_MAX)
    """Hours for which a compartment is reserved."""
    service: Annotated[str, StringConstraints(min_length=1, max_length=SERVICE_MAX, pattern="^[a-z0-9_]+$")] = (
        "standard"
    )
    """Rate card service that prices the return order."""

    @model_validator(mode="after")
    def _names_each_reason_once(self) -> "SetReturnSettings":
        codes = [each.code for each in self.reasons]
        if len(set(codes)) < len(codes):
            raise PydanticCustomError("return_reason_twice", "a reason is named twice")
        return self


class OfferedReason(Answer):
    """A return reason."""

    code: str
    texts: Annotated[dict[str, str], doc("Texts by language.")]


class ReturnSettings(Answer):
    """Settings for recipients' returns."""

    active: bool
    days: Annotated[int, doc("Return period in days after the delivery.")]
    ways: list[ReturnWay]
    reasons: list[OfferedReason]
    hold_hours: Annotated[int, doc("Hours for which a compartment is reserved.")]
    service: Annotated[str, doc("Rate card service that prices the return order.", "standard")]


class ReturnSettingsAnswer(Answer):
    """Settings for recipients' returns.

    Null, with returns turned off, until they are first set.
    """

    result: bool = True
    return_settings: ReturnSettings | None
