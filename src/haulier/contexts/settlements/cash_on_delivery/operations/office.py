"""Office operations for cash on delivery."""

from haulier.contexts.fleet.public import get_visible_driver
from haulier.contexts.settlements.cash_on_delivery.actions import entries
from haulier.contexts.settlements.cash_on_delivery.contract import (
    CodEntryAnswer,
    HandedInCash,
    HandInCash,
    RecordCodPayment,
    ReverseCodEntry,
    WriteOffCod,
)
from haulier.contexts.settlements.cash_on_delivery.queries.positions import get_cod_position, load_driver_cash
from haulier.contexts.settlements.cash_on_delivery.rules.entries import (
    COD_NOT_REVERSIBLE,
    COD_NOTHING_OPEN,
    COD_TOO_MUCH,
    HAND_IN_NEEDS_REASON,
)
from haulier.contexts.settlements.cash_on_delivery.serializers import cod_entry_record
from haulier.contexts.settlements.cash_on_delivery.store import CodEntryRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

ORDER_PATH = "/v1/cod/orders/{order_id}"


@writes(
    "hand_in_cash",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, HAND_IN_NEEDS_REASON),
    doors=(Rest("POST", "/v1/cod/hand-ins"), GraphQL("handInCash")),
)
async def hand_in_cash(call: Call, request: HandInCash) -> HandedInCash:
    """Record cash that a driver hands in.

    A surplus or shortage against the driver's balance is recorded as a difference with its reason. The balance is
    then zero.
    """
    driver = await get_visible_driver(call, request.driver_id)
    expected, counted = await entries.hand_in_cash(
        call, driver, request.counted_minor, settles=request.settles, reason=request.reason
    )
    return HandedInCash(
        expected_minor=expected,
        counted_minor=request.counted_minor,
        difference_minor=counted.difference,
        cash=await load_driver_cash(call, driver),
    )


@writes(
    "record_cod_payment",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, COD_NOTHING_OPEN, COD_TOO_MUCH),
    doors=(Rest("POST", f"{ORDER_PATH}/payments"), GraphQL("recordCodPayment")),
)
async def record_cod_payment(call: Call, request: RecordCodPayment) -> CodEntryAnswer:
    """Record a direct payment for an order.

    Use this for money that the office received itself, such as a bank transfer on the following day. The order must
    have an open amount.
    """
    entry_id = await entries.record_office_payment(
        call, request.order_id, request.method, request.amount_minor, request.reason
    )
    return await _entry_answer(call, entry_id)


@writes(
    "write_off_cod",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, COD_NOTHING_OPEN, COD_TOO_MUCH),
    doors=(Rest("POST", f"{ORDER_PATH}/write-off"), GraphQL("writeOffCod")),
)
async def write_off_cod(call: Call, request: WriteOffCod) -> CodEntryAnswer:
    """Write off an order's open amount.

    Writes off all or part of the amount. The written-off part is no longer collected.
    """
    return await _entry_answer(
        call, await entries.write_off_cod(call, request.order_id, request.amount_minor, request.reason)
    )


@writes(
    "reverse_cod_entry",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, COD_NOT_REVERSIBLE),
    doors=(Rest("POST", "/v1/cod/entries/{entry_id}/reverse"), GraphQL("reverseCodEntry")),
)
async def reverse_cod_entry(call: Call, request: ReverseCodEntry) -> CodEntryAnswer:
    """Reverse a wrong cash-on-delivery entry.

    Adds an entry with the opposite amount. Both entries remain in the list. Amounts due cannot be reversed.
    """
    return await _entry_answer(call, await entries.reverse_cod_entry(call, request.entry_id, request.reason))


async def _entry_answer(call: Call, entry_id: int) -> CodEntryAnswer:
    row = await CodEntryRow.get(call.work, entry_id)
    assert row is not None
    position = await get_cod_position(call, row.order_id) if row.order_id is not None else None
    return CodEntryAnswer(entry=cod_entry_record(call, row), open_minor=position.open if position else None)
