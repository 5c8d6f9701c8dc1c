"""Operations on suites."""

from haulier.contexts.consolidation.suites import store
from haulier.contexts.consolidation.suites.contract import (
    AssignSuite,
    ListSuites,
    Suite,
    SuiteAnswer,
    SuiteList,
    SuiteOfCustomer,
)
from haulier.contexts.consolidation.suites.rules import SUITE_TAKEN, make_suite_code, suite_key
from haulier.contexts.consolidation.suites.store import SuiteRow
from haulier.contexts.identity.public import get_user_of_account
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record

PATH = "/v1/consolidation/suites"


@writes(
    "assign_suite",
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", f"{PATH}/{{customer_id}}"), GraphQL("assignSuite")),
    errors=(NOT_FOUND, SUITE_TAKEN),
)
async def assign_suite(call: Call, request: AssignSuite) -> SuiteAnswer:
    """Assign a suite code to a customer.

    Also replaces an existing code. Without a code, one is generated, and a customer with a suite keeps it.
    """
    customer = await require_customer_or_not_found(call, request.customer_id)
    call.add_audit_subjects("user", customer)
    code = request.code or make_suite_code()
    values = {"customer_id": customer, "code": code, "code_key": suite_key(code), "created_at": call.now}
    row = await store.insert_suite(call.work, values)
    if row is None and request.code:
        await _change_code(call, customer, request.code)
    row = row or await SuiteRow.find_by(call.work, customer_id=customer)
    if row is None:
        raise SUITE_TAKEN(code=code)
    return SuiteAnswer(suite=record(Suite, row))


async def require_customer_or_not_found(call: Call, customer_id: int) -> int:
    """Return the id of a customer of the client. Raises `NOT_FOUND`."""
    user = await get_user_of_account(call, customer_id, Account.CUSTOMER)
    if user is None:
        raise record_not_found(customer_id=customer_id)
    return user.id


async def _change_code(call: Call, customer_id: int, code: str) -> None:
    try:
        async with call.work.savepoint():
            await store.update_suite(call.work, customer_id, code, suite_key(code))
    except UniqueConflict:
        raise SUITE_TAKEN(code=code) from None


@reads(
    "list_suites",
    audience=OFFICE,
    scopes={Scope.STORAGE_READ},
    interfaces=(Rest("GET", PATH), GraphQL("suites")),
)
async def list_suites(call: Call, request: ListSuites) -> SuiteList:
    """List customer suites.

    Ordered by code.
    """
    wanted = {"customer_id": request.customer_id, "code_key": request.code and suite_key(request.code)}
    given = {name: value for name, value in wanted.items() if value is not None}
    rows, total = await store.list_suite_rows(call.work, given, limit=request.per_page, offset=request.offset)
    shown = [record(Suite, row) for row in rows]
    return SuiteList(total=total, page=request.page, per_page=request.per_page, suites=shown)


@reads(
    "get_own_suite",
    audience={Account.CUSTOMER},
    scopes={Scope.STORAGE_READ},
    interfaces=(Rest("GET", f"{PATH}/me"), GraphQL("ownSuite")),
    errors=(NOT_FOUND,),
)
async def get_own_suite(call: Call, request: EmptyRequest) -> SuiteAnswer:
    """Retrieve your own suite.

    Write the code next to your name in the delivery address.
    """
    row = await SuiteRow.find_by(call.work, customer_id=call.actor or 0)
    if row is None:
        raise NOT_FOUND()
    return SuiteAnswer(suite=record(Suite, row))


@writes(
    "release_suite",
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", f"{PATH}/{{customer_id}}"), GraphQL("releaseSuite")),
    errors=(NOT_FOUND,),
)
async def release_suite(call: Call, request: SuiteOfCustomer) -> Done:
    """Remove the suite of a customer.

    Matched parcels stay with the customer. The code can be assigned to another customer.
    """
    if not await store.delete_suite(call.work, request.customer_id):
        raise record_not_found(customer_id=request.customer_id)
    call.add_audit_subjects("user", request.customer_id)
    return Done(message=call.translate("suite_taken_back"))
