"""What an app can do for a client's people, and which shortcuts its home page shows."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

from haulier.kernel.declarations import Account


class Method(StrEnum):
    """Ways to sign in."""

    IDP = "idp"
    EMAIL = "email"
    REGISTRATION = "registration"


class Capability(StrEnum):
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


NEEDS: Mapping[QuickAction, Capability] = {action: Capability[action.name] for action in QuickAction}
"""A shortcut is shown only while its capability is on."""

ROLES: Mapping[str, frozenset[Account]] = {
    "customer": frozenset({Account.CUSTOMER}),
    "driver": frozenset({Account.DRIVER}),
    "operations": frozenset({Account.CLIENT_ADMIN, Account.EMPLOYEE, Account.CONTRACTOR}),
}
"""Who may sign in to an app, by its type, unless the app says otherwise."""


def methods_in_force(
    chosen: Collection[str], *, provider_known: bool, sms: bool, roles: Collection[str]
) -> frozenset[Method]:
    """The ways to sign in that a client chose and that can work.

    An identity provider must be known, and only customers register themselves, which takes a text message.
    """
    possible = {Method.IDP: provider_known, Method.EMAIL: True, Method.REGISTRATION: sms and Account.CUSTOMER in roles}
    return frozenset(method for method, works in possible.items() if works and method in chosen)


def capabilities(chosen: Collection[str], methods: Collection[Method]) -> dict[str, bool]:
    """Every capability, on or off."""
    return {f"auth.{method}": method in methods for method in Method} | {each: each in chosen for each in Capability}


def shortcuts(order: Iterable[str], hidden: Collection[str], on: Mapping[str, bool]) -> list[str]:
    """The shortcuts to show: in the client's order, without those it hid and those whose capability is off.

    A name of a later or earlier version that is no shortcut is left out.
    """
    known = {action.value: action for action in QuickAction}
    return [name for name in order if name in known and name not in hidden and on[NEEDS[known[name]]]]
