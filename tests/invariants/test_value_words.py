"""Statuses and steps within a sentence are translated."""

from enum import IntEnum, StrEnum

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

from haulier.contexts.control_tower.approvals.rules import ApprovalStatus
from haulier.contexts.driver_app.offers.rules import InstantJobStatus, OfferStatus
from haulier.contexts.fleet.driver_registration.rules import DriverRegistrationStatus
from haulier.contexts.marketplace.partners.rules import PartnerOfferStatus, PartnerReport, PartnershipState
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, OrderStep
from haulier.contexts.planning.builds.rules.planning_input import BuildState
from haulier.contexts.routes.routes.rules.progress import RouteAction, RouteStatus
from haulier.contexts.routes.stops.rules import StopAction, StopStatus
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues

STATUSES: tuple[type[IntEnum] | type[StrEnum], ...] = (
    OrderStatus,
    RouteStatus,
    StopStatus,
    BuildState,
    PartnershipState,
    PartnerOfferStatus,
    InstantJobStatus,
    OfferStatus,
    DriverRegistrationStatus,
    ApprovalStatus,
)
STEPS: tuple[type[StrEnum], ...] = (OrderStep, RouteAction, StopAction, PartnerReport)


def code(member: IntEnum | StrEnum) -> str:
    return (member.name if isinstance(member, IntEnum) else str(member.value)).lower()


def test_every_status_and_step_has_a_name_in_every_language() -> None:
    needed = {f"value.status.{code(each)}" for kind in STATUSES for each in kind}
    needed |= {f"value.step.{code(each)}" for kind in STEPS for each in kind}
    missing = {language: sorted(needed - Catalogues().words(language).keys()) for language in SUPPORTED_LANGUAGES}
    assert missing == {language: [] for language in SUPPORTED_LANGUAGES}


async def test_a_refused_step_is_described_without_codes(app: App) -> None:
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order
    await app.answer("admin", "cancel_order", {"order_id": order.id})
    outcome = await app.call("admin", "cancel_order", {"order_id": order.id}, accept_language="fr")
    assert outcome.error
    words = "L’étape « annuler » est impossible tant que le statut de la commande est « annulé »."
    assert outcome.error["message"] == words
