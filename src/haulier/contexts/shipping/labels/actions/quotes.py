"""Rates are kept with an id, and honoured as long as they said."""

import re
from collections.abc import Collection, Sequence
from datetime import datetime

from msgspec import Struct

from haulier.contexts.identity.public import get_customer_principal
from haulier.contexts.shipping.labels.actions.carrier_rates import Rated, rate_terms
from haulier.contexts.shipping.labels.contract.shipments import ShipmentTerms
from haulier.contexts.shipping.labels.rules.lifecycle import SHIPPING_RATE_EXPIRED
from haulier.contexts.shipping.labels.rules.rates import Offer, by_name, offer_from_document, offers_to_document
from haulier.contexts.shipping.labels.serializers.rates import latest_expiry
from haulier.contexts.shipping.labels.store import quotes as store
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.principal import Principal
from haulier.kernel.request_context import RequestContext

NOT_KEPT = 0
_RATE_ID = re.compile(r"([1-9][0-9]{0,14})-([0-9]{1,4})", re.ASCII)


class KeptQuote(Struct, frozen=True):
    """Rates that were kept."""

    id: int
    rated: Rated
    expires_at: datetime

    def rate_id(self, offer: Offer) -> str:
        """The id of an offer. It counts by name, so that it does not tell which is cheap."""
        return f"{self.id}-{next(place for place, each in enumerate(by_name(self.rated.offers)) if each is offer)}"


class QuotedOffer(Struct, frozen=True):
    """An offer that was kept, and what it is for."""

    offer: Offer
    terms: ShipmentTerms


async def quote_terms(
    context: RequestContext,
    terms: ShipmentTerms,
    *,
    account_ids: Collection[int] = (),
    services: Sequence[str] = (),
    customer_id: int | None = None,
) -> KeptQuote:
    """Ask carriers for rates and keep them, save in a rehearsal. Before a unit of work is open: carriers take seconds."""
    app, principal = context.app, context.principal
    rated = await rate_terms(app, principal.business, terms, account_ids=account_ids, services=services)
    now = app.clock()
    expires_at = latest_expiry(rated.offers, now)
    if context.dry_run:
        return KeptQuote(NOT_KEPT, rated, expires_at)
    async with app.database.write(principal.client_id) as work:
        owner = own_customer_id(principal, customer_id)
        if customer_id is not None:
            await require_customer(work, principal, customer_id)
        values = {
            "customer_id": owner,
            "shipment": terms.model_dump(mode="json", include=set(ShipmentTerms.model_fields)),
            "offers": offers_to_document(by_name(rated.offers)),
            "created_at": now,
            "expires_at": expires_at,
        }
        quote_id = await store.insert_quote(work, values)
    return KeptQuote(quote_id, rated, expires_at)


async def require_customer(work: UnitOfWork, principal: Principal, customer_id: int) -> None:
    """Check that a customer of the client is meant. Raises `NOT_FOUND`."""
    if principal.business is None or await get_customer_principal(work, principal.business, customer_id) is None:
        raise record_not_found(customer_id=customer_id)


def own_customer_id(principal: Principal, customer_id: int | None) -> int | None:
    """For whom something is shipped: customers ship for themselves."""
    return principal.user_id if principal.account is Account.CUSTOMER else customer_id


async def get_quoted_offer(call: Call, rate_id: str) -> QuotedOffer:
    """An offer by its id. Raises `NOT_FOUND` for another's, `SHIPPING_RATE_EXPIRED`."""
    match = _RATE_ID.fullmatch(rate_id)
    if match is None:
        raise record_not_found(rate_id=rate_id)
    index = int(match[2])
    row = await store.get_quote_row(call.work, int(match[1]))
    foreign = call.principal.account is Account.CUSTOMER and row is not None and row.customer_id != call.actor
    if row is None or foreign or index >= len(row.offers):
        raise record_not_found(rate_id=rate_id)
    offer = offer_from_document(row.offers[index])
    if offer.expires_at <= call.now:
        raise SHIPPING_RATE_EXPIRED()
    return QuotedOffer(offer, ShipmentTerms.model_validate(row.shipment))
