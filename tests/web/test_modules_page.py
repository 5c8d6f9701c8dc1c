"""Settings → Modules: a business sees its modules and switches them in place."""

from tests.support.app import App
from tests.web.page_client import get_page, send_form


async def test_modules_are_switched_in_place(app: App) -> None:
    page = await get_page(app, "/desk/modules", "admin")
    assert page.text.count('value="false"') == 11
    fields = {"module": "lockers", "enabled": "false", "back": "/desk/modules", "step": "do", "once": "a"}
    done = await send_form(app, "/desk/act/set_module", "admin", **fields)
    assert done.headers["location"].startswith("/desk/modules")
    page = await get_page(app, "/desk/modules", "admin")
    assert (page.text.count('value="false"'), page.text.count('value="true"')) == (9, 2)
    assert 'href="/desk/sections/lockers"' not in page.text
    assert 'href="/desk/lockers"' not in page.text


async def test_employees_see_modules_and_cannot_switch_them(app: App) -> None:
    page = await get_page(app, "/desk/modules", "employee")
    assert page.status_code == 200
    assert "/desk/act/set_module" not in page.text


async def test_a_page_of_a_disabled_module_says_so(app: App) -> None:
    await app.answer("admin", "set_module", {"module": "warehouse", "enabled": False})
    page = await get_page(app, "/desk/products", "admin")
    assert page.status_code in {403, 404}
