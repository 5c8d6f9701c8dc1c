"""The register of issued documents, and which orders each is about. It names nobody: the file does, and is kept apart."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Index, Integer, String, UniqueConstraint, bindparam, func, select, update

from haulier.kernel.data.personal_data import PersonKey, PersonKeys, key_in, plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, directory_table, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX
from haulier.kernel.values.pagination import MAX_COUNT

_TENANCY_REASON = "whoever verifies a document has its number or its file, and need not know whose it is"

documents = directory_table(
    "issued_document",
    Column("number", String(20), nullable=False, unique=True, info=VOLATILE),
    Column("kind", String(30), nullable=False),
    Column("issuer", String(NAME_MAX), nullable=False),
    Column("language", String(10), nullable=False),
    Column("state", String(10), nullable=False),
    Column("route_id", Id),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("failure", String(60)),
    Column("pages", Integer),
    Column("size_bytes", Integer),
    Column("sha256", String(64), unique=True),
    Column("certificate", String(64)),
    Column("file_id", Id),
    Column("issued_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("issued_at", UTCDateTime),
    Column("revoked_at", UTCDateTime),
    Column("revoked_by", Id),
    Column("revoke_reason", String(20)),
    Index(None, "client_id", "id"),
    why="whoever verifies a document has its number or its file, and no account",
)
plain_columns(
    documents,
    "number",
    "kind",
    "issuer",
    "language",
    "state",
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


class DocumentRow(Row):
    """A document. `kind`, `state` hold values of the enums in `rules`."""

    id: int
    client_id: int
    number: str
    kind: str
    issuer: str
    language: str
    state: str
    route_id: int | None
    done: int
    total: int
    failure: str | None
    pages: int | None
    size_bytes: int | None
    sha256: str | None
    certificate: str | None
    file_id: int | None
    issued_by: int | None
    created_at: datetime
    issued_at: datetime | None
    revoked_at: datetime | None
    revoke_reason: str | None


_by_id = select(documents).where(documents.c.id == bindparam("document"))
_by_id_locked = _by_id.with_for_update()
_by_digest = select(documents).where(documents.c.sha256 == bindparam("sha256"))
_by_numbers = select(documents).where(in_param(documents.c.number, "numbers"), documents.c.sha256.is_not(None))
_orders_of = (
    select(document_orders.c.order_id)
    .where(document_orders.c.document_id == bindparam("document"))
    .order_by(document_orders.c.position)
)
_documents_of_order = select(document_orders.c.document_id).where(document_orders.c.order_id == bindparam("order_id"))
_set_progress = update(documents).where(documents.c.id == bindparam("document")).values(done=bindparam("done_now"))


async def insert_document(work: UnitOfWork, order_ids: Sequence[int], **values: Any) -> int:
    """Register a document that is to be issued. Returns its id."""
    document_id = await work.insert(documents, **values)
    rows = [
        {"document_id": document_id, "position": position, "order_id": order_id}
        for position, order_id in enumerate(order_ids)
    ]
    await work.insert_many(document_orders, rows)
    return document_id


async def get_document_row(work: UnitOfWork, document_id: int, *, lock: bool = False) -> DocumentRow | None:
    """A document of this client, or None."""
    return await work.first(_by_id_locked if lock else _by_id, DocumentRow, document=document_id)


async def list_document_order_ids(work: UnitOfWork, document_id: int) -> list[int]:
    """The orders that a document is about, in the order in which they are printed."""
    return [row.order_id for row in await work.all(_orders_of, document=document_id)]


async def page_documents(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[list[DocumentRow], int]:
    """A page of the documents of this client, newest first, and how many there are."""
    given = {name: value for name, value in filters.items() if value is not None}
    conditions = [documents.c[name] == bindparam(name) for name in ("kind", "route_id", "issued_by") if name in given]
    if "order_id" in given:
        # Why first: the register is a directory, and in a distributed database it is not joined to tables of clients.
        rows = await work.all(_documents_of_order, order_id=given.pop("order_id"))
        given["ids"] = [row.document_id for row in rows]
        conditions.append(in_param(documents.c.id, "ids"))
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
    """Say how many orders are drawn."""
    await work.run(_set_progress, document=document_id, done_now=done)


async def update_document(work: UnitOfWork, document_id: int, **values: Any) -> None:
    """Change what is registered of a document."""
    change = update(documents).where(documents.c.id == bindparam("document")).values(values)
    await work.run(change, document=document_id)


async def find_document_by_digest(work: UnitOfWork, sha256: str) -> DocumentRow | None:
    """The document with this digest, whoever issued it."""
    return await work.without_tenant_filter(_TENANCY_REASON).first(_by_digest, DocumentRow, sha256=sha256)


async def find_documents_by_number(work: UnitOfWork, numbers: Collection[str]) -> dict[str, DocumentRow]:
    """The issued documents with these numbers, whoever issued them."""
    if not numbers:
        return {}
    rows = await work.without_tenant_filter(_TENANCY_REASON).all(_by_numbers, DocumentRow, numbers=list(numbers))
    return {row.number: row for row in rows}


def documents_of_people(document_ids: ColumnElement[int], keys: PersonKeys) -> ColumnElement[bool] | None:
    """Which documents are about orders of a person."""
    about = key_in(document_orders.c.order_id, PersonKey.ORDER, keys)
    return None if about is None else document_ids.in_(select(document_orders.c.document_id).where(about))
