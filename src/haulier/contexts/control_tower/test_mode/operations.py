"""Operations of test mode."""

from haulier.contexts.control_tower.test_mode.actions import (
    advance_order,
    advance_parcel,
    advance_payment,
    delete_test_data,
    require_test_business,
)
from haulier.contexts.control_tower.test_mode.contract import AdvancedTestRecord, AdvanceTestRecord, TestDataReset
from haulier.contexts.control_tower.test_mode.rules import (
    TEST_MODE_ONLY,
    TEST_ORDER_ON_ROUTE,
    TEST_STEP_REFUSED,
    require_one_record,
)
from haulier.contexts.payments.public import PAYMENT_STEP_REFUSED
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@writes(
    "advance_test_record",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", "/v1/test/advance"), GraphQL("advanceTestRecord")),
    errors=(TEST_MODE_ONLY, NOT_FOUND, TEST_STEP_REFUSED, TEST_ORDER_ON_ROUTE, PAYMENT_STEP_REFUSED),
)
async def advance_test_record(call: Call, request: AdvanceTestRecord) -> AdvancedTestRecord:
    """Advance a record of your test business.

    Moves an order, a parcel or an online payment to its next status, or to a named one. The same events and webhooks
    follow as in live mode. Orders on a route advance with the operations of the route. Needs a test token.
    """
    require_test_business(call)
    require_one_record(request)
    if request.order_id is not None:
        call.add_audit_subjects("order", request.order_id)
        return await advance_order(call, request.order_id, request.to)
    if request.tracking_number is not None:
        return await advance_parcel(call, request.tracking_number, request.to)
    return await advance_payment(call, request.payment_id or 0, request.to)


@writes(
    "reset_test_data",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", "/v1/test/reset"), GraphQL("resetTestData")),
    errors=(TEST_MODE_ONLY,),
)
async def reset_test_data(call: Call, request: EmptyRequest) -> TestDataReset:
    """Delete all data of your test business.

    Deletes orders, routes, settings and the users created in test mode. Test tokens and the audit trail are kept. Live
    data does not change. Needs a test token.
    """
    require_test_business(call)
    return TestDataReset(deleted=await delete_test_data(call))
