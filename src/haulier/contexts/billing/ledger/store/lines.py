"""Lines of charges: what invoices print of them."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any

from sqlalchemy import String, UniqueConstraint, func, select

from haulier.contexts.billing.ledger.rules import CHARGED_REFERENCE_MAX, ITEM_MAX, RECIPIENT_MAX
from haulier.contexts.billing.ledger.store.tables import transfers
from haulier.contexts.billing.taxes.rules import CERTIFICATE_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class ChargeLineRow(Record, table="charge_line", items=[UniqueConstraint("client_id", "transfer_id")]):
    """Description of a charge, as invoices print it.

    A charge without taxes is taxed at the default rate of its invoice. An exemption explains untaxed charges.
    """

    transfer_id: Reference
    item: Annotated[str, String(ITEM_MAX)] | None
    reference: Annotated[str, String(CHARGED_REFERENCE_MAX)] | None
    recipient: Annotated[str, String(RECIPIENT_MAX)] | None
    serviced_on: date | None
    taxes: list[dict[str, Any]] | None
    exemption_kind: Annotated[str, String(20)] | None
    exemption_number: Annotated[str, String(CERTIFICATE_MAX)] | None


charge_lines = ChargeLineRow.table
personal_data(
    charge_lines,
    RecordKind.ORDER_CONTACTS,
    by={"recipient": PersonKey.NAME},
    erased={"recipient": None, "exemption_number": None},
    plain=("item", "reference", "taxes", "exemption_kind"),
)


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
