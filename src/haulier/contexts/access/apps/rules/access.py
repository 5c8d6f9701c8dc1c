"""Who may use an app at a client, and how."""

from collections.abc import Collection

from haulier.contexts.access.apps.rules.menu import Method
from haulier.contexts.access.apps.rules.versions import Standing
from haulier.kernel.errors import problem

APP_UNAVAILABLE = problem("app_unavailable", 403)
SIGN_IN_METHOD_OFF = problem("sign_in_method_off", 403)
APP_UPDATE_REQUIRED = problem("app_update_required", 403)
APP_ROLE_NOT_ALLOWED = problem("app_role_not_allowed", 403)
APP_CLIENT_NOT_ALLOWED = problem("app_client_not_allowed", 403)

WAYS_IN = (
    APP_UNAVAILABLE,
    SIGN_IN_METHOD_OFF,
    APP_UPDATE_REQUIRED,
    APP_ROLE_NOT_ALLOWED,
    APP_CLIENT_NOT_ALLOWED,
)


def demand_available(*, active: bool, enabled: bool | None) -> None:
    """An app may be used while the platform offers it and the client has it on. Raises `APP_UNAVAILABLE`."""
    if not (active and enabled):
        raise APP_UNAVAILABLE()


def demand_open(method: Method, methods: Collection[Method]) -> None:
    """Raises `SIGN_IN_METHOD_OFF` for a way in that is closed."""
    if method not in methods:
        raise SIGN_IN_METHOD_OFF(method=method.value)


def demand_let_in(standing: Standing) -> None:
    """Raises `APP_UPDATE_REQUIRED` for a version that the client does not let in any more."""
    if standing is Standing.REFUSED:
        raise APP_UPDATE_REQUIRED()


def demand_belongs(*, client_id: int, account: str, to: int, roles: Collection[str]) -> None:
    """A user uses the apps of their own client, those that are for their kind of account.

    Raises `APP_CLIENT_NOT_ALLOWED` or `APP_ROLE_NOT_ALLOWED`.
    """
    if client_id != to:
        raise APP_CLIENT_NOT_ALLOWED()
    if account not in roles:
        raise APP_ROLE_NOT_ALLOWED(account=account)
