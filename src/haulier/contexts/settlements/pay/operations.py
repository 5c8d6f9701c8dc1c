"""Operations for earnings and weekly statements."""

from base64 import b64encode

from msgspec import UNSET

from haulier.contexts.settlements.pay import store
from haulier.contexts.settlements.pay.actions import earnings
from haulier.contexts.settlements.pay.contract import (
    AdjustPay,
    CorrectEarning,
    EarningAnswer,
    EarningList,
    GetPayStatement,
    ListEarnings,
    PayStatement,
)
from haulier.contexts.settlements.pay.queries.payees import require_payee
from haulier.contexts.settlements.pay.queries.statements import load_statement
from haulier.contexts.settlements.pay.rules import EARNING_CORRECTED, Payee, PayeeKind
from haulier.contexts.settlements.pay.serializers import earning_record, earnings_csv
from haulier.contexts.settlements.pay.store import EarningRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import (
    GraphQL,
    Representation,
    Representations,
    Rest,
    reads,
    writes,
)
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError

CSV = Representations((Representation("text/csv", "csv"),), data_field="document", media_type_field="media_type")
READERS = OFFICE | {Account.CONTRACTOR}


@reads(
    "list_earnings",
    audience=READERS,
    scopes={Scope.DRIVERS_READ},
    doors=(Rest("GET", "/v1/pay/earnings", representations=CSV), GraphQL("earnings")),
)
async def list_earnings(call: Call, request: ListEarnings) -> EarningList:
    """List earnings of contractors and drivers.

    Earnings are returned oldest first, optionally as CSV. Contractors see only their own.
    """
    own = _own_payee(call)
    kind, payee_id = (own.kind, own.id) if own else (request.payee_kind, request.payee_id)
    filters = {
        "since": request.date_from,
        "until": request.date_to,
        "kind": kind.value if kind else None,
        "payee": payee_id,
    }
    total, rows = await store.list_earnings_page(call.work, filters, limit=request.per_page, offset=request.offset)
    records = [earning_record(call, row) for row in rows]
    return EarningList(
        total=total,
        page=request.page,
        per_page=request.per_page,
        earnings=records,
        document=b64encode(earnings_csv(records).encode()).decode() if request.format else UNSET,
    )


@reads(
    "get_pay_statement",
    replica=True,
    audience=READERS,
    scopes={Scope.DRIVERS_READ},
    doors=(Rest("GET", "/v1/pay/statement", representations=CSV), GraphQL("payStatement")),
)
async def get_pay_statement(call: Call, request: GetPayStatement) -> PayStatement:
    """Get the pay statement of a week.

    Includes every line and the sums for a contractor or driver, optionally as CSV. Contractors see only their own.
    Corrections belong to the week in which they were made.
    """
    payee = _own_payee(call) or _named_payee(request)
    name = await require_payee(call, payee.kind, payee.id)
    statement = await load_statement(call, payee, name, request.week_of)
    if request.format:
        statement.document = b64encode(earnings_csv(statement.lines).encode()).decode()
    return statement


@writes(
    "correct_earning",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, EARNING_CORRECTED),
    doors=(Rest("POST", "/v1/pay/earnings/{earning_id}/correct"), GraphQL("correctEarning")),
)
async def correct_earning(call: Call, request: CorrectEarning) -> EarningAnswer:
    """Correct an earning.

    The difference to the correct amount is recorded as a separate earning. A correction can itself be corrected.
    """
    correction_id = await earnings.correct_earning(call, request.earning_id, request.amount_minor, request.reason)
    return await _earning_answer(call, correction_id)


@writes(
    "adjust_pay",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/pay/adjustments"), GraphQL("adjustPay")),
)
async def adjust_pay(call: Call, request: AdjustPay) -> EarningAnswer:
    """Add a payment or deduction outside the rates.

    Use this for bonuses or penalties, for example.
    """
    await require_payee(call, request.payee_kind, request.payee_id)
    payee = Payee(request.payee_kind, request.payee_id)
    day = request.day or call.today
    return await _earning_answer(
        call, await earnings.adjust_pay(call, payee, request.amount_minor, request.reason, day)
    )


def _own_payee(call: Call) -> Payee | None:
    if call.principal.account is not Account.CONTRACTOR or call.actor is None:
        return None
    return Payee(PayeeKind.CONTRACTOR, call.actor)


def _named_payee(request: GetPayStatement) -> Payee:
    missing = [name for name in ("payee_kind", "payee_id") if getattr(request, name) is None]
    if request.payee_kind is None or request.payee_id is None:
        raise INVALID_REQUEST.for_fields(*(FieldError(name, "field.missing") for name in missing))
    return Payee(request.payee_kind, request.payee_id)


async def _earning_answer(call: Call, earning_id: int) -> EarningAnswer:
    row = await EarningRow.get(call.work, earning_id)
    assert row is not None
    return EarningAnswer(earning=earning_record(call, row))
