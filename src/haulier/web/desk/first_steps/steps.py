"""The steps of the setup, and the frame of their pages."""

import secrets
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from starlette.responses import RedirectResponse, Response

from haulier.contexts.fleet.depots.operations import list_depots
from haulier.contexts.fleet.drivers.operations import get_drivers
from haulier.contexts.identity.accounts.operations import get_client
from haulier.contexts.orders.delivery_orders.operations.query import get_orders
from haulier.contexts.orders.quotes.operations import get_rate_card
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.pages import DeskRequest, field_faults

Op = Operation[Any, Any]
SET_UP = "/desk/set-up"
FIRST_ORDER = "/desk/new-order"
STEPS = ("business", "location", "drivers", "prices", "order")


class Step(Struct, frozen=True):
    """A step of the setup."""

    name: str
    done: bool

    @property
    def address(self) -> str:
        """Return the address of its page."""
        return FIRST_ORDER if self.name == "order" else f"{SET_UP}?step={self.name}"


class StepForm(Struct, frozen=True):
    """Typed texts of a step, and their errors."""

    typed: Mapping[str, str] = {}
    faults: Mapping[str, str] = {}
    problem: str | None = None

    def text(self, name: str, default: Any = "") -> str:
        """Return the typed text of a field, else the value that it opens with."""
        return self.typed.get(name, "" if default is None else str(default))

    def is_on(self, name: str, *, default: bool = False) -> bool:
        """Return True if a box is ticked."""
        return bool(self.typed.get(name)) if self.typed else default

    def refused(self, result: OperationResult, names: Mapping[str, str] | None = None) -> "StepForm":
        """Return the form with the errors of a refused operation at its fields."""
        faults = {(names or {}).get(name, name): text for name, text in field_faults(result).items()}
        return StepForm(self.typed, {**self.faults, **faults}, result.error["message"] if result.error else None)


async def load_first_steps(desk: DeskRequest) -> list[Step]:
    """Return the steps of a business in order."""
    client = (await desk.read_if_allowed(get_client)).get("client") or {}
    card = await desk.read_if_allowed(get_rate_card)
    done = {
        "business": bool(client.get("country")),
        "location": await _has_any(desk, list_depots, "depots"),
        "drivers": await _has_any(desk, get_drivers, "drivers"),
        "prices": bool(card.get("own")),
        "order": await _has_any(desk, get_orders, "orders"),
    }
    return [Step(name, done[name]) for name in STEPS]


async def _has_any(desk: DeskRequest, listing: Op, rows: str) -> bool:
    return bool((await desk.read_if_allowed(listing, per_page=1)).get(rows))


def next_address(name: str) -> str:
    """Return the address of the step after this one."""
    return Step(STEPS[STEPS.index(name) + 1], False).address


async def show_step(desk: DeskRequest, name: str, form: StepForm, **values: Any) -> Response:
    """Render the page of a step."""
    return desk.page(
        f"first_steps_{name}.html",
        status_code=422 if form.faults or form.problem else 200,
        steps=await load_first_steps(desk),
        current=name,
        once=secrets.token_urlsafe(16),
        form=form,
        **values,
    )


def go_on(name: str) -> Response:
    """Lead to the step after this one."""
    return RedirectResponse(next_address(name), 303)
