"""The demo business offers an app for evaluation."""

from pathlib import Path

import httpx
import pytest

from haulier.app import build_application
from haulier.demo import ensure_demo
from haulier.server import create_asgi_app
from haulier.settings import Settings


async def test_the_demo_business_offers_the_customer_app_with_every_sign_in_method(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # text messages of the demo are kept in a file there
    settings = Settings(database=database_url, demo=True, background=False)
    await ensure_demo(settings)
    application = build_application(settings)
    await application.database.open()
    try:
        transport = httpx.ASGITransport(app=create_asgi_app(settings, application))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            answer = await http.get("/api/v1/apps/customer-app/clients/demo/bootstrap")
    finally:
        await application.database.close()
    data = answer.json()["data"]
    assert (answer.status_code, data["app"]["code"], data["app"]["type"]) == (200, "customer-app", "customer")
    assert data["authentication"]["methods"] == {"idp": True, "email": True, "registration": True}
    assert data["authentication"]["idp"]["server_client_id"]
    assert data["settings"]["home"]["quick_actions"] == ["send", "return"]
    assert [policy["platform"] for policy in data["version_policy"]["platforms"]] == ["android", "ios"]
