"""Request and response models for driver info."""

from typing import Annotated

from haulier.contexts.fleet.driver_documents.contract import DriverDocumentSummary
from haulier.contexts.fleet.drivers.contract import Driver
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.ids import DriverId


class GetDriverInfo(Request):
    """Request for the info of a driver."""

    driver_id: DriverId | None = None
    """Driver to show. Drivers omit it to get their own info."""


class DriverSkillName(Answer):
    """A skill of a driver."""

    code: str
    name: Annotated[str, doc("Display name; the code if the catalogue has no name.")]


class DriverContact(Answer):
    """A contact for drivers."""

    name: str
    email: str


class DriverBusiness(Answer):
    """The business that the driver works for."""

    code: str
    time_zone: str
    currency: str


class DriverInfo(Answer):
    """Overview of a driver."""

    result: bool = True
    driver: Driver
    business: DriverBusiness
    contractor: Annotated[
        DriverContact | None, doc("Contractor of the driver; null for drivers of the business itself.")
    ]
    skills: list[DriverSkillName]
    documents: Annotated[list[DriverDocumentSummary], doc("Types of documents that the driver has or needs.")]
    documents_in_order: Annotated[bool, doc("If true, every required document is valid today.")]
    may_start_routes: Annotated[bool, doc("False if a required document is not valid and the policy blocks routes.")]
