"""What goes in and out of applications to drive."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, SecretStr, StringConstraints

from haulier.contexts.fleet.driver_documents.contract import DriverDocumentFacts
from haulier.contexts.fleet.driver_registration.rules import DOCUMENTS_MAX, DriverRegistrationStatus
from haulier.contexts.fleet.drivers.contract import Language, Phone, Vehicle
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NAME_MAX, NO_NUL, Email, Note, OneLine, Reason, RecordId, Skills
from haulier.kernel.operations.ids import DriverId, UserId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

PersonName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_MAX, pattern=NO_NUL), OneLine
]


class ApplyToDrive(Request):
    """Somebody who wants to drive for a business."""

    client_code: Annotated[str, Field(min_length=1, max_length=50, pattern=NO_NUL)] = Field(alias="clientCode")
    """The business's code."""
    name: PersonName
    """Their name."""
    email: Email
    """Where the invitation goes when the business agrees; they will sign in with it."""
    phone: Phone
    """Where to reach them."""
    vehicle: Vehicle | None = None
    """What they would drive, in words."""
    note: Note | None = None
    """What else the business should know."""
    language: Language | None = None
    """The language of e-mails to them; without one, the business's."""
    documents: Annotated[list[DriverDocumentFacts], Field(max_length=DOCUMENTS_MAX)] = []
    """Documents that the applicant has. Photos follow after approval."""


class ApplicantToken(Request):
    """The token that an application was answered with."""

    token: Annotated[SecretStr, Field(min_length=1, max_length=100)]
    """The token."""


class DriverApplicationReceipt(Answer):
    """The application was received. The answer is the same whether anybody is known with the address or not."""

    result: bool = True
    status: Annotated[str, doc("Where it stands.", DriverRegistrationStatus.SUBMITTED.value)]
    token: Annotated[str, doc("Opens the application's status; shown once.")]
    message: str


class DriverApplicationStatus(Answer):
    """The status of an application, for the applicant."""

    result: bool = True
    status: Annotated[str, doc("submitted, approved, rejected or withdrawn.", DriverRegistrationStatus.APPROVED.value)]
    reason: Annotated[str | None, doc("The reason that the business gave.")]
    submitted_at: datetime
    decided_at: datetime | None


class ListDriverRegistrations(PageRequest):
    """Which applications to list."""

    status: DriverRegistrationStatus | None = None
    """Only those that stand like this."""


class DriverRegistrationRef(Request):
    """Which application."""

    registration_id: RecordId
    """The application's id."""


class ApproveDriverRegistration(DriverRegistrationRef):
    """The terms on which an applicant is approved."""

    contractor_id: RecordId | None = None
    """The contractor (user id) they drive for; the client itself without one."""
    skills: Skills = []
    """What they can do that an order may ask for."""


class RejectDriverRegistration(DriverRegistrationRef):
    """Why not."""

    reason: Reason | None = None
    """What the applicant is told."""


class DriverRegistrationDetail(Answer):
    """An application to drive."""

    id: int
    name: str
    email: str
    phone: str
    vehicle: str | None
    note: str | None
    language: str | None
    documents: Annotated[list[dict[str, Any]], doc("The documents that the applicant listed.")]
    status: Annotated[str, doc("submitted, approved, rejected or withdrawn.", DriverRegistrationStatus.SUBMITTED.value)]
    reason: str | None
    submitted_at: datetime
    decided_at: datetime | None
    decided_by: int | None
    driver_id: Annotated[DriverId | None, doc("The driver they became.")]
    user_id: Annotated[UserId | None, doc("The account they were invited to.")]


class DriverRegistrationAnswer(Answer):
    """One application."""

    result: bool = True
    registration: DriverRegistrationDetail


class DriverRegistrationList(PagedAnswer):
    """A page of applications, newest first."""

    registrations: list[DriverRegistrationDetail]
