"""What a label is bought by where no rate was quoted: a service that is named, rated now."""

from msgspec import Struct

from haulier.contexts.shipping.accounts.queries import get_default_account
from haulier.contexts.shipping.labels.actions.carrier_rates import Rated, rate_terms
from haulier.contexts.shipping.labels.contract.shipments import ShipmentTerms
from haulier.contexts.shipping.labels.rules.lifecycle import SHIPPING_RATE_NOT_AVAILABLE
from haulier.contexts.shipping.labels.rules.rates import Offer
from haulier.contexts.shipping.labels.serializers.shipments import remark_text
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.principal import Business


class Wanted(Struct, frozen=True):
    """The offer that a label is bought by, where no rate was quoted; and what carriers remarked."""

    offer: Offer | None
    rated: Rated


async def rate_service(
    app: Application, business: Business | None, terms: ShipmentTerms, account_id: int | None, service: str
) -> Wanted:
    """What a service costs now, with an account or with the default one. Before a unit of work is open: carriers take seconds.

    Raises `NOT_FOUND` for an account that is not there, `INVALID_REQUEST` where there is none or nobody is known to send.
    """
    account_ids = [account_id] if account_id is not None else [await _default_account_id(app, business)]
    rated = await rate_terms(app, business, terms, account_ids=account_ids, services=[service])
    return Wanted(next((offer for offer in rated.offers if offer.rate.service == service), None), rated)


async def _default_account_id(app: Application, business: Business | None) -> int:
    async with app.database.read(business.id if business else None) as work:
        account = await get_default_account(work)
    if account is None:
        raise INVALID_REQUEST.for_fields(FieldError("account_id", "field.missing"))
    return account.id


def require_offer(call: Call, wanted: Wanted) -> Offer:
    """The offer. Raises `SHIPPING_RATE_NOT_AVAILABLE` with what the carriers say."""
    if wanted.offer is None:
        said = "; ".join(dict.fromkeys(remark_text(call, each) for each in wanted.rated.remarks))
        raise SHIPPING_RATE_NOT_AVAILABLE(reason=said[:500] or "-")
    return wanted.offer
