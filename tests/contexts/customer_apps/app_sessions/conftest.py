"""A user with a password, and an app of their client."""

from collections.abc import Iterator

import pytest
from tests.contexts.customer_apps.openid_provider import OpenIdProvider, run_openid_provider
from tests.contexts.customer_apps.registration.steps import SECRET
from tests.support.app import App


@pytest.fixture
def provider() -> Iterator[OpenIdProvider]:
    """The identity provider that the app trusts."""
    with run_openid_provider() as provider:
        yield provider


@pytest.fixture
async def cleo(app: App) -> dict[str, str]:
    """A customer of the demo client: what she signs in with."""
    await app.answer(
        "admin",
        "create_user",
        {"name": "Cleo", "email": "cleo@demo.example", "account": "customer", "password": SECRET},
    )
    return {"email": "cleo@demo.example", "password": SECRET}
