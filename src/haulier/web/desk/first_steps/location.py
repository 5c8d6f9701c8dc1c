"""Step: where deliveries start from."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from haulier.contexts.fleet.depots.operations import create_depot, list_depots, update_depot
from haulier.contexts.identity.accounts.operations import get_client
from haulier.contexts.places.address_book.operations.search import search_address
from haulier.kernel.values.countries import country_places
from haulier.web.desk.first_steps.steps import StepForm, go_on, show_step
from haulier.web.desk.pages import DeskRequest
from haulier.web.kinds.examples import example_for


async def location_page(desk: DeskRequest, form: StepForm) -> Response:
    """Render the address with its pin; the first depot is shown for changes."""
    depot = await _first_depot(desk)
    return await show_step(
        desk,
        "location",
        form,
        map_at=_middle_of(desk.session.country),
        address=form.text("address", depot.get("address")),
        lat=form.text("lat", depot.get("lat")),
        lng=form.text("lng", depot.get("lng")),
        example=example_for("address", "100 Queen St W", desk.habits),
        town=example_for("city", "Toronto", desk.habits),
    )


def _middle_of(country: str | None) -> dict[str, float] | None:
    """Return a point of a country to open the map at."""
    places = country_places(country or "")
    return {"lat": places[0][0], "lng": places[0][1]} if places else None


async def submit_location(desk: DeskRequest, typed: Mapping[str, str]) -> Response:
    """Save the depot. An address without a pin is searched, and else its town."""
    form, address = StepForm(typed), typed.get("address", "").strip()
    at = _read_pin(typed)
    if not address:
        return await location_page(desk, StepForm(typed, {"address": desk.say("field.missing")}))
    at = at or await _locate(desk, address)
    if at is None:
        return await location_page(desk, StepForm(typed, {"address": desk.say("set_up.place_unknown")}))
    depot = await _first_depot(desk)
    client = (await desk.read_if_allowed(get_client)).get("client") or {}
    values: dict[str, Any] = {"address": address, **at}
    if depot:
        saved = await desk.call(update_depot, {**values, "depot_id": depot["id"]})
    else:
        values["name"] = client.get("name") or address
        saved = await desk.call(create_depot, values, idempotency_key=typed.get("once"))
    return await location_page(desk, form.refused(saved)) if saved.error is not None else go_on("location")


async def _first_depot(desk: DeskRequest) -> dict[str, Any]:
    depots = (await desk.read_if_allowed(list_depots, per_page=1)).get("depots") or [{}]
    return dict(depots[0])


def _read_pin(typed: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the coordinates of the pin, or None.

    Texts that are no numbers are refused by the operation.
    """
    texts = {name: typed.get(name, "").strip() for name in ("lat", "lng")}
    if not all(texts.values()):
        return None
    try:
        return {name: float(text) for name, text in texts.items()}
    except ValueError:
        return dict(texts)


async def _locate(desk: DeskRequest, address: str) -> dict[str, Any] | None:
    """Return the coordinates of an address, or of its town."""
    asked = {"search": address[:200], "country": desk.session.country, "towns": True, "limit": 1}
    found = (await desk.read_if_allowed(search_address, **asked)).get("addresses") or []
    return next(({"lat": each["lat"], "lng": each["lng"]} for each in found if each.get("lat") is not None), None)
