"""The tables against the lists that the carriers themselves publish, and against what we send out."""

import json
from typing import Any

import pytest
from tests.shared import shared
from tracking.models.tag import Tag

from haulier.contexts.tracking.otep.carriers import translate
from haulier.contexts.tracking.otep.carriers.tables import CARRIERS
from haulier.contexts.tracking.otep.projections.aftership import CHART as AFTERSHIP_CHART
from haulier.contexts.tracking.otep.projections.amazon import CHART as AMAZON_CHART
from haulier.contexts.tracking.otep.vocabulary import TABLE, UNIVERSAL

COARSER_THERE = {"out_for_pickup", "pickup_failed", "pickup_rescheduled"}
"""What happens before the parcel is collected has no sub-status of its own there."""
EXACT_THERE = {
    "information_submitted", "cancelled", "picked_up", "arrival_scan", "in_transit", "package_outbound", "customs_clearance",
    "customs_released", "customs_held", "delayed", "damaged", "lost", "returned", "out_for_delivery", "ready_for_collection",
    "delivery_failed", "address_issue", "delivered",
}  # fmt: skip


def the_amazon_enum(file: str, name: str) -> list[str]:
    """An enumeration of the official API models."""
    model: dict[str, Any] = json.loads(shared(f"standards/amazon/{file}").read_text(encoding="utf-8"))
    return model["definitions"][name]["enum"]


@pytest.mark.parametrize("tag", Tag)
def test_every_status_of_aftership_own_client_is_known(tag: Tag) -> None:
    assert translate("aftership", tag.value).known


@pytest.mark.parametrize(
    ("file", "enum"),
    [
        ("shippingV2.json", "EventCode"),
        ("shippingV2.json", "Status"),
        ("fulfillmentOutbound_2020-07-01.json", "EventCode"),
        ("fulfillmentOutbound_2020-07-01.json", "CurrentStatus"),
    ],
)
def test_every_status_of_amazons_models_is_known(file: str, enum: str) -> None:
    assert [each for each in the_amazon_enum(file, enum) if not translate("amazon", each).known] == []


def test_every_detail_of_amazons_models_is_known_beside_a_status() -> None:
    details = the_amazon_enum("shippingV2.json", "DetailCodes")
    assert [each for each in details if not translate("amazon", f"Undeliverable:{each}").known] == []


def test_amazons_tables_hold_nothing_that_amazon_does_not_publish() -> None:
    published = [
        *(each for enum in ("EventCode", "Status", "DetailCodes") for each in the_amazon_enum("shippingV2.json", enum)),
        *(
            each
            for enum in ("EventCode", "CurrentStatus")
            for each in the_amazon_enum("fulfillmentOutbound_2020-07-01.json", enum)
        ),
    ]
    table = CARRIERS["amazon_shipping"]
    plain = {":".join(table.words(each)) for each in published}
    assert {*table.rows, *table.reasons} - plain == set()


@pytest.mark.parametrize("row", [row for row in TABLE if row.profile == UNIVERSAL], ids=lambda row: row.code)
def test_what_we_show_as_an_aggregator_comes_back_as_the_same_kind_of_status(row: Any) -> None:
    shown = AFTERSHIP_CHART.codes[row.code]
    back = translate("aftership", f"{shown.tag}:{shown.subtag}")
    assert back.known
    if row.code not in COARSER_THERE:
        assert back.phase == row.phase
    if row.code in EXACT_THERE:
        assert back.status_code == row.code


def test_what_we_show_as_a_carrier_is_known_when_it_comes_back() -> None:
    shown = {each.event for each in AMAZON_CHART.codes.values() if each.event}
    assert [each for each in shown if not translate("amazon", each).known] == []
