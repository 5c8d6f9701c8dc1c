"""Register of issued documents and their records. Personal data is in files only."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Index,
    Integer,
    String,
    UniqueConstraint,
    bindparam,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.documents.issued.rules import DocumentSubject
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, key_in, plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import VOLATILE, Id, directory_table, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX
from haulier.kernel.values.pagination import MAX_COUNT

_TENANCY_REASON = "verifiers have the number or file of a document, but may not know its business"


class DocumentRow(
    Record,
    table="issued_document",
    items=[Index(None, "client_id", "id")],
    kind=directory_table,
    why="verifiers have the number or file of a document, but no account",
):
    """A document. `kind`, `state` and `subject` hold values of the enums in `rules`."""

    client_id: int
    number: Annotated[str, Column("number", String(20), nullable=False, unique=True, info=VOLATILE)]
    kind: Annotated[str, String(30)]
    issuer: Annotated[str, String(NAME_MAX)]
    language: Annotated[str, String(10)]
    state: Annotated[str, String(10)]
    subject: Annotated[str, String(20)]
    route_id: Reference | None
    manifest_id: Reference | None
    invoice_id: Reference | None
    done: int
    total: int
    failure: Annotated[str, String(60)] | None
    pages: int | None
    size_bytes: int | None
    sha256: Annotated[str | None, Column("sha256", String(64), unique=True)]
    certificate: Annotated[str, String(64)] | None
    file_id: Reference | None
    issued_by: Reference | None
    created_at: datetime
    issued_at: datetime | None
    revoked_at: datetime | None
    revoked_by: Reference | None
    revoke_reason: Annotated[str, String(20)] | None


documents = DocumentRow.table
plain_columns(
    documents,
    "number",
    "kind",
    "issuer",
    "language",
    "state",
    "subject",
    "failure",
    "sha256",
    "certificate",
    "revoke_reason",
)

document_orders = tenant_table(
    "issued_document_order",
    Column("document_id", Id, nullable=False),
    Column("position", Integer, nullable=False),
    Column("order_id", Id, nullable=False),
    UniqueConstraint("client_id", "document_id", "position"),
    Index(None, "client_id", "order_id", "document_id"),
)
document_shipments = tenant_table(
    "issued_document_shipment",
    Column("document_id", Id, nullable=False),
    Column("position", Integer, nullable=False),
    Column("shipment_id", Id, nullable=False),
    UniqueConstraint("client_id", "document_id", "position"),
    Index(None, "client_id", "shipment_id", "document_id"),
)


_by_digest = select(documents).where(documents.c.sha256 == bindparam("sha256"))
_by_numbers = select(documents).where(in_param(documents.c.number, "numbers"), documents.c.sha256.is_not(None))
_RECORDS = {"order_id": document_orders, "shipment_id": document_shipments}
_RECORD_OF = {
    DocumentSubject.ORDERS: "order_id",
    DocumentSubject.ROUTE: "order_id",
    DocumentSubject.SHIPMENTS: "shipment_id",
    DocumentSubject.CARRIER_MANIFEST: "shipment_id",
}
_records_of = {
    name: select(table.c[name].label("record_id"))
    .where(table.c.document_id == bindparam("document"))
    .order_by(table.c.position)
    for name, table in _RECORDS.items()
}
_documents_of = {
    name: select(table.c.document_id).where(table.c[name] == bindparam("record")) for name, table in _RECORDS.items()
}
_set_progress = update(documents).where(documents.c.id == bindparam("document")).values(done=bindparam("done_now"))


async def insert_document(work: UnitOfWork, subject: DocumentSubject, record_ids: Sequence[int], **values: Any) -> int:
    """Register a queued document. Return its id."""
    document_id = await work.insert(documents, subject=subject.value, **values)
    if subject is DocumentSubject.INVOICE:
        return document_id
    name = _RECORD_OF[subject]
    rows = [
        {"document_id": document_id, "position": position, name: record_id}
        for position, record_id in enumerate(record_ids)
    ]
    await work.insert_many(_RECORDS[name], rows)
    return document_id


async def list_document_record_ids(work: UnitOfWork, row: DocumentRow) -> list[int]:
    """Return the record ids of a document in printing order."""
    if row.invoice_id is not None:
        return [row.invoice_id]
    statement = _records_of[_RECORD_OF[DocumentSubject(row.subject)]]
    return [record.record_id for record in await work.all(statement, document=row.id)]


async def page_documents(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[list[DocumentRow], int]:
    """Return a page of the documents of this client, newest first, and the total."""
    given = {name: value for name, value in filters.items() if value is not None}
    equal = ("kind", "route_id", "manifest_id", "issued_by")
    conditions = [documents.c[name] == bindparam(name) for name in equal if name in given]
    for name in given.keys() & _documents_of.keys():
        # First: the register is a directory, and in a distributed database it is not joined to tables of clients.
        rows = await work.all(_documents_of[name], record=given.pop(name))
        given[f"of_{name}"] = [row.document_id for row in rows]
        conditions.append(in_param(documents.c.id, f"of_{name}"))
    page = (
        select(documents)
        .where(*conditions)
        .order_by(documents.c.id.desc())
        .limit(bindparam("page_size"))
        .offset(bindparam("skipped"))
    )
    some = select(documents.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    total = await work.value(select(func.count()).select_from(some), **given)
    return await work.all(page, DocumentRow, page_size=limit, skipped=offset, **given), total


async def set_document_progress(work: UnitOfWork, document_id: int, done: int) -> None:
    """Set the drawing progress of a document."""
    await work.run(_set_progress, document=document_id, done_now=done)


async def update_document(work: UnitOfWork, document_id: int, **values: Any) -> None:
    """Update the registration of a document."""
    change = update(documents).where(documents.c.id == bindparam("document")).values(values)
    await work.run(change, document=document_id)


async def find_document_by_digest(work: UnitOfWork, sha256: str) -> DocumentRow | None:
    """Return the document with a digest, by any issuer, or None."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_digest, DocumentRow, sha256=sha256)


async def find_documents_by_number(work: UnitOfWork, numbers: Collection[str]) -> dict[str, DocumentRow]:
    """Return issued documents by number, by any issuer."""
    if not numbers:
        return {}
    rows = await work.without_tenant_filter(_TENANCY_REASON).all(_by_numbers, DocumentRow, numbers=list(numbers))
    return {row.number: row for row in rows}


def personal_documents(document_ids: ColumnElement[int], keys: PersonKeys) -> ColumnElement[bool] | None:
    """Return the condition for documents about a person's orders or shipments."""
    about = [
        document_ids.in_(select(table.c.document_id).where(condition))
        for (name, table), key in zip(_RECORDS.items(), (PersonKey.ORDER, PersonKey.SHIPMENT), strict=True)
        if (condition := key_in(table.c[name], key, keys)) is not None
    ]
    return or_(*about) if about else None
