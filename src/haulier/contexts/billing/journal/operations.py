"""Operations on the accounting journal."""

from base64 import b64encode
from datetime import datetime

from haulier.contexts.billing.journal import store
from haulier.contexts.billing.journal.contract import (
    CloseJournalPeriod,
    JournalEntryList,
    JournalSettings,
    ListJournalEntries,
    NumberedAccount,
    NumberedTaxAccount,
    SetJournalSettings,
)
from haulier.contexts.billing.journal.queries import list_entries, load_numbers
from haulier.contexts.billing.journal.rules import (
    DEFAULT_NUMBERS,
    JOURNAL_PERIOD_CLOSED,
    JOURNAL_PERIOD_NOT_OVER,
    JournalAccount,
    tax_key,
)
from haulier.contexts.billing.journal.serializers import journal_csv, journal_fec
from haulier.contexts.billing.journal.store import JournalClosingRow, JournalSettingRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import (
    EmptyRequest,
    GraphQL,
    Representation,
    Representations,
    Rest,
    reads,
    writes,
)
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.values.pagination import make_cursor, parse_cursor

JOURNAL_PATH = "/v1/billing/journal"
SETTINGS_PATH = "/v1/billing/journal-settings"
READ, WRITE = {Scope.ANALYTICS_READ}, {Scope.BILLING_WRITE}
CSV = Representations((Representation("text/csv", "csv"),), data_field="document", media_type_field="media_type")


@reads(
    "list_journal_entries",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", JOURNAL_PATH, representations=CSV), GraphQL("journalEntries")),
)
async def list_journal_entries(call: Call, request: ListJournalEntries) -> JournalEntryList:
    """List the accounting journal of a period.

    Without days, the period is the current month so far. Lists the transfers of the ledger in order, then the taxes of
    invoices and credit notes. Debit equals credit in every entry. Optionally returns the page as CSV or in the French
    FEC format.
    """
    after = parse_cursor(request.cursor, tuple[str, datetime, int]) if request.cursor else None
    first, last = request.days(call.today)
    entries, following = await list_entries(call, first, last, after, request.per_page)
    page = JournalEntryList(entries=entries, next_cursor=make_cursor(*following) if following else None)
    if request.format:
        render = journal_csv if request.format == "csv" else journal_fec
        page.document = b64encode(render(call, entries, header=request.cursor is None).encode()).decode()
    return page


@reads(
    "get_journal_settings",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", SETTINGS_PATH), GraphQL("journalSettings")),
)
async def get_journal_settings(call: Call, request: EmptyRequest) -> JournalSettings:
    """Get the account numbers of the journal."""
    return await _settings(call)


@writes(
    "set_journal_settings",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", SETTINGS_PATH), GraphQL("setJournalSettings")),
)
async def set_journal_settings(call: Call, request: SetJournalSettings) -> JournalSettings:
    """Replace the account numbers of the journal.

    Closed periods keep their numbers.
    """
    row = await store.lock_settings(call.work, call.now)
    numbers = {each.account.value: each.number for each in request.accounts}
    numbers |= {tax_key(each.name, each.rate_bp): each.number for each in request.tax_accounts}
    await JournalSettingRow.update(call.work, row.id, {"numbers": numbers, "updated_at": call.now})
    return await _settings(call)


@writes(
    "close_journal_period",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    errors=(JOURNAL_PERIOD_CLOSED, JOURNAL_PERIOD_NOT_OVER),
    interfaces=(Rest("POST", f"{JOURNAL_PATH}/closings", status=201), GraphQL("closeJournalPeriod")),
)
async def close_journal_period(call: Call, request: CloseJournalPeriod) -> JournalSettings:
    """Close the journal up to a day.

    Entries of a closed period keep their account numbers.
    """
    row = await store.lock_settings(call.work, call.now)
    closings = await store.list_closings(call.work)
    if closings and request.closed_until <= closings[-1].closed_until:
        raise JOURNAL_PERIOD_CLOSED(day=str(closings[-1].closed_until))
    if request.closed_until >= call.today:
        raise JOURNAL_PERIOD_NOT_OVER(day=str(request.closed_until))
    closing_id = await JournalClosingRow.insert(
        call.work,
        closed_until=request.closed_until,
        numbers=row.numbers,
        closed_at=call.now,
        closed_by=call.actor,
    )
    call.add_audit_subjects("journal_closing", closing_id)
    return await _settings(call)


async def _settings(call: Call) -> JournalSettings:
    numbers = await load_numbers(call)
    taxes = sorted(key.split(":") for key in numbers.current if ":" in key)
    return JournalSettings(
        accounts=[
            NumberedAccount(account=account, number=numbers.current.get(account.value) or DEFAULT_NUMBERS[account])
            for account in JournalAccount
        ],
        tax_accounts=[
            NumberedTaxAccount(
                name=":".join(names), rate_bp=int(rate), number=numbers.current[tax_key(":".join(names), int(rate))]
            )
            for _, *names, rate in taxes
        ],
        closed_until=numbers.closings[-1].closed_until if numbers.closings else None,
    )
