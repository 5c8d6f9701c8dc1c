"""Lines of charges: what invoices print of them."""

from collections.abc import Sequence

from sqlalchemy import func, select

from haulier.contexts.billing.ledger.store.tables import ChargeLineRow as ChargeLineRow
from haulier.contexts.billing.ledger.store.tables import charge_lines, transfers
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class EntryLineRow(ChargeLineRow):
    """Line of a charge, for the charge itself or for a refund of it."""

    entry_id: int
    charged_minor: int
    """Amount of the charge in minor units."""


_charged = transfers.alias("charged")
_lines_of_entries = (
    select(charge_lines, transfers.c.id.label("entry_id"), _charged.c.amount_minor.label("charged_minor"))
    .select_from(
        transfers.join(_charged, _charged.c.id == func.coalesce(transfers.c.refund_of, transfers.c.id)).join(
            charge_lines, charge_lines.c.transfer_id == _charged.c.id
        )
    )
    .where(in_param(transfers.c.id, "ids"))
)


async def list_entry_lines(work: UnitOfWork, transfer_ids: Sequence[int]) -> dict[int, EntryLineRow]:
    """Return the lines of charges and their refunds, by transfer."""
    rows = await work.all(_lines_of_entries, EntryLineRow, ids=list(transfer_ids)) if transfer_ids else []
    return {row.entry_id: row for row in rows}
