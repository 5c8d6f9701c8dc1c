"""Request and response models for driver applications."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, SecretStr, StringConstraints

from haulier.contexts.fleet.driver_documents.contract import DriverDocumentFacts
from haulier.contexts.fleet.driver_registration.rules import DOCUMENTS_MAX, DriverRegistrationStatus
from haulier.contexts.fleet.drivers.contract import Language, Phone, Vehicle
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NAME_MAX, NO_NUL, Email, Note, OneLine, Reason, RecordId, Skills
from haulier.kernel.operations.ids import DriverId, DriverRegistrationId, UserId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

PersonName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_MAX, pattern=NO_NUL), OneLine
]


class SubmitDriverApplication(Request):
    """An application to drive for a business."""

    client_code: Annotated[str, Field(min_length=1, max_length=50, pattern=NO_NUL)] = Field(alias="clientCode")
    """Code of the business."""
    name: PersonName
    """Name of the applicant."""
    email: Email
    """Email address for the invitation and for signing in after approval."""
    phone: Phone
    """Phone number."""
    vehicle: Vehicle | None = None
    """Vehicle of the applicant as free text."""
    note: Note | None = None
    """Additional information for the business."""
    language: Language | None = None
    """Language of emails to the applicant. Default: the language of the business."""
    documents: Annotated[list[DriverDocumentFacts], Field(max_length=DOCUMENTS_MAX)] = []
    """Documents of the applicant. Photos are uploaded after approval."""


class ApplicantToken(Request):
    """Token of an application."""

    token: Annotated[SecretStr, Field(min_length=1, max_length=100)]
    """Token returned with the application."""


class DriverApplicationReceipt(Answer):
    """Receipt of an application.

    It does not reveal whether the email address is already known.
    """

    result: bool = True
    status: Annotated[str, doc("Status of the application.", DriverRegistrationStatus.SUBMITTED.value)]
    token: Annotated[str, doc("Token for the status of the application. Shown only once.")]
    message: str


class DriverApplicationStatus(Answer):
    """Status of an application as the applicant sees it."""

    result: bool = True
    status: Annotated[
        str, doc("One of submitted, approved, rejected or withdrawn.", DriverRegistrationStatus.APPROVED.value)
    ]
    reason: Annotated[str | None, doc("Reason given by the business.")]
    submitted_at: datetime
    decided_at: datetime | None


class ListDriverRegistrations(PageRequest):
    """Filters and page of an application list."""

    status: DriverRegistrationStatus | None = None
    """Filter by status."""


class DriverRegistrationRef(Request):
    """Reference to an application."""

    registration_id: DriverRegistrationId
    """ID of the application."""


class ApproveDriverRegistration(DriverRegistrationRef):
    """Terms of approval of an applicant."""

    contractor_id: RecordId | None = None
    """Contractor of the driver, as a user ID. Defaults to the business itself."""
    skills: Skills = []
    """Skills that orders can require."""


class RejectDriverRegistration(DriverRegistrationRef):
    """Rejection of an applicant."""

    reason: Reason | None = None
    """Reason shown to the applicant."""


class DriverRegistrationDetail(Answer):
    """A driver application."""

    id: int
    name: str
    email: str
    phone: str
    vehicle: str | None
    note: str | None
    language: str | None
    documents: Annotated[list[dict[str, Any]], doc("Documents listed by the applicant.")]
    status: Annotated[
        str, doc("One of submitted, approved, rejected or withdrawn.", DriverRegistrationStatus.SUBMITTED.value)
    ]
    reason: str | None
    submitted_at: datetime
    decided_at: datetime | None
    decided_by: int | None
    driver_id: Annotated[DriverId | None, doc("Driver created from the application.")]
    user_id: Annotated[UserId | None, doc("User account created for the driver.")]


class DriverRegistrationAnswer(Answer):
    """One application."""

    result: bool = True
    registration: DriverRegistrationDetail


class DriverRegistrationList(PagedAnswer):
    """A page of applications, newest first."""

    registrations: list[DriverRegistrationDetail]
