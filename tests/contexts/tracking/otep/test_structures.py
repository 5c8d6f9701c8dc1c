"""Checks of records, and the promise that they check the fields that the records have."""

import inspect
from pathlib import Path

import pytest

from haulier.contexts.tracking.otep import rules
from haulier.contexts.tracking.otep.model import Actor, IncidentReason
from haulier.contexts.tracking.otep.rules import shapes
from haulier.contexts.tracking.otep.rules.checks import Check, text
from haulier.contexts.tracking.otep.rules.findings import RULES
from haulier.contexts.tracking.otep.rules.structures import record

SOURCE = "".join(path.read_text() for path in Path(inspect.getfile(rules)).parent.glob("*.py"))


def test_a_check_of_other_fields_than_the_record_has_is_refused_at_import() -> None:
    with pytest.raises(ValueError, match="Actor"):
        record(Actor, {"type": text(10)})
    with pytest.raises(ValueError, match="colour"):
        record(IncidentReason, {"code": text(10), "note": text(10), "colour": text(10)})


def test_every_record_of_a_timeline_is_described_in_its_schema() -> None:
    assert shapes.TIMELINE.records.keys() == {
        *("Timeline", "Subject", "Event", "Source", "Location", "IncidentReason"),
        *("Actor", "ProofOfDelivery", "Correction", "Voided"),
    }
    assert all(each["description"] and each["properties"] for each in shapes.TIMELINE.records.values())


def test_every_check_has_a_schema() -> None:
    checks = [value for value in vars(shapes).values() if isinstance(value, Check)]
    assert len(checks) > 10
    assert all(check.schema for check in checks)


@pytest.mark.parametrize("code", RULES)
def test_no_rule_stands_in_the_table_that_nothing_finds(code: str) -> None:
    assert SOURCE.count(f'"{code}"') >= 2, "one in the table, one where it is found"
