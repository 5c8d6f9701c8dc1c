"""Cells that spreadsheets quoted or damaged are repaired if nothing is lost."""

from haulier.kernel.values.spreadsheet_cells import repair_codes, strip_armour


def test_spreadsheet_quoting_is_stripped_and_apostrophes_in_names_are_kept() -> None:
    armoured = ['="02138"', "'02138", "'=1", "'+14165550100", '="say ""hi"""', "'s-Gravenhage", "'t Hooft", "O'Brien"]
    assert [strip_armour(text) for text in armoured] == [
        *("02138", "02138", "=1", "+14165550100", 'say "hi"', "'s-Gravenhage", "'t Hooft", "O'Brien"),
    ]


def test_numbers_with_an_exponent_are_repaired_only_if_no_digits_are_lost() -> None:
    cells = {"phone": "1.4165550100E+10", "sku": "7E10", "barcodes": "4.006381333931E+12 96385074", "note": "1E+05"}
    repaired = repair_codes(cells, {"phone", "sku", "barcodes", "lot"})
    assert (repaired.cells, repaired.rounded) == (
        {"phone": "14165550100", "sku": "7E10", "barcodes": "4006381333931 96385074", "note": "1E+05"},
        {},
    )
    lost = repair_codes({"phone": "1.41656E+10", "barcodes": "96385074 4,00638E+12"}, {"phone", "barcodes"})
    assert lost.rounded == {"phone": "1.41656E+10", "barcodes": "4,00638E+12"}
