"""Record pages offer only actions allowed in the current state."""

import re
from typing import Any

from msgspec import Struct
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.support.every_case import for_every
from tests.web.page_client import get_page

from haulier.app import registry
from haulier.kernel.operations.resources import resources_of


async def offered(app: App, path: str, who: str = "admin") -> set[str]:
    """The acts that the page of a record offers."""
    page = await get_page(app, path, who)
    assert page.status_code == 200
    return {part.partition("?")[0].partition('"')[0] for part in page.text.split('href="/desk/act/')[1:]}


async def test_a_held_order_can_be_released_and_not_held_again(app: App) -> None:
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order
    before = await offered(app, f"/desk/orders/{order.id}")
    assert "hold_order" in before
    assert "release_order" not in before
    await app.answer("admin", "hold_order", {"order_id": order.id})
    after = await offered(app, f"/desk/orders/{order.id}")
    assert "release_order" in after
    assert "hold_order" not in after


async def test_an_active_driver_can_be_disabled_and_not_enabled(app: App) -> None:
    driver = (await app.answer("admin", "create_driver", {"name": "Dana"})).driver
    acts = await offered(app, f"/desk/drivers/{driver.id}")
    assert "disable_driver" in acts
    assert "enable_driver" not in acts
    await app.answer("admin", "disable_driver", {"driver_id": driver.id})
    acts = await offered(app, f"/desk/drivers/{driver.id}")
    assert "enable_driver" in acts
    assert "disable_driver" not in acts


async def test_a_published_locked_route_offers_the_opposite_actions(app: App) -> None:
    place = {"name": "North", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
    depot = (await app.answer("admin", "create_depot", place)).depot
    route = (await app.answer("admin", "create_route", {"day": "2026-06-10", "depot_id": depot.id})).route
    await app.answer("admin", "lock_route", {"route_id": route.id})
    acts = await offered(app, f"/desk/routes/{route.id}")
    assert {"unlock_route", "start_route", "lock_route"} & acts == {"unlock_route"}


def _record_of(noun: Any) -> type[Struct]:
    """Return the record on the page of a noun, from its read or a row of its list."""
    answer = (noun.record or noun.listing).answer
    kinds = [kind for kind in getattr(answer, "__annotations__", {}).values() if isinstance(kind, type)]
    return next((kind for kind in kinds if issubclass(kind, Struct)), noun.row)


@for_every("operation", [each for each in registry() if each.available_when])
def test_required_states_of_actions_match_the_record(operation: Any) -> None:
    noun = resources_of(registry()).of_operation[operation.name]
    assert operation.available_when.keys() <= set(_record_of(noun).__struct_fields__) | set(noun.row.__struct_fields__)


async def test_each_card_of_a_section_links_only_to_its_create_form(app: App) -> None:
    page = (await get_page(app, "/desk/sections/fleet", "admin")).text
    cards = [card.partition("</li>")[0] for card in page.split('<li class="card">')[1:]]
    made = {
        name: card.count("/desk/act/")
        for card in cards
        for name in ("drivers", "depots", "vehicles")
        if f"/desk/{name}" in card
    }
    assert made == {"drivers": 1, "depots": 1, "vehicles": 1}


async def test_a_box_form_asks_for_the_size_before_the_orientation(app: App) -> None:
    for path in ("/desk/plan-loading", "/desk/choose-cartons"):
        page = (await get_page(app, path, "admin")).text
        names = list(re.findall(r' name="pieces\.0\.(\w+)~?"', page))
        assert names[:6] == ["id", "length_mm", "width_mm", "height_mm", "weight_g", "quantity"]


async def test_a_web_address_has_a_url_input(app: App) -> None:
    page = (await get_page(app, "/desk/act/update_webhook_settings", "admin")).text
    assert re.search(r'<input id="endpoints\.0\.url"[^>]* type="url"', page)
