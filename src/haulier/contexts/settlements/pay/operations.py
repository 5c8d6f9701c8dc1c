"""Operations on pay."""

from base64 import b64encode

from msgspec import UNSET

from haulier.contexts.settlements.pay import actions, store
from haulier.contexts.settlements.pay.contract import (
    AdjustPay,
    CorrectEarning,
    EarningAnswer,
    EarningList,
    EndPayRate,
    GetPayStatement,
    ListEarnings,
    ListPayRates,
    PayRateAnswer,
    PayRateList,
    PayStatement,
    SetPayRate,
)
from haulier.contexts.settlements.pay.queries import load_statement, require_payee
from haulier.contexts.settlements.pay.rules import EARNING_CORRECTED, RATE_ENDS_BEFORE_IT_BEGINS, Payee, PayeeKind
from haulier.contexts.settlements.pay.serializers import earning_record, earnings_csv, pay_rate_record
from haulier.contexts.settlements.pay.store import EarningRow, PayRateRow
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
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import columns

CSV = Representations((Representation("text/csv", "csv"),), data_field="document", media_type_field="media_type")
READERS = OFFICE | {Account.CONTRACTOR}


@reads(
    "list_earnings",
    audience=READERS,
    scopes={Scope.DRIVERS_READ},
    interfaces=(Rest("GET", "/v1/pay/earnings", representations=CSV), GraphQL("earnings")),
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
    interfaces=(Rest("GET", "/v1/pay/statement", representations=CSV), GraphQL("payStatement")),
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
    interfaces=(Rest("POST", "/v1/pay/earnings/{earning_id}/correct"), GraphQL("correctEarning")),
)
async def correct_earning(call: Call, request: CorrectEarning) -> EarningAnswer:
    """Correct an earning.

    The difference to the correct amount is recorded as a separate earning. A correction can itself be corrected.
    """
    correction_id = await actions.correct_earning(call, request.earning_id, request.amount_minor, request.reason)
    return await _earning_answer(call, correction_id)


@writes(
    "adjust_pay",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/pay/adjustments"), GraphQL("adjustPay")),
)
async def adjust_pay(call: Call, request: AdjustPay) -> EarningAnswer:
    """Add a payment or deduction outside the rates.

    Use this for bonuses or penalties, for example.
    """
    await require_payee(call, request.payee_kind, request.payee_id)
    payee = Payee(request.payee_kind, request.payee_id)
    day = request.day or call.today
    return await _earning_answer(call, await actions.adjust_pay(call, payee, request.amount_minor, request.reason, day))


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


RATES_PATH = "/v1/pay/rates"


@writes(
    "set_pay_rate",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", RATES_PATH), GraphQL("setPayRate")),
)
async def set_pay_rate(call: Call, request: SetPayRate) -> PayRateAnswer:
    """Set a contractor's or driver's pay rate.

    The rate applies from a day on, per route, stop, failed stop and planned kilometre. A payee's own rate takes
    precedence over the general one, and a rate with a later start over an earlier one. Existing earnings do not
    change.
    """
    if request.payee_id is not None:
        await require_payee(call, request.payee_kind, request.payee_id)
    values = columns(
        store.pay_rates,
        request,
        payee_kind=request.payee_kind.value,
        currency=call.business.currency,
        created_at=call.now,
        created_by=call.actor,
    )
    return await _rate_answer(call, await PayRateRow.insert(call.work, **values))


@reads(
    "list_pay_rates",
    audience=OFFICE,
    scopes={Scope.DRIVERS_READ},
    interfaces=(Rest("GET", RATES_PATH), GraphQL("payRates")),
)
async def list_pay_rates(call: Call, request: ListPayRates) -> PayRateList:
    """List pay rates of contractors and drivers.

    Rates are ordered by start, latest first.
    """
    kind = request.payee_kind.value if request.payee_kind else None
    total, rows = await store.list_pay_rates_page(
        call.work, kind, request.payee_id, limit=request.per_page, offset=request.offset
    )
    rates = [pay_rate_record(row) for row in rows]
    return PayRateList(total=total, page=request.page, per_page=request.per_page, rates=rates)


@writes(
    "end_pay_rate",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, RATE_ENDS_BEFORE_IT_BEGINS),
    interfaces=(Rest("POST", f"{RATES_PATH}/{{rate_id}}/end"), GraphQL("endPayRate")),
)
async def end_pay_rate(call: Call, request: EndPayRate) -> PayRateAnswer:
    """End a pay rate.

    Existing earnings do not change.
    """
    rate = await PayRateRow.get(call.work, request.rate_id)
    if rate is None:
        raise record_not_found(rate_id=request.rate_id)
    if request.last_day < rate.valid_from:
        raise RATE_ENDS_BEFORE_IT_BEGINS(rate_id=rate.id, valid_from=rate.valid_from.isoformat())
    await store.update_rate_end(call.work, rate.id, request.last_day)
    return await _rate_answer(call, rate.id)


async def _rate_answer(call: Call, rate_id: int) -> PayRateAnswer:
    row = await PayRateRow.get(call.work, rate_id)
    assert row is not None
    return PayRateAnswer(rate=pay_rate_record(row))
