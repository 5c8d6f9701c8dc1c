"""Operations with proposals or desk forms have translated names.

The approvals page shows the names of writes; the desk shows the same, and those of reads with forms. Lists and records
are named by their nouns.
"""

from typing import Any

from tests.contexts.control_tower.approvals.makers import make_proposal
from tests.support.app import App
from tests.support.every_case import for_every
from tests.web.page_client import get_page, page_text

from haulier.app import registry
from haulier.contexts.control_tower.approvals.rules import can_wait_for_approval
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect
from haulier.web.desk.places import places_of

CATALOGUES = Catalogues()
PLACES = places_of(registry())
CAN_WAIT = {f"write.{operation.name}" for operation in registry() if can_wait_for_approval(operation)}


def names(language: str, *kinds: str) -> dict[str, str]:
    begins = kinds or ("write.",)
    return {id: str(words) for id, words in CATALOGUES.words(language).items() if id.startswith(begins)}


def called_by_a_noun(operation: Operation[Any, Any]) -> bool:
    noun = PLACES.nouns.of_operation.get(operation.name)
    return noun is not None and operation in (noun.listing, noun.record)


@for_every("language", SUPPORTED_LANGUAGES)
def test_every_queueable_write_has_a_title(language: str) -> None:
    missing = sorted(CAN_WAIT - names(language).keys())
    file = f"src/haulier/locales/{language.replace('-', '_')}/operations.po"
    assert missing == [], f"give these a short name in {file} (msgid, then msgstr): {', '.join(missing)}"


@for_every("language", SUPPORTED_LANGUAGES)
def test_every_form_of_the_desk_has_a_title(language: str) -> None:
    forms = (each for each in registry() if PLACES.has_page(each) and not called_by_a_noun(each))
    assert sorted({f"{each.effect}.{each.name}" for each in forms} - names(language, "write.", "read.").keys()) == []


@for_every("language", SUPPORTED_LANGUAGES)
def test_every_write_in_the_history_of_an_order_has_a_title(language: str) -> None:
    """Drivers, recipients and payment providers write too, without a form at the desk."""
    outside = {"choose_delivery_window", "set_delivery_instruction", "sync_rider_events", "upload_proof"}
    assert {f"write.{name}" for name in (*outside, "receive_payment_event")} <= names(language).keys()
    driver_app = (each for each in registry() if each.context == "driver_app" and each.effect is Effect.WRITE)
    assert sorted({f"write.{each.name}" for each in driver_app} - names(language).keys()) == []


@for_every("language", SUPPORTED_LANGUAGES)
def test_every_noun_of_the_desk_has_a_title(language: str) -> None:
    assert sorted({f"noun.{key}" for key in PLACES.nouns.by_key} - names(language, "noun.").keys()) == []


def test_no_title_belongs_to_a_removed_operation() -> None:
    known = {f"{operation.effect}.{operation.name}" for operation in registry()}
    operations = {id for id in names("en", "write.", "read.") if id.count(".") == 1}
    assert sorted(operations - known) == []


@for_every("language", [language for language in SUPPORTED_LANGUAGES if language != "en"])
def test_every_title_is_translated(language: str) -> None:
    english = names("en", "write.", "read.")
    assert [id for id, name in names(language, "write.", "read.").items() if name == english[id]] == []


@for_every("language", SUPPORTED_LANGUAGES)
def test_titles_are_short_and_unique(language: str) -> None:
    found = list(names(language, "write.", "read.").values())
    assert max(map(len, found)) <= 60
    assert len(set(found)) == len(found)


@for_every(("language", "name"), [("de", "Auftrag anhalten"), ("zh-Hant", "暫停訂單")])
async def test_the_page_shows_the_title_in_the_list_and_above_the_write(app: App, language: str, name: str) -> None:
    approval = await make_proposal(app)
    page = await get_page(app, f"/mcp-approvals/{approval.id}", "admin", headers={"Accept-Language": language})
    assert page_text(page).count(name) >= 2
