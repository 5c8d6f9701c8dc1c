"""A carton or cargo space at one step: picture, gauges, table and step texts."""

from collections.abc import Mapping, Sequence
from typing import Any

from babel.numbers import format_decimal
from msgspec import Struct

from haulier.rendering.packing_pictures import DrawnPiece
from haulier.rendering.plan_shapes import Drawing, isometric_drawing, layer_drawings
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.plans.colours import Sign, signs_of, ways_to_colour

Space = Mapping[str, Any]
Moment = Mapping[str, Any]
VIEWS = ("isometric", "layers")
GAUGE_WIDE = 100
"""The length of a bar, in its own units."""


class Look(Struct, frozen=True, kw_only=True):
    """View options: space, step, direction and colours."""

    space: int
    moment: int
    colour: str
    view: str


class Gauge(Struct, frozen=True, kw_only=True):
    """A weight or a share at each moment, with its limits."""

    name: str
    unit: str
    limit: float
    least: float
    values: list[float]

    @property
    def most(self) -> float:
        """Value at the full length of the bar."""
        return max(self.limit, *self.values, 1) * 1.08

    def length(self, value: float) -> float:
        """Return the share of the bar that a value fills."""
        return round(max(0.0, value) / self.most * GAUGE_WIDE, 2)

    def is_kept(self, moment: int) -> bool:
        """Return True if the value is within its limits."""
        return self.least <= self.values[moment] <= self.limit


