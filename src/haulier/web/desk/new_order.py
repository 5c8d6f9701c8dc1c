"""New order page: recipient search, live price and suggested routes."""

import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from starlette.responses import JSONResponse, RedirectResponse, Response

from haulier.contexts.dispatch.board.operations import suggest_routes
from haulier.contexts.identity.accounts.operations import get_client, update_client
from haulier.contexts.orders.delivery_orders.operations.create import create_order
from haulier.contexts.orders.quotes.operations import quote_delivery
from haulier.contexts.places.address_book.operations.search import find_nearest_address, search_address
from haulier.web.desk.acts import DeskAction
from haulier.web.desk.day_routes import go_with_driver, offer_day_route
from haulier.web.desk.first_steps.steps import load_first_steps
from haulier.web.desk.forms import Field, form_of
from haulier.web.desk.inputs import TYPED, Presenter, read_typed
from haulier.web.desk.own_fields import SHOWN_AS, form_for
from haulier.web.desk.pages import DeskRequest, field_faults, not_found, plain_answer
from haulier.web.desk.pickers import home_of
from haulier.web.desk.promises import offer_windows
from haulier.web.desk.uploads import FormTooLarge, read_act_form
from haulier.web.pages.value_formatter import parse_moment

ASKED = (
    *(
        f"consignee.{part}"
        for part in ("name", "address", "unit", "city", "postal_code", "country", "phone", "email", "notes")
    ),
    *("consignee.lat", "consignee.lng", "scheduled_date", "window_start", "window_end"),
    *(
        "packages.0.quantity",
        "packages.0.weight_g",
        "service",
        "signature_required",
        "cod_minor",
        "customer_id",
        "order_ref",
    ),
)
"""The fields of an order that are asked for here; the page of `create_order` has all of them."""
SENT = ("csrf", "once", "step", "route_driver")
"""Fields that the form itself sends."""
NEEDED = frozenset(f"consignee.{part}" for part in ("name", "address", "city", "country"))
FILLED = ("name", "address", "unit", "city", "postal_code", "country", "phone", "lat", "lng")
"""The parts of an address that is found, as the order has them."""
FOUND_MAX = 6


PARTS = {"found": "desk_order_found.html", "price": "desk_order_price.html", "routes": "desk_order_routes.html"}
"""Parts that the page's script requests separately."""


class FittingRoute(Struct, frozen=True, kw_only=True):
    """A route that can take the order, as text.

    `problems` are rules that it would break.
    """

    id: int
    name: str
    facts: list[str]
    problems: list[str]


async def new_order_page(desk: DeskRequest) -> Response:
    """The form; each of `PARTS` alone for its script."""
    if not desk.may(create_order):
        return not_found(desk)
    return await _show_order(desk, desk.texts)


async def submit_new_order(desk: DeskRequest) -> Response:
    """Create the order, put it on a route if asked, and lead to it."""
    if not desk.may(create_order):
        return not_found(desk)
    try:
        texts = await read_act_form(desk.request, create_order)
    except FormTooLarge:
        return not_found(desk)
    own = {name: texts.pop(name)[-1] for name in SENT if name in texts}
    texts = {name: given for name, given in texts.items() if any(given)}
    if not desk.session.is_genuine_form(desk.request, own):
        return await _show_order(desk, texts, problem=desk.say("sign_in.again"), status_code=403)
    schema = await form_for(desk, create_order)
    read = await read_typed(desk, schema, texts)
    if read.faults:
        return await _show_order(desk, texts, problem=desk.say("kinds.check_fields"), status_code=422)
    act = DeskAction(desk, create_order, read, form=schema)
    made = await desk.call(create_order, act.values, idempotency_key=own.get("once"))
    if made.error is not None:
        more: dict[str, Any] = {"faults": field_faults(made), "problem": made.error["message"]}
        return await _show_order(desk, texts, status_code=made.status, **more)
    order_id = plain_answer(made)["order"]["id"]
    if own.get("step") == "route" and own.get("route_driver", "").isdecimal():
        return await go_with_driver(desk, order_id, int(own["route_driver"]), f"{own.get('once', '')}-route")
    return RedirectResponse(f"/desk/orders/{order_id}?done={create_order.name}", 303)


