"""Text in CSV documents that a spreadsheet would run as a formula."""

from tests.support.every_case import for_every

from haulier.kernel.values.csv_text import csv_text


@for_every("begins", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_a_formula_is_escaped_in_ascii_and_full_width(begins: str) -> None:
    assert f"'{begins}1+1" in csv_text(["name"], [[f"{begins}1+1"]])


def test_a_number_stays_a_number() -> None:
    assert csv_text(["amount"], [[-5]]) == "amount\r\n-5\r\n"
