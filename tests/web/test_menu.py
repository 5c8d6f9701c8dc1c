"""The main menu shows permitted pages and marks the current one."""

import re

from tests.support.app import App
from tests.support.every_case import for_every
from tests.web.page_client import get_page


def lines(page: str) -> list[str]:
    return re.findall(r'<a href="([^"]+)"', page[page.index("<nav") : page.index("</nav>")])


@for_every(
    ("who", "expected"),
    [
        (None, ["/track", "/api/docs"]),
        ("customer", ["/desk", "/mcp-approvals"]),
        ("contractor", ["/desk", "/dispatch", "/mcp-approvals"]),
        ("driver", ["/desk", "/go", "/mcp-approvals"]),
        ("employee", ["/desk", "/dispatch", "/handheld", "/mcp-approvals"]),
    ],
)
async def test_users_find_the_pages_open_to_them(app: App, who: str | None, expected: list[str]) -> None:
    assert lines((await get_page(app, "/mcp-approvals" if who else "/sign-in", who)).text) == expected


async def test_the_current_page_is_marked(app: App) -> None:
    shown = (await get_page(app, "/dispatch/list", "employee")).text
    assert shown.count('aria-current="page"') == 1
    assert '<a href="/dispatch" aria-current="page">' in shown


async def test_a_module_that_is_off_leaves_no_section_behind(app: App) -> None:
    for module in ("freight", "shipping"):
        await app.call("admin", "set_module", {"module": module, "enabled": False})
    rail = (await get_page(app, "/desk", "admin")).text
    assert "Orders" in rail
    assert "Shipping" not in rail
