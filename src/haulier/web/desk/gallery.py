"""Gallery of the design system: every component in every state.

Served with the demo only; a test renders it and checks it with axe.
"""

from starlette.responses import Response

from haulier.web.desk.forms import Field
from haulier.web.desk.inputs import TYPED
from haulier.web.desk.pages import DeskRequest, TableView

MOODS = ("", "info", "good", "warn", "bad")
COLOURS = (
    *("paper", "sheet", "sunk", "line", "edge", "ink", "soft", "brand", "brand-strong", "brand-wash", "focus"),
    *("good", "good-wash", "warn", "warn-wash", "bad", "bad-wash", "info", "info-wash"),
)
SPACES = ("s1", "s2", "s3", "s4", "s5", "s6", "s7")


async def gallery_page(desk: DeskRequest) -> Response:
    """Show the components."""
    rows = [
        {"id": 1, "name": "Van 1", "status": "DELIVERED", "price_minor": 650, "currency": "EUR", "weight_g": 1500},
        {"id": 2, "name": "Van 2", "status": "FAILED", "price_minor": 129_900, "currency": "EUR", "weight_g": 250},
    ]
    return desk.page(
        "desk_gallery.html",
        moods=MOODS,
        colours=COLOURS,
        spaces=SPACES,
        fields=_fields(),
        faults={"gallery.fault": desk.say("kinds.ambiguous", given="1.500", whole="1500", part="1.5")},
        table=TableView(noun=None, columns=["id", "name", "status", "price_minor", "weight_g"], rows=rows),
    )


def _fields() -> list[Field]:
    """Return one input of each kind."""
    country = [("DE", "Germany"), ("CA", "Canada")]
    return [
        _field("name", "text", required=True),
        _field("amount", "measured", text="6.50", unit="€", unit_first=True),
        _field("weight", "measured", text="1.5", unit="kg"),
        _field("fault", "measured", text="1.500", unit="kg"),
        _field("quantity", "number", example="1"),
        _field("day", "date", text="2026-06-12"),
        _field("opens", "time", text="09:00"),
        _field("starts_at", "datetime-local", text="2026-06-12T14:00"),
        _field("country", "picked", text="Germany", picks_from="country", chosen=["DE"]),
        _field(
            "countries", "picked_lines", text="Germany\nCanada", picks_from="country", chosen=[c for c, _ in country]
        ),
        _field("status", "select", options=["NEW_ORDER", "DELIVERED"], chosen=["DELIVERED"]),
        _field("active", "boolean"),
        _field("weekdays", "choices", options=["1", "2"], chosen=["1"], option_names={"1": "Monday", "2": "Tuesday"}),
        _field("phone", "tel", text="+49 30 901820"),
        _field("email", "email"),
        _field("note", "textarea", hint="Shown in the order history."),
        _field("document", "file"),
        _field("references", "pairs", pairs=[("ERP", "4711"), ("", "")]),
    ]


def _field(label: str, kind: str, **more: object) -> Field:
    name = f"gallery.{label}"
    typed = name + TYPED if kind in {"measured", "picked", "picked_lines", "pairs"} else ""
    return Field(**{"name": name, "label": label, "kind": kind, "input_name": typed, **more})  # pyright: ignore[reportArgumentType]
