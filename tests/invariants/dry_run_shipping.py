"""Carrier and label steps of the dry-run day."""

from collections.abc import Iterator

from tests.contexts.shipping.examples import ADA, HERE, LABEL_TEXT, PRESET, RULE, SHIPMENT, TARIFF
from tests.invariants.dry_run_steps import Step, step


def shipping() -> Iterator[Step]:
    """Yield steps about a carrier, its labels, a voided label, and the end of day."""
    opened = {"carrier": "HOUSE", "name": "Our van", "sender": HERE}
    yield step("admin", "open_carrier_account", {"account": "account.id"}, **opened)
    yield step("admin", "update_carrier_account", account_id="$account", markup_minor=50, default=True)
    yield step("admin", "set_carrier_tariff", account_id="$account", tariff=TARIFF)
    yield step("admin", "test_carrier_account", account_id="$account")
    named = {"shipment": SHIPMENT, "service": "ground", "account_id": "$account"}
    yield step("admin", "create_shipping_label", {"shipment": "shipment.id"}, **named, order_ref="S-1")
    yield step("admin", "cancel_shipping_label", shipment_id="$shipment")
    yield step("admin", "quote_and_ship", {"kept": "shipment.id"}, shipment=SHIPMENT, order_ref="S-2")
    yield step("admin", "create_shipping_label", {"draft": "shipment.id"}, **named, order_ref="S-3", draft=True)
    yield step("admin", "submit_shipping_information", shipment_id="$draft")
    yield step("admin", "create_order", {"sent": "order.id"}, consignee=ADA, order_ref="S-4")
    yield step("admin", "ship_order", order_id="$sent", service="ground", account_id="$account")
    yield step("admin", "create_order", {"bulk": "order.id"}, consignee=ADA, order_ref="S-5")
    yield step("admin", "ship_orders", order_ids=["$bulk"])
    yield step("admin", "end_of_day")
    yield step("admin", "create_package_preset", {"preset": "package_preset.id"}, **PRESET)
    yield step("admin", "update_package_preset", package_preset_id="$preset", empty_weight_g=200)
    yield step("admin", "create_shipping_rule", {"rule": "rule.id"}, **RULE)
    yield step("admin", "update_shipping_rule", shipping_rule_id="$rule", enabled=False)
    yield step("admin", "reorder_shipping_rules", rule_ids=["$rule"])
    yield step("admin", "delete_shipping_rule", shipping_rule_id="$rule")
    yield step("admin", "delete_package_preset", package_preset_id="$preset")
    yield step("admin", "open_carrier_account", {"spare": "account.id"}, carrier="HOUSE", name="Spare van")
    yield step("admin", "close_carrier_account", account_id="$spare")
    form = {**SHIPMENT, "quote_labels": True}
    yield step("admin", "uniorder_create", {"local": "order.id"}, order=SHIPMENT, order_ref="U-1")
    yield step("admin", "uniorder_cancel", orderId="$local")
    by_label = {"order": SHIPMENT, "kind": "label", "service": "ground", "account_id": "$account"}
    yield step("admin", "uniorder_create", **by_label, order_ref="U-2")
    yield step("admin", "uniorder_create_batch", orders=[{"order": SHIPMENT, "order_ref": "U-3"}])
    yield step("admin", "uniorder_rate_batch_async", {"job": "job_id"}, shipments=[form])
    yield step("admin", "cancel_uniorder_job", jobId="$job")
    yield step("admin", "uniorder_create_batch_async", orders=[{"order": SHIPMENT, "order_ref": "U-4"}])
    yield step("admin", "parse_label", {"read": "label_parse.id"}, text=LABEL_TEXT)
    yield step("admin", "accept_label_parse", parse_id="$read", reviewed=True, consignee=ADA, order_ref="L-9")
    yield step("admin", "parse_label", {"unread": "label_parse.id"}, text=LABEL_TEXT)
    yield step("admin", "delete_label_parse", parse_id="$unread")
