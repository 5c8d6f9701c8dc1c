"""Errors of partnerships and offers: repeated, ended, too expensive, out of turn."""

from typing import Any

from tests.contexts.marketplace.partners.makers import (
    call_about_offer,
    make_partnership,
    offer_orders,
    report_as_partner,
)
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_depot, make_order, make_route


async def scene(app: App) -> dict[str, Any]:
    """Offer orders to the rival in each state: declined, on hold, accepted, routed."""
    partnership = await make_partnership(app)
    orders = {name: await make_order(app) for name in ("closed", "gone", "dear", "mine", "driven", "open", "routed")}
    terms: dict[str, Any] = {"dear": {"fee_most_minor": 1}}
    ids: dict[str, Any] = {"partnership": partnership}
    for name, order_id in orders.items():
        (ids[name],) = await offer_orders(app, partnership, [order_id], **terms.get(name, {}))
    await call_about_offer(app, "rival", "decline_partner_order", ids["closed"], reason="no van")
    await app.answer("admin", "hold_order", {"order_id": orders["gone"]})
    references = {"mine": "R-1", "driven": "R-2", "routed": "R-3"}
    for name, reference in references.items():
        taken = await call_about_offer(app, "rival", "accept_partner_order", ids[name], reference=reference)
    await make_route(
        app, "rival", depot_id=await make_depot(app, "rival"), order_ids=[taken.answer.partner_order.own_order_id]
    )
    await report_as_partner(app, ids["driven"], "picked_up")
    back = (await app.answer("rival", "propose_partnership", {"business": "demo"})).partnership
    await app.answer("rival", "end_partnership", {"partnership_id": back.id})
    again = (await app.answer("admin", "propose_partnership", {"business": "rival", "role": "take"})).partnership
    return {**ids, "ended": back.id, "proposed": again.id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    declined = {"offer_id": ids["closed"], "reason": "no van"}
    return {
        ("propose_partnership", "PARTNERSHIP_EXISTS"): ("admin", {"business": "rival"}),
        ("accept_partnership", "PARTNERSHIP_NOT_ANSWERABLE"): ("admin", {"partnership_id": ids["proposed"]}),
        ("end_partnership", "PARTNERSHIP_NOT_IN_FORCE"): ("admin", {"partnership_id": ids["ended"]}),
        ("share_partner_rates", "PARTNERSHIP_NOT_IN_FORCE"): (
            "admin",
            {"partnership_id": ids["ended"], "shares_rates": True},
        ),
        ("offer_orders_to_partner", "PARTNERSHIP_NOT_IN_FORCE"): (
            "rival",
            {"partnership_id": ids["ended"], "order_ids": [1]},
        ),
        ("accept_partner_order", "PARTNER_OFFER_CLOSED"): ("rival", {"offer_id": ids["closed"]}),
        ("accept_partner_order", "PARTNER_ORDER_GONE"): ("rival", {"offer_id": ids["gone"]}),
        ("accept_partner_order", "PARTNER_QUOTE_TOO_HIGH"): ("rival", {"offer_id": ids["dear"], "quote_minor": 2}),
        ("accept_partner_order", "ORDER_REF_TAKEN"): ("rival", {"offer_id": ids["open"], "reference": "R-1"}),
        ("recall_partner_order", "PARTNER_ORDER_NOT_HELD"): ("admin", {"offer_id": ids["closed"]}),
        ("report_partner_order", "PARTNER_ORDER_ON_ROUTE"): ("rival", {"offer_id": ids["routed"], "report": "delayed"}),
        ("decline_partner_order", "PARTNER_OFFER_CLOSED"): ("rival", declined),
        ("return_partner_order", "PARTNER_ORDER_NOT_HELD"): ("rival", {**declined, "offer_id": ids["driven"]}),
        ("report_partner_order", "PARTNER_ORDER_NOT_HELD"): (
            "rival",
            {"offer_id": ids["open"], "report": "picked_up"},
        ),
        ("report_partner_order", "PARTNER_REPORT_OUT_OF_TURN"): (
            "rival",
            {"offer_id": ids["mine"], "report": "delivered"},
        ),
    }
