"""A loading problem: pieces, spaces, and the rules that hold. Every number is an integer.

In a space x runs from the front wall (the cabin) to the rear door, y across from the left, and z up from the floor.
"""

from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType

from haulier.solvers.packing.problem import Size, Turn

Box = tuple[int, int, int, int, int, int]
"""Two opposite corners: x0, y0, z0, x1, y1, z1."""


class DoorSide(StrEnum):
    """Where pieces go in and out: along a straight line through this side."""

    REAR = "rear"
    LEFT = "left"
    RIGHT = "right"
    FRONT = "front"
    TOP = "top"


class LoadingMethod(StrEnum):
    """How pieces are put in and taken out."""

    HAND = "hand"
    FORKLIFT = "forklift"


class Reach(Struct, frozen=True, kw_only=True):
    """How far a method reaches into a space. Whoever works with it stands as near to a piece as what is inside allows."""

    method: LoadingMethod
    doors: tuple[DoorSide, ...] | None = None
    """Through which doors of the space; None for each."""
    enters: bool = True
    """Whether it comes in, so that depth is counted from what stands before a piece; otherwise it is counted from the door."""
    depth_mm: int | None = None
    """The farthest to the near face of a piece; None for any."""
    height_mm: int | None = None
    """The highest that a base is lifted, unless it goes through the top; None for any."""


class Axle(Struct, frozen=True, kw_only=True):
    """An axle, a group of axles, or a king pin."""

    position_mm: int
    """Along x from the front wall inside; negative before it."""
    limit_g: int
    """The most that may weigh on it."""
    tare_g: int = 0
    """What weighs on it without a load."""
    least_g: int = 0
    """The least that must weigh on it, so that the vehicle can be steered."""


class Axles(Struct, frozen=True, kw_only=True):
    """What carries a space: two supports, and the axles of a tractor where the front one is its king pin."""

    front: Axle
    rear: Axle
    tractor: tuple[Axle, Axle] | None = None
    """The axles that share what weighs on the king pin, at their positions when the trailer is coupled."""


class Balance(Struct, frozen=True, kw_only=True):
    """Where the centre of gravity of the load must be, in millimetres along x and y."""

    x_from: int
    x_to: int
    y_from: int
    y_to: int


class LoadSpace(Struct, frozen=True, kw_only=True):
    """A vehicle body, trailer, container, pallet or aircraft unit."""

    id: str
    inner: Size
    payload_g: int
    cost_cents: int = 0
    stock: int = 1
    """How many there are."""
    doors: tuple[DoorSide, ...] = (DoorSide.REAR,)
    """Without any, nothing is asked of the order in which pieces go in and out."""
    obstacles: tuple[Box, ...] = ()
    """What is fixed inside, such as a wheel arch. Pieces may stand on it, and may be lifted over it."""
    axles: Axles | None = None
    balance: Balance | None = None
    reach: tuple[Reach, ...] = ()
    """How far each method reaches, one entry for a method; one that is not here reaches everything."""
    fill_cap_percent: int = 100
    """The most of its inner volume that pieces take."""


class LoadPiece(Struct, frozen=True, kw_only=True):
    """One box that is loaded."""

    id: str
    size: Size
    weight_g: int = 0
    turns: tuple[Turn, ...] = tuple(Turn)
    """How it may lie."""
    stop: int = 0
    """Where it is unloaded: 0 is the first stop."""
    bears_g: int | None = None
    """The most weight that it bears on top; 0 for a fragile piece, None for no limit."""
    layers_above: int | None = None
    """The most pieces that stand one upon the other on it; None for any."""
    stack_group: int = 0
    """A piece never stands on one with a lower number."""
    floor_only: bool = False
    top_only: bool = False
    method: LoadingMethod = LoadingMethod.HAND
    """How it is put in and taken out."""
    nesting_mm: int = 0
    """So deep it stands in a piece below that nests, too, and has the same length and width; both upright, edge upon edge."""
    together: str | None = None
    """All pieces with this word share one space, or stay behind together."""
    goods: str | None = None
    """What it is, for goods that are kept apart."""
    mandatory: bool = True
    """Whether leaving it behind is worse than leaving behind any piece that is not mandatory."""
    priority: int = 0
    """What leaving it behind costs, beside others that are or are not mandatory."""


class LoadingProblem(Struct, frozen=True, kw_only=True):
    """Pieces that go into spaces. Ids are unique among pieces and among spaces."""

    pieces: tuple[LoadPiece, ...]
    spaces: tuple[LoadSpace, ...]
    support_percent: int = 75
    """The least share of a piece's base that rests on the floor, on other pieces or on obstacles."""
    apart: tuple[tuple[str, str], ...] = ()
    """Pairs of goods that share no space."""
    repacks_per_stop: int | UnsetType = UNSET
    """The most pieces that may be taken out of a space and put back at one stop; unset for none."""

    @property
    def may_repack(self) -> bool:
        """Whether pieces of later stops may be moved under way."""
        return bool(self.repacks_per_stop)
