"""The `mpv` instances of Martello, Pisinger and Vigo: equal bins, pieces that may not be turned, the fewest bins."""

from collections.abc import Iterator
from pathlib import Path

from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem, Turn


def read_bins(path: Path) -> Iterator[tuple[PackingProblem, int]]:
    """The problems of a file, each with a proved lower bound of its bins."""
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
