"""The setup checklist of the home page."""

from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import Checked, get_page, page_text, send_form, session_cookie

ADDRESS = {"address": "1 Front St", "lat": 43.64, "lng": -79.38}


async def test_a_new_business_sees_what_is_left_with_a_link_for_each(app: App) -> None:
    page = await get_page(app, "/desk", "rival")
    told = " ".join(page_text(page).split())
    assert "Get ready to deliver" in told
    assert all(f'href="/desk/set-up?step={name}"' in page.text for name in ("location", "drivers", "prices"))
    assert 'href="/desk/new-order"' in page.text
    assert "/desk/act/set_brand" in page.text
    assert Checked(page.text).faults == []


async def test_a_done_step_is_ticked_and_no_longer_a_link(app: App) -> None:
    before = page_text(await get_page(app, "/desk", "rival"))
    await app.answer("rival", "create_depot", {"name": "Main", **ADDRESS})
    page = await get_page(app, "/desk", "rival")
    assert 'href="/desk/set-up?step=location"' not in page.text
    assert page_text(page) != before


async def test_staff_who_cannot_change_the_business_see_no_checklist(app: App) -> None:
    assert "Get ready to deliver" not in page_text(await get_page(app, "/desk", "employee"))


async def test_the_checklist_can_be_hidden(app: App) -> None:
    answer = await send_form(app, "/desk/set-up/dismiss", "rival")
    assert (answer.status_code, answer.headers["location"]) == (303, "/desk")
    assert "haulier_setup=dismissed" in answer.headers["set-cookie"]
    cookies = f"{session_cookie(app, 'rival')}; haulier_setup=dismissed"
    page = await get_page(app, "/desk", None, headers={"cookie": cookies})
    assert page.status_code == 200
    assert "Get ready to deliver" not in page_text(page)


async def test_sample_data_is_offered_until_the_first_order(app: App) -> None:
    before = await get_page(app, "/desk", "rival")
    assert 'action="/test-mode/sample-data"' in before.text
    await make_order(app, "rival")
    assert 'action="/test-mode/sample-data"' not in (await get_page(app, "/desk", "rival")).text
