"""A carton or a space at some moment, as a page shows it: picture, gauges, table and the words of each step."""

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
    """What somebody looks at: which space, when, from where, in which colours."""

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
        """What the bar's whole length stands for."""
        return max(self.limit, *self.values, 1) * 1.08

    def length(self, value: float) -> float:
        """How far a value reaches along the bar."""
        return round(max(0.0, value) / self.most * GAUGE_WIDE, 2)

    def is_kept(self, moment: int) -> bool:
        """Whether it is within its limits."""
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
    """What each moment is, in words."""
    broken: dict[str, list[str]]
    """What is wrong with pieces, by their names."""
    wrong: list[str]
    """What else is wrong with the space."""
    shown: list[Space]
    """Each piece where it lies, on each part of the way between two stops at which something is repacked."""

    @property
    def steps(self) -> int:
        """How many pieces are put in."""
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
        """Whether a piece is inside at the moment that is shown; one that is repacked, where it lies then."""
        steps, after = self.now["steps"], self.now["after_stop"]
        if after is None:
            return piece["step"] <= steps and not piece.get("since")
        return piece.get("since", 0) <= after < piece.get("until", piece["stop"])

    def is_new(self, piece: Mapping[str, Any]) -> bool:
        """Whether it is the piece that this step puts in."""
        return self.now["after_stop"] is None and piece["step"] == self.now["steps"]

    def piece_at(self, number: int) -> Mapping[str, Any]:
        """What is drawn with a number, from 1: a piece, or where it lies after it was repacked."""
        return self.shown[number - 1]

    def data(self, names: Mapping[str, str]) -> dict[str, Any]:
        """What scripts need to go through the steps, and to draw the space in three dimensions."""
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


def look_of(desk: DeskRequest, texts: Mapping[str, str], spaces: Sequence[Space]) -> Look:
    """What an address or a form asks for; what it does not say, or says wrongly, is the whole of the first space."""
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
    """Each piece where it lies `since` a stop, 0 for the departure, and `until` the stop at which it is moved or leaves."""
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
