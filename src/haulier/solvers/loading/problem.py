"""Loading problem: pieces, cargo spaces and rules. Every number is an integer.

In a space, x runs from the front wall (the cabin) to the rear door, y across from the left, and z up from the floor.
"""

from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType

from haulier.solvers.packing.problem import Size, Turn

Box = tuple[int, int, int, int, int, int]
"""Two opposite corners: x0, y0, z0, x1, y1, z1."""


class DoorSide(StrEnum):
    """Side through which pieces are loaded and unloaded along a straight line."""

    REAR = "rear"
    LEFT = "left"
    RIGHT = "right"
    FRONT = "front"
    TOP = "top"


class LoadingMethod(StrEnum):
    HAND = "hand"
    FORKLIFT = "forklift"


class Reach(Struct, frozen=True, kw_only=True):
    """Reach of a loading method in a space.

    The loader stands as close to a piece as the load allows.
    """

    method: LoadingMethod
    doors: tuple[DoorSide, ...] | None = None
    """Usable doors of the space; None for all."""
    enters: bool = True
    """If true, the loader enters and depth is measured from the load in front of a piece; otherwise from the door."""
    depth_mm: int | None = None
    """Maximum distance to the near face of a piece; None for no limit."""
    height_mm: int | None = None
    """Maximum height of a base, except through the top; None for no limit."""


class Axle(Struct, frozen=True, kw_only=True):
    """An axle, a group of axles or a king pin."""

    position_mm: int
    """Position along x from the inside of the front wall; negative in front of it."""
    limit_g: int
    """Maximum weight."""
    tare_g: int = 0
    """Weight without a load."""
    least_g: int = 0
    """Minimum weight, so that the vehicle can be steered."""


class Axles(Struct, frozen=True, kw_only=True):
    """Two supports of a space; with a tractor, the front support is the king pin."""

    front: Axle
    rear: Axle
    tractor: tuple[Axle, Axle] | None = None
    """The axles that share the weight on the king pin, at their positions when the trailer is coupled."""


class Balance(Struct, frozen=True, kw_only=True):
    """Limits of the centre of gravity of the load, in millimetres along x and y."""

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
    """Number available."""
    doors: tuple[DoorSide, ...] = (DoorSide.REAR,)
    """If empty, the order of loading and unloading is not restricted."""
    obstacles: tuple[Box, ...] = ()
    """Fixed parts such as wheel arches. Pieces may stand on them and may be lifted over them."""
    axles: Axles | None = None
    balance: Balance | None = None
    reach: tuple[Reach, ...] = ()
    """Reach by method, one entry each; a method without an entry reaches everything."""
    fill_cap_percent: int = 100
    """Maximum share of the inner volume that pieces may use."""


class LoadPiece(Struct, frozen=True, kw_only=True):
    """One box to load."""

    id: str
    size: Size
    weight_g: int = 0
    turns: tuple[Turn, ...] = tuple(Turn)
    """Allowed orientations."""
    stop: int = 0
    """Stop at which it is unloaded; 0 is the first."""
    bears_g: int | None = None
    """Maximum weight on top; 0 for a fragile piece, None for no limit."""
    layers_above: int | None = None
    """Maximum number of layers on top; None for no limit."""
    stack_group: int = 0
    """A piece must not stand on one of a lower group."""
    floor_only: bool = False
    top_only: bool = False
    method: LoadingMethod = LoadingMethod.HAND
    """Method of loading and unloading."""
    nesting_mm: int = 0
    """Depth by which it sinks into a nesting piece of the same length and width; both upright and aligned."""
    together: str | None = None
    """Group of pieces that share one space or all stay behind."""
    goods: str | None = None
    """Category of goods for `apart`."""
    mandatory: bool = True
    """If true, leaving it behind is worse than leaving behind any optional pieces."""
    priority: int = 0
    """Penalty of leaving it behind, compared with pieces that are equally mandatory."""


class LoadingProblem(Struct, frozen=True, kw_only=True):
    """Pieces and spaces to load. Ids are unique among pieces and among spaces."""

    pieces: tuple[LoadPiece, ...]
    spaces: tuple[LoadSpace, ...]
    support_percent: int = 75
    """Minimum share of the base of a piece that must rest on the floor, pieces or obstacles."""
    apart: tuple[tuple[str, str], ...] = ()
    """Pairs of goods that must not share a space."""
    repacks_per_stop: int | UnsetType = UNSET
    """Maximum number of pieces that may be unloaded from a space and reloaded at one stop; unset for none."""

    @property
    def may_repack(self) -> bool:
        """Return True if pieces of later stops may be moved on the way."""
        return bool(self.repacks_per_stop)
