"""Card payments on a real server: a simulated Stripe, and a business that uses it."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from tests.contexts.payments.examples import ACCOUNT
from tests.support.live import PATIENCE_S, free_port
from tests.web.browser import DemoApi

from haulier.simulation.payments.server import simulated_stripe


@contextmanager
def make_simulated_stripe() -> Iterator[str]:
    """The address of a simulated Stripe, as long as this lasts."""
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(simulated_stripe(), port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + PATIENCE_S
    while not server.started:
        assert time.monotonic() < until, "the simulated Stripe does not start"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)


def take_cards(office: DemoApi) -> None:
    """The demo business takes online payments."""
    office.put("/v1/billing/payment-account", **ACCOUNT)
