"""Operations with a device time also take the sending time, to correct the clock."""

import inspect
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

from haulier.app import registry
from haulier.contexts.routes.routes.contract import ReportRouteEvent
from haulier.kernel.operations.declaration import Request

DEVICE_TIMES = {"occurred_at", "opened_at", "scanned_at"}
NOT_OF_A_DEVICE = {
    *("import_sms_contacts", "create_sms_contact", "record_sms_consent", "revoke_sms_consent"),
    *("record_freight_step", "deliver_freight_shipment"),
}
"""The time at which a person agreed to something or a carrier did something, as the office enters it."""


def nested_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from nested_models(field.annotation)
    for part in get_args(annotation):
        yield from nested_models(part)


def takes_device_time(request: type[Request]) -> bool:
    return any(DEVICE_TIMES & model.model_fields.keys() for model in nested_models(request))


def test_every_operation_with_a_device_time_accepts_the_send_time() -> None:
    found = {each.name: each for each in registry() if takes_device_time(each.request)}
    missing = {name for name, each in found.items() if "sent_at" not in each.request.model_fields}
    assert {"sync_rider_events", "record_scan", "push_positions", "rider_deliver"} <= found.keys()
    assert missing == NOT_OF_A_DEVICE


def test_every_route_report_corrects_its_time_first() -> None:
    reports = [each for each in registry() if issubclass(each.request, ReportRouteEvent)]
    raw = [each.name for each in reports if "correct_device_time" not in inspect.getsource(each.handler)]
    assert len(reports) > 10
    assert raw == []