class PlanView(Struct, frozen=True, kw_only=True):
    """One space as a page shows it."""

    space: Space
    look: Look
    ways: list[str]
    signs: list[Sign]
    sign_of: dict[int, int]
    drawings: list[Drawing]
    gauges: list[Gauge]
    told: list[str]
    """Texts of each step."""
    broken: dict[str, list[str]]
    """Violations by package."""
    wrong: list[str]
    """Violations of the space itself."""
    shown: list[Space]
    """Each piece where it lies, on each part of the way between two stops at which something is repacked."""

    @property
    def steps(self) -> int:
        """Return the number of loading steps."""
        return len(self.space["pieces"])

    @property
    def last(self) -> int:
        """The number of the last moment."""
        return len(self.space["moments"]) - 1

    @property
    def now(self) -> Moment:
        """The moment that is shown."""
        return self.space["moments"][self.look.moment]

    def is_there(self, piece: Mapping[str, Any]) -> bool:
        """Return True if a package is inside at the shown step, at its current position."""
        steps, after = self.now["steps"], self.now["after_stop"]
        if after is None:
            return piece["step"] <= steps and not piece.get("since")
        return piece.get("since", 0) <= after < piece.get("until", piece["stop"])

    def is_new(self, piece: Mapping[str, Any]) -> bool:
        """Return True if this step loads the package."""
        return self.now["after_stop"] is None and piece["step"] == self.now["steps"]

    def piece_at(self, number: int) -> Mapping[str, Any]:
        """Return the package drawn with a number from 1, at its position after repacking."""
        return self.shown[number - 1]

    def data(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the data with which scripts animate steps and draw in 3D."""
        return {
            "moments": [
                [moment["steps"], moment["after_stop"], words, [gauge.values[at] for gauge in self.gauges], moment["centre_mm"]]
                for at, (moment, words) in enumerate(zip(self.space["moments"], self.told, strict=True))
            ],
            "gauges": [[gauge.limit, gauge.least, gauge.most, gauge.unit] for gauge in self.gauges],
            "pieces": [
                [*_box(each), self.sign_of[each["step"]], each["until"] or 0, each["since"], each["step"]]
                for each in self.shown
            ],
            "steps": self.steps,
            "names": [each["piece"] for each in self.shown],
            "fixed": [_box(each) for each in self.space["obstacles"]],
            "signs": [[sign.colour, sign.pattern] for sign in self.signs],
            "inner": self.space["inner_mm"],
            "doors": self.space["doors"],
            "words": names,
        }  # fmt: skip


def get_look(desk: DeskRequest, texts: Mapping[str, str], spaces: Sequence[Space]) -> Look:
    """Return the view options in an address or form.

    By default all of the first space.
    """
    asked = _number(texts.get("space"), 1, 1, len(spaces))
    space = spaces[asked - 1]
    loaded, last = len(space["pieces"]), len(space["moments"]) - 1
    ways = ways_to_colour(space["pieces"])
    colour, view = texts.get("colour", ""), texts.get("view", "")
    return Look(
        space=asked,
        moment=_number(texts.get("step"), loaded, 0, last),
        colour=colour if colour in ways else ways[0],
        view=view if view in VIEWS else VIEWS[0],
    )


def plan_view(desk: DeskRequest, space: Space, look: Look, broken: Sequence[Mapping[str, Any]] = ()) -> PlanView:
    """A space as it is looked at; `broken` are the rules that its plan breaks."""
    pieces = space["pieces"]
    signs, sign_of = signs_of(pieces, look.colour, desk.say, lambda weight: kilograms(desk, weight))
    shown = _appearances(space)
    boxes = [
        DrawnPiece(number, each["piece"], "", *_corners(each), each["since"]) for number, each in enumerate(shown, 1)
    ]
    boxes += [DrawnPiece(0, "", "", *_corners(each)) for each in space["obstacles"]]
    length, width, height = space["inner_mm"]
    inner = (length, width, height)
    here = [each for each in broken if each["space"] in (None, space["number"])]
    by_piece: dict[str, list[str]] = {}
    for each in here:
        for piece in each["pieces"]:
            by_piece.setdefault(piece, []).append(each["message"])
    known = {each["piece"] for each in pieces}
    gauges = _gauges(desk, space)
    return PlanView(
        space=space,
        look=look,
        ways=ways_to_colour(pieces),
        signs=signs,
        sign_of=sign_of,
        drawings=[isometric_drawing(inner, boxes)] if look.view == "isometric" else layer_drawings(inner, boxes),
        gauges=gauges,
        told=[_told(desk, space, moment) for moment in space["moments"]],
        broken=by_piece,
        wrong=[each["message"] for each in here if not known & {*each["pieces"]}],
        shown=shown,
    )


def kilograms(desk: DeskRequest, weight: float) -> str:
    """A weight in the reader's language."""
    return f"{number(desk, weight)} kg"


def number(desk: DeskRequest, value: float) -> str:
    """A number in the reader's language, with at most one decimal."""
    return format_decimal(value, format="#,##0.#", locale=desk.formatter.locale)


def _gauges(desk: DeskRequest, space: Space) -> list[Gauge]:
    moments, say = space["moments"], desk.say
    found = [
        Gauge(
            name=say("plan_page.payload"),
            unit="kg",
            limit=space["payload_g"] / 1000,
            least=0,
            values=[moment["loaded_g"] / 1000 for moment in moments],
        ),
        Gauge(
            name=say("plan_page.filled"),
            unit="%",
            limit=space["fill_limit_percent"],
            least=0,
            values=[moment["filled_percent"] for moment in moments],
        ),
    ]
    for at, axle in enumerate(space["axles"]):
        found.append(
            Gauge(
                name=say(f"load_axle.{axle['axle']}"),
                unit="kg",
                limit=axle["limit_g"] / 1000,
                least=axle["least_g"] / 1000,
                values=[moment["axles_g"][at] / 1000 for moment in moments],
            )
        )
    return found


def _told(desk: DeskRequest, space: Space, moment: Moment) -> str:
    steps, after = moment["steps"], moment["after_stop"]
    inside = desk.say(
        "plan_page.inside",
        pieces=moment["aboard"],
        weight=kilograms(desk, moment["loaded_g"] / 1000),
        percent=moment["filled_percent"],
    )
    if after is not None:
        moved = ", ".join(moment.get("repacked", ()))
        repacked = f" {desk.say('plan_page.repacked', pieces=moved)}" if moved else ""
        return f"{desk.say('load_after_stop_short', stop=after)}: {inside}{repacked}"
    if not steps:
        return desk.say("plan_page.empty", pieces=len(space["pieces"]))
    piece = space["pieces"][steps - 1]
    step = desk.say("plan_page.step_of", step=steps, steps=len(space["pieces"]), piece=piece["piece"])
    return f"{step} {inside}"


def _appearances(space: Space) -> list[Space]:
    """Return each package's positions with the stops from and until which they hold.

    Stop 0 is the departure.
    """
    repacks = space.get("repacks", ())
    ends = sorted({each["at_stop"] for each in repacks})
    aboard, found = list(space["pieces"]), list[Space]()
    for since, end in zip([0, *ends], [*ends, None], strict=True):
        back = {each["piece"]: each for each in repacks if each["at_stop"] == since}
        aboard = [{**piece, **back.get(piece["piece"], {})} for piece in aboard if not since or piece["stop"] > since]
        found += [
            {**piece, "since": since, "until": piece["stop"] if end is None else min(piece["stop"], end)}
            for piece in aboard
        ]
    return found


def _number(text: str | None, otherwise: int, least: int, most: int) -> int:
    """A number of an address, within what there is."""
    try:
        return min(max(int(text or ""), least), most)
    except ValueError:
        return otherwise


def _corners(box: Mapping[str, Any]) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    x, y, z, length, width, height = _box(box)
    return (x, y, z), (x + length, y + width, z + height)


def _box(box: Mapping[str, Any]) -> list[int]:
    """Where a box is seen: of a piece that stands in another one, what stands out."""
    x, y, z, length, width, height = (box[f"{name}_mm"] for name in ("x", "y", "z", "length", "width", "height"))
    nested = box.get("nested_mm", 0)
    return [x, y, z + nested, length, width, height - nested]
