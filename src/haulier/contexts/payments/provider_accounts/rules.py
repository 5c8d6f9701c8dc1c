"""Rules of payment accounts: required credentials, and the binding of secrets."""

from collections.abc import Mapping

from haulier.contexts.payments.ports import PaymentProviderKind
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error

PAYMENT_SECRETS_NOT_KEPT = declare_error("payment_secrets_not_kept", 409)
ONLINE_PAYMENT_OFF = declare_error("online_payment_off", 409)


def payment_secret_label(client_id: int, provider: str) -> str:
    """Return the label that binds credentials to a client and a provider."""
    return f"payments by {provider} of client {client_id}"


def require_payment_credentials(kind: PaymentProviderKind, given: Mapping[str, str]) -> None:
    """Require exactly the credentials of a provider. Raises `INVALID_REQUEST`."""
    named = set(kind.credentials)
    faults = [FieldError(f"credentials.{name}", "field.extra_forbidden") for name in sorted(given.keys() - named)]
    faults += [FieldError(f"credentials.{name}", "field.missing") for name in kind.credentials if not given.get(name)]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
