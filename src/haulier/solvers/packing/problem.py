"""Packing problem: pieces, kinds of cartons and rules. Every number is an integer."""

from enum import StrEnum

from msgspec import Struct

Size = tuple[int, int, int]
"""Length, width and height in millimetres."""


class Turn(StrEnum):
    """Edges of a piece along x, y and z of its carton; the last one is vertical."""

    LWH = "lwh"
    WLH = "wlh"
    LHW = "lhw"
    HLW = "hlw"
    WHL = "whl"
    HWL = "hwl"


UPRIGHT_TURNS = (Turn.LWH, Turn.WLH)
"""This side up: the height stays vertical; the piece may turn about it."""


class PackingPiece(Struct, frozen=True, kw_only=True):
    """One box to pack."""

    id: str
    size: Size
    weight_g: int = 0
    turns: tuple[Turn, ...] = tuple(Turn)
    """Allowed orientations."""
    bears_g: int | None = None
    """Maximum weight on top; 0 for a fragile piece, None for no limit."""
    together: str | None = None
    """Group of pieces that share one carton."""
    goods: str | None = None
    """Category of goods for `apart`."""
    cushion: int = 0
    """Width in millimetres of void fill around the piece, which no other piece or cushion may enter."""


class CartonKind(Struct, frozen=True, kw_only=True):
    id: str
    inner: Size
    outer: Size
    tare_g: int = 0
    payload_g: int
    """Maximum weight of the pieces, without the carton itself."""
    cost_cents: int = 0
    stock: int | None = None
    """Number available; None for no limit."""

    @property
    def outer_volume(self) -> int:
        """Return the outer volume in cubic millimetres."""
        return self.outer[0] * self.outer[1] * self.outer[2]


class VoidFill(Struct, frozen=True, kw_only=True):
    """Material for the empty space in cartons; weight and cost follow its volume."""

    id: str
    unit_mm3: int
    """Volume of one unit in cubic millimetres."""
    unit_g: int = 0
    unit_cents: int = 0


class PackingProblem(Struct, frozen=True, kw_only=True):
    """Pieces and kinds of cartons to pack. Ids are unique among each."""

    pieces: tuple[PackingPiece, ...]
    cartons: tuple[CartonKind, ...]
    fill_cap_percent: int = 100
    """Maximum share of the inner volume of a carton that pieces may use."""
    support_percent: int = 0
    """Minimum share of a base that must rest on the floor or on pieces; 0 if void fill supports it."""
    apart: tuple[tuple[str, str], ...] = ()
    """Pairs of goods that must not share a carton."""
    filling: VoidFill | None = None
    """Void fill; None to leave the space empty."""
    wall_cushion: int = 0
    """Width in millimetres of void fill along the walls, the floor and the lid. Pieces may rest on the fill on the
    floor."""


def turned_size(size: Size, turn: Turn) -> Size:
    """Return the lengths along x, y and z of a piece in an orientation."""
    edges = dict(zip("lwh", size, strict=True))
    x, y, z = (edges[letter] for letter in turn)
    return x, y, z


def volume_of(size: Size) -> int:
    """Return the volume in cubic millimetres."""
    return size[0] * size[1] * size[2]
