"""Order import at the desk: pasted or uploaded, checked, fixed and imported."""

import re
from html import unescape

from tests.support.app import App
from tests.web.page_client import get_page, send_form

PAGE = "/desk/import-orders"
ROWS = "who\taddress\tcity\tcountry\nBo\t1 King St E\tToronto\tCA\n\t2 King St E\tToronto\tCA"


async def test_rows_can_be_pasted_mapped_and_the_valid_ones_imported(app: App) -> None:
    assert 'name="rows"' in (await get_page(app, PAGE, "admin")).text
    page = await send_form(app, PAGE, "admin", rows=ROWS, step="check")
    assert page.status_code == 200
    assert "Columns not found: Name" in page.text
    assert 'value="import"' not in page.text
    document = re.search(r'name="document" value="([^"]+)"', page.text)
    assert document
    sent = {"document": unescape(document[1]), "format": "csv", "mapping.name": "who"}
    checked = await send_form(app, PAGE, "admin", **{**sent, "step": "check"})
    assert "Import 1<" in checked.text
    assert re.search(r'<span class="badge bad">2</span>\s*Name: ', checked.text)
    done = await send_form(app, PAGE, "admin", **{**sent, "step": "import"})
    assert done.status_code == 303
    await app.work_off()
    batch = unescape((await get_page(app, done.headers["location"], "admin")).text)
    assert ">Refused<" in batch
    assert [order.name for order in (await app.answer("admin", "get_orders")).orders] == ["Bo"]


async def test_a_recognized_column_can_be_excluded(app: App) -> None:
    page = await send_form(app, PAGE, "admin", rows=f"note\t{ROWS.replace('who', 'name', 1)}", step="check")
    document = re.search(r'name="document" value="([^"]+)"', page.text)
    assert document
    assert re.search(r'name="mapping.note">.*?<option selected>note', page.text, re.S)
    mapped = {f"mapping.{name}": name for name in ("name", "address", "city", "country")}
    sent = {"document": unescape(document[1]), "format": "csv", "mapping.note": "", **mapped}
    again = await send_form(app, PAGE, "admin", **{**sent, "step": "check"})
    assert not re.search(r'name="mapping.note">(?:(?!</select>).)*selected', again.text, re.S)


async def test_empty_and_cross_site_forms_do_nothing(app: App) -> None:
    empty = await send_form(app, PAGE, "admin", step="check")
    assert empty.status_code == 422
    assert "Choose a file" in empty.text
    foreign = await send_form(app, PAGE, "admin", rows=ROWS, step="import", csrf="guessed")
    assert foreign.status_code == 403
    assert (await app.answer("admin", "get_orders")).orders == []


async def test_users_who_cannot_create_orders_find_no_page(app: App) -> None:
    assert (await get_page(app, PAGE, "driver")).status_code == 404
