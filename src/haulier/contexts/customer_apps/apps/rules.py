"""Rules of apps."""

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct
from semver import Version

from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import declare_error


class SignInMethod(StrEnum):
    """Ways to sign in."""

    IDP = "idp"
    EMAIL = "email"
    REGISTRATION = "registration"


class AppCapability(StrEnum):
    """Capabilities that a client can enable in an app, in addition to sign-in methods."""

    SEND = "shipping.send"
    RETURN = "shipping.return"
    STORE = "storage.store"
    LOCKERS = "locker.pickup"
    LUGGAGE = "luggage.relay"
    HANDOVER = "parcel.handover"
    PAY = "wallet.pay"
    WALLET = "wallet.balance"


class QuickAction(StrEnum):
    """Shortcuts of the home page."""

    SEND = "send"
    RETURN = "return"
    STORE = "store"
    LOCKERS = "lockers"
    LUGGAGE = "luggage"
    HANDOVER = "handover"
    PAY = "pay"
    WALLET = "wallet"


CAPABILITY_OF_ACTION: Mapping[QuickAction, AppCapability] = {
    action: AppCapability[action.name] for action in QuickAction
}
"""A shortcut is shown only while its capability is on."""

ACCOUNTS_BY_APP_TYPE: Mapping[str, frozenset[Account]] = {
    "customer": frozenset({Account.CUSTOMER}),
    "driver": frozenset({Account.DRIVER}),
    "operations": frozenset({Account.CLIENT_ADMIN, Account.EMPLOYEE, Account.CONTRACTOR}),
}
"""Accounts that may sign in to an app by its type, unless the app overrides them."""


def active_sign_in_methods(
    chosen: Collection[str], *, provider_known: bool, sms: bool, roles: Collection[str]
) -> frozenset[SignInMethod]:
    """The ways to sign in that a client chose and that can work.

    An identity provider must be known, and only customers register themselves, which takes a text message.
    """
    possible = {
        SignInMethod.IDP: provider_known,
        SignInMethod.EMAIL: True,
        SignInMethod.REGISTRATION: sms and Account.CUSTOMER in roles,
    }
    return frozenset(method for method, works in possible.items() if works and method in chosen)


def capability_flags(chosen: Collection[str], methods: Collection[SignInMethod]) -> dict[str, bool]:
    """Every capability, on or off."""
    return {f"auth.{method}": method in methods for method in SignInMethod} | {
        capability: capability in chosen for capability in AppCapability
    }


def visible_quick_actions(order: Iterable[str], hidden: Collection[str], on: Mapping[str, bool]) -> list[str]:
    """Return the visible shortcuts in the client's order.

    Without hidden ones, those of disabled capabilities, and unknown names of other versions.
    """
    actions = {action.value: action for action in QuickAction}
    return [
        name for name in order if name in actions and name not in hidden and on[CAPABILITY_OF_ACTION[actions[name]]]
    ]


DEFAULT_PHONE_REGION = "US"
"""Where a client without a home country is taken to be, for phone numbers without a country code."""


def default_app_settings(country: str | None) -> dict[str, Any]:
    """Return the settings of an app before the first change.

    Disabled, with the sign-in method that every user has.
    """
    return {
        "enabled": False,
        "methods": [SignInMethod.EMAIL.value],
        "capabilities": [],
        "quick_actions": [action.value for action in QuickAction],
        "hidden_quick_actions": [],
        "default_phone_region": country or DEFAULT_PHONE_REGION,
        "requires_approval": False,
    }


CODE_DIGITS = 6
CODE_LIFETIME = timedelta(minutes=5)
CODE_ATTEMPTS_MAX = 5
"""Wrong guesses at one code."""

RESEND_AFTER_S = 60
"""Until the same phone may ask for another code, in seconds."""


_NUMBER = r"(?:0|[1-9][0-9]*)"
_PRE = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
GRAMMAR = rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_PRE}(?:\.{_PRE})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$"
"""The grammar of semver.org as a pattern, for the descriptions; `[0-9]`, because `\\d` knows digits of other scripts."""

VERSION_MAX = 64


class AppVersionState(StrEnum):
    """The status of an app's version at a client."""

    CURRENT = "ok"
    OLD = "update_advised"
    REFUSED = "update_required"


class AppVersionPolicy(Struct, frozen=True, kw_only=True):
    """Allowed versions of an app on one platform; without limits, all."""

    minimum: str | None = None
    recommended: str | None = None
    blocked: tuple[str, ...] = ()


def version_state(version: str | None, policy: AppVersionPolicy | None) -> AppVersionState:
    """Return the state of a version.

    Refused if blocked or below the minimum, old if below the recommended one. An app without a version, or a platform
    without a policy, is accepted.
    """
    if version is None or policy is None:
        return AppVersionState.CURRENT
    own = Version.parse(version)
    if own in set(map(Version.parse, policy.blocked)) or (policy.minimum and own < Version.parse(policy.minimum)):
        return AppVersionState.REFUSED
    if policy.recommended and own < Version.parse(policy.recommended):
        return AppVersionState.OLD
    return AppVersionState.CURRENT


def contradicting_field(minimum: str | None, recommended: str | None, blocked: Collection[str]) -> str | None:
    """Return the policy field that no app could satisfy, or None.

    The recommended version must be allowed.
    """
    if recommended is None:
        return None
    if minimum is not None and Version.parse(recommended) < Version.parse(minimum):
        return "recommended"
    return "blocked" if Version.parse(recommended) in set(map(Version.parse, blocked)) else None


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
    """Raise `APP_UNAVAILABLE` unless the app is offered and enabled by the client."""
    if not (active and enabled):
        raise APP_UNAVAILABLE()


def require_method_enabled(method: SignInMethod, methods: Collection[SignInMethod]) -> None:
    """Raises `SIGN_IN_METHOD_OFF` for a method that is switched off."""
    if method not in methods:
        raise SIGN_IN_METHOD_OFF(method=method.value)


def require_version_allowed(state: AppVersionState) -> None:
    """Raise `APP_UPDATE_REQUIRED` for a version that the client no longer allows."""
    if state is AppVersionState.REFUSED:
        raise APP_UPDATE_REQUIRED()


def require_app_member(*, client_id: int, account: str, to: int, roles: Collection[str]) -> None:
    """Require a user of the client with a kind of account that the app allows.

    Raises `APP_CLIENT_NOT_ALLOWED` or `APP_ROLE_NOT_ALLOWED`.
    """
    if client_id != to:
        raise APP_CLIENT_NOT_ALLOWED()
    if account not in roles:
        raise APP_ROLE_NOT_ALLOWED(account=account)
