"""The language check reads subjects of commits, messages and documents."""

from scripts.language import CHECKS, check_subjects


def test_a_subject_names_its_area_within_72_characters() -> None:
    assert list(check_subjects(["billing: charge local deliveries on delivery", "api, docs: name the limits"])) == []
    long = f"orders: {'x' * 65}"
    assert list(check_subjects([long, "Fix typo"])) == [
        f"commit subject longer than 72: {long}",
        "commit subject without an area, such as “billing: …”: Fix typo",
    ]


def test_an_id_is_written_in_capitals_in_prose_and_messages() -> None:
    document = "Reconnect with the id of `last_id`.\n\n`GET /orders/{id}` takes an ID, [ids](ids.md)."
    assert [(line, reason) for line, _, reason in CHECKS[".md"](document)] == [(1, "write “ID”"), (3, "write “ID”")]
    message = 'msgid "scan_id_taken"\nmsgstr "This scan id is taken, `id` is not."\n'
    assert [(line, reason) for line, _, reason in CHECKS[".po"](message)] == [(2, "write “ID”")]
