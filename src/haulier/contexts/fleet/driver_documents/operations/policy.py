"""The document policy of the business: show it, change it."""

from haulier.contexts.fleet.driver_documents import store
from haulier.contexts.fleet.driver_documents.contract import DriverPolicy, GetDriverPolicy, SetDriverPolicy
from haulier.contexts.fleet.driver_documents.queries import load_document_policy
from haulier.contexts.fleet.driver_documents.rules import DriverDocumentKind, DriverDocumentPolicy
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope


@reads(
    "get_driver_policy",
    audience=OFFICE,
    scopes={Scope.DRIVERS_READ},
    doors=(Rest("GET", "/v1/driver-policy"), GraphQL("driverPolicy")),
)
async def get_driver_policy(call: Call, request: GetDriverPolicy) -> DriverPolicy:
    """Get the policy for driver documents.

    Returns the required documents and the consequences of invalid ones.
    """
    return _serialize_driver_policy(await load_document_policy(call.work))


@writes(
    "set_driver_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", "/v1/driver-policy"), GraphQL("setDriverPolicy")),
)
async def set_driver_policy(call: Call, request: SetDriverPolicy) -> DriverPolicy:
    """Set the policy for driver documents.

    Defines the required documents, whether an invalid one blocks a route, and whether drivers can apply by themselves.
    The notice period applies to documents accepted from now on.
    """
    old = await load_document_policy(call.work)
    named = request.model_dump(exclude_none=True)
    policy = DriverDocumentPolicy(
        required=frozenset(old.required if request.required is None else request.required),
        blocks_start=named.get("blocks_start", old.blocks_start),
        notice_days=named.get("notice_days", old.notice_days),
        registration_open=named.get("registration_open", old.registration_open),
    )
    await store.upsert_driver_policy(
        call.work,
        required=_list_required_kinds(policy),
        blocks_start=policy.blocks_start,
        notice_days=policy.notice_days,
        registration_open=policy.registration_open,
    )
    return _serialize_driver_policy(policy)


def _list_required_kinds(policy: DriverDocumentPolicy) -> list[str]:
    return [kind.value for kind in DriverDocumentKind if kind in policy.required]


def _serialize_driver_policy(policy: DriverDocumentPolicy) -> DriverPolicy:
    return DriverPolicy(
        required=_list_required_kinds(policy),
        blocks_start=policy.blocks_start,
        notice_days=policy.notice_days,
        registration_open=policy.registration_open,
    )
