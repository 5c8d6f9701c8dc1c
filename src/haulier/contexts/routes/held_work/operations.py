"""Operations on held work, for review before an account is disabled."""

from haulier.contexts.identity.public import UserFacts, get_users_by_id
from haulier.contexts.routes.held_work.contract import HeldWorkAnswer, HeldWorkRef
from haulier.contexts.routes.held_work.queries import get_held_work
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

PATH = "/v1/users/{user_id}/held-work"


@reads(
    "list_held_work",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ, Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", PATH), GraphQL("heldWork")),
)
async def list_held_work(call: Call, request: HeldWorkRef) -> HeldWorkAnswer:
    """List open work of a contractor or driver.

    Returns unfinished orders, routes and drivers. Check it before disabling the account. Also works while the
    assignments module is disabled.
    """
    return HeldWorkAnswer(held=await get_held_work(call, await _get_holder(call, request)))


async def _get_holder(call: Call, request: HeldWorkRef) -> UserFacts:
    user = (await get_users_by_id(call, [request.user_id])).get(request.user_id)
    if user is None:
        raise record_not_found(user_id=request.user_id)
    return user