async def _show_order(
    desk: DeskRequest,
    texts: Mapping[str, list[str]],
    *,
    faults: Mapping[str, str] | None = None,
    problem: str = "",
    status_code: int = 200,
) -> Response:
    part = desk.texts.get("part", [""])[-1]
    # Parts are requested while typing and show no custom fields.
    form = form_of(create_order.request) if part else await form_for(desk, create_order)
    read = await read_typed(desk, form, {name: given for name, given in texts.items() if _is_asked(name)})
    typed = {name: given for name, given in read.texts.items() if any(given)}
    act = DeskAction(desk, create_order, read, form=form)
    # A typed country takes precedence, and addresses are requested while typing.
    wants_home = part not in {"price", "routes"} and "consignee.country" not in typed
    home = ((await desk.read_if_allowed(get_client)).get("client") or {}).get("country") if wants_home else None
    if not part and home:
        act.values.setdefault("consignee", {}).setdefault("country", home)
    fields = [
        field
        for field in _flat(act.form.fields(act.values, desk.session.time_zone, without=desk.implied))
        if _is_asked(field.name)
    ]
    presenter = Presenter(desk, read)
    fields = fields if part else await presenter.present(fields)
    for field in fields:
        field.required = field.name in NEEDED or (field.required and bool(field.own_label))
    order = {name: at for at, name in enumerate(ASKED)}
    return desk.page(
        PARTS.get(part, "desk_new_order.html"),
        fields=sorted(fields, key=lambda field: order.get(field.name, len(order))),
        sought=desk.texts.get("q", [""])[-1],
        found=await _found(desk, typed, home) if part in {"", "found"} else [],
        quote=await _quote(desk, act.values) if part in {"", "price"} else {},
        routes=await _fitting_routes(desk, act.values) if part in {"", "routes"} else None,
        plans_routes=desk.may(suggest_routes),
        pickers=presenter.suggestions,
        map_at=None if part else await home_of(desk),
        call=None if part else create_order,
        values=act.values,
        faults={**(faults or {}), **read.faults},
        problem=problem,
        status_code=status_code,
        once=secrets.token_urlsafe(16),
        **({} if part else await _first_order(desk)),
    )


async def _first_order(desk: DeskRequest) -> dict[str, Any]:
    """Return windows to promise, drivers of today, and the steps of a new business."""
    steps = await load_first_steps(desk) if desk.may(update_client) else []
    route = await offer_day_route(desk, {"allowed_actions": ["plan"]})
    return {
        "windows": offer_windows(desk),
        "steps": [] if all(step.done for step in steps) else steps,
        "current": "order",
        "route_drivers": route.drivers if route and not route.missing else [],
    }


def _is_asked(name: str) -> bool:
    return name.partition(TYPED)[0] in ASKED or name.startswith(f"{SHOWN_AS}.")


async def _found(desk: DeskRequest, typed: Mapping[str, list[str]], home: str | None) -> list[tuple[str, str]]:
    """Return matching addresses, each with the page address that fills it in."""
    found = await _search(desk, typed.get("consignee.country", [home])[-1])
    kept = {name: texts for name, texts in typed.items() if not name.startswith("consignee.")}
    return [(each["text"], desk.address_with({**kept, **_filled(each)})) for each in found]


async def find_places(desk: DeskRequest) -> Response:
    """Answer with matching addresses as JSON, for pins on maps."""
    country = desk.texts.get("country", [None])[-1]
    if country is None:
        country = ((await desk.read_if_allowed(get_client)).get("client") or {}).get("country")
    return JSONResponse({"places": await _search(desk, country, towns=True)}, headers={"Cache-Control": "no-store"})


