"""Enabled features of an app, by the client's choice and availability."""

from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.customer_apps.apps.rules import (
    CAPABILITY_OF_ACTION,
    AppCapability,
    QuickAction,
    SignInMethod,
    active_sign_in_methods,
    capability_flags,
    visible_quick_actions,
)

orders = st.permutations(list(QuickAction))
some_actions = st.sets(st.sampled_from(QuickAction))
some_capabilities = st.sets(st.sampled_from(AppCapability))


@given(order=orders, hidden=some_actions, chosen=some_capabilities)
def test_shortcuts_keep_the_clients_order_without_hidden_and_disabled_ones(
    order: list[QuickAction], hidden: set[QuickAction], chosen: set[AppCapability]
) -> None:
    shown = visible_quick_actions(order, hidden, capability_flags(chosen, ()))
    assert shown == [action for action in order if action not in hidden and CAPABILITY_OF_ACTION[action] in chosen]


def test_a_shortcut_for_another_version_is_omitted() -> None:
    assert visible_quick_actions(["teleport", "send"], (), capability_flags(AppCapability, ())) == ["send"]


def test_every_capability_is_listed_as_on_or_off() -> None:
    on = capability_flags({AppCapability.WALLET}, {SignInMethod.IDP})
    assert {name for name, is_on in on.items() if is_on} == {"wallet.balance", "auth.idp"}
    assert {"auth.email", "auth.registration", "locker.pickup"} <= on.keys()


def test_a_sign_in_method_is_enabled_only_if_it_can_work() -> None:
    chosen = [method.value for method in SignInMethod]
    every = active_sign_in_methods(chosen, provider_known=True, sms=True, roles=["customer"])
    assert every == set(SignInMethod)
    assert SignInMethod.IDP not in active_sign_in_methods(chosen, provider_known=False, sms=True, roles=["customer"])
    assert SignInMethod.REGISTRATION not in active_sign_in_methods(
        chosen, provider_known=True, sms=False, roles=["customer"]
    )
    assert SignInMethod.REGISTRATION not in active_sign_in_methods(
        chosen, provider_known=True, sms=True, roles=["driver"]
    )
    assert active_sign_in_methods([], provider_known=True, sms=True, roles=["customer"]) == set()
