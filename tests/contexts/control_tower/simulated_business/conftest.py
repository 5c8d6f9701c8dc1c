"""Real services that fail when a test business uses them."""

from typing import Any

import pytest
from tests.support.app import App


class Unreachable:
    """Adapter of a real service that fails when it is used."""

    configured = sends = True
    kinds = ()

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a test business used the real service: {name}")


@pytest.fixture
def no_service(app: App) -> None:
    """Make every real service unreachable."""
    adapters: Any = app.application.adapters
    for port in app.application.test_adapters:
        adapters[port] = Unreachable()
