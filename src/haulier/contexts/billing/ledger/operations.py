"""Operations on the ledger."""

from base64 import b64encode
from collections.abc import Awaitable, Sequence
from datetime import date, datetime, time, timedelta

from msgspec import UNSET, UnsetType

from haulier.contexts.billing.events import CreditChanged, CreditLimitSet
from haulier.contexts.billing.ledger import actions
from haulier.contexts.billing.ledger.actions import Posted, hold_of, naming_reference
from haulier.contexts.billing.ledger.contract import (
    AccountCredits,
    AdjustCredit,
    CreditAnswer,
    CreditStatement,
    CreditTransferAnswer,
    CustomerCreditList,
    GetCreditStatement,
    LedgerAccountList,
    LedgerTransferList,
    ListCustomerCredits,
    ListLedgerAccounts,
    ListLedgerTransfers,
    SetCreditLimit,
)
from haulier.contexts.billing.ledger.queries import balance_of, credit_of, get_wallet, list_credits
from haulier.contexts.billing.ledger.rules import (
    BALANCE_OUT_OF_RANGE,
    CREDIT_IN_USE,
    CREDIT_INSUFFICIENT,
    LEDGER_KEY_REUSED,
    NOBODY,
    TransferKind,
)
from haulier.contexts.billing.ledger.serializers import (
    account_record,
    credit_record,
    hold_record,
    statement_csv,
    statement_entry,
    statement_pdf,
    transfer_record,
)
from haulier.contexts.billing.ledger.store import holds as hold_store
from haulier.contexts.billing.ledger.store import listings as store
from haulier.contexts.billing.ledger.store.listings import NewestEntryRow, StatementRow
from haulier.contexts.billing.ledger.store.tables import AccountRow
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import require_client, require_customer
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import (
    EmptyRequest,
    GraphQL,
    Mcp,
    Representation,
    Representations,
    Rest,
    reads,
    writes,
)
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.values.money import Money
from haulier.kernel.values.pagination import make_cursor, parse_cursor

CUSTOMER_PATH = "/v1/billing/credits/{customer_id}"


@writes(
    "adjust_credit",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER, CREDIT_INSUFFICIENT, LEDGER_KEY_REUSED, BALANCE_OUT_OF_RANGE),
    interfaces=(Rest("POST", f"{CUSTOMER_PATH}/adjustments"), GraphQL("adjustCredit")),
)
async def adjust_credit(call: Call, request: AdjustCredit) -> CreditTransferAnswer:
    """Correct a customer's credit.

    The correction may be positive or negative and is counted once per reference. The customer sees the reason.
    """
    if not request.amount_minor:
        raise INVALID_REQUEST.for_fields(FieldError("amount_minor", "field.amount_zero"))
    customer_id = (await require_customer(call.work, request.customer_id)).id
    money = Money(request.amount_minor, request.currency or call.business.currency)
    key = f"adjust:{customer_id}:{request.reference}"
    adjusted = actions.adjust(call, customer_id, money, key=key, reason=request.reason)
    kind = TransferKind.ADJUSTMENT
    return await publish_posting(call, customer_id, money.currency, kind, adjusted, request.reference)


@writes(
    "set_credit_limit",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER, CREDIT_IN_USE),
    interfaces=(Rest("PUT", f"{CUSTOMER_PATH}/limit"), GraphQL("setCreditLimit")),
)
async def set_credit_limit(call: Call, request: SetCreditLimit) -> CreditAnswer:
    """Set a customer's credit limit.

    The limit cannot be lower than the amount currently owed, including holds.
    """
    customer_id = (await require_customer(call.work, request.customer_id)).id
    limit = Money(request.limit_minor, request.currency or call.business.currency)
    await actions.set_credit_limit(call, customer_id, limit)
    call.add_audit_subjects("user", customer_id)
    await call.publish(CreditLimitSet(customer_id=customer_id, credit_currency=limit.currency))
    return CreditAnswer(credit=credit_record(await balance_of(call, customer_id, limit.currency)))


async def publish_posting(
    call: Call, customer_id: int, currency: str, kind: TransferKind, posting: Awaitable[Posted], reference: str
) -> CreditTransferAnswer:
    """Move money and publish `CreditChanged`. Return the transfer and the credit.

    A repeated call moves and publishes nothing.
    """
    with naming_reference(reference):
        posted = await posting
    call.add_audit_subjects("user", customer_id)
    if not posted.repeated:
        news = CreditChanged(customer_id=customer_id, transfer_id=posted.transfer_id, reason_kind=kind.value)
        await call.publish(news)
    credit = credit_record(await balance_of(call, customer_id, currency))
    return CreditTransferAnswer(transfer_id=posted.transfer_id, repeated=posted.repeated, credit=credit)


PAPERS = Representations(
    (Representation("text/csv", "csv"), Representation("application/pdf", "pdf")),
    data_field="document",
    media_type_field="media_type",
)
LATEST = date(9998, 1, 1)


@reads(
    "get_account_credits",
    audience={Account.CUSTOMER},
    scopes={Scope.ANALYTICS_READ},
    interfaces=(
        Rest("GET", "/v1/billing/my-credit"),
        GraphQL("accountCredits"),
        Mcp("get_account_credits", title="Get your credit"),
    ),
)
async def get_account_credits(call: Call, request: EmptyRequest) -> AccountCredits:
    """Get your own credit with the business.

    Shows the balance, the held amount and the available amount.
    """
    customer_id = call.actor or NOBODY
    return AccountCredits(
        credits=[credit_record(credit) for credit in await list_credits(call, customer_id)],
        holds=[hold_record(call, hold_of(row)) for row in await hold_store.list_open_holds(call.work, customer_id)],
    )


