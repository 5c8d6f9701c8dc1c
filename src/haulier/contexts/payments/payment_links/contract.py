"""Request and response models for payment links."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field, SecretStr

from haulier.kernel.operations.answers import Answer, Priced, doc, price_by
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.ids import SubjectRecordId

FAMILY = "price_family"
LinkPurpose = Literal["luggage", "locker_lease", "no_show_fee"]


class CreatePaymentLink(Request):
    """A bill for another person to pay."""

    purpose: LinkPurpose
    """Purpose: a luggage booking, a locker rental, or the fee of a missed reservation."""
    subject_id: SubjectRecordId
    """ID of the booking, rental or reservation."""


class PaymentLinkRef(Request):
    """A link."""

    link: Annotated[SecretStr, Field(min_length=8, max_length=200, examples=["hlpay_0123456789"])]
    """Result of `create_payment_link`, or the part behind `#` in its address."""


class CreatedPaymentLink(Answer):
    """A payment link. It is shown only here."""

    result: bool = True
    link: Annotated[str, doc("Link that shows and pays the bill.", "hlpay_0123456789")]
    pay_url: Annotated[str, doc("Page to send to the payer.", "https://haulier.example/pay#hlpay_0123456789")]
    expires_at: datetime


class LinkedBill(Priced):
    """Bill of a payment link."""

    result: bool = True
    business: str
    purpose: Annotated[str, doc("luggage, locker_lease or no_show_fee.", "luggage")]
    subject_id: SubjectRecordId
    status: Annotated[str, doc("due, paid, or over (no longer payable).", "due")]
    price_family: PriceFamily | None
    payment_minor: Annotated[int | UnsetType, price_by(FAMILY, "Amount due, in minor units; 0 if nothing is due.")] = (
        UNSET
    )
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
