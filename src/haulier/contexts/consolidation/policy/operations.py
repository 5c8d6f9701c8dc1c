"""Operations on the policy."""

from msgspec.structs import asdict

from haulier.contexts.consolidation.policy import store
from haulier.contexts.consolidation.policy.contract import ConsolidationPolicyAnswer, SetConsolidationPolicy
from haulier.contexts.consolidation.policy.queries import load_policy
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope

PATH = "/v1/consolidation/policy"


@reads(
    "get_consolidation_policy",
    audience=OFFICE,
    scopes={Scope.STORAGE_READ},
    interfaces=(Rest("GET", PATH), GraphQL("consolidationPolicy")),
)
async def get_consolidation_policy(call: Call, request: EmptyRequest) -> ConsolidationPolicyAnswer:
    """Retrieve the policy for unmatched inbound parcels."""
    return ConsolidationPolicyAnswer(**asdict(await load_policy(call.work)))


@writes(
    "set_consolidation_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", PATH), GraphQL("setConsolidationPolicy")),
)
async def set_consolidation_policy(call: Call, request: SetConsolidationPolicy) -> ConsolidationPolicyAnswer:
    """Update the policy for unmatched inbound parcels."""
    chosen = asdict(await load_policy(call.work)) | request.model_dump(exclude_none=True)
    await store.write_policy(call.work, **chosen, updated_at=call.now)
    call.add_audit_subjects("client", call.client_id)
    return ConsolidationPolicyAnswer(**chosen)
