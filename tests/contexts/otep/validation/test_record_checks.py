"""Record checks cover the fields of the records."""

import inspect
from pathlib import Path

import pytest
from tests.support.every_case import for_every

from haulier.contexts.otep.timeline.contract import EventActor, IncidentReason
from haulier.contexts.otep.validation import rules
from haulier.contexts.otep.validation.rules import validator
from haulier.contexts.otep.validation.rules.record_checks import record_check
from haulier.contexts.otep.validation.rules.value_checks import FINDING_RULES, ValueCheck, text_check

SOURCE = "".join(path.read_text() for path in Path(inspect.getfile(rules)).parent.glob("*.py"))


def test_a_check_for_unknown_record_fields_is_refused_at_import() -> None:
    with pytest.raises(ValueError, match="EventActor"):
        record_check(EventActor, {"type": text_check(10)})
    with pytest.raises(ValueError, match="colour"):
        record_check(IncidentReason, {"code": text_check(10), "note": text_check(10), "colour": text_check(10)})


def test_every_record_of_a_timeline_is_described_in_its_schema() -> None:
    assert validator.TIMELINE_CHECK.records.keys() == {
        *("Timeline", "Subject", "TrackingEvent", "Source", "Location", "IncidentReason"),
        *("EventActor", "ProofOfDelivery", "Correction", "VoidedEvent"),
        *("DeliveryOutcome", "OutcomePieces", "UndeliveredPiece"),
    }
    assert all(each["description"] and each["properties"] for each in validator.TIMELINE_CHECK.records.values())


def test_every_check_has_a_schema() -> None:
    checks = [value for value in vars(validator).values() if isinstance(value, ValueCheck)]
    assert len(checks) > 10
    assert all(check.schema for check in checks)


@for_every("code", FINDING_RULES)
def test_every_rule_in_the_table_is_used(code: str) -> None:
    assert SOURCE.count(f'"{code}"') >= 2, "one in the table, one where it is found"
