"""The `mpv` instances of Martello, Pisinger and Vigo.

They minimise the number of equal bins; pieces must not be turned.
"""

from collections.abc import Iterator
from pathlib import Path

from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem, Turn


def read_bins(path: Path) -> Iterator[tuple[PackingProblem, int]]:
    """Yield the problems of a file, each with a proven lower bound of bins."""
    lines = iter([[int(word) for word in line.split()] for line in path.read_text().splitlines() if line.strip()])
    for _, bound, _ in lines:
        count, *inner = next(lines)
        sizes = [next(lines) for _ in range(count)]
        pieces = tuple(
            PackingPiece(id=f"{number}", size=(x, y, z), turns=(Turn.LWH,)) for number, (x, y, z) in enumerate(sizes)
        )
        x, y, z = inner
        kind = CartonKind(id="bin", inner=(x, y, z), outer=(x, y, z), payload_g=1)
        yield PackingProblem(pieces=pieces, cartons=(kind,)), bound
