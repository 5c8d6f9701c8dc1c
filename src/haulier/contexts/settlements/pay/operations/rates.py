"""Operations for pay rates."""

from haulier.contexts.settlements.pay import store
from haulier.contexts.settlements.pay.contract import (
    EndPayRate,
    ListPayRates,
    PayRateAnswer,
    PayRateList,
    SetPayRate,
)
from haulier.contexts.settlements.pay.queries.payees import require_payee
from haulier.contexts.settlements.pay.rules import RATE_ENDS_BEFORE_IT_BEGINS
from haulier.contexts.settlements.pay.serializers import pay_rate_record
from haulier.contexts.settlements.pay.store import PayRateRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import columns

RATES_PATH = "/v1/pay/rates"


@writes(
    "set_pay_rate",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", RATES_PATH), GraphQL("setPayRate")),
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
    doors=(Rest("GET", RATES_PATH), GraphQL("payRates")),
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
    doors=(Rest("POST", f"{RATES_PATH}/{{rate_id}}/end"), GraphQL("endPayRate")),
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
