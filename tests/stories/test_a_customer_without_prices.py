"""A customer with hidden prices: replies do not depend on any amount."""

import asyncio
import re
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.contexts.billing.invoices.examples import SETTINGS
from tests.contexts.billing.ledger.makers import faults
from tests.contexts.orders.examples import ADDRESS, RATE_CARD
from tests.support import databases
from tests.support.app import App, make_app
from tests.support.transport import make_driver, make_route

from haulier.kernel.operations.enums import PriceFamily

HISTORIES = 10
PRICES = st.integers(1, 50_000)
_RANDOM = re.compile(r"HL[0-9A-Z]{10,}|[0-9a-f]{20,}|\"(request_id|digest|token)\": ?\"[^\"]*\"")
"""Tracking numbers and ids that are random in each history."""


async def play(price: int, payment: int) -> list[str]:
    """Play the story at a price, and return the customer's replies."""
    with tempfile.TemporaryDirectory() as folder:
        async with make_app(databases.migrated_file(Path(folder))) as app:
            return [_RANDOM.sub("*", text) for text in await _replies(app, price, payment)]


async def _replies(app: App, price: int, payment: int) -> list[str]:
    customer, told = app.ids["customer"], list[str]()
    card = {**RATE_CARD, "zones": [{"code": "near", "up_to_m": 5_000_000, "base": price}]}
    await app.answer("admin", "set_rate_card", {"rate_card": card}, confirmed=True)
    await app.answer("admin", "set_invoicing_settings", SETTINGS)
    await app.answer("admin", "set_price_visibility", {"customer_id": customer, "hidden": list(PriceFamily)})

    async def ask(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        reply = await app.rest("customer", method, f"/v1{path}", body)
        told.append(f"{method} {path} {reply.status_code} {reply.text}")
        return reply

    driver_id = await make_driver(app, user="driver")
    orders = [await _delivered(app, ask, driver_id, number) for number in range(2)]
    await _look(ask, orders)
    paid = {"customer_id": customer, "amount_minor": payment, "reference": "P1"}
    await app.answer("admin", "top_up_credit", paid, confirmed=True)
    invoice = (await app.answer("admin", "issue_invoice", {"customer_id": customer}, confirmed=True)).invoice
    credited = {"invoice_id": invoice.id, "transfer_id": invoice.lines[0].transfer_id, "reason": "The wrong door."}
    await app.answer("admin", "credit_invoice", credited, confirmed=True)
    await _look(ask, orders)
    for path in (f"/billing/invoices/{invoice.id}", f"/billing/invoices/{invoice.id}/ubl"):
        await ask("GET", path)
    assert await faults(app) == []
    return told


async def _delivered(app: App, ask: Any, driver_id: int, number: int) -> int:
    """Quote, create, plan, drive and deliver an order."""
    await ask("POST", "/orders/rate", {"consignee": {"lat": 43.66, "lng": -79.39}, "weight_g": 2_000})
    order = {"order_ref": f"A-{number}", "consignee": ADDRESS, "packages": [{"weight_g": 2_000}]}
    order_id = (await ask("POST", "/client/orderCreate", order)).json()["order"]["id"]
    route_id = await make_route(app, order_ids=[order_id], driver_id=driver_id)
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    app.clock.forward(minutes=5)
    stop = {"route_id": route_id, "stop_id": route.stops[-1].id, "recipient": "Ada"}
    await app.answer("driver", "deliver_stop", stop)
    await app.work_off()
    return order_id


async def _look(ask: Any, orders: list[int]) -> None:
    """The customer looks at orders, fulfilments, credit, statement and invoices."""
    for order_id in orders:
        await ask("GET", f"/orders/{order_id}")
        await ask("GET", f"/orders/{order_id}/fulfilments")
    for path in ("/orders", "/billing/my-credit", "/billing/statement", "/billing/invoices", "/orders?per_page=1"):
        await ask("GET", path)


@settings(max_examples=HISTORIES, phases=(Phase.explicit, Phase.generate))
@given(PRICES, PRICES, st.integers(200_000, 10**6))
def test_responses_reveal_no_prices_at_any_price_level(first: int, second: int, paid: int) -> None:
    # The payment covers both prices: a customer may learn that an invoice is paid.
    told = asyncio.run(play(first, paid))
    assert sum(" 200 " in text or " 201 " in text for text in told) >= 12, told
    assert told == asyncio.run(play(second, paid))
