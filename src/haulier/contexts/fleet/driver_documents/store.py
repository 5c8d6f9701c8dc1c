"""The tables of drivers' documents and of the document policy."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import (
    Index,
    Select,
    String,
    UniqueConstraint,
    bindparam,
    exists,
    func,
    or_,
    select,
    true,
)

from haulier.contexts.fleet.driver_documents.contract import NUMBER_MAX
from haulier.contexts.fleet.driver_documents.rules import DriverDocumentState, ReviewVerdict
from haulier.contexts.fleet.drivers.queries import drivers
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, REASON_MAX


class DriverDocumentRow(
    Record,
    table="driver_document",
    items=[Index(None, "client_id", "driver_id"), Index(None, "client_id", "expires_on")],
):
    """A document of a driver.

    `told_soon_at` and `told_over_at` are the times of the notifications before and after expiry.
    """

    driver_id: Reference
    kind: Annotated[str, String(40)]
    title: Annotated[str, String(NAME_MAX)] | None
    number: Annotated[str, String(NUMBER_MAX)] | None
    issued_on: date | None
    expires_on: date | None
    file_id: Reference | None
    verdict: Annotated[str, String(10)]
    reason: Annotated[str, String(REASON_MAX)] | None
    uploaded_by: Reference | None
    uploaded_at: datetime
    reviewed_by: Reference | None
    reviewed_at: datetime | None
    told_soon_at: datetime | None
    told_over_at: datetime | None


driver_documents = DriverDocumentRow.table
personal_data(
    driver_documents,
    RecordKind.DRIVER_DOCUMENTS,
    by={"driver_id": PersonKey.DRIVER},
    erased={"title": None, "number": None, "reason": None, "file_id": None},
    plain=("kind", "verdict"),
)


class DriverPolicyRow(Record, table="driver_policy", items=[UniqueConstraint("client_id")]):
    """The document policy of a client."""

    required: list[str]
    blocks_start: bool
    notice_days: int
    registration_open: bool


driver_policies = DriverPolicyRow.table
plain_columns(driver_policies, "required")


class NamedDocumentRow(DriverDocumentRow):
    """A document with the name of its driver."""

    driver_name: str


_documents_with_drivers = select(driver_documents, drivers.c.name.label("driver_name")).join(
    drivers, drivers.c.id == driver_documents.c.driver_id
)
_document_by_id = _documents_with_drivers.where(driver_documents.c.id == bindparam("document"))
_of_drivers = (
    select(driver_documents).where(in_param(driver_documents.c.driver_id, "drivers")).order_by(driver_documents.c.id)
)
_longer = driver_documents.alias("longer")
_is_superseded = (
    exists()
    .where(
        _longer.c.driver_id == driver_documents.c.driver_id,
        _longer.c.kind == driver_documents.c.kind,
        _longer.c.verdict == ReviewVerdict.VALID.value,
        or_(_longer.c.expires_on.is_(None), _longer.c.expires_on > driver_documents.c.expires_on),
    )
    .correlate(driver_documents)
)
_holds = or_(driver_documents.c.expires_on.is_(None), driver_documents.c.expires_on >= bindparam("today"))
_valid = driver_documents.c.verdict == ReviewVerdict.VALID.value
_STATES: Mapping[DriverDocumentState, tuple[Any, ...]] = {
    DriverDocumentState.PENDING: (driver_documents.c.verdict == ReviewVerdict.PENDING.value,),
    DriverDocumentState.REJECTED: (driver_documents.c.verdict == ReviewVerdict.REJECTED.value,),
    DriverDocumentState.VALID: (_valid, _holds),
    DriverDocumentState.EXPIRED: (_valid, driver_documents.c.expires_on < bindparam("today")),
}
_FILTERS: Mapping[str, tuple[Any, ...]] = {
    "driver": (driver_documents.c.driver_id == bindparam("driver"),),
    "kind": (driver_documents.c.kind == bindparam("kind"),),
    "until": (
        _valid,
        driver_documents.c.expires_on >= bindparam("today"),
        driver_documents.c.expires_on <= bindparam("until"),
        ~_is_superseded,
    ),
    "due_until": (
        _valid,
        driver_documents.c.expires_on <= bindparam("due_until"),
        drivers.c.active == true(),
        ~_is_superseded,
    ),
    "contractor": (drivers.c.contractor_id == bindparam("contractor"),),
    "user": (drivers.c.user_id == bindparam("user"),),
}
_count = select(func.count()).select_from(driver_documents.join(drivers, drivers.c.id == driver_documents.c.driver_id))
_policy_of_client = select(driver_policies)
_policy_at_client = _policy_of_client.where(driver_policies.c.client_id == bindparam("business"))


async def get_driver_document_row(work: UnitOfWork, document_id: int, *, lock: bool = False) -> NamedDocumentRow | None:
    """A document of this client with its driver's name, or None."""
    statement = _document_by_id.with_for_update(of=driver_documents) if lock else _document_by_id
    return await work.first(statement, NamedDocumentRow, document=document_id)


