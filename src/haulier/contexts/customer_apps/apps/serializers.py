"""Version policies as answers show them."""

from haulier.contexts.customer_apps.apps.contract import PlatformPolicy
from haulier.contexts.customer_apps.apps.store import VersionPolicyRow
from haulier.kernel.operations.records import record


def to_platform_policy(row: VersionPolicyRow) -> PlatformPolicy:
    """A version policy of a platform."""
    return record(PlatformPolicy, row)
