"""Which changes of users are allowed."""

from collections.abc import Collection

from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import declare_error

CUSTOMER_CODE_MAX = 40
NOTE_MAX = 500

INVALID_CREDENTIALS = declare_error("invalid_credentials", 401)
EMAIL_TAKEN = declare_error("email_taken", 409)
WRONG_PASSWORD = declare_error("wrong_password", 403)
LAST_ADMIN = declare_error("last_admin", 409)
ACCOUNT_FIXED = declare_error("account_fixed", 409)
NOT_A_CUSTOMER = declare_error("not_a_customer", 409)
OWN_PASSWORD = declare_error("own_password", 403)
SESSION_REQUIRED = declare_error("session_required", 403)
NOT_A_PROVIDER = declare_error("not_a_provider", 403)


def require_account_changeable(old: Account, new: Account) -> None:
    """An account keeps its kind, because orders, routes and prices depend on it. Only admins and employees may swap.

    Raises `ACCOUNT_FIXED`.
    """
    if old != new and not {old, new} <= OFFICE:
        raise ACCOUNT_FIXED(account=old.value)


def require_remaining_admin(user_id: int, active_admins: Collection[int]) -> None:
    """The last active admin of a client is neither disabled nor demoted, because no one else could undo it."""
    if set(active_admins) <= {user_id}:
        raise LAST_ADMIN()