@reads(
    "list_customer_credits",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", "/v1/billing/credits"), GraphQL("customerCredits")),
)
async def list_customer_credits(call: Call, request: ListCustomerCredits) -> CustomerCreditList:
    """List customer credits and debts.

    Results are ordered by customer and currency.
    """
    filters = {"owner_id": request.customer_id, "currency": request.currency}
    total, rows = await store.list_wallets(
        call.work, filters, owing=request.owing, limit=request.per_page, offset=request.offset
    )
    credits = [credit_record(credit_of(row)) for row in rows]
    return CustomerCreditList(total=total, page=request.page, per_page=request.per_page, credits=credits)


@reads(
    "list_ledger_accounts",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", "/v1/billing/accounts"), GraphQL("ledgerAccounts")),
)
async def list_ledger_accounts(call: Call, request: ListLedgerAccounts) -> LedgerAccountList:
    """List ledger accounts and their balances.

    Includes customer credits, revenue, cash and amounts owed to carriers.
    """
    filters = request.model_dump(include={"kind", "owner_id", "currency"})
    total, rows = await store.list_account_sums(call.work, filters, limit=request.per_page, offset=request.offset)
    accounts = [account_record(row) for row in rows]
    return LedgerAccountList(total=total, page=request.page, per_page=request.per_page, accounts=accounts)


@reads(
    "list_ledger_transfers",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", "/v1/billing/transfers"), GraphQL("ledgerTransfers")),
)
async def list_ledger_transfers(call: Call, request: ListLedgerTransfers) -> LedgerTransferList:
    """List transfers between ledger accounts.

    Results are ordered newest first and can be filtered by kind or by one record.
    """
    if (request.subject_kind is None) != (request.subject_id is None):
        missing = "subject_kind" if request.subject_kind is None else "subject_id"
        raise INVALID_REQUEST.for_fields(FieldError(missing, "field.missing"))
    filters = request.model_dump(include={"kind", "subject_kind", "subject_id"})
    before = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else None
    rows = await store.list_transfers(call.work, filters, before=before, limit=request.per_page + 1)
    page = rows[: request.per_page]
    return LedgerTransferList(
        transfers=[transfer_record(call, row) for row in page],
        next_cursor=make_cursor(page[-1].id) if len(rows) > len(page) else None,
    )


@reads(
    "get_credit_statement",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ANALYTICS_READ},
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
    interfaces=(Rest("GET", "/v1/billing/statement", representations=PAPERS), GraphQL("creditStatement")),
)
async def get_credit_statement(call: Call, request: GetCreditStatement) -> CreditStatement:
    """Get a customer's credit statement.

    Shows the entries of a period with the opening and closing balance, optionally as CSV or PDF. Customers get their
    own.
    """
    customer_id = await _whose(call, request.customer_id)
    currency = request.currency or call.business.currency
    wallet = await get_wallet(call, customer_id, currency)
    opening = await _newest_before(call, wallet, request.date_from)
    closing = await _newest_before(call, wallet, request.date_to + timedelta(days=1) if request.date_to else LATEST)
    after = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else 0
    rows: Sequence[StatementRow] = []
    if wallet and closing:
        after = max(after, opening.seq if opening else 0)
        rows = await store.list_entries(call.work, wallet.id, after=after, last=closing.seq, limit=request.per_page + 1)
    page = rows[: request.per_page]
    entries = [statement_entry(call, row) for row in page]
    statement = CreditStatement(
        customer_id=customer_id,
        credit_currency=currency,
        date_from=request.date_from,
        date_to=request.date_to,
        opening_minor=_shown_balance(call, opening),
        closing_minor=_shown_balance(call, closing),
        price_hidden=bool(call.principal.hidden_prices) or UNSET,
        entries=entries,
        next_cursor=make_cursor(page[-1].seq) if len(rows) > len(page) else None,
    )
    if request.format == "csv":
        statement.document = b64encode(statement_csv(entries).encode()).decode()
    elif request.format == "pdf":
        customer = (await require_customer(call.work, customer_id)).name
        issuer = (await require_client(call.work, call.client_id)).name
        statement.document = b64encode(statement_pdf(call, statement, issuer=issuer, customer=customer)).decode()
        statement.media_type = "application/pdf"
    return statement


def _shown_balance(call: Call, entry: NewestEntryRow | None) -> int | UnsetType:
    """Return the balance after an entry, unless it is hidden.

    Balances are hidden before documents are drawn, because they are not fields of an answer.
    """
    if call.principal.hidden_prices:
        return UNSET
    return entry.balance_minor if entry else 0


async def _newest_before(call: Call, wallet: AccountRow | None, day: date | None) -> NewestEntryRow | None:
    """Return the newest wallet entry before a day in the business's time zone."""
    if wallet is None or day is None:
        return None
    midnight = datetime.combine(day, time.min, tzinfo=call.time_zone)
    return await store.get_newest_entry_before(call.work, wallet.id, midnight)


async def _whose(call: Call, customer_id: int | None) -> int:
    """Return the customer of a statement.

    Raises `INVALID_REQUEST` if staff name none, and `NOT_FOUND`.
    """
    if call.principal.account is Account.CUSTOMER:
        return call.actor or NOBODY
    if customer_id is None:
        raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.missing"))
    return (await require_customer(call.work, customer_id)).id
