"""What an app can do for a client's people, and which shortcuts its home page shows."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Any

from haulier.kernel.operations.enums import Account


class SignInMethod(StrEnum):
    """Ways to sign in."""

    IDP = "idp"
    EMAIL = "email"
    REGISTRATION = "registration"


class AppCapability(StrEnum):
    """What a client may switch on in an app besides the ways to sign in."""

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
"""Who may sign in to an app, by its type, unless the app says otherwise."""


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
    """The shortcuts to show: in the client's order, without those it hid and those whose capability is off.

    A name of a later or earlier version that is no shortcut is left out.
    """
    actions = {action.value: action for action in QuickAction}
    return [
        name for name in order if name in actions and name not in hidden and on[CAPABILITY_OF_ACTION[actions[name]]]
    ]


DEFAULT_PHONE_REGION = "US"
"""Where a client without a home country is taken to be, for phone numbers without a country code."""


def default_app_settings(country: str | None) -> dict[str, Any]:
    """How an app is before a client sets it up: off, with the way in that every user has."""
    return {
        "enabled": False,
        "methods": [SignInMethod.EMAIL.value],
        "capabilities": [],
        "quick_actions": [action.value for action in QuickAction],
        "hidden_quick_actions": [],
        "default_phone_region": country or DEFAULT_PHONE_REGION,
        "requires_approval": False,
    }
