"""Carrier tables compared with published lists, and with outgoing values."""

import json
from typing import Any

from tests.support.every_case import for_every
from tests.support.shared import shared
from tracking.models.tag import Tag

from haulier.contexts.otep.carriers import translate_status
from haulier.contexts.otep.carriers.rules.tables import CARRIER_TABLES
from haulier.contexts.otep.projections.aftership import MAPPING as AFTERSHIP_CHART
from haulier.contexts.otep.projections.amazon import MAPPING as AMAZON_CHART
from haulier.contexts.otep.vocabulary.rules import STATUS_CODES, UNIVERSAL_PROFILE

COARSER_THERE = {"out_for_pickup", "pickup_failed", "pickup_rescheduled"}
"""Statuses before collection, which have no separate sub-status there."""
EXACT_THERE = {
    "information_submitted", "cancelled", "picked_up", "arrival_scan", "in_transit", "package_outbound", "customs_clearance",
    "customs_released", "customs_held", "delayed", "damaged", "lost", "returned", "out_for_delivery", "ready_for_collection",
    "delivery_failed", "address_issue", "delivered",
}  # fmt: skip


def the_amazon_enum(file: str, name: str) -> list[str]:
    """An enumeration of the official API models."""
    model: dict[str, Any] = json.loads(shared(f"standards/amazon/{file}").read_text(encoding="utf-8"))
    return model["definitions"][name]["enum"]


@for_every("tag", Tag)
def test_every_status_of_aftership_is_known(tag: Tag) -> None:
    assert translate_status("aftership", tag.value).known


@for_every(
    ("file", "enum"),
    [
        ("shippingV2.json", "EventCode"),
        ("shippingV2.json", "Status"),
        ("fulfillmentOutbound_2020-07-01.json", "EventCode"),
        ("fulfillmentOutbound_2020-07-01.json", "CurrentStatus"),
    ],
)
def test_every_status_in_amazons_models_is_known(file: str, enum: str) -> None:
    assert [each for each in the_amazon_enum(file, enum) if not translate_status("amazon", each).known] == []


def test_every_detail_in_amazons_models_is_known_with_a_status() -> None:
    details = the_amazon_enum("shippingV2.json", "DetailCodes")
    assert [each for each in details if not translate_status("amazon", f"Undeliverable:{each}").known] == []


def test_amazons_tables_contain_only_published_codes() -> None:
    published = [
        *(each for enum in ("EventCode", "Status", "DetailCodes") for each in the_amazon_enum("shippingV2.json", enum)),
        *(
            each
            for enum in ("EventCode", "CurrentStatus")
            for each in the_amazon_enum("fulfillmentOutbound_2020-07-01.json", enum)
        ),
    ]
    table = CARRIER_TABLES["amazon_shipping"]
    plain = {":".join(table.words(each)) for each in published}
    assert {*table.rows, *table.reasons} - plain == set()


@for_every("row", [row for row in STATUS_CODES if row.profile == UNIVERSAL_PROFILE])
def test_an_exported_aggregator_status_reads_back_with_the_same_meaning(row: Any) -> None:
    shown = AFTERSHIP_CHART.codes[row.code]
    back = translate_status("aftership", f"{shown.tag}:{shown.subtag}")
    assert back.known
    if row.code not in COARSER_THERE:
        assert back.phase == row.phase
    if row.code in EXACT_THERE:
        assert back.status_code == row.code


def test_an_exported_carrier_status_is_recognized() -> None:
    shown = {each.event for each in AMAZON_CHART.codes.values() if each.event}
    assert [each for each in shown if not translate_status("amazon", each).known] == []
