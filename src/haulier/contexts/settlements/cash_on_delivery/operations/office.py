"""What the office does about cash on delivery: count what drivers hand in, take payments, write off, and take back."""

from haulier.contexts.fleet.public import get_visible_driver
from haulier.contexts.settlements.cash_on_delivery import store
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
    """Record the cash that a driver hands in at the office, as it was counted.

    What is over or missing against the driver's balance is kept as a difference, with its reason; the balance is zero then.
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
    """Record money that came to the office for an order of which something is open, such as a transfer the day after."""
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
    """Give up what is open of an order, or a part of it. Nobody asks for it any more."""
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
    """Take back a wrong entry by another with the opposite amount. Both stay; what is due cannot be taken back."""
    return await _entry_answer(call, await entries.reverse_cod_entry(call, request.entry_id, request.reason))


async def _entry_answer(call: Call, entry_id: int) -> CodEntryAnswer:
    row = await store.get_cod_entry(call.work, entry_id)
    assert row is not None
    position = await get_cod_position(call, row.order_id) if row.order_id is not None else None
    return CodEntryAnswer(entry=cod_entry_record(call, row), open_minor=position.open if position else None)
