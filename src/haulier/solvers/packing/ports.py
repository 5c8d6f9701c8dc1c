"""What libraries may do for the engines: fill one space densely, and decide a choice of cartons exactly.

Both say how many steps their work counts for. With a limit in steps the same question and seed give the same answer; a limit
in seconds ends them earlier. What they find is checked like anything else.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from haulier.solvers.packing.assignment import Content, PackingVerdict
from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.load import Box
from haulier.solvers.packing.problem import Size


class FillKind(Struct, frozen=True):
    """Equal pieces that may go in."""

    ways: tuple[Size, ...]
    """How one may lie: its extents along x, y and z."""
    count: int
    value: int
    """What is gained by one of them."""
    load: int
    """What one takes of the space's `most_load`: grams, or a volume."""


class FillTask(Struct, frozen=True):
    """One space, and what may go into it."""

    inner: Size
    most_load: int
    kinds: tuple[FillKind, ...]
    seconds: float | None = None
    """When to end at the latest; None for the whole of a fixed amount of work."""
    is_open_ended: bool = False
    """Whether to search on until the time is over, which is never twice the same."""
    is_supported: bool = False
    """Whether every base must rest wholly on others; only asked of a filler that knows support."""
    steps: int | None = None
    """The most steps, where they are counted; None for a fixed amount of work."""
    is_processor_time: bool = False
    """Whether `seconds` are those of the processor that this process uses, and not of the clock."""


class Filled(Struct, frozen=True):
    """What was put in, by the numbers of kinds, and the steps that it counts for."""

    placed: tuple[tuple[int, Box], ...]
    steps: int


class SpaceFiller(Protocol):
    """Fills one space with what is worth most; knows boxes and one sum, and no rule of stacking."""

    name: str
    knows_support: bool
    """Whether it can keep every base wholly on others."""

    def fixed_steps(self, pieces: int) -> int | None:
        """The steps of a load that filling from so many pieces counts for; None where it works for as many as it is given."""
        ...

    def fill(self, task: FillTask) -> Filled:
        """The best filling found; empty when there was none in time."""
        ...


class ChoicePacker(Protocol):
    """Packs a choice of cartons, as quickly as it can."""

    def is_usable(self, compiled: CompiledPacking) -> bool:
        """Whether it knows all rules of a problem."""
        ...

    def pack(
        self, compiled: CompiledPacking, choice: Sequence[int], meter: StepMeter, seed: int, tries: int
    ) -> list[tuple[int, Content]] | None:
        """The kind of each carton that is used, and its content; None where so many tries, or the budget, did not suffice."""
        ...


FindPacker = Callable[[float | None], ChoicePacker | None]
"""Gives a packer, unless loading it takes too much of the seconds that are left; None where only steps are counted."""


class ProofLimit(Struct, frozen=True):
    """How long to think about a choice."""

    steps: int
    seconds: float | None = None
    seed: int = 0


class DecidedChoice(Struct, frozen=True):
    """The contents of the cartons in their order, or what is known of them."""

    found: list[Content] | PackingVerdict
    steps: int


class ChoiceProver(Protocol):
    """Packs a choice of cartons or refutes it."""

    def decide(self, compiled: CompiledPacking, choice: Sequence[int], limit: ProofLimit) -> DecidedChoice:
        """What could be found out within the limit. What it packs keeps sizes, sums and groups, not support or bearing."""
        ...