async def list_documents_of_drivers(work: UnitOfWork, driver_ids: Collection[int]) -> Sequence[DriverDocumentRow]:
    """Every document of some drivers."""
    return await work.all(_of_drivers, DriverDocumentRow, drivers=list(driver_ids)) if driver_ids else []


async def is_document_superseded(work: UnitOfWork, document_id: int) -> bool:
    """Return True if a document of the same driver and kind is valid for longer."""
    statement = select(driver_documents.c.id).where(driver_documents.c.id == bindparam("document"), _is_superseded)
    return await work.first(statement, document=document_id) is not None


async def list_driver_document_rows(
    work: UnitOfWork,
    filters: Mapping[str, Any],
    state: DriverDocumentState | None,
    today: date,
    *,
    limit: int,
    offset: int,
) -> tuple[Sequence[NamedDocumentRow], int]:
    """A page of documents, the first to expire first, and how many match.

    Filters: driver, kind, until (a day), contractor, user.
    """
    narrowed = [clause for name in filters for clause in _FILTERS[name]] + list(_STATES[state] if state else ())
    params = dict(filters)
    if "until" in filters or state in {DriverDocumentState.VALID, DriverDocumentState.EXPIRED}:
        params["today"] = today
    listed: Select[Any] = _documents_with_drivers.where(*narrowed).order_by(
        driver_documents.c.expires_on.is_(None), driver_documents.c.expires_on, driver_documents.c.id
    )
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, NamedDocumentRow, **params, page_size=limit, skipped=offset)
    return rows, await work.value(_count.where(*narrowed), **params)


async def count_due_document_rows(work: UnitOfWork, filters: Mapping[str, Any]) -> int:
    """Return the number of documents that match.

    Filters: due_until (a day), contractor.
    """
    return int(await work.value(_count.where(*(clause for name in filters for clause in _FILTERS[name])), **filters))


async def mark_expiry_announced(work: UnitOfWork, document_id: int, column: str, at: datetime) -> None:
    """Record an expiry announcement. `column` is `told_soon_at` or `told_over_at`."""
    await DriverDocumentRow.update(work, document_id, {column: at})


async def get_driver_policy_row_of_client(work: UnitOfWork, client_id: int) -> DriverPolicyRow | None:
    """Return the document policy of any client, or None, for an applicant there."""
    return await work.without_tenant_filter("an applicant has no business yet").first(
        _policy_at_client, DriverPolicyRow, business=client_id
    )


async def get_driver_policy_row(work: UnitOfWork) -> DriverPolicyRow | None:
    """The document policy of this client, or None when it never set one."""
    return await work.first(_policy_of_client, DriverPolicyRow)


async def upsert_driver_policy(work: UnitOfWork, **values: Any) -> None:
    """Write the whole document policy of this client."""
    await work.upsert(driver_policies, (), **values)
