"""The routes of plans: those that are searched, and those that are kept."""

from functools import partial

from starlette.routing import BaseRoute, Route

from haulier.kernel.application import Application
from haulier.web.desk.endpoints import make_endpoint
from haulier.web.desk.places import address_of, places_of
from haulier.web.desk.plans.pages import KINDS, plan_page
from haulier.web.desk.plans.planning import pack_page, plan_load_page, submit_load, submit_packing


def module_routes(app: Application) -> list[BaseRoute]:
    """The planning pages, and the page of each kind of plan that is kept."""
    shown_by, nouns = partial(make_endpoint, app), places_of(app.registry).nouns
    kept = [(kind, noun) for kind in KINDS for noun in nouns if noun.record is kind.plan]
    return [
        Route("/desk/plan-loading", shown_by(plan_load_page), methods=["GET"]),
        Route("/desk/plan-loading", shown_by(submit_load), methods=["POST"]),
        Route("/desk/choose-cartons", shown_by(pack_page), methods=["GET"]),
        Route("/desk/choose-cartons", shown_by(submit_packing), methods=["POST"]),
        *(
            Route(f"{address_of(noun)}/{{ids:path}}", shown_by(partial(plan_page, kind, noun)), methods=["GET"])
            for kind, noun in kept
        ),
    ]
