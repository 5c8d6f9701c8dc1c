"""The comparison of outputs detects differences."""

import pytest
from tests.docs.likeness import fault


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ('{"a":1,"…":"…"}', '{"a":1,"b":2}'),
        ('{"at":"2026-11-21T07:00:41.025387Z"}', '{"at":"2030-01-01T00:00:00Z"}'),
        ('{"n":"HL0E83ZKTERNT26"}', '{"n":"HL1234567890123"}'),
        ('{"a":[1,"…"]}', '{"a":[1,2,3]}'),
        ('{"token":"hl…"}', '{"token":"hlabc"}'),
        ("a day in 4.1 s\n…\nreturned 9", "a day in 17.3 s\n\n x \n returned   9"),
    ],
)
def test_values_that_vary_between_runs_are_equal(shown: str, printed: str) -> None:
    assert fault(shown, printed) is None


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ('{"a":1}', '{"a":2}'),
        ('{"a":1}', '{"a":1,"b":2}'),
        ('{"a":1,"c":3,"…":"…"}', '{"a":1,"b":2}'),
        ('{"a":[1,2]}', '{"a":[1,2,3]}'),
        ('{"n":"HLTR186CSKJ3CGF"}', '{"n":"TR186CSKJ3CGF"}'),
        ('{"a":"yes"}', '{"a":"no"}'),
        ('{"a":1}', "not JSON"),
        ("delivered", "failed"),
        ("one\n…\nthree", "one\ntwo"),
    ],
)
def test_other_differences_are_detected(shown: str, printed: str) -> None:
    assert fault(shown, printed)
