"""The policy of a client."""

from haulier.contexts.consolidation.policy import store
from haulier.contexts.consolidation.policy.rules import ConsolidationPolicy
from haulier.kernel.data.unit_of_work import UnitOfWork


async def load_policy(work: UnitOfWork) -> ConsolidationPolicy:
    """Return this client's policy, or the default."""
    row = await store.get_policy_row(work)
    if row is None:
        return ConsolidationPolicy()
    return ConsolidationPolicy(row.unclaimed_after_days, bool(row.queue_unannounced))
