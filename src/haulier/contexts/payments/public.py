"""Public interface of payments: providers, and simulated payments."""

from haulier.contexts.payments.online_payments.actions import conclude_simulated_payment
from haulier.contexts.payments.online_payments.rules import PAYMENT_STEP_REFUSED
from haulier.contexts.payments.ports import PaymentProviderDirectory

__all__ = ["PAYMENT_STEP_REFUSED", "PaymentProviderDirectory", "conclude_simulated_payment"]
