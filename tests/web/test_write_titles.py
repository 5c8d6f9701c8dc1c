"""Every write that can wait for a human has a name in every language: the approvals page is read by people.

The desk shows the same names on its forms, also of writes that cannot wait where they have one.
"""

from tests.contexts.control_tower.approvals.makers import make_proposal
from tests.support.app import App
from tests.support.every_case import for_every
from tests.web.page_client import get_page, page_text

from haulier.app import registry
from haulier.contexts.control_tower.approvals.rules.lifecycle import can_wait_for_approval
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.enums import Effect

CATALOGUES = Catalogues()
CAN_WAIT = {f"write.{operation.name}" for operation in registry() if can_wait_for_approval(operation)}


def names(language: str) -> dict[str, str]:
    return {id: str(words) for id, words in CATALOGUES.words(language).items() if id.startswith("write.")}


@for_every("language", SUPPORTED_LANGUAGES)
def test_no_write_that_can_wait_is_without_a_name(language: str) -> None:
    missing = sorted(CAN_WAIT - names(language).keys())
    file = f"src/haulier/locales/{language.replace('-', '_')}/operations.po"
    assert missing == [], f"give these a short name in {file} (msgid, then msgstr): {', '.join(missing)}"


def test_no_name_is_left_of_a_write_that_is_gone() -> None:
    writes = {f"write.{operation.name}" for operation in registry() if operation.effect is Effect.WRITE}
    assert sorted(names("en").keys() - writes) == []


@for_every("language", [language for language in SUPPORTED_LANGUAGES if language != "en"])
def test_no_name_is_left_in_english(language: str) -> None:
    assert [id for id, name in names(language).items() if name == names("en")[id]] == []


@for_every("language", SUPPORTED_LANGUAGES)
def test_a_name_is_short_and_tells_one_write_from_every_other(language: str) -> None:
    found = list(names(language).values())
    assert max(map(len, found)) <= 60
    assert len(set(found)) == len(found)


@for_every(("language", "name"), [("de", "Auftrag anhalten"), ("zh-Hant", "暫停訂單")])
async def test_the_page_says_it_in_the_list_and_above_the_write(app: App, language: str, name: str) -> None:
    approval = await make_proposal(app)
    page = await get_page(app, f"/mcp-approvals/{approval.id}", "admin", headers={"Accept-Language": language})
    assert page_text(page).count(name) >= 2
