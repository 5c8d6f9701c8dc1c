"""From a question to a plan: travel times, the problem, the search, and the plan as we keep it."""

import asyncio
from collections.abc import Awaitable, Callable

from haulier.contexts.dispatch.planning.rules.drawing import Drawn, drawn, undrawn, without_routes
from haulier.contexts.dispatch.planning.rules.modelling import current, impossible, nowhere, places, problem
from haulier.contexts.dispatch.planning.rules.question import Question
from haulier.contexts.dispatch.ports import Search, Searches, Travels, between
from haulier.kernel.house import House
from haulier.solvers.routing.engine import Budget
from haulier.solvers.routing.plan import Plan

Tell = Callable[[Drawn, bool], Awaitable[bool]]
"""Is told the best plan so far and whether it is new. False ends the search."""


async def answered_at_once(question: Question) -> Drawn | None:
    """The plan of a question that needs no search: nothing to plan, nobody to drive, or nothing possible at all."""
    lost = nowhere(question)
    if not any(crew.route for crew in question.crews) and len(lost) == len(question.demands):
        return without_routes(question, lost)
    found = await asyncio.to_thread(impossible, question)
    return None if found is None else without_routes(question, (*found, *lost))


async def solve(house: House, question: Question, tell: Tell, *, seconds: float, kept: Drawn | None = None) -> Drawn:
    """The best plan found, beginning with `kept` or with the routes that there are. Raises `TravelFailed`, `SearchFailed`.

    A question with iterations is answered from the beginning, so that the answer does not depend on an interruption.
    """
    travel = await between(house.adapter(Travels), places(question), question.worked)
    asked = await asyncio.to_thread(problem, question, travel)
    lost = nowhere(question)
    shown: list[Plan] = []
    best: list[Drawn] = []

    async def told(plan: Plan) -> bool:
        new = not shown or shown[-1] is not plan
        if new:
            shown[:] = [plan]
            best[:] = [await asyncio.to_thread(drawn, question, asked, plan, lost)]
        return await tell(best[0], new)

    search = Search(problem=asked, budget=_budget(question, seconds), seed=question.seed, start=_start(question, kept))
    plan = await house.adapter(Searches).best(search, told)
    return best[0] if shown and shown[-1] is plan else drawn(question, asked, plan, lost)


def _budget(question: Question, seconds: float) -> Budget:
    return Budget(seconds=seconds) if question.iterations is None else Budget(iterations=question.iterations)


def _start(question: Question, kept: Drawn | None) -> Plan | None:
    if kept is None or question.iterations is not None:
        return current(question)
    at = {spot: number for number, spot in enumerate(places(question))}
    return undrawn(question, kept, at)
