"""The `cartons` instances: packing problems with a fill cap, by file name."""

import json
from pathlib import Path

from haulier.solvers.packing.problem import UPRIGHT_TURNS, CartonKind, PackingPiece, PackingProblem, Turn


def read_cartons(path: Path, support_percent: int = 0) -> tuple[PackingProblem, int | None]:
    """A problem, and the outer volume of its planted optimum where it has one."""
    text = json.loads(path.read_text())
    pieces = tuple(
        PackingPiece(
            id=item["id"],
            size=tuple(item["size"]),
            weight_g=item["weight_g"],
            turns=UPRIGHT_TURNS if item["upright"] else tuple(Turn),
        )
        for item in text["items"]
    )
    kinds = tuple(
        CartonKind(
            id=kind["id"],
            inner=tuple(kind["inner"]),
            outer=tuple(kind["outer"]),
            tare_g=kind["tare_g"],
            payload_g=kind["max_weight_g"],
            cost_cents=kind["cost_cents"],
            stock=kind["stock"],
        )
        for kind in text["cartons"]
    )
    cap = text["target_utilization_percent"]
    problem = PackingProblem(pieces=pieces, cartons=kinds, fill_cap_percent=cap, support_percent=support_percent)
    return problem, (text["optimal"] or {}).get("outer_volume")
