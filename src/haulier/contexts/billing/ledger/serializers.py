"""Serializers for ledger rows."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from haulier.contexts.billing.ledger.actions import Hold
from haulier.contexts.billing.ledger.contract import (
    CreditHold,
    CreditStatement,
    CustomerCredit,
    LedgerAccount,
    LedgerTransfer,
    StatementEntry,
)
from haulier.contexts.billing.ledger.queries import Credit
from haulier.contexts.billing.ledger.rules import (
    CREDITED_SUBJECT,
    DEBIT_SIDE,
    REFUNDABLE,
    AccountKind,
    TransferKind,
    shown_balance,
)
from haulier.contexts.billing.ledger.store.listings import AccountSumRow, ListedTransferRow, StatementRow
from haulier.contexts.billing.ledger.store.tables import left_of
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.records import record
from haulier.kernel.values.csv_text import csv_text
from haulier.kernel.values.money import Money
from haulier.rendering.pdf import render_pdf
from haulier.rendering.sheets import PaperHead
from haulier.rendering.statements import StatementPaper, StatementPaperLine, lay_out_statement

CSV_COLUMNS = ("transfer_id", "at", "kind", "amount_minor", "balance_minor", "subject_kind", "subject_id", "reason")


def credit_record(credit: Credit) -> CustomerCredit:
    """Return a customer's credit."""
    return CustomerCredit(
        customer_id=credit.customer_id,
        credit_currency=credit.balance.currency,
        balance_minor=credit.balance.minor,
        held_minor=credit.held.minor,
        limit_minor=credit.limit.minor,
        available_minor=credit.available.minor,
    )


def hold_record(call: Call, hold: Hold) -> CreditHold:
    """Return a hold, without its amount if the caller may not see the prices."""
    subject = hold.subject
    hidden = subject is not None and _hidden(call, subject.family)
    return CreditHold(
        hold_id=hold.id,
        credit_currency=hold.money.currency,
        held_amount_minor=UNSET if hidden else hold.money.minor,
        price_hidden=hidden or UNSET,
        subject_kind=subject and subject.kind,
        subject_id=subject and subject.id,
        expires_at=call.local_time(hold.expires_at),
    )


def account_record(row: AccountSumRow) -> LedgerAccount:
    """Return an account with its balance from the side on which it grows."""
    kind = AccountKind(row.kind)
    return LedgerAccount(
        kind=kind,
        owner_id=row.owner_id or None,
        credit_currency=row.currency,
        balance_minor=shown_balance(kind, row.balance_minor),
        side="debit" if kind in DEBIT_SIDE else "credit",
    )


def transfer_record(call: Call, row: ListedTransferRow) -> LedgerTransfer:
    """Return a transfer."""
    return record(
        LedgerTransfer,
        row,
        kind=TransferKind(row.kind),
        debit=AccountKind(row.debit),
        debit_owner_id=row.debit_owner_id or None,
        credit=AccountKind(row.credit),
        credit_owner_id=row.credit_owner_id or None,
        credit_currency=row.currency,
        refundable_minor=left_of(row) if row.kind in REFUNDABLE else None,
        at=call.local_time(row.at),
    )


def statement_entry(call: Call, row: StatementRow) -> StatementEntry:
    """Return a line of a statement.

    Customers who may not see the prices of its family see no amount. The balances would reveal the amount as well,
    so customers with any hidden prices see no balances. A credit note of one line is the price of that line.
    """
    is_credit_note = row.kind == TransferKind.ADJUSTMENT and row.subject_kind == CREDITED_SUBJECT
    hidden = _hidden(call, PriceFamily(row.price_family) if row.price_family else None) or (
        is_credit_note and bool(call.principal.hidden_prices)
    )
    return record(
        StatementEntry,
        row,
        kind=TransferKind(row.kind),
        at=call.local_time(row.at),
        amount_minor=UNSET if hidden else row.amount_minor,
        balance_minor=UNSET if call.principal.hidden_prices else row.balance_minor,
        price_hidden=hidden or UNSET,
    )


def statement_csv(entries: Sequence[StatementEntry]) -> str:
    """Return a statement as a CSV document, one line per entry."""
    lines = ([getattr(entry, name) for name in CSV_COLUMNS] for entry in entries)
    return csv_text(CSV_COLUMNS, ([None if value is UNSET else value for value in line] for line in lines))


def statement_pdf(call: Call, statement: CreditStatement, *, issuer: str, customer: str) -> bytes:
    """Return a statement as a PDF document in the caller's language.

    It names the business and the customer and lists the entries.
    """
    head = PaperHead(
        issuer=issuer,
        number=str(statement.customer_id),
        verify_url="",
        moment=f"{call.local_time(call.now):%Y-%m-%d %H:%M}",
        language=call.language,
    )
    paper = StatementPaper(
        head=head,
        customer=customer,
        date_from=str(statement.date_from or ""),
        date_to=str(statement.date_to or ""),
        opening=_shown_amount(call, statement, statement.opening_minor),
        closing=_shown_amount(call, statement, statement.closing_minor),
        lines=[_paper_line(call, statement, entry) for entry in statement.entries],
        goes_on=statement.next_cursor is not None,
    )
    title = call.translate("paper_credit_statement")
    return render_pdf(lay_out_statement(paper), title=title, language=call.language)


def _paper_line(call: Call, statement: CreditStatement, entry: StatementEntry) -> StatementPaperLine:
    about = f"{entry.subject_kind} {entry.subject_id}".replace("_", " ") if entry.subject_kind else ""
    said = (call.translate(f"transfer_{entry.kind.value}"), about, entry.reason or "")
    return StatementPaperLine(
        day=f"{entry.at:%Y-%m-%d}",
        text=" · ".join(part for part in said if part),
        amount=_shown_amount(call, statement, entry.amount_minor),
        balance=_shown_amount(call, statement, entry.balance_minor),
    )


def _shown_amount(call: Call, statement: CreditStatement, minor: int | UnsetType) -> str:
    return "" if minor is UNSET else Money(minor, statement.credit_currency).format(call.language)


def _hidden(call: Call, family: PriceFamily | None) -> bool:
    return family is not None and call.principal.hides(family)
