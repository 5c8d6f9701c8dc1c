"""Directory of the supported payment providers."""

from collections.abc import Mapping, Sequence

from haulier.adapters.payments.stripe import STRIPE_KIND, STRIPE_SOURCES, StripeClients, StripeProvider
from haulier.contexts.payments.ports import PaymentProvider, PaymentProviderKind


class PaymentProviders:
    """Supported payment providers. Currently only Stripe.

    `simulator` is the URL of `haulier simulate payments`. If set, it is used for accounts in test mode.
    """

    def __init__(self, simulator: str | None = None, clients: StripeClients | None = None) -> None:
        self._simulator, self._clients = simulator, clients or StripeClients()

    @property
    def kinds(self) -> Sequence[PaymentProviderKind]:
        """Supported kinds of provider, ordered by code."""
        return (STRIPE_KIND,)

    @property
    def page_sources(self) -> Sequence[str]:
        """Servers that payment pages load content from."""
        return (*STRIPE_SOURCES, *([self._simulator] if self._simulator else ()))

    def open(self, code: str, credentials: Mapping[str, str], *, test_mode: bool) -> PaymentProvider:
        """Return the provider of an account. Raises `KeyError` for unknown codes."""
        if code != STRIPE_KIND.code:
            raise KeyError(code)
        return StripeProvider(credentials, self._clients, self._simulator if test_mode else None)
