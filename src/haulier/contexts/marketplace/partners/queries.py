"""Reads of partners for other families."""

from collections.abc import Collection

from haulier.contexts.marketplace.partners.rules import PARTNERS_QUOTED, OfferableOrder
from haulier.contexts.marketplace.partners.store import (
    PartnerOfferRow,
    PartnershipRow,
    list_active_partners,
    list_held_offers_of_orders,
)
from haulier.contexts.orders.public import (
    PartnerHold,
    PartnerQuotes,
    PartnerRate,
    get_order_facts,
    get_stop_contacts,
    quote_rates,
)
from haulier.contexts.orders.quotes.contract import QuoteDelivery
from haulier.contexts.routes.public import lock_assignment_candidates
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money


async def as_offering_client(call: Call, offer: PartnerOfferRow) -> Call:
    """Return the caller's call on behalf of the giver, as far as the offer allows.

    The principal is the system: the giver's records name the partner, never the partner's users. A dry run of the
    partner does not show these changes.
    """
    reason = "an offer of the giver names the caller as partner"
    work = call.work.for_tenant(offer.client_id, reason)
    return await call_as_system(
        call.app,
        offer.client_id,
        work,
        now=call.now,
        language=call.language,
        request_id=call.request_id,
        dry_run=call.dry_run,
    )


async def as_taking_client(call: Call, offer: PartnerOfferRow) -> Call:
    """Return the caller's call on behalf of the partner, to enqueue a job there."""
    work = call.work.for_tenant(offer.partner_id, "an offer of the caller names this partner, who has its order")
    return await call_as_system(
        call.app, offer.partner_id, work, now=call.now, request_id=call.request_id, dry_run=call.dry_run
    )


async def get_offerable_orders(call: Call, order_ids: Collection[int]) -> dict[int, OfferableOrder]:
    """Lock and return the orders with the data that the rules need."""
    candidates = await lock_assignment_candidates(call, order_ids)
    orders = await get_order_facts(call, order_ids)
    contacts = await get_stop_contacts(call, order_ids)
    return {
        order.id: OfferableOrder(
            order_id=order.id,
            status=order.status.name,
            fulfilment=order.fulfilment,
            third_party_held=order.third_party_held,
            route_id=candidates[order.id].route_id,
            holder_id=candidates[order.id].holder_id,
            cod=contacts[order.id].terms.cod_minor is not None,
        )
        for order in orders.values()
    }


class HoldsOfPartners:
    """Implements the port `PartnerHolds` of orders."""

    async def get_holds(self, call: Call, order_ids: Collection[int]) -> dict[int, PartnerHold]:
        """Return the holds of orders, by order. One statement."""
        held = await list_held_offers_of_orders(call.work, order_ids)
        return {row.order_id: PartnerHold(offer_id=row.id, partner=row.partner_code) for row in held}


class RatesOfPartners:
    """Implements the port `PartnerRates` of orders."""

    async def quote(self, call: Call, order_id: int, delivery: QuoteDelivery) -> PartnerQuotes:
        """Return the rates of partners that share them, by the rate cards of the partners."""
        partnerships = await list_active_partners(call.work, call.client_id, PARTNERS_QUOTED)
        contacts = await get_stop_contacts(call, [order_id]) if partnerships else {}
        cod = order_id in contacts and contacts[order_id].terms.cod_minor is not None
        rates, not_shared, not_served = list[PartnerRate](), list[str](), list[str]()
        for each in partnerships:
            if not each.shares_rates:
                not_shared.append(each.partner_code)
            elif found := await _partner_rates(call, each, delivery, cod=cod):
                rates += found
            else:
                not_served.append(each.partner_code)
        return PartnerQuotes(rates=rates, not_shared=not_shared, not_served=not_served)


async def _partner_rates(
    call: Call, partnership: PartnershipRow, delivery: QuoteDelivery, *, cod: bool
) -> list[PartnerRate]:
    """Return the rates of a partner, none if it does not serve the order.

    Its reasons are not shown: they name its zones.
    """
    reason = "a partnership of the caller, in which this partner shares its rates"
    work = call.work.for_tenant(partnership.partner_id, reason)
    taker = await call_as_system(
        call.app,
        partnership.partner_id,
        work,
        now=call.now,
        language=call.language,
        request_id=call.request_id,
        dry_run=call.dry_run,
    )
    if cod and taker.business.currency != call.business.currency:
        return []
    try:
        quoted = await quote_rates(taker, delivery)
    except OperationError:
        return []
    return [
        PartnerRate(
            partnership_id=partnership.id,
            partner=partnership.partner_code,
            service=rate.service,
            service_name=rate.service_name,
            price=Money(rate.shipping_price, rate.currency),
            expires_at=quoted.expires_at,
        )
        for rate in quoted.rates
        if isinstance(rate.shipping_price, int) and isinstance(rate.currency, str)
    ]
