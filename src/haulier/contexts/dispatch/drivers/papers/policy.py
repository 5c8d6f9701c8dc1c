"""What the business asks of its drivers: show it, change it."""

from haulier.contexts.dispatch.drivers.papers import store
from haulier.contexts.dispatch.drivers.papers.asking import policy_of
from haulier.contexts.dispatch.drivers.papers.contract import DriverPolicy, SetDriverPolicy, ShowDriverPolicy
from haulier.contexts.dispatch.drivers.papers.rules import PaperKind, Policy
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.operation import GraphQL, Rest, reads, writes

TAG = "DriverInfo"


@reads(
    "get_driver_policy",
    audience=OFFICE,
    scopes={Scope.DRIVERS_READ},
    doors=(Rest("GET", "/v1/driver-policy", tag=TAG), GraphQL("driverPolicy")),
)
async def get_driver_policy(call: Call, request: ShowDriverPolicy) -> DriverPolicy:
    """Which papers the business asks of its drivers, and what follows when they do not hold."""
    return _record(await policy_of(call.work))


@writes(
    "set_driver_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", "/v1/driver-policy", tag=TAG), GraphQL("setDriverPolicy")),
)
async def set_driver_policy(call: Call, request: SetDriverPolicy) -> DriverPolicy:
    """Change which papers drivers must have, whether a route waits for them, and whether drivers may apply by themselves.

    The days of notice count for papers that are accepted from now on.
    """
    old = await policy_of(call.work)
    named = request.model_dump(exclude_none=True)
    policy = Policy(
        required=frozenset(old.required if request.required is None else request.required),
        blocks_start=named.get("blocks_start", old.blocks_start),
        notice_days=named.get("notice_days", old.notice_days),
        registration_open=named.get("registration_open", old.registration_open),
    )
    await store.put_policy(
        call.work,
        required=_listed(policy),
        blocks_start=policy.blocks_start,
        notice_days=policy.notice_days,
        registration_open=policy.registration_open,
    )
    return _record(policy)


def _listed(policy: Policy) -> list[str]:
    return [kind.value for kind in PaperKind if kind in policy.required]


def _record(policy: Policy) -> DriverPolicy:
    return DriverPolicy(
        required=_listed(policy),
        blocks_start=policy.blocks_start,
        notice_days=policy.notice_days,
        registration_open=policy.registration_open,
    )
