"""What others may use of payments: where the provider's part of a page comes from."""

from haulier.contexts.payments.ports import PaymentProviderDirectory

__all__ = ["PaymentProviderDirectory"]
