"""One valid request for each operation of third-party delivery."""

EXAMPLES: dict[str, dict[str, object]] = {
    "accept_partner_order": {"offer_id": "$offer_id", "reference": "A-17", "quote_minor": 1200},
    "accept_partnership": {"partnership_id": "$partnership_id"},
    "decline_partner_order": {"offer_id": "$offer_id", "reason": "No vehicle free"},
    "end_partnership": {"partnership_id": "$partnership_id", "reason": "The season is over"},
    "get_partner_order": {"offer_id": "$offer_id"},
    "list_partner_offers": {"status": "offered", "order_id": "$order_id"},
    "list_partner_orders": {"day": "2026-06-11", "postal_prefix": "M5"},
    "list_partnerships": {"state": "in_force", "role": "give"},
    "offer_orders_to_partner": {
        "partnership_id": "$partnership_id",
        "order_ids": ["$order_id"],
        "fee_most_minor": 1500,
    },
    "propose_partnership": {"business": "partner", "role": "give", "respond_within_min": 30},
    "pull_partner_orders": {"limit": 5},
    "report_partner_order": {"offer_id": "$offer_id", "report": "picked_up"},
    "return_partner_order": {"offer_id": "$offer_id", "reason": "The vehicle broke down"},
    "recall_partner_order": {"offer_id": "$offer_id", "reason": "Delivered by ourselves"},
    "share_partner_rates": {"partnership_id": "$partnership_id", "shares_rates": True},
    "withdraw_partner_offers": {"offer_ids": ["$offer_id"], "reason": "Delivered by ourselves"},
}
