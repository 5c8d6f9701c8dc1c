"""Rules of the accounting journal: accounts and balanced entries."""

from collections.abc import Mapping, Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.billing.invoices.rules import INVOICE_SUBJECT, InvoiceKind
from haulier.contexts.billing.ledger.rules import AccountKind, TransferKind
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.rounding import divide_half_up
from haulier.kernel.values.taxes import Tax, rate_in_bp

JOURNAL_PERIOD_CLOSED = declare_error("journal_period_closed", 409)
JOURNAL_PERIOD_NOT_OVER = declare_error("journal_period_not_over", 409)
NUMBER_MAX = 20


class JournalAccount(StrEnum):
    """Account of the journal."""

    CASH = "cash"
    BANK = "bank"
    PAYMENT_PROVIDER = "payment_provider"
    DRIVER_CASH = "driver_cash"
    RECEIVABLES = "receivables"
    PAYMENT_CLAIMS = "payment_claims"
    CARRIER_PAYABLE = "carrier_payable"
    TAX = "tax"
    COD_PAYABLE = "cod_payable"
    REVENUE_LOCAL_DELIVERY = "revenue_local_delivery"
    REVENUE_LABEL_SERVICE = "revenue_label_service"
    REVENUE_SHIPPING_SERVICE = "revenue_shipping_service"
    REVENUE_LTL_SERVICE = "revenue_ltl_service"
    REVENUE_STORAGE_SERVICES = "revenue_storage_services"
    REVENUE_MOVING_SERVICES = "revenue_moving_services"
    REVENUE_DEVICE_ORDERS = "revenue_device_orders"
    REVENUE_OTHER = "revenue_other"
    REFUNDS = "refunds"
    WRITE_OFFS = "write_offs"
    CARRIER_COSTS = "carrier_costs"


DEFAULT_NUMBERS: Mapping[JournalAccount, str] = {
    JournalAccount.CASH: "1000",
    JournalAccount.BANK: "1010",
    JournalAccount.PAYMENT_PROVIDER: "1020",
    JournalAccount.DRIVER_CASH: "1030",
    JournalAccount.RECEIVABLES: "1200",
    JournalAccount.PAYMENT_CLAIMS: "1210",
    JournalAccount.CARRIER_PAYABLE: "2100",
    JournalAccount.TAX: "2200",
    JournalAccount.COD_PAYABLE: "2300",
    JournalAccount.REVENUE_LOCAL_DELIVERY: "4000",
    JournalAccount.REVENUE_LABEL_SERVICE: "4010",
    JournalAccount.REVENUE_SHIPPING_SERVICE: "4020",
    JournalAccount.REVENUE_LTL_SERVICE: "4030",
    JournalAccount.REVENUE_STORAGE_SERVICES: "4040",
    JournalAccount.REVENUE_MOVING_SERVICES: "4050",
    JournalAccount.REVENUE_DEVICE_ORDERS: "4060",
    JournalAccount.REVENUE_OTHER: "4090",
    JournalAccount.REFUNDS: "4900",
    JournalAccount.WRITE_OFFS: "4950",
    JournalAccount.CARRIER_COSTS: "5000",
}
_OF_KIND: Mapping[str, JournalAccount] = {
    AccountKind.WALLET: JournalAccount.RECEIVABLES,
    AccountKind.ONLINE: JournalAccount.PAYMENT_PROVIDER,
    **{kind: JournalAccount(kind.value) for kind in AccountKind if kind.value in set(JournalAccount)},
}


class JournalEntryKind(StrEnum):
    """Origin of an entry."""

    TRANSFER = "transfer"
    """Transfer of the ledger."""
    TAX = "tax"
    """Taxes of an issued invoice or credit note."""
    TAX_REVERSAL = "tax_reversal"
    """Taxes of a voided invoice."""


class PostedLine(Struct, frozen=True, kw_only=True):
    """Side of an entry. Positive amounts are debits, negative ones credits."""

    account: JournalAccount
    minor: int
    tax_name: str | None = None
    tax_rate_bp: int | None = None
    tax_rate_ppm: int | None = None


class TaxedLine(Struct, frozen=True, kw_only=True):
    """Line of an invoice or credit note with its taxes.

    `taxes` is None for the default tax of the document.
    """

    kind: str
    gross_minor: int
    price_family: str | None
    taxes: Sequence[Tax] | None


