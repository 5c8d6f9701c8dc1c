"""The driver app's policy: read and change it."""

from haulier.contexts.driver_app.policy.contract import RiderPolicyAnswer, SetRiderPolicy
from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.driver_app.policy.store import upsert_rider_policy
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import STAFF, Account, Risk, Scope

DRIVERS_ONLY = frozenset({Account.DRIVER})
RIDER_ROUTE_PATH = "/v1/rider/routes/{route_id}"


@reads(
    "get_rider_policy",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    interfaces=(Rest("GET", "/v1/rider/policy"), GraphQL("riderPolicy")),
)
async def get_rider_policy(call: Call, request: EmptyRequest) -> RiderPolicyAnswer:
    """Get the driver app policy.

    It covers proof of delivery, positions and on-demand orders.
    """
    return RiderPolicyAnswer(policy=await load_rider_policy(call))


@writes(
    "set_rider_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", "/v1/rider/policy"), GraphQL("setRiderPolicy")),
)
async def set_rider_policy(call: Call, request: SetRiderPolicy) -> RiderPolicyAnswer:
    """Set the driver app policy.

    The rules apply from the next delivery, position and offer.
    """
    await upsert_rider_policy(call.work, **request.model_dump(), changed_at=call.now)
    return RiderPolicyAnswer(policy=await load_rider_policy(call))