async def find_address_at(desk: DeskRequest) -> Response:
    """Answer with the address at a pin as JSON."""
    values = {name: desk.texts.get(name, [""])[-1] for name in ("lat", "lng")}
    found = await desk.read_if_allowed(find_nearest_address, **values)
    return JSONResponse({"place": found.get("address")}, headers={"Cache-Control": "no-store"})


async def _search(desk: DeskRequest, country: str | None, *, towns: bool = False) -> list[dict[str, Any]]:
    """Return addresses that match the text searched for.

    Unknown streets are searched in the typed country, or in the country of the business, and `towns` stand in for them.
    """
    sought = desk.texts.get("q", [""])[-1].strip()
    if len(sought) < 2 or not desk.may(search_address):
        return []
    asked = {"search": sought, "limit": FOUND_MAX}
    answer = await desk.read(search_address, asked) or {}
    if not answer.get("addresses") and country:
        answer = await desk.read(search_address, {**asked, "country": country, "towns": towns}) or {}
    return answer.get("addresses") or []


def _filled(found: Mapping[str, Any]) -> dict[str, Any]:
    return {f"consignee.{part}": found[part] for part in FILLED if found.get(part) is not None}


async def _quote(desk: DeskRequest, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the quote, once a location is known."""
    consignee = values.get("consignee") or {}
    if not (consignee.get("city") or consignee.get("postal_code")) or not desk.may(quote_delivery):
        return {}
    package: Mapping[str, Any] = next(iter(values.get("packages") or []), {})
    asked = {
        "consignee": {name: value for name, value in consignee.items() if name in FILLED},
        "cod": bool(values.get("cod_minor")),
        "signature_required": values.get("signature_required") is True,
        **({"weight_g": package["weight_g"]} if "weight_g" in package else {}),
        **({"packages": package["quantity"]} if "quantity" in package else {}),
    }
    result = await desk.call(quote_delivery, asked)
    return plain_answer(result) if result.error is None else {"problem": result.error["message"]}


async def _fitting_routes(desk: DeskRequest, values: Mapping[str, Any]) -> list[FittingRoute] | None:
    """Return the day's routes that can take the order, or None without a location."""
    consignee = values.get("consignee") or {}
    if consignee.get("lat") is None or consignee.get("lng") is None or not desk.may(suggest_routes):
        return None
    package: Mapping[str, Any] = next(iter(values.get("packages") or []), {})
    count = package.get("quantity") or 1
    asked = {
        **{name: consignee[name] for name in ("lat", "lng", "postal_code") if consignee.get(name) is not None},
        **{name: values[name] for name in ("window_start", "window_end") if values.get(name)},
        **({"day": values["scheduled_date"]} if values.get("scheduled_date") else {}),
        "packages": count,
        "weight_g": count * (package.get("weight_g") or 0),
    }
    result = await desk.call(suggest_routes, asked)
    # Errors are shown when the order is created, and a slow travel time server must not delay it.
    return None if result.error else [_fitting_route(desk, each) for each in plain_answer(result)["routes"]]


def _fitting_route(desk: DeskRequest, route: Mapping[str, Any]) -> FittingRoute:
    formatter, arrival_at = desk.formatter, parse_moment(route["arrival_at"])
    facts = [route["driver_name"]] if route["driver_name"] else []
    if arrival_at:
        facts.append(desk.say("desk.visit_about", time=formatter.clock(arrival_at)))
        facts += [formatter.more_time(route["extra_s"]), formatter.more_way(route["extra_distance_m"])]
    return FittingRoute(
        id=route["route_id"],
        name=route["name"] or f"#{route['route_id']}",
        facts=facts,
        problems=list(dict.fromkeys(found["message"] for found in route["findings"])),
    )


def _flat(fields: list[Field]) -> Iterator[Field]:
    """Every field that is typed into."""
    for field in fields:
        if field.kind in {"group", "rows"}:
            yield from _flat(field.fields)
        else:
            yield field
