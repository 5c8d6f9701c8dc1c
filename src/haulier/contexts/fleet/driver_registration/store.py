"""The table of applications to drive."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Column, Index, LargeBinary, String, bindparam, func, select, true, update

from haulier.contexts.fleet.driver_registration.rules import DriverRegistrationStatus
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import EMAIL_MAX, NAME_MAX, NOTE_MAX, REASON_MAX

NO_TENANT_YET = "an applicant has no business yet; the code or token names it"


class DriverRegistrationRow(
    Record,
    table="driver_registration",
    items=[Index(None, "client_id", "status")],
    kind=directory_table,
    why="the token says whose application it is",
):
    """An application to drive.

    Only the digest of the status token is stored.
    """

    client_id: int
    name: Annotated[str, String(NAME_MAX)]
    email: Annotated[str, String(EMAIL_MAX)]
    phone: Annotated[str, String(50)]
    vehicle: Annotated[str, String(120)] | None
    note: Annotated[str, String(NOTE_MAX)] | None
    language: Annotated[str, String(10)] | None
    documents: list[dict[str, Any]]
    token_sha256: Annotated[bytes, Column("token_sha256", LargeBinary(32), nullable=False, unique=True)]
    status: Annotated[str, String(10)]
    reason: Annotated[str, String(REASON_MAX)] | None
    submitted_at: datetime
    decided_at: datetime | None
    decided_by: Reference | None
    driver_id: Reference | None
    user_id: Reference | None


driver_registrations = DriverRegistrationRow.table
personal_data(
    driver_registrations,
    RecordKind.DRIVERS,
    by={
        "driver_id": PersonKey.DRIVER,
        "user_id": PersonKey.USER,
        "email": PersonKey.EMAIL,
        "phone": PersonKey.PHONE,
    },
)


_registration_by_id = select(driver_registrations).where(driver_registrations.c.id == bindparam("registration"))
_registration_by_token = select(driver_registrations).where(driver_registrations.c.token_sha256 == bindparam("digest"))
_withdraw = (
    update(driver_registrations)
    .where(
        driver_registrations.c.token_sha256 == bindparam("digest"),
        driver_registrations.c.status == DriverRegistrationStatus.SUBMITTED.value,
    )
    .values(status=DriverRegistrationStatus.WITHDRAWN.value, decided_at=bindparam("at"))
)
_lists = {
    status: (
        select(driver_registrations)
        .where(where)
        .order_by(driver_registrations.c.id.desc())
        .limit(bindparam("page_size"))
        .offset(bindparam("skipped")),
        select(func.count()).select_from(driver_registrations).where(where),
    )
    for status, where in {
        None: true(),
        **{status: driver_registrations.c.status == status.value for status in DriverRegistrationStatus},
    }.items()
}


async def insert_driver_registration(work: UnitOfWork, client_id: int, **values: Any) -> int:
    """Write an application at a client. Returns its id."""
    return await work.without_tenant_filter(NO_TENANT_YET).insert(driver_registrations, client_id=client_id, **values)


async def get_driver_registration_by_token(work: UnitOfWork, digest: bytes) -> DriverRegistrationRow | None:
    """The application at any client behind a token, or None."""
    return await work.without_tenant_filter(NO_TENANT_YET).first(
        _registration_by_token, DriverRegistrationRow, digest=digest
    )


async def withdraw_driver_registration(work: UnitOfWork, digest: bytes, at: datetime) -> bool:
    """End the application of a token. Returns False if it has ended or does not exist."""
    return await work.without_tenant_filter(NO_TENANT_YET).run(_withdraw, digest=digest, at=at) == 1


async def get_driver_registration_row(
    work: UnitOfWork, registration_id: int, *, lock: bool = False
) -> DriverRegistrationRow | None:
    """An application at this client, or None."""
    statement = _registration_by_id.with_for_update() if lock else _registration_by_id
    return await work.first(statement, DriverRegistrationRow, registration=registration_id)


async def update_driver_registration(work: UnitOfWork, registration_id: int, **values: Any) -> None:
    """Write what was decided."""
    change = update(driver_registrations).where(driver_registrations.c.id == bindparam("registration")).values(**values)
    await work.run(change, registration=registration_id)


async def list_driver_registration_rows(
    work: UnitOfWork, status: DriverRegistrationStatus | None, *, limit: int, offset: int
) -> tuple[Sequence[DriverRegistrationRow], int]:
    """Return a page of this client's applications, newest first, and their number."""
    listed, counted = _lists[status]
    rows = await work.all(listed, DriverRegistrationRow, page_size=limit, skipped=offset)
    return rows, await work.value(counted)
