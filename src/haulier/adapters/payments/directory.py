"""The payment providers that this installation can talk to."""

from collections.abc import Mapping, Sequence

from haulier.adapters.payments.stripe import STRIPE_KIND, STRIPE_SOURCES, StripeClients, StripeProvider
from haulier.contexts.payments.ports import PaymentProvider, PaymentProviderKind


class PaymentProviders:
    """Stripe. Accounts in test mode go to `simulator`, the address of `haulier simulate payments`, where there is one."""

    def __init__(self, simulator: str | None = None, clients: StripeClients | None = None) -> None:
        self._simulator, self._clients = simulator, clients or StripeClients()

    @property
    def kinds(self) -> Sequence[PaymentProviderKind]:
        """All of them, by code."""
        return (STRIPE_KIND,)

    @property
    def page_sources(self) -> Sequence[str]:
        """Stripe's, and the simulator's where there is one."""
        return (*STRIPE_SOURCES, *([self._simulator] if self._simulator else ()))

    def open(self, code: str, credentials: Mapping[str, str], *, test_mode: bool) -> PaymentProvider:
        """A provider under an account. Raises `KeyError` for an unknown code."""
        if code != STRIPE_KIND.code:
            raise KeyError(code)
        return StripeProvider(credentials, self._clients, self._simulator if test_mode else None)
