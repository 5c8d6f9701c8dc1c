"""The language check reads subjects of commits."""

from scripts.language import check_subjects


def test_a_subject_names_its_area_within_72_characters() -> None:
    assert list(check_subjects(["billing: charge local deliveries on delivery", "api, docs: name the limits"])) == []
    long = f"orders: {'x' * 65}"
    assert list(check_subjects([long, "Fix typo"])) == [
        f"commit subject longer than 72: {long}",
        "commit subject without an area, such as “billing: …”: Fix typo",
    ]
