"""A valid request for each operation on suites, the policy, and inbound parcels."""

from haulier.contexts.documents.files.contract import EXAMPLE_PNG_BASE64

PHOTO = {"content": EXAMPLE_PNG_BASE64, "media_type": "image/png", "name": "parcel.png"}
EXAMPLES: dict[str, dict[str, object]] = {
    "assign_suite": {"customer_id": "$customer_id", "code": "YYZ-77"},
    "list_suites": {},
    "get_own_suite": {},
    "release_suite": {"customer_id": "$customer_id"},
    "get_consolidation_policy": {},
    "set_consolidation_policy": {"unclaimed_after_days": 45},
    "create_pre_alert": {
        "tracking_number": "1Z999AA10123456784",
        "customer_id": "$customer_id",
        "carrier": "UPS",
        "contents": "Two pairs of shoes",
        "declared_value": 12900,
        "declared_currency": "CAD",
    },
    "update_pre_alert": {"parcel_id": "$parcel_id", "contents": "Three pairs of shoes"},
    "cancel_pre_alert": {"parcel_id": "$parcel_id"},
    "list_inbound_parcels": {"unmatched": True},
    "get_inbound_parcel": {"parcel_id": "$parcel_id"},
    "receive_inbound_parcel": {
        "tracking_number": "9400111298370264401222",
        "weight_g": 1250,
        "length_mm": 300,
        "width_mm": 200,
        "height_mm": 100,
        "photo": PHOTO,
    },
    "list_inbound_claims": {"state": "pending"},
    "approve_inbound_claim": {"claim_id": "$claim_id"},
    "refuse_inbound_claim": {"claim_id": "$claim_id"},
    "match_inbound_parcel": {"parcel_id": "$unmatched_parcel_id", "customer_id": "$customer_id"},
    "unmatch_inbound_parcel": {"parcel_id": "$matched_parcel_id"},
}
