"""Plans in a browser: keyboard steps, 3D on demand, phone, dark mode and print."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browser import (
    DESK_SIZE,
    PHONE_SIZE,
    DemoApi,
    answer_in_page,
    axe_faults,
    needs_chromium,
    open_page,
    sideways_overflow,
)
from tests.web.plans import make_load_plan

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

pytestmark = needs_chromium
DRAWN = """() => {
  const canvas = document.querySelector("#space-place canvas");
  const seen = canvas?.width && canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  return seen ? seen.reduce((sum, each, at) => (sum * 31 + each * (at % 7)) % 1000003, 7) : 0;
}"""
"""A number for what is on the canvas; 0 before anything is."""


@pytest.fixture(scope="module")
def plan(demo_server: str) -> str:
    """The address of a load plan with four pieces at two stops, in a van with axles."""
    return f"/desk/load-plans/{make_load_plan(DemoApi(demo_server, 'admin'), 'DRAWN')}"


def pieces_inside(page: Page) -> int:
    return page.locator("#picture .box:not(.away)").count()


def test_steps_and_stops_can_be_browsed_by_keyboard(demo_server: str, browser: Browser, plan: str) -> None:
    with open_page(browser, demo_server, "admin") as page:
        page.goto(plan)
        page.locator("#step-slider").focus()
        expect(page.locator("#told")).to_contain_text("Step 4 of 4")
        for key, told, inside, weight in (
            ("Home", "Empty.", 0, "0"),
            ("ArrowRight", "Step 1 of 4", 1, re.compile("4|7")),
            ("End", "After stop 2", 0, "0"),
            ("ArrowLeft", "After stop 1", 2, "11"),
        ):
            page.keyboard.press(key)
            expect(page.locator("#told")).to_contain_text(told)
            assert pieces_inside(page) == inside
            expect(page.locator("[data-gauge='0'] .value")).to_have_text(weight)
        assert page.url.endswith("step=5"), "the address says the moment"
        expect(page.locator("tr[data-moment='5']")).to_have_attribute("aria-current", "step")
        page.locator("#picture").focus()
        page.keyboard.press("Home")
        expect(page.locator("#step-slider")).to_have_attribute("aria-valuetext", "Empty. Packages to load: 4.")
        page.get_by_role("button", name="Next step").or_(page.get_by_role("link", name="Next step")).click()
        expect(page.locator(".pieces tr[aria-current]")).to_have_count(1)
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}


def test_the_3d_view_opens_on_request_and_is_rotated_by_keyboard(demo_server: str, browser: Browser, plan: str) -> None:
    asked: list[str] = []
    with open_page(browser, demo_server, "admin") as page:
        page.on("request", lambda request: asked.append(request.url))
        page.goto(plan)
        expect(page.locator("#open-space")).to_be_visible()
        assert not any("plan-space" in url for url in asked), "nothing of it comes before it is wanted"
        page.locator("#open-space").press("Enter")
        first = answer_in_page(page, DRAWN)
        expect(page.locator("#space-place canvas")).to_be_focused()
        page.keyboard.press("ArrowLeft")
        turned = answer_in_page(page, DRAWN)
        page.keyboard.press("+")
        nearer = answer_in_page(page, DRAWN)
        page.get_by_role("button", name="Show all").click()
        assert len({first, turned, nearer}) == 3
        assert answer_in_page(page, DRAWN) == first
        page.locator("#step-slider").focus()
        page.keyboard.press("Home")
        assert answer_in_page(page, DRAWN) != first, "it follows the steps"
        assert axe_faults(page, PHONE_SIZE) == {}


def test_plans_fit_a_phone_in_every_language_and_print_as_sheets(demo_server: str, browser: Browser, plan: str) -> None:
    wide: dict[str, int] = {}
    with open_page(browser, demo_server, "admin", viewport=PHONE_SIZE) as page:
        for language, path in zip(
            SUPPORTED_LANGUAGES,
            (plan, f"{plan}?view=layers", "/desk/plan-loading", "/desk/choose-cartons") * 2,
            strict=False,
        ):
            page.goto(f"{path}{'&' if '?' in path else '?'}lang={language}")
            wide[f"{language} {path}"] = sideways_overflow(page)
        assert {page: pixels for page, pixels in wide.items() if pixels} == {}
        page.goto("/desk/plan-loading?lang=en")
        assert axe_faults(page, PHONE_SIZE) == {}
        page.goto(f"{plan}?space=all")
        page.emulate_media(media="print")
        expect(page.locator(".plan-space svg.corner")).to_be_visible()
        expect(page.locator(".rail")).to_be_hidden()


def test_box_orientations_are_correct_from_every_view(demo_server: str, browser: Browser, plan: str) -> None:
    boxes = [
        {"low": [0, 0, 0], "high": [2, 1, 1]},
        {"low": [0, 0, 1], "high": [1, 1, 2]},
        {"low": [2, 0, 0], "high": [3, 2, 1]},
    ]
    with open_page(browser, demo_server, "admin") as page:
        page.goto(plan)
        found = page.evaluate(
            """async ([boxes, ways]) => {
              const { orderOf } = await import("/static/plan-space.js");
              return ways.map((way) => orderOf(boxes, way));
            }""",
            [boxes, [[1, 1, 1], [-1, 1, 1]]],
        )
    assert [each.index(1) > each.index(0) for each in found] == [True, True], "what stands on a box hides it from above"
    assert [each.index(2) > each.index(0) for each in found] == [True, False], "what is nearer along x comes later"
