"""A driver reads their own cash and earnings."""

from haulier.contexts.driver_app.driver_account.queries import NO_DRIVER_RECORD, get_calling_driver
from haulier.contexts.driver_app.policy.operations import DRIVERS_ONLY
from haulier.contexts.settlements.cash_on_delivery.contract import GetMyCash, MyCash
from haulier.contexts.settlements.pay.contract import GetMyEarnings, PayStatement
from haulier.contexts.settlements.public import Payee, PayeeKind, load_own_cash, load_statement
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import Scope


@reads(
    "get_my_cash",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_READ},
    errors=(NO_DRIVER_RECORD,),
    interfaces=(Rest("GET", "/v1/rider/cash"), GraphQL("myCash")),
)
async def get_my_cash(call: Call, request: GetMyCash) -> MyCash:
    """Get the cash that you carry.

    Also returns the amounts collected and handed in on a day.
    """
    return await load_own_cash(call, await get_calling_driver(call), request.day or call.today)


@reads(
    "get_my_earnings",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_READ},
    errors=(NO_DRIVER_RECORD,),
    interfaces=(Rest("GET", "/v1/rider/earnings"), GraphQL("myEarnings")),
)
async def get_my_earnings(call: Call, request: GetMyEarnings) -> PayStatement:
    """Get your earnings for a week.

    Drivers of a contractor are paid by the contractor and have no earnings here.
    """
    driver = await get_calling_driver(call)
    payee = Payee(PayeeKind.DRIVER, driver.id)
    return await load_statement(call, payee, driver.name, request.week_of or call.today)
