"""What the page needs in which somebody without an account pays."""

from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.actions.provider import settle_payment
from haulier.contexts.payments.online_payments.contract import LinkPayment
from haulier.contexts.payments.online_payments.rules import PaymentStatus
from haulier.contexts.payments.ports import ProviderRefused, ProviderUnavailable
from haulier.contexts.payments.provider_accounts.queries import (
    open_provider,
    public_credentials,
    require_active_account,
)
from haulier.kernel.application import Application


async def add_secret(app: Application, client_id: int, answer: LinkPayment) -> LinkPayment:
    """Ask the provider, and add what the payer's page needs. What it does not answer now, the same call gives again."""
    await settle_payment(app, client_id, answer.payment_id)
    async with app.database.read(client_id) as work:
        row = await store.get_payment_row(work, answer.payment_id)
        account = await require_active_account(work)
    if row is None:
        return answer
    answer.status = PaymentStatus(row.status)
    if row.open and row.intent_ref:
        try:
            provider = open_provider(app, account)
            answer.client_secret = await provider.client_secret(row.intent_ref)
            answer.payer_script = provider.payer_script
            answer.publishable_key = public_credentials(app, account).get("publishable_key")
        except (ProviderRefused, ProviderUnavailable):
            return answer
    return answer
