"""Interfaces of optional libraries that fill a space or decide a choice.

Each call reports the number of steps it counts for. With a step limit, a task and seed always give the same result; a
limit in seconds may end it earlier. Results are checked like any others.
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
    """A quantity of equal pieces."""

    ways: tuple[Size, ...]
    """Allowed sizes after rotation, along x, y and z."""
    count: int
    value: int
    """Value of one piece."""
    load: int
    """Amount of `most_load` that one piece uses: grams or volume."""


class FillTask(Struct, frozen=True):
    """One space and the pieces that may fill it."""

    inner: Size
    most_load: int
    kinds: tuple[FillKind, ...]
    seconds: float | None = None
    """Time limit; None to complete a fixed amount of work."""
    is_open_ended: bool = False
    """If true, search until the time limit, which is not reproducible."""
    is_supported: bool = False
    """If true, every base must be fully supported; only for fillers that support it."""
    steps: int | None = None
    """Maximum number of steps; None for a fixed amount of work."""
    is_processor_time: bool = False
    """If true, `seconds` is processor time of this process instead of wall-clock time."""


class Filled(Struct, frozen=True):
    """Placed pieces by kind number, and the steps to count."""

    placed: tuple[tuple[int, Box], ...]
    steps: int


class SpaceFiller(Protocol):
    """Fills one space with the most valuable pieces.

    It considers sizes and one additive limit, but no stacking rules.
    """

    name: str
    knows_support: bool
    """True if it can keep every base fully supported."""

    def fixed_steps(self, pieces: int) -> int | None:
        """Return the load steps to count for a filling; None if it takes a step limit."""
        ...

    def fill(self, task: FillTask) -> Filled:
        """Return the best filling found; empty if there was none in time."""
        ...


class ChoicePacker(Protocol):
    """Packs a choice of cartons quickly."""

    def is_usable(self, compiled: CompiledPacking) -> bool:
        """Return True if it supports all rules of a problem."""
        ...

    def pack(
        self, compiled: CompiledPacking, choice: Sequence[int], meter: StepMeter, seed: int, tries: int
    ) -> list[tuple[int, Content]] | None:
        """Return the kind and content of each used carton; None if not found in time."""
        ...


FindPacker = Callable[[float | None], ChoicePacker | None]
"""Returns a packer, unless loading it takes too much of the remaining seconds (None: only steps count)."""


class ProofLimit(Struct, frozen=True):
    """Limits for deciding a choice."""

    steps: int
    seconds: float | None = None
    seed: int = 0


class DecidedChoice(Struct, frozen=True):
    """The contents of the cartons in order, or a verdict without a packing."""

    found: list[Content] | PackingVerdict
    steps: int


class ChoiceProver(Protocol):
    """Packs a choice of cartons or refutes it."""

    def decide(self, compiled: CompiledPacking, choice: Sequence[int], limit: ProofLimit) -> DecidedChoice:
        """Decide a choice within the limit.

        A packing respects sizes, totals and groups, but not support or load-bearing.
        """
        ...
