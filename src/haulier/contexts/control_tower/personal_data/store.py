"""Tables of exports and erasures. Their person is stored until they are done."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, String, bindparam, func, select, update

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

requests = tenant_table(
    "personal_data_request",
    Column("kind", String(10), nullable=False),
    Column("state", String(10), nullable=False),
    Column("keys", Json),
    Column("records", Json, nullable=False),
    Column("file_id", Id),
    Column("user_id", Id),
    Column("requested_by", Id),
    Column("set_up_with", Id),
    Column("cancelled_reason", String(20)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("finished_at", UTCDateTime),
    Column("expires_at", UTCDateTime),
    Index(None, "client_id", "id"),
)
"""`keys` leads to the person's rows, and is null once the job is done. `records` counts them by kind. `set_up_with` is the API
token of the requester, if any."""
plain_columns(requests, "kind", "state", "keys", "records", "cancelled_reason")

_one = select(requests).where(requests.c.id == bindparam("request"))
_locked = _one.with_for_update()
_page = select(requests).order_by(requests.c.id.desc()).limit(bindparam("page_size")).offset(bindparam("skipped"))
_count = select(func.count()).select_from(requests)
_exports_of_user = select(requests).where(
    requests.c.kind == "export",
    requests.c.state.not_in(("expired", "cancelled")),
    requests.c.user_id == bindparam("user"),
)


class PersonalDataRequestRow(Row):
    """An export or an erasure."""

    id: int
    kind: str
    state: str
    keys: dict[str, list[Any]] | None
    records: dict[str, int]
    file_id: int | None
    requested_by: int | None
    set_up_with: int | None
    cancelled_reason: str | None
    created_at: datetime
    finished_at: datetime | None
    expires_at: datetime | None


async def insert_request(work: UnitOfWork, **values: Any) -> int:
    """Write an export or an erasure. Returns its id."""
    return await work.insert(requests, **values)


async def get_request(work: UnitOfWork, request_id: int, *, lock: bool = False) -> PersonalDataRequestRow | None:
    """Return an export or an erasure of this client, or None."""
    return await work.first(_locked if lock else _one, PersonalDataRequestRow, request=request_id)


async def list_requests(work: UnitOfWork, limit: int, offset: int) -> tuple[int, Sequence[PersonalDataRequestRow]]:
    """Return the total, and a page of requests, newest first."""
    return await work.value(_count), await work.all(_page, PersonalDataRequestRow, page_size=limit, skipped=offset)


async def list_exports_of_user(work: UnitOfWork, user_id: int) -> Sequence[PersonalDataRequestRow]:
    """Return the exports that name a user and have not expired."""
    return await work.all(_exports_of_user, PersonalDataRequestRow, user=user_id)


async def update_request(work: UnitOfWork, request_id: int, **values: Any) -> None:
    """Change columns of an export or an erasure."""
    await work.run(update(requests).where(requests.c.id == bindparam("request")).values(**values), request=request_id)
