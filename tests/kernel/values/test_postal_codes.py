"""Normalized postal codes."""

from hypothesis import given
from hypothesis import strategies as st

from haulier.kernel.values.postal_codes import find_longest_postal_prefix, matches_postal_prefix, normalize_postal_code


@given(st.text("aB5 -\u2011", max_size=12))
def test_normalizing_a_code_is_idempotent(code: str) -> None:
    once = normalize_postal_code(code)
    assert normalize_postal_code(once) == once
    assert set(once) <= set("AB5")


def test_a_missing_code_matches_no_prefix() -> None:
    assert not matches_postal_prefix(None, ["M"])
    assert not matches_postal_prefix("M5V", [])


@given(st.lists(st.lists(st.text("M5V2", min_size=1, max_size=4), min_size=1, max_size=4), max_size=5))
def test_the_longest_prefix_wins_and_the_first_of_equals(prefixes: list[list[str]]) -> None:
    zones = list(enumerate(prefixes, start=1))
    fitting = {zone: max((len(p) for p in those if "M5V2T6".startswith(p)), default=0) for zone, those in zones}
    best = max(fitting.values(), default=0)
    expected = min(zone for zone, length in fitting.items() if length == best) if best else None
    assert find_longest_postal_prefix("m5v 2t6", zones) == expected
