"""Arithmetic bounds that refute a choice of cartons."""

from collections.abc import Sequence

from haulier.solvers.packing.compiled import DUAL_SCALE, CompiledPacking, Unit


def refute_by_sums(compiled: CompiledPacking, choice: Sequence[int], units: Sequence[Unit] | None = None) -> str | None:
    """Return the reason why cartons cannot hold the units; None if not refuted.

    Checks all units by default. Reasons are `size`, `volume`, `payload` and `dual`.
    """
    chosen = set(choice)
    wanted = compiled.units if units is None else units
    capacity = [compiled.capacity[kind] for kind in choice]
    groups: dict[frozenset[int], list[int]] = {}
    for unit in wanted:
        fits = frozenset(kind for kind in chosen if compiled.unit_fits(unit, kind))
        if not fits:
            return "size"
        sums = groups.setdefault(fits, [0, 0])
        sums[0] += sum(compiled.volume[piece] for piece in unit)
        sums[1] += sum(compiled.loads.load[piece] for piece in unit)
    for kinds in [*groups, frozenset(chosen)]:
        # Units that fit only some of the cartons must share the capacity of these.
        volume = sum(sums[0] for fits, sums in groups.items() if fits <= kinds)
        weight = sum(sums[1] for fits, sums in groups.items() if fits <= kinds)
        if volume > sum(room for room, kind in zip(capacity, choice, strict=True) if kind in kinds):
            return "volume"
        if weight > compiled.most_load([kind for kind in choice if kind in kinds]):
            return "payload"
    return "dual" if _exceeds_dual(compiled, choice, wanted) else None


def _exceeds_dual(compiled: CompiledPacking, choice: Sequence[int], units: Sequence[Unit]) -> bool:
    kinds = sorted(set(choice))
    totals = [0] * 27
    for unit in units:
        for piece in unit:
            shares = zip(*(compiled.dual_weights[piece][kind] for kind in kinds), strict=True)
            totals = [total + min(share) for total, share in zip(totals, shares, strict=True)]
    return max(totals) > len(choice) * DUAL_SCALE


def is_within_dual(compiled: CompiledPacking, kind: int, pieces: Sequence[int]) -> bool:
    """Return True if the dual feasible functions allow the pieces in one carton."""
    weights = [compiled.dual_weights[piece][kind] for piece in pieces]
    return all(sum(shares) <= DUAL_SCALE for shares in zip(*weights, strict=True))
