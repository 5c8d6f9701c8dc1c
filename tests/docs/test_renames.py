"""`docs/reference/renames.md` lists former names beside published ones."""

import re

import pytest
from tests.docs.blocks import ROOT
from tests.docs.published_api import operations

PAGE = (ROOT / "docs/reference/renames.md").read_text()
ROW = re.compile(r"^\|(?:[^|]*\|)? `([^`|]+)` \| `([^`|]+)` \|$", re.MULTILINE)
RENAMES = ROW.findall(PAGE)
NAMES = {each.name for each in operations()}
PATHS = {each.path for each in operations()}


@pytest.mark.parametrize(("before", "now"), RENAMES)
def test_a_rename_gives_another_name(before: str, now: str) -> None:
    assert before != now


def test_renamed_operations_are_published_under_their_new_name_only() -> None:
    section = PAGE.partition("## Operations")[2].partition("## Paths")[0]
    renames = dict(ROW.findall(section))
    assert len(renames) >= 18
    assert NAMES.isdisjoint(renames)
    assert NAMES.issuperset(renames.values())


def test_renamed_paths_are_published_under_their_new_path_only() -> None:
    section = PAGE.partition("## Paths")[2].partition("## Fields")[0]
    renames = {old.split()[1]: new.split()[1] for old, new in ROW.findall(section)}
    assert len(renames) >= 6
    assert PATHS.isdisjoint(renames)
    assert PATHS.issuperset(renames.values())