def revenue_of(family: str | None) -> JournalAccount:
    """Return the revenue account of a price family."""
    return JournalAccount(f"revenue_{PriceFamily(family).value}") if family else JournalAccount.REVENUE_OTHER


def account_of_side(kind: str, transfer_kind: str, family: str | None, subject_kind: str | None) -> JournalAccount:
    """Return the account of one side of a transfer."""
    if kind == AccountKind.REVENUE:
        return JournalAccount.REFUNDS if transfer_kind == TransferKind.REFUND else revenue_of(family)
    if kind == AccountKind.ADJUSTMENTS:
        credited = transfer_kind == TransferKind.ADJUSTMENT and subject_kind == INVOICE_SUBJECT
        return JournalAccount.REFUNDS if credited else JournalAccount.WRITE_OFFS
    return _OF_KIND[kind]


def account_of_line(line: TaxedLine, document: InvoiceKind) -> JournalAccount:
    """Return the account that contains the tax of a line before it is invoiced."""
    if line.kind == TransferKind.REFUND or document is InvoiceKind.CREDIT_NOTE:
        return JournalAccount.REFUNDS
    return JournalAccount.WRITE_OFFS if line.kind == TransferKind.ADJUSTMENT else revenue_of(line.price_family)


def state_taxes(lines: Sequence[TaxedLine], name: str, rate_bp: int, tax_minor: int) -> list[Sequence[Tax]]:
    """Return the taxes of each line.

    Lines without stated taxes share the rest of the document's tax.
    """
    rest = tax_minor - sum(tax.amount_minor for line in lines for tax in line.taxes or ())
    shared = sum(line.gross_minor for line in lines if line.taxes is None)
    stated, before = list[Sequence[Tax]](), 0
    for line in lines:
        if line.taxes is not None:
            stated.append(line.taxes)
            continue
        after = before + line.gross_minor
        minor = divide_half_up(rest * after, shared) - divide_half_up(rest * before, shared) if shared else 0
        before = after
        stated.append([Tax(name=name, rate_bp=rate_bp, amount_minor=minor)] if rate_bp else [])
    return stated


def post_taxes(
    lines: Sequence[TaxedLine], stated: Sequence[Sequence[Tax]], document: InvoiceKind, *, reverse: bool = False
) -> list[PostedLine]:
    """Return the sides of an entry that moves taxes from revenue to tax accounts."""
    sign = -1 if (document is InvoiceKind.CREDIT_NOTE) != reverse else 1
    sums: dict[tuple[JournalAccount, str | None, int | None], int] = {}
    for line, taxes in zip(lines, stated, strict=True):
        for tax in taxes:
            for key, minor in (
                ((account_of_line(line, document), None, None), sign * tax.amount_minor),
                ((JournalAccount.TAX, tax.name, tax.ppm), -sign * tax.amount_minor),
            ):
                sums[key] = sums.get(key, 0) + minor
    return [
        PostedLine(
            account=account,
            minor=minor,
            tax_name=name,
            tax_rate_bp=None if rate is None else rate_in_bp(rate),
            tax_rate_ppm=rate,
        )
        for (account, name, rate), minor in sums.items()
        if minor
    ]


class Closing(Struct, frozen=True, kw_only=True):
    """Closed period and the account numbers that it keeps."""

    closed_until: date
    numbers: Mapping[str, str]


def numbers_on(day: date, closings: Sequence[Closing], current: Mapping[str, str]) -> Mapping[str, str]:
    """Return the account numbers of a day: of its closed period, or current ones."""
    return next((each.numbers for each in closings if day <= each.closed_until), current)


def tax_key(name: str, rate_bp: int) -> str:
    """Return the key of a tax account, such as `tax:VAT:1900`."""
    return f"{JournalAccount.TAX.value}:{name}:{rate_bp}"


def number_of(line: PostedLine, numbers: Mapping[str, str]) -> str:
    """Return the account number of a line. A tax may have an account by name and rate."""
    if line.tax_rate_bp is not None and (own := numbers.get(tax_key(line.tax_name or "", line.tax_rate_bp))):
        return own
    return numbers.get(line.account.value) or DEFAULT_NUMBERS[line.account]
