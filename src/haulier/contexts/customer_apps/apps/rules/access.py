"""Who may use an app at a client, and how."""

from collections.abc import Collection

from haulier.contexts.customer_apps.apps.rules.capabilities import SignInMethod
from haulier.contexts.customer_apps.apps.rules.versions import AppVersionState
from haulier.kernel.operations.errors import declare_error

APP_UNAVAILABLE = declare_error("app_unavailable", 403)
SIGN_IN_METHOD_OFF = declare_error("sign_in_method_off", 403)
APP_UPDATE_REQUIRED = declare_error("app_update_required", 403)
APP_ROLE_NOT_ALLOWED = declare_error("app_role_not_allowed", 403)
APP_CLIENT_NOT_ALLOWED = declare_error("app_client_not_allowed", 403)

APP_SIGN_IN_ERRORS = (
    APP_UNAVAILABLE,
    SIGN_IN_METHOD_OFF,
    APP_UPDATE_REQUIRED,
    APP_ROLE_NOT_ALLOWED,
    APP_CLIENT_NOT_ALLOWED,
)


def require_app_available(*, active: bool, enabled: bool | None) -> None:
    """An app may be used while the platform offers it and the client has it on. Raises `APP_UNAVAILABLE`."""
    if not (active and enabled):
        raise APP_UNAVAILABLE()


def require_method_enabled(method: SignInMethod, methods: Collection[SignInMethod]) -> None:
    """Raises `SIGN_IN_METHOD_OFF` for a method that is switched off."""
    if method not in methods:
        raise SIGN_IN_METHOD_OFF(method=method.value)


def require_version_allowed(state: AppVersionState) -> None:
    """Raises `APP_UPDATE_REQUIRED` for a version that the client does not let in any more."""
    if state is AppVersionState.REFUSED:
        raise APP_UPDATE_REQUIRED()


def require_app_member(*, client_id: int, account: str, to: int, roles: Collection[str]) -> None:
    """A user uses the apps of their own client, those that are for their kind of account.

    Raises `APP_CLIENT_NOT_ALLOWED` or `APP_ROLE_NOT_ALLOWED`.
    """
    if client_id != to:
        raise APP_CLIENT_NOT_ALLOWED()
    if account not in roles:
        raise APP_ROLE_NOT_ALLOWED(account=account)
