"""Uncompressed size of pages."""

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.web.page_client import get_page

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

LIST_OF_50_BYTES = 32_000


async def test_a_list_of_fifty_rows_is_light(sqlite_app: App) -> None:
    app = sqlite_app  # one database: a page is the same on both
    for each in range(50):
        order = {"consignee": {**ADDRESS, "name": f"Customer number {each}"}, "order_ref": f"WEB-10{each:02}"}
        await app.answer("admin", "create_order", {**order, "scheduled_date": "2026-06-10"})
    weights: dict[str, int] = {}
    for language in SUPPORTED_LANGUAGES:
        page = await get_page(app, f"/desk/orders?lang={language}", "admin")
        assert page.text.count("<tr") == 51
        weights[language] = len(page.content)
    print(weights)
    assert max(weights.values()) < LIST_OF_50_BYTES
