"""Tables and statements of the accounting journal."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import UniqueConstraint, and_, bindparam, or_, select

from haulier.contexts.billing.invoices.rules import InvoiceStatus
from haulier.contexts.billing.invoices.store import InvoiceRow, LineRow, invoices, lines
from haulier.contexts.billing.journal.rules import Closing
from haulier.contexts.billing.ledger.store.tables import TransferRow, accounts, transfers
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class PostedTransferRow(TransferRow):
    """Transfer with the kinds and owners of its accounts."""

    debit: str
    debit_owner_id: int
    credit: str
    credit_owner_id: int


class JournalSettingRow(Record, table="journal_setting", items=[UniqueConstraint("client_id")]):
    """Account numbers of a business. Closing a period locks this row."""

    numbers: dict[str, str]
    updated_at: datetime


class JournalClosingRow(Record, table="journal_closing", items=[UniqueConstraint("client_id", "closed_until")]):
    """Closed period with the account numbers that it keeps."""

    closed_until: date
    numbers: dict[str, str]
    closed_at: datetime
    closed_by: Reference | None


settings, closings = JournalSettingRow.table, JournalClosingRow.table
plain_columns(settings, "numbers")
plain_columns(closings, "numbers")

_t, _i, _l = transfers.c, invoices.c, lines.c
_debit, _credit = accounts.alias("debit"), accounts.alias("credit")
_moment, _until = bindparam("since", type_=_t.at.type), bindparam("until", type_=_t.at.type)
_after_at = bindparam("after_at", type_=_t.at.type)
_transfers = (
    select(
        *transfers.c,
        _debit.c.kind.label("debit"),
        _debit.c.owner_id.label("debit_owner_id"),
        _credit.c.kind.label("credit"),
        _credit.c.owner_id.label("credit_owner_id"),
    )
    .join(_debit, _debit.c.id == _t.debit_account_id)
    .join(_credit, _credit.c.id == _t.credit_account_id)
    .where(
        _t.at >= _moment,
        _t.at < _until,
        or_(_t.at > _after_at, and_(_t.at == _after_at, _t.id > bindparam("after"))),
    )
    .order_by(_t.at, _t.id)
    .limit(bindparam("most"))
)
_first = bindparam("first", type_=_i.issued_on.type)
_last = bindparam("last", type_=_i.issued_on.type)
_documents = (
    select(invoices)
    .where(
        _i.id > bindparam("after"),
        or_(
            and_(_i.issued_on >= _first, _i.issued_on <= _last),
            and_(
                _i.status == InvoiceStatus.VOID.value,
                _i.voided_at >= bindparam("since", type_=_i.voided_at.type),
                _i.voided_at < bindparam("until", type_=_i.voided_at.type),
            ),
        ),
    )
    .order_by(_i.id)
    .limit(bindparam("most"))
)
_lines = select(lines).where(in_param(_l.invoice_id, "ids")).order_by(_l.invoice_id, _l.position)
_settings = select(settings)
_closings = select(closings).order_by(closings.c.closed_until)


async def list_transfers_of_period(
    work: UnitOfWork, since: datetime, until: datetime, after: tuple[datetime, int], limit: int
) -> Sequence[PostedTransferRow]:
    """Return a page of the transfers of a period in order."""
    at, id = after
    return await work.all(_transfers, PostedTransferRow, since=since, until=until, after_at=at, after=id, most=limit)


async def list_documents_of_period(
    work: UnitOfWork, days: tuple[date, date], moments: tuple[datetime, datetime], after: int, limit: int
) -> Sequence[InvoiceRow]:
    """Return a page of the documents that were issued or voided in a period."""
    period: dict[str, Any] = {"first": days[0], "last": days[1], "since": moments[0], "until": moments[1]}
    return await work.all(_documents, InvoiceRow, **period, after=after, most=limit)


async def list_lines_of_documents(work: UnitOfWork, invoice_ids: Sequence[int]) -> dict[int, list[LineRow]]:
    """Return the lines of documents by document, in one statement."""
    found: dict[int, list[LineRow]] = {id: [] for id in invoice_ids}
    for row in await work.all(_lines, LineRow, ids=list(invoice_ids)) if invoice_ids else ():
        found[row.invoice_id].append(row)
    return found


async def get_numbers(work: UnitOfWork) -> dict[str, str]:
    """Return the account numbers of the business. Accounts without one are absent."""
    row = await work.first(_settings, JournalSettingRow)
    return dict(row.numbers) if row else {}


async def lock_settings(work: UnitOfWork, now: datetime) -> JournalSettingRow:
    """Lock and return the settings. Insert empty ones if none are set."""
    await work.insert_new(settings, [{"numbers": {}, "updated_at": now}], JournalSettingRow)
    row = await work.first(_settings.with_for_update(), JournalSettingRow)
    assert row is not None  # inserted above
    return row


async def list_closings(work: UnitOfWork) -> list[Closing]:
    """Return the closed periods, oldest first."""
    rows = await work.all(_closings, JournalClosingRow)
    return [Closing(closed_until=row.closed_until, numbers=row.numbers) for row in rows]
