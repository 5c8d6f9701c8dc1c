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
    doors=(Rest("GET", "/v1/rider/policy"), GraphQL("riderPolicy")),
)
async def get_rider_policy(call: Call, request: EmptyRequest) -> RiderPolicyAnswer:
    """Show what the client asks of its drivers' app: proof of delivery, positions, orders on demand."""
    return RiderPolicyAnswer(policy=await load_rider_policy(call))


@writes(
    "set_rider_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", "/v1/rider/policy"), GraphQL("setRiderPolicy")),
)
async def set_rider_policy(call: Call, request: SetRiderPolicy) -> RiderPolicyAnswer:
    """Set the client's rules for its drivers' app. They apply from the next delivery, point and offer on."""
    await upsert_rider_policy(call.work, **request.model_dump(), changed_at=call.now)
    return RiderPolicyAnswer(policy=await load_rider_policy(call))
