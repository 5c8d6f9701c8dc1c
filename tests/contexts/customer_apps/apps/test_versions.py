"""Version order by semver.org, and required updates by policy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from semver import Version
from tests.support.every_case import for_every

from haulier.contexts.customer_apps.apps.rules import (
    AppVersionPolicy,
    AppVersionState,
    contradicting_field,
    version_state,
)

IN_ORDER = (
    "0.0.0",
    "0.9.10",
    "1.0.0-0",
    "1.0.0-2",
    "1.0.0-11",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.2.0",
    "1.10.0",
    "2.0.0--",
    "2.0.0",
)
numbers = st.integers(0, 10**6)
identifiers = st.one_of(numbers.map(str), st.from_regex(r"\A[0-9]{0,2}[a-z-][0-9a-z-]{0,3}\Z"))
releases = st.tuples(numbers, numbers, numbers).map(lambda parts: ".".join(map(str, parts)))
versions = st.one_of(
    releases,
    st.tuples(releases, st.lists(identifiers, min_size=1, max_size=3)).map(lambda v: f"{v[0]}-{'.'.join(v[1])}"),
)


def test_versions_are_ordered_as_semver_defines() -> None:
    shuffled = [*IN_ORDER[::2], *IN_ORDER[1::2]]
    assert sorted(shuffled, key=Version.parse) == list(IN_ORDER)


def test_build_metadata_is_ignored() -> None:
    assert Version.parse("1.0.0+20130313144700") == Version.parse("1.0.0+exp.sha.5114f85")
    assert Version.parse("1.0.0-alpha+001") < Version.parse("1.0.0")


@for_every(
    "text",
    [
        "",
        "1",
        "1.2",
        "01.2.3",
        "1.2.3-",
        "1.2.3-01",
        "1.2.3+",
        "1.2.3-a..b",
        "v1.2.3",
        "1.2.3.4",
        " 1.2.3",
        "1.2.3\n",
        "١.٢.٣",
    ],
)
def test_malformed_versions_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="SemVer"):
        Version.parse(text)


@given(a=versions, b=versions, c=versions)
def test_the_version_order_is_total(a: str, b: str, c: str) -> None:
    one, two, three = Version.parse(a), Version.parse(b), Version.parse(c)
    assert (one < two) + (one == two) + (two < one) == 1
    if one < two < three:
        assert one < three


POLICY = AppVersionPolicy(minimum="1.0.0", recommended="1.4.0", blocked=("1.2.0", "1.9.9-beta"))


@for_every(
    ("version", "expected"),
    [
        (None, AppVersionState.CURRENT),
        ("0.9.9", AppVersionState.REFUSED),
        ("1.0.0-rc.1", AppVersionState.REFUSED),
        ("1.0.0", AppVersionState.OLD),
        ("1.2.0", AppVersionState.REFUSED),
        ("1.2.0+build", AppVersionState.REFUSED),
        ("1.3.9", AppVersionState.OLD),
        ("1.4.0", AppVersionState.CURRENT),
        ("1.9.9-beta", AppVersionState.REFUSED),
        ("10.0.0", AppVersionState.CURRENT),
    ],
)
def test_a_version_is_classified_by_the_policy(version: str | None, expected: AppVersionState) -> None:
    assert version_state(version, POLICY) is expected


@given(version=versions)
def test_every_version_is_accepted_without_a_policy(version: str) -> None:
    assert version_state(version, None) is version_state(version, AppVersionPolicy()) is AppVersionState.CURRENT


@given(minimum=versions, recommended=versions, blocked=st.lists(versions, max_size=3))
def test_a_recommended_version_is_accepted(minimum: str, recommended: str, blocked: list[str]) -> None:
    if contradicting_field(minimum, recommended, blocked) is None:
        policy = AppVersionPolicy(minimum=minimum, recommended=recommended, blocked=tuple(blocked))
        assert version_state(recommended, policy) is AppVersionState.CURRENT
