"""What other contexts may use of orders: facts for planning, copies, holders and steps of the life cycle."""

from haulier.contexts.orders.delivery_orders.actions.bought_deliveries import (
    BoughtDelivery,
    cancel_bought_delivery,
    create_bought_delivery,
)
from haulier.contexts.orders.delivery_orders.actions.charges import set_order_charge
from haulier.contexts.orders.delivery_orders.actions.create import (
    ORDER_REF_TAKEN,
    SERVICE_UNKNOWN,
    create_orders,
)
from haulier.contexts.orders.delivery_orders.actions.delivery_places import deliver_order_at, fetch_order_at
from haulier.contexts.orders.delivery_orders.actions.history import note_order_step
from haulier.contexts.orders.delivery_orders.actions.holders import (
    assign_orders_to_contractor,
    assign_orders_to_driver,
    assign_orders_to_third_party,
    count_orders_for_driver,
    set_order_window,
)
from haulier.contexts.orders.delivery_orders.actions.instructions import change_delivery_instruction
from haulier.contexts.orders.delivery_orders.actions.order_sums import count_orders_of_earlier_versions
from haulier.contexts.orders.delivery_orders.actions.partner_copies import (
    AgreedPrice,
    cancel_partner_copy,
    create_partner_copy,
    get_order_for_partner,
    update_partner_copy,
)
from haulier.contexts.orders.delivery_orders.actions.pieces import record_piece_outcomes, return_left_pieces
from haulier.contexts.orders.delivery_orders.actions.transitions import apply_order_transition
from haulier.contexts.orders.delivery_orders.actions.withdrawal import cancel_visible_order, leave_route
from haulier.contexts.orders.delivery_orders.queries.held_orders import (
    count_contractor_orders,
    list_open_contractor_orders,
)
from haulier.contexts.orders.delivery_orders.queries.order_facts import (
    OrderFacts,
    OrderPiece,
    OrderStepTaken,
    StopContacts,
    TrackedOrder,
    find_order_ids_by_reference,
    find_order_of_any_client,
    find_orders_by_reference,
    get_order_facts,
    get_shared_custom_fields,
    get_stop_contacts,
    has_orders,
    list_order_pieces,
    list_order_steps,
    list_plannable_orders,
)
from haulier.contexts.orders.delivery_orders.queries.order_labels import load_label_contents, to_label_party
from haulier.contexts.orders.delivery_orders.queries.order_loads import OrderLoad, get_order_loads
from haulier.contexts.orders.delivery_orders.queries.order_papers import PaperOrder, PaperPiece, load_paper_orders
from haulier.contexts.orders.delivery_orders.queries.order_periods import list_order_ids_of_period
from haulier.contexts.orders.delivery_orders.queries.order_problems import OrderProblemsFound, count_order_problems
from haulier.contexts.orders.delivery_orders.queries.order_sums import order_sum_truths
from haulier.contexts.orders.delivery_orders.queries.ordered_deliveries import (
    OrderedDelivery,
    get_ordered_deliveries,
)
from haulier.contexts.orders.delivery_orders.queries.piece_numbers import NumberedPiece, find_pieces_by_number
from haulier.contexts.orders.delivery_orders.queries.recipient_facts import (
    RecipientFacts,
    get_recipient_facts,
)
from haulier.contexts.orders.delivery_orders.queries.repeats import find_repeats
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order, require_visible_orders
from haulier.contexts.orders.delivery_orders.rules.exceptions import OrderProblemKind
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    ORDER_IS_OVER,
    ORDER_STEP_REFUSED,
    OrderStatus,
    OrderStep,
)
from haulier.contexts.orders.delivery_orders.rules.pieces import PieceLeft, PieceOutcome, find_piece_faults
from haulier.contexts.orders.delivery_pins.actions import count_wrong_pin, renew_delivery_pin
from haulier.contexts.orders.delivery_pins.queries import check_delivery_pin, get_delivery_pin
from haulier.contexts.orders.delivery_pins.rules import PIN_BLOCKED, PIN_WRONG
from haulier.contexts.orders.order_papers.queries import draw_labels, draw_packing_slips
from haulier.contexts.orders.ports import OrderPlacement
from haulier.contexts.orders.quotes.queries import quote_rates
from haulier.contexts.orders.redelivery.actions import hold_used_up_orders, reopen_order
from haulier.contexts.orders.return_reasons.queries import ReturnReason, get_return_reason

__all__ = [
    "ORDER_IS_OVER",
    "ORDER_REF_TAKEN",
    "ORDER_STEP_REFUSED",
    "PIN_BLOCKED",
    "PIN_WRONG",
    "SERVICE_UNKNOWN",
    "AgreedPrice",
    "BoughtDelivery",
    "NumberedPiece",
    "OrderFacts",
    "OrderLoad",
    "OrderPiece",
    "OrderPlacement",
    "OrderProblemKind",
    "OrderProblemsFound",
    "OrderStatus",
    "OrderStep",
    "OrderStepTaken",
    "OrderedDelivery",
    "PaperOrder",
    "PaperPiece",
    "PieceLeft",
    "PieceOutcome",
    "RecipientFacts",
    "ReturnReason",
    "StopContacts",
    "TrackedOrder",
    "apply_order_transition",
    "assign_orders_to_contractor",
    "assign_orders_to_driver",
    "assign_orders_to_third_party",
    "cancel_bought_delivery",
    "cancel_partner_copy",
    "cancel_visible_order",
    "change_delivery_instruction",
    "check_delivery_pin",
    "count_contractor_orders",
    "count_order_problems",
    "count_orders_for_driver",
    "count_orders_of_earlier_versions",
    "count_wrong_pin",
    "create_bought_delivery",
    "create_orders",
    "create_partner_copy",
    "deliver_order_at",
    "draw_labels",
    "draw_packing_slips",
    "fetch_order_at",
    "find_order_ids_by_reference",
    "find_order_of_any_client",
    "find_orders_by_reference",
    "find_piece_faults",
    "find_pieces_by_number",
    "find_repeats",
    "get_delivery_pin",
    "get_order_facts",
    "get_order_for_partner",
    "get_order_loads",
    "get_ordered_deliveries",
    "get_recipient_facts",
    "get_return_reason",
    "get_shared_custom_fields",
    "get_stop_contacts",
    "get_visible_order",
    "has_orders",
    "hold_used_up_orders",
    "leave_route",
    "list_open_contractor_orders",
    "list_order_ids_of_period",
    "list_order_pieces",
    "list_order_steps",
    "list_plannable_orders",
    "load_label_contents",
    "load_paper_orders",
    "note_order_step",
    "order_sum_truths",
    "quote_rates",
    "record_piece_outcomes",
    "renew_delivery_pin",
    "reopen_order",
    "require_visible_orders",
    "return_left_pieces",
    "set_order_charge",
    "set_order_window",
    "to_label_party",
    "update_partner_copy",
]
