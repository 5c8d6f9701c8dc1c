"""A parcel that its recipient returns, with a unique reason and note."""

from typing import Any

from tests.contexts.lockers.return_makers import make_keeper
from tests.support.app import App


async def recipient_returns(app: App, mark: str) -> dict[str, Any]:
    """Create return settings and a started return."""
    reasons = [{"code": "marked", "texts": {"en": mark}}]
    await app.answer("admin", "set_return_settings", {"reasons": reasons})
    keeper = await make_keeper(app)
    await keeper.begins(reason="marked", note=mark)
    return {}
