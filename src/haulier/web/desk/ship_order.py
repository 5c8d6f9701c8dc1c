"""The page of one order to ship: rates side by side, and the rule that chose."""

import secrets
from typing import Any

from starlette.responses import RedirectResponse, Response

from haulier.contexts.orders.delivery_orders.operations.query import get_order_detail
from haulier.contexts.orders.fulfilments.operations import list_fulfilments
from haulier.contexts.shipping.labels.operations.shipments import cancel_shipping_label
from haulier.contexts.shipping.order_shipments.operations import rate_order, ship_order
from haulier.contexts.shipping.package_presets.operations import list_package_presets
from haulier.contexts.shipping.shipping_rules.operations import test_shipping_rules
from haulier.web.desk.pages import DeskRequest, not_found, parse_number, plain_answer
from haulier.web.operations_client import read_form


async def ship_order_page(desk: DeskRequest) -> Response:
    """Show the rates of an order, or its label."""
    return await _page(desk, desk.texts.get("package_preset_id", [""])[-1])


async def ship_one_order(desk: DeskRequest) -> Response:
    """Buy the label of an order: the chosen rate, else by rules."""
    form = await read_form(desk.request)
    preset = form.get("package_preset_id", "")
    if not desk.session.is_genuine_form(desk.request, form):
        return await _page(desk, preset, problem=desk.say("sign_in.again"), status_code=403)
    values = _asked(desk, preset) | ({"rate_id": form["rate_id"]} if form.get("rate_id") else {})
    result = await desk.call(ship_order, values, idempotency_key=form.get("once"))
    if result.error is not None:
        return await _page(desk, preset, problem=result.error["message"], status_code=result.status)
    return RedirectResponse(f"{desk.request.url.path}?done={ship_order.name}", 303)


async def _page(desk: DeskRequest, preset: str, *, problem: str | None = None, status_code: int = 200) -> Response:
    order_id = desk.request.path_params["order_id"]
    order = (await desk.read_if_allowed(get_order_detail, order_id=order_id)).get("order")
    if not order or not desk.may(rate_order):
        return not_found(desk)
    label = await _label(desk, order_id)
    asked = _asked(desk, preset)
    result = None if label else await desk.call(rate_order, asked)
    rated = plain_answer(result) if result is not None and result.error is None else None
    rules = await desk.read_if_allowed(test_shipping_rules, order_id=order_id) if not label else {}
    return desk.page(
        "desk_ship_order.html",
        status_code=status_code,
        order=order,
        label=label,
        rated=rated,
        refused=result.error["message"] if result is not None and result.error else None,
        choice=rules.get("choice") or {},
        explanation=rules.get("explanation") or [],
        presets=(await desk.read_if_allowed(list_package_presets)).get("package_presets") or [] if not label else [],
        preset=preset,
        may_ship=desk.may(ship_order),
        void=cancel_shipping_label if desk.may(cancel_shipping_label) else None,
        done=desk.find(desk.texts.get("done", [""])[-1]),
        problem=problem,
        once=secrets.token_urlsafe(16),
        call=rate_order,
        values=asked,
    )


def _asked(desk: DeskRequest, preset: str) -> dict[str, Any]:
    number = parse_number(preset)
    return {"order_id": desk.request.path_params["order_id"], **({"package_preset_id": number} if number else {})}


async def _label(desk: DeskRequest, order_id: int) -> dict[str, Any] | None:
    """Return the carrier's fulfilment of an order that has a label, or None."""
    found = (await desk.read_if_allowed(list_fulfilments, order_id=order_id)).get("fulfilments") or []
    return next(
        (each for each in found if each["method"] == "carrier" and each["status"] not in ("refused", "cancelled")), None
    )
