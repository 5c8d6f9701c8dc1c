"""Office papers: nothing that a reader needs is cut off."""

from tests.support.every_case import for_every

from haulier.rendering.labels import RECIPIENT_END, LabelContent, LabelParty, lay_out_label
from haulier.rendering.page import Page, Text
from haulier.rendering.papers import ManifestPaper, ManifestStop, lay_out_manifest
from haulier.rendering.sheets import PaperHead, Sheets

HEAD = PaperHead(issuer="Lokki", number="HD1", verify_url="", moment="Nov 30, 2026", language="en")
LONG_NAME = "Dr. Maximiliane Freifrau von Hohenstein-Schwarzenberg"
STREET = "Bürgermeister-Müller-Straße 128, Hinterhaus, 80331 München"


def texts(pages: list[Page]) -> list[Text]:
    """Return the texts of pages in drawing order."""
    return [item for page in pages for item in page.items if isinstance(item, Text)]


def test_a_manifest_shows_whole_names_and_addresses_and_the_time_on_its_own_line() -> None:
    stop = ManifestStop(
        position=1,
        kind="Delivery",
        name=LONG_NAME,
        address=STREET,
        tracking_number="HL1",
        pieces=1,
        weight_g=1,
        planned="9:07 AM",
    )
    drawn = texts(lay_out_manifest(ManifestPaper(head=HEAD, day="Monday", stops=[stop])))
    said = [each.text for each in drawn]
    assert not [each for each in said if "…" in each]
    assert {"9:07 AM", "Delivery"} <= set(said)
    assert LONG_NAME in " ".join(said)
    assert STREET in " ".join(said)
    assert all(each.bold for each in drawn if each.text in LONG_NAME and len(each.text) > 3)


def test_a_long_line_of_an_address_is_wrapped() -> None:
    sheets = Sheets(HEAD, "paper_manifest")
    sheets.blocks([("Seller", ["Lokki"]), ("Customer", [f"{LONG_NAME} und Söhne GmbH & Co. KG", "Pier 1"])])
    said = [each.text for each in texts(sheets.to_pages())]
    assert not [each for each in said if "…" in each]
    assert said.index("Pier 1") > said.index("Customer")


@for_every("company", [None, "Gesellschaft für angewandte Logistikforschung mbH & Co. KG"])
def test_a_label_shows_a_long_recipient_whole_and_above_the_line(company: str | None) -> None:
    party = LabelParty(
        name=LONG_NAME,
        company=company,
        address=["Bürgermeister-Müller-Straße 128, Hinterhaus, 4. OG links", "c/o Studio Bulevardi"],
        place="80331 MÜNCHEN",
        country="GERMANY",
    )
    sender = LabelParty(name="Lokki")
    label = LabelContent(carrier="Lokki", service="Same day", tracking_number="HL1", sender=sender, recipient=party)
    drawn = [each for each in texts([lay_out_label(label)]) if 350 < each.y < 600]
    assert not [each.text for each in drawn if "…" in each.text]
    assert drawn[-1].text == "80331 MÜNCHEN GERMANY"
    assert max(each.y for each in drawn) <= RECIPIENT_END
