"""A person's data: requests and answers."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, EmailStr, Field

from haulier.contexts.identity.fields import validate_phone
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import EMAIL_MAX, BareEmail
from haulier.kernel.operations.ids import DriverId, PersonalDataRequestId, UserId
from haulier.kernel.pipeline.reach import SetUpLapse
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class PersonSelector(Request):
    """A person. At least one field; several must name the same person.

    The address and the number are not written into the audit trail.
    """

    user_id: UserId | None = None
    """A user of the business, with the driver they are and the orders that bear their address or number."""
    driver_id: DriverId | None = None
    """A driver, also one without an account."""
    email: Annotated[
        Annotated[EmailStr, BareEmail] | None,
        Field(max_length=EMAIL_MAX, exclude=True, repr=False, examples=["ada@example.com"]),
    ] = None
    """Email address of a sender or recipient. To search by account, send the user ID."""
    phone: Annotated[
        Annotated[str, AfterValidator(validate_phone)] | None,
        Field(max_length=50, exclude=True, repr=False, examples=["+14165550123"]),
    ] = None
    """A telephone number at an end of an order, however it is written there. It leads to no account."""


class RecordCount(Answer):
    """Number of records of a kind."""

    kind: Annotated[str, doc("The kind of record.", "order_contacts")]
    count: Annotated[int, doc("Number of records about the person.", 3)]


class PersonalDataRequest(Answer):
    """An export or an erasure."""

    id: int
    kind: Annotated[Literal["export", "erasure"], doc("Kind of request.")]
    state: Annotated[
        Literal["queued", "done", "expired", "failed", "cancelled"],
        doc(
            "`expired`: the file of an export was deleted. `failed`: all attempts failed; it can be repeated. "
            "`cancelled`: the requester of an export lost the right to it; `cancelled_reason` says how."
        ),
    ]
    requested_by: Annotated[int | None, doc("User who requested it, or repeated it last.")]
    cancelled_reason: Annotated[
        SetUpLapse | None,
        doc(
            "`set_up_ended`: the requester is disabled, or their token was revoked or has expired. "
            "`not_permitted`: the requester can no longer export personal data."
        ),
    ]
    created_at: Annotated[datetime, doc("Time of the request or its repetition.")]
    finished_at: datetime | None
    records: Annotated[list[RecordCount], doc("Exported records, or those erased so far, by kind.")]
    file_id: Annotated[int | None, doc("File of a finished export. Open it with `get_file`.")]
    expires_at: Annotated[datetime | None, doc("Time when the file is deleted.")]


class PersonalDataAnswer(Answer):
    """One export or erasure."""

    result: bool = True
    request: PersonalDataRequest


class ErasureAnswer(PersonalDataAnswer):
    """An erasure that began, or would begin in a dry run."""

    to_erase: Annotated[list[RecordCount], doc("Records to erase or delete, by kind; empty if nothing is left.")]
    accounts_left: Annotated[
        list[int],
        doc("Users with the email address who were not named. Erase each by `user_id` if intended."),
    ]


class ListPersonalDataRequests(PageRequest):
    """Paging for requests."""


class RepeatPersonalDataRequest(Request):
    """A failed export or erasure to repeat."""

    request_id: PersonalDataRequestId
    """ID of the failed export or erasure."""


class GetPersonalDataRequest(Request):
    """Reference to an export or erasure."""

    request_id: PersonalDataRequestId
    """ID of the export or erasure."""


class PersonalDataRequestList(PagedAnswer):
    """A page of exports and erasures, newest first."""

    requests: list[PersonalDataRequest]
