"""What goes in and out of payment links."""

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
    """What somebody else shall pay."""

    purpose: LinkPurpose
    """A booking of luggage, a lease of boxes that are kept for it, or the fee of a reservation that was missed."""
    subject_id: SubjectRecordId
    """The id of the booking, the lease or the reservation."""


class PaymentLinkRef(Request):
    """A link."""

    link: Annotated[SecretStr, Field(min_length=8, max_length=200, examples=["hlpay_0123456789"])]
    """What `create_payment_link` answered, or what stands behind the `#` of its address."""


class CreatedPaymentLink(Answer):
    """A link. It is shown here and never again."""

    result: bool = True
    link: Annotated[str, doc("Shows what is due, and pays it, and nothing else.", "hlpay_0123456789")]
    pay_url: Annotated[
        str, doc("The page for whoever pays; send it to them.", "https://haulier.example/pay#hlpay_0123456789")
    ]
    expires_at: datetime


class LinkedBill(Priced):
    """What a link is for."""

    result: bool = True
    business: str
    purpose: Annotated[str, doc("luggage, locker_lease or no_show_fee.", "luggage")]
    subject_id: SubjectRecordId
    status: Annotated[str, doc("due, paid, or over: it takes no money any more.", "due")]
    price_family: PriceFamily | None
    payment_amount: Annotated[
        int | UnsetType, price_by(FAMILY, "What is to be paid, in minor units; 0 if nothing.")
    ] = UNSET
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
