"""Makers: businesses that work together, and orders offered to each other."""

from typing import Any

from tests.support.app import START, App
from tests.support.transport import make_depot, make_driver, make_order, make_route

from haulier.contexts.identity import public as access
from haulier.kernel.operations.enums import Account, Module


async def another_business(app: App, code: str) -> str:
    """A further client with an administrator, whose role is the client's code."""
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("tests act for every client")
        client = await access.create_client(
            work, code=code, name=code.title(), now=START, time_zone="Europe/Paris", currency="EUR", modules=Module
        )
        words = {"client_id": client, "account": Account.CLIENT_ADMIN, "now": START}
        user = await access.provision_user(work, email=f"admin@{code}.example", name=code, **words)
        app.clients[code], app.ids[code] = client, user
        app.tokens[code] = await access.issue_token(work, user_id=user, **words)
    return code


async def make_partnership(app: App, partner: str = "rival", **words: Any) -> int:
    """The demo client gives orders to another business, who agreed; its id."""
    asked = {"business": partner, **words}
    proposed = (await app.answer("admin", "propose_partnership", asked)).partnership
    await app.answer(partner, "accept_partnership", {"partnership_id": proposed.id})
    return proposed.id


async def offer_orders(app: App, partnership_id: int, order_ids: list[int], **words: Any) -> list[int]:
    """Orders offered under a partnership; the ids of the offers."""
    asked = {"partnership_id": partnership_id, "order_ids": order_ids, **words}
    made = await app.answer("admin", "offer_orders_to_partner", asked)
    assert made.errors == []
    return [each.id for each in made.offers]


async def call_about_offer(app: App, who: str, operation: str, offer_id: int, **words: Any) -> Any:
    """One call about an offer; its outcome."""
    return await app.call(who, operation, {"offer_id": offer_id, **words})


async def report_as_partner(app: App, offer_id: int, *reports: str, **words: Any) -> Any:
    """Report as the rival, step by step, and return the order of the last answer."""
    outcome: Any = None
    for each in reports:
        outcome = await call_about_offer(app, "rival", "report_partner_order", offer_id, report=each, **words)
        assert outcome.error is None, outcome.error
    return outcome.answer.partner_order


async def taken_order(app: App, **words: Any) -> tuple[int, int, int]:
    """Create an order that the rival took for 9.00.

    Returns the offer, the giver's order, and the rival's own.
    """
    order_id = await make_order(app, **words)
    (offer_id,) = await offer_orders(app, await make_partnership(app), [order_id])
    accepted = await call_about_offer(
        app, "rival", "accept_partner_order", offer_id, reference=f"R-{order_id}", quote_minor=900
    )
    assert accepted.error is None, accepted.error
    return offer_id, order_id, accepted.answer.partner_order.own_order_id


async def own_order(app: App, order_id: int) -> Any:
    return (await app.answer("rival", "get_order_detail", {"order_id": order_id})).order


async def drive_out(app: App, order_id: int) -> tuple[int, int]:
    """Put the rival's order on a route that starts, and return route and stop."""
    depot_id = await make_depot(app, "rival")
    driver_id = await make_driver(app, "rival", user="rival_driver")
    route_id = await make_route(app, "rival", [order_id], depot_id=depot_id, driver_id=driver_id)
    app.clock.forward(minutes=5)
    route = (await app.answer("rival_driver", "start_route", {"route_id": route_id})).route
    return route_id, route.stops[0].id


async def at_stop(app: App, visit: tuple[int, int], operation: str, **words: Any) -> None:
    app.clock.forward(minutes=5)
    await app.answer("rival_driver", operation, {"route_id": visit[0], "stop_id": visit[1], **words})
    await app.work_off()
