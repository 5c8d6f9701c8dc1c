"""An unsaved plan, carried by the form of its page."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from haulier.kernel.operations.resources import snake_case

BUDGET = frozenset({"seconds", "steps", "seed"})
"""Search options in a request; a proposed plan has none."""


class CarriedPlace(Struct, array_like=True, frozen=True):
    """Position of a package. Typed texts are passed on unchanged for validation."""

    piece: str
    space: int | str
    x: int | str
    y: int | str
    z: int | str
    turn: str


class CarriedRepack(Struct, array_like=True, frozen=True):
    """A piece that is taken out at a stop, and where it is put back."""

    stop: int
    piece: str
    x: int
    y: int
    z: int
    turn: str


class CarriedPlan(Struct, frozen=True, kw_only=True):
    """A plan, what was asked, and what the answer said of it."""

    question: dict[str, Any]
    spaces: list[int]
    places: list[CarriedPlace]
    left: list[tuple[str, str]] = []
    """Pieces that stay behind, each with the reason."""
    repacks: list[CarriedRepack] = []
    input_hash: str
    message: str = ""

    def text(self) -> str:
        """As a form carries it."""
        return msgspec.json.encode(self).decode()

    def proposal(self, spaces: str, space: str) -> dict[str, Any]:
        """Return the plan under the operation's names for spaces and their numbers."""
        question = {name: value for name, value in self.question.items() if snake_case(name) not in BUDGET}
        return {
            **question,
            spaces: self.spaces,
            "placements": [
                {"piece": each.piece, space: each.space, "x_mm": each.x, "y_mm": each.y, "z_mm": each.z, "turn": each.turn}
                for each in self.places
            ],
            **({"left_over": [piece for piece, _ in self.left]} if spaces == "spaces" else {}),
            **({"repacks": [_repack(each) for each in self.repacks]} if self.repacks else {}),
        }  # fmt: skip

    def moved(self, form: Mapping[str, str]) -> tuple["CarriedPlan", str]:
        """With one piece elsewhere, and where the operation names its place."""
        at = next((at for at, each in enumerate(self.places) if each.piece == form.get("piece")), None)
        if at is None:
            return self, ""
        number, x, y, z = (_typed(form.get(name, "")) for name in ("to_space", "x_mm", "y_mm", "z_mm"))
        places = list(self.places)
        places[at] = CarriedPlace(places[at].piece, number, x, y, z, form.get("turn", ""))
        return msgspec.structs.replace(self, places=places), f"placements.{at}."


def read_carried(text: str) -> CarriedPlan | None:
    """The plan of a form; None where it is none."""
    try:
        return msgspec.json.decode(text, type=CarriedPlan)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None


def carried(question: dict[str, Any], answer: Mapping[str, Any], *, loads: bool) -> CarriedPlan:
    """The plan of an answer."""
    spaces = answer["spaces" if loads else "cartons"]
    return CarriedPlan(
        question=question,
        spaces=[each["load_space_id" if loads else "carton_id"] for each in spaces],
        places=[
            CarriedPlace(place["piece"], each["number"], place["x_mm"], place["y_mm"], place["z_mm"], place["turn"])
            for each in spaces
            for place in each["placements"]
        ],
        left=[(each["piece"], each["reason"]) for each in answer.get("left_over", ())],
        repacks=[
            CarriedRepack(each["at_stop"], each["piece"], each["x_mm"], each["y_mm"], each["z_mm"], each["turn"])
            for space in spaces
            for each in space.get("repacks", ())
        ],
        input_hash=answer["input_hash"],
        message=answer["message"],
    )


def _repack(each: CarriedRepack) -> dict[str, Any]:
    where = {"x_mm": each.x, "y_mm": each.y, "z_mm": each.z, "turn": each.turn}
    return {"stop": each.stop, "piece": each.piece, **where}


def _typed(text: str) -> int | str:
    return int(text) if text.strip().lstrip("-").isdecimal() else text
