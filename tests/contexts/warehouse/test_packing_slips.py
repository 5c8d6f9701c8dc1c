"""Packing slips: a sheet per carton with picture, layers and items, PDF and HTML."""

from base64 import b64decode
from html.parser import HTMLParser
from typing import Any

from tests.contexts.warehouse.packing_makers import ADDRESS, make_carton, proposal
from tests.rendering.label_makers import text_of
from tests.support.app import App

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

HOSTILE = "<script>alert(1)</script>"
MUGS = {"id": "mug", "length_mm": 100, "width_mm": 100, "height_mm": 100, "weight_g": 300, "quantity": 3}


class Tags(HTMLParser):
    """The tags of a page, and whether each that was opened is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


async def make_saved_plan(app: App, *pieces: dict[str, Any]) -> int:
    """Save a plan for an order."""
    await make_carton(app, "S", 200, 100, 100, tare_g=50)
    asked = {"pieces": list(pieces)}
    answer = await app.answer("admin", "pack", asked)
    proposed = proposal(asked, answer)
    order = (await app.answer("admin", "create_order", {"consignee": {**ADDRESS, "name": "Ann & Bo"}})).order.id
    committed = {**proposed, "input_hash": answer.input_hash, "order_id": order}
    return (await app.answer("admin", "commit_packing_plan", committed)).plan.id


async def test_a_slip_has_a_sheet_per_carton_in_six_languages(app: App) -> None:
    plan = await make_saved_plan(app, MUGS)
    heard: set[str] = set()
    for language in SUPPORTED_LANGUAGES:
        asked = {"plan_id": plan, "paper": "letter"}
        made = await app.answer("employee", "print_packing_slip", asked, accept_language=language)
        assert (made.cartons, made.pieces, made.media_type) == (2, 3, "application/pdf")
        first, second = text_of(b64decode(made.document))
        heard.add(first)
        assert ("mug#1" in first, "mug#3" in second, "200 × 100 × 100 mm" in first) == (True, True, True)
        assert "Ann & Bo" in first
    assert len(heard) == len(SUPPORTED_LANGUAGES)


async def test_the_html_slip_draws_each_carton_and_runs_no_injected_script(app: App) -> None:
    plan = await make_saved_plan(app, {**MUGS, "id": HOSTILE})
    path = f"/v1/packing/plans/{plan}/slip"
    answer = await app.rest("employee", "GET", path, headers={"accept": "text/html"})
    assert answer.headers["content-type"].startswith("text/html"), answer.text
    tags = Tags(answer.text)
    assert (tags.open, tags.seen.count("section"), tags.seen.count("script")) == ([], 2, 0)
    assert tags.seen.count("svg") == 2 * 3, "a barcode, the carton from a corner, and its layers"
    assert "Ann &amp; Bo" in answer.text


async def test_another_business_cannot_print_a_slip(app: App) -> None:
    plan = await make_saved_plan(app, MUGS)
    assert (await app.call("rival", "print_packing_slip", {"plan_id": plan})).status == 404
