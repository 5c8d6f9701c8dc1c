"""What is on in an app follows from what the client chose and what can work."""

from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.access.apps.rules.menu import (
    NEEDS,
    Capability,
    Method,
    QuickAction,
    capabilities,
    methods_in_force,
    shortcuts,
)

orders = st.permutations(list(QuickAction))
some_actions = st.sets(st.sampled_from(QuickAction))
some_capabilities = st.sets(st.sampled_from(Capability))


@given(order=orders, hidden=some_actions, chosen=some_capabilities)
def test_shortcuts_keep_the_clients_order_without_what_is_hidden_or_off(
    order: list[QuickAction], hidden: set[QuickAction], chosen: set[Capability]
) -> None:
    shown = shortcuts(order, hidden, capabilities(chosen, ()))
    assert shown == [action for action in order if action not in hidden and NEEDS[action] in chosen]


def test_a_shortcut_of_another_version_is_left_out() -> None:
    assert shortcuts(["teleport", "send"], (), capabilities(Capability, ())) == ["send"]


def test_every_capability_is_named_on_or_off() -> None:
    on = capabilities({Capability.WALLET}, {Method.IDP})
    assert {name for name, is_on in on.items() if is_on} == {"wallet.balance", "auth.idp"}
    assert {"auth.email", "auth.registration", "locker.pickup"} <= on.keys()


def test_a_way_to_sign_in_is_open_only_when_it_can_work() -> None:
    chosen = [method.value for method in Method]
    every = methods_in_force(chosen, provider_known=True, sms=True, roles=["customer"])
    assert every == set(Method)
    assert Method.IDP not in methods_in_force(chosen, provider_known=False, sms=True, roles=["customer"])
    assert Method.REGISTRATION not in methods_in_force(chosen, provider_known=True, sms=False, roles=["customer"])
    assert Method.REGISTRATION not in methods_in_force(chosen, provider_known=True, sms=True, roles=["driver"])
    assert methods_in_force([], provider_known=True, sms=True, roles=["customer"]) == set()
