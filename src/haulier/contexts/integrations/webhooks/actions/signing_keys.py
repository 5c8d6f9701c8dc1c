"""The secrets of endpoints: sealed, and opened to sign."""

from datetime import datetime

from haulier.contexts.integrations.ports import SecretSealer
from haulier.contexts.integrations.webhooks.rules import signatures
from haulier.contexts.integrations.webhooks.store.endpoints import EndpointSecretsRow
from haulier.kernel.application import Application


def secret_context(client_id: int) -> str:
    """The context that a secret is sealed for: it cannot be opened for another client."""
    return f"webhooks of client {client_id}"


def seal_endpoint_secret(app: Application, client_id: int, secret: str) -> str:
    """A secret as it is stored."""
    return app.adapter(SecretSealer).seal(secret, secret_context(client_id))


def list_signing_keys(app: Application, client_id: int, row: EndpointSecretsRow, now: datetime) -> list[bytes]:
    """The keys that sign for an endpoint now, newest first; none when its secret cannot be read any more."""
    sealed = [row.sealed_secret] if row.sealed_secret else []
    if row.sealed_old_secret and row.overlap_until and now < row.overlap_until:
        sealed.append(row.sealed_old_secret)
    opened = (app.adapter(SecretSealer).open(secret, secret_context(client_id)) for secret in sealed)
    return [key for secret in opened if secret and (key := signatures.decode_secret_key(secret))]
