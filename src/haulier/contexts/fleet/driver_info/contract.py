"""What goes in and out of driver info."""

from typing import Annotated

from haulier.contexts.fleet.driver_documents.contract import DriverDocumentSummary
from haulier.contexts.fleet.drivers.contract import Driver
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.ids import DriverId


class GetDriverInfo(Request):
    """Which driver."""

    driver_id: DriverId | None = None
    """The driver. A driver leaves it out and gets their own."""


class DriverSkillName(Answer):
    """Something that a driver can do."""

    code: str
    name: Annotated[str, doc("What people call it; the code, where the catalogue has no name.")]


class DriverContact(Answer):
    """Somebody whom a driver may turn to."""

    name: str
    email: str


class DriverBusiness(Answer):
    """For whom they drive."""

    code: str
    time_zone: str
    currency: str


class DriverInfo(Answer):
    """Everything about one driver at a glance."""

    result: bool = True
    driver: Driver
    business: DriverBusiness
    contractor: Annotated[
        DriverContact | None, doc("The contractor they drive for; null for the client's own drivers.")
    ]
    skills: list[DriverSkillName]
    documents: Annotated[list[DriverDocumentSummary], doc("Each kind of document that the driver has or needs.")]
    documents_in_order: Annotated[bool, doc("Whether every required document is valid today.")]
    may_start_routes: Annotated[bool, doc("False while a required document is not valid and the policy blocks routes.")]
