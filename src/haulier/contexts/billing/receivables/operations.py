"""Operations on receivables."""

from base64 import b64encode

from msgspec import UNSET, structs

from haulier.contexts.billing.journal.operations import CSV
from haulier.contexts.billing.receivables.contract import AgeRange, GetReceivables, ReceivableList
from haulier.contexts.billing.receivables.rules import age_brackets
from haulier.contexts.billing.receivables.serializers import aged_sums, customer_receivables, receivables_csv
from haulier.contexts.billing.receivables.store import list_aged_rows, sum_aged_rows
from haulier.contexts.identity.public import get_users_by_id
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.values.pagination import total_fields

ROWS_OF_FILE = 10_000
"""Maximum number of rows of a CSV file."""


@reads(
    "get_receivables",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", "/v1/billing/receivables", representations=CSV), GraphQL("receivables")),
)
async def get_receivables(call: Call, request: GetReceivables) -> ReceivableList:
    """Get receivables by customer and age.

    Sums the open invoices of each customer and currency by days past the due date, the longest overdue first.
    Also available as CSV. `list_invoices` with the `due_from` and `due_to` of an age lists the invoices behind an amount.
    """
    hidden = bool(call.principal.hidden_prices)
    limit, offset = (ROWS_OF_FILE, 0) if request.format else (request.per_page, request.offset)
    rows, counted = await list_aged_rows(call.work, call.today, request.customer_id, limit=limit, offset=offset)
    users = await get_users_by_id(call, {row.customer_id for row in rows})
    found = customer_receivables(rows, {id: user.name for id, user in users.items()})
    return ReceivableList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        receivables=found,
        sums=aged_sums(await sum_aged_rows(call.work, call.today, request.customer_id)),
        ages=[AgeRange(**structs.asdict(each)) for each in age_brackets(call.today)],
        document=b64encode(receivables_csv(found).encode()).decode() if request.format and not hidden else UNSET,
    )
