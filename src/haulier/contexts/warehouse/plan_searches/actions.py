"""Problems of carton advice from requests, orders and the catalogue."""

from collections.abc import Sequence

import msgspec

from haulier.contexts.warehouse.packing.queries import FillingRule
from haulier.contexts.warehouse.plan_searches.contract import StartCartonAdvice
from haulier.solvers.packing.problem import CartonKind
from haulier.solvers.stocking.candidates import (
    TENTHS_OF_A_CENTIMETRE,
    TENTHS_OF_AN_INCH,
    CandidateTerms,
    suggest_cartons,
)
from haulier.solvers.stocking.problem import OrderShape, StockingProblem


def stocking_problem(
    asked: StartCartonAdvice, shapes: tuple[OrderShape, ...], catalogue: Sequence[CartonKind], rule: FillingRule
) -> StockingProblem:
    """Return the stocking problem of a request.

    Uses the catalogue without its stock limits, new sizes if requested, and the filling.
    """
    terms = CandidateTerms(
        step_tenths=TENTHS_OF_AN_INCH if asked.rounding == "inch" else TENTHS_OF_A_CENTIMETRE,
        wall_mm=asked.wall_mm,
        payload_g=asked.payload_g,
        cost_per_m2=asked.board_cost_minor,
        longest_mm=asked.longest_mm,
        girth_mm=asked.girth_mm,
        wall_cushion=rule.along,
    )
    there = tuple(msgspec.structs.replace(kind, stock=None) for kind in catalogue)
    return StockingProblem(
        orders=shapes,
        cartons=(*there, *(suggest_cartons(shapes, terms) if asked.new_sizes else ())),
        most=asked.most,
        keep=tuple(str(id) for id in sorted(asked.keep_carton_ids)),
        today=tuple(kind.id for kind in catalogue),
        by_cost=asked.minimise == "cost",
        fill_cap_percent=asked.target_utilization_percent,
        filling=rule.filling,
        wall_cushion=rule.along,
    )
