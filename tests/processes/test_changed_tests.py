"""`make changed` selects the tests next to the changed code."""

from scripts.changed_tests import matching_tests


def test_tests_mirror_the_code_folders() -> None:
    assert matching_tests("src/haulier/contexts/identity/sessions/operations/sign_in.py") == [
        "tests/contexts/identity/sessions"
    ]
    assert matching_tests("src/haulier/contexts/messaging/events.py") == ["tests/contexts/messaging"]
    assert matching_tests("src/haulier/kernel/data/tables.py") == ["tests/kernel/data"]
    assert matching_tests("src/haulier/api/rest/app.py") == ["tests/api/rest"]
    assert matching_tests("src/haulier/settings.py") == ["tests/invariants"]


def test_a_test_selects_itself_and_a_helper_its_folder() -> None:
    assert matching_tests("tests/kernel/test_pipeline.py") == ["tests/kernel/test_pipeline.py"]
    assert matching_tests("tests/support/app.py") == ["tests/support"]


def test_other_files_are_listed() -> None:
    assert matching_tests("docs/integrate/tokens.md") == ["tests/docs"]
    assert matching_tests("src/haulier/locales/de/kernel.po") == [
        "tests/invariants/test_catalogues.py",
        "tests/invariants/test_messages.py",
    ]
    assert matching_tests("LICENSE") == []
