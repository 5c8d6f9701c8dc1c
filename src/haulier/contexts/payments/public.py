"""Public interface of payments: the origin of the provider's scripts."""

from haulier.contexts.payments.ports import PaymentProviderDirectory

__all__ = ["PaymentProviderDirectory"]
