"""What may be changed about users, and when not."""

from collections.abc import Collection

from haulier.kernel.declarations import OFFICE, Account
from haulier.kernel.errors import problem

CUSTOMER_CODE_MAX = 40
NOTE_MAX = 500

INVALID_CREDENTIALS = problem("invalid_credentials", 401)
EMAIL_TAKEN = problem("email_taken", 409)
WRONG_PASSWORD = problem("wrong_password", 403)
LAST_ADMIN = problem("last_admin", 409)
ACCOUNT_FIXED = problem("account_fixed", 409)
NOT_A_CUSTOMER = problem("not_a_customer", 409)
NOT_A_PROVIDER = problem("not_a_provider", 403)


def demand_may_become(old: Account, new: Account) -> None:
    """An account keeps its kind, because orders, routes and prices hang on it; only office people move among themselves."""
    if old != new and not {old, new} <= OFFICE:
        raise ACCOUNT_FIXED(account=old.value)


def demand_an_admin_stays(user_id: int, active_admins: Collection[int]) -> None:
    """The last active admin of a client is neither disabled nor demoted: nobody could undo it."""
    if set(active_admins) <= {user_id}:
        raise LAST_ADMIN()
