"""A packing problem: pieces, kinds of cartons, and the rules that hold. Every number is an integer."""

from enum import StrEnum

from msgspec import Struct

Size = tuple[int, int, int]
"""Length, width and height in millimetres."""


class Turn(StrEnum):
    """Which edge of a piece lies along x, y and z of its carton; the last one stands upright."""

    LWH = "lwh"
    WLH = "wlh"
    LHW = "lhw"
    HLW = "hlw"
    WHL = "whl"
    HWL = "hwl"


UPRIGHT_TURNS = (Turn.LWH, Turn.WLH)
"""This side up: the height stays upright, and the piece may be turned on the spot."""


class PackingPiece(Struct, frozen=True, kw_only=True):
    """One box that is packed."""

    id: str
    size: Size
    weight_g: int = 0
    turns: tuple[Turn, ...] = tuple(Turn)
    """How it may lie."""
    bears_g: int | None = None
    """The most weight that it bears on top; 0 for a fragile piece, None for no limit."""
    together: str | None = None
    """All pieces with this word share one carton."""
    goods: str | None = None
    """What it is, for goods that are kept apart."""
    cushion: int = 0
    """So many millimetres around it are filling alone: its cushion lies in the carton and meets no other piece or cushion."""


class CartonKind(Struct, frozen=True, kw_only=True):
    """A kind of carton."""

    id: str
    inner: Size
    outer: Size
    tare_g: int = 0
    payload_g: int
    """The most weight of its pieces, without the carton's own."""
    cost_cents: int = 0
    stock: int | None = None
    """How many there are; None for any number."""

    @property
    def outer_volume(self) -> int:
        """Cubic millimetres."""
        return self.outer[0] * self.outer[1] * self.outer[2]


class VoidFill(Struct, frozen=True, kw_only=True):
    """What fills the room that pieces leave in their cartons. What it weighs and costs goes by its volume."""

    id: str
    unit_mm3: int
    """The room that a unit fills, in cubic millimetres."""
    unit_g: int = 0
    unit_cents: int = 0


class PackingProblem(Struct, frozen=True, kw_only=True):
    """Pieces that go into cartons. Ids are unique among pieces and among kinds of cartons."""

    pieces: tuple[PackingPiece, ...]
    cartons: tuple[CartonKind, ...]
    fill_cap_percent: int = 100
    """The most of a carton's inner volume that its pieces take."""
    support_percent: int = 0
    """The least share of a piece's base that rests on the floor or on other pieces; 0 where filling holds it up."""
    apart: tuple[tuple[str, str], ...] = ()
    """Pairs of goods that share no carton."""
    filling: VoidFill | None = None
    """What the empty room is filled with; None where it stays empty."""
    wall_cushion: int = 0
    """So many millimetres along the walls, the floor and the lid are filling alone. Pieces rest on what lies on the floor."""


def turned_size(size: Size, turn: Turn) -> Size:
    """The extents along x, y and z of a piece that lies so."""
    edges = dict(zip("lwh", size, strict=True))
    x, y, z = (edges[letter] for letter in turn)
    return x, y, z


def volume_of(size: Size) -> int:
    """Cubic millimetres."""
    return size[0] * size[1] * size[2]
