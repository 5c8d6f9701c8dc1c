"""Saved views keep their filters when filters are renamed."""

import asyncio
import json
import sqlite3
from typing import Any

from tests.support.app import App
from tests.support.separate_database import separate as separate

from haulier.adapters.migrations import downgrade_schema, upgrade_schema
from haulier.contexts.identity.saved_views.store import views

BEFORE = "0151"


async def stored_filters(app: App) -> Any:
    """Return the filters of the only view.

    The readers of SQLite in the application miss changes of others.
    """
    if app.database_url.startswith("sqlite"):
        with sqlite3.connect(app.database_url.removeprefix("sqlite:///")) as connection:
            return json.loads(connection.execute("SELECT filters FROM saved_view").fetchone()[0])
    (kept,) = (await app.answer("admin", "list_saved_views", {"noun": "orders"})).saved_views
    return kept.filters


async def test_filters_of_earlier_views_get_their_new_names(separate: App) -> None:
    app = separate
    named = {"noun": "orders", "name": "Toronto", "filters": {"search": ["Toronto"], "status": ["HOLD"]}}
    view = (await app.answer("admin", "save_view", named)).saved_view
    await asyncio.to_thread(downgrade_schema, app.database_url, BEFORE)
    async with app.database.write(app.clients["demo"]) as work:
        earlier = {"text": ["Toronto"], "status": ["HOLD"]}
        await work.run(views.update().where(views.c.id == view.id).values(filters=earlier))
    await asyncio.to_thread(upgrade_schema, app.database_url)
    assert await stored_filters(app) == named["filters"]
