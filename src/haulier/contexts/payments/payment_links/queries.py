"""Lookup of payment links."""

from msgspec import Struct
from pydantic import SecretStr

from haulier.contexts.billing.public import DueOrder
from haulier.contexts.payments.online_payments.actions import due_of_order
from haulier.contexts.payments.online_payments.rules import PaymentPurpose
from haulier.contexts.payments.payment_links import store
from haulier.contexts.payments.payment_links.rules import PAYMENT_LINK_INVALID
from haulier.kernel.call import Call, call_for_anybody
from haulier.kernel.operations.errors import NOT_FOUND, OperationError
from haulier.kernel.values.ids import hash_token


class OpenedLink(Struct, frozen=True):
    """An opened link: a call on behalf of its holder, and the amount due."""

    own: Call
    purpose: PaymentPurpose
    subject_id: int
    order: DueOrder


async def open_payment_link(call: Call, link: SecretStr) -> OpenedLink:
    """Return the bill of a link. Raises `PAYMENT_LINK_INVALID`, also after erasure."""
    found = await store.find_payment_link(call.work, hash_token(link.get_secret_value()))
    if found is None or found.expires_at <= call.now:
        raise PAYMENT_LINK_INVALID()
    own, purpose = await call_for_anybody(call, found.client_id, store.BY_LINK), PaymentPurpose(found.purpose)
    try:
        order = await due_of_order(own, purpose, found.subject_id)
    except OperationError as error:
        if error.error_type is not NOT_FOUND:
            raise
        raise PAYMENT_LINK_INVALID() from None
    return OpenedLink(own, purpose, found.subject_id, order)
