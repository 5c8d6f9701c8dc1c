"""Address search tolerates one typo per word."""

from tests.support.app import App

from haulier.contexts.places.geocoding.rules.words import is_corrected, near_words, spelling_keys

ADDRESSES = (
    {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "country": "CA"},
    {"name": "Émile Zola", "address": "12 Rue de Rivoli", "city": "Paris", "country": "FR"},
)


async def test_search_tolerates_one_wrong_missing_extra_or_swapped_letter(app: App) -> None:
    for values in ADDRESSES:
        await app.answer("admin", "create_address", values)
    for typed, name, corrected in (
        ("lovelase", "Ada Lovelace", "lovelace"),
        ("lovlace queen", "Ada Lovelace", "lovelace queen"),
        ("quueen tor", "Ada Lovelace", "queen tor"),
        ("qeuen tronto", "Ada Lovelace", "queen toronto"),
        ("rivolli paris", "Émile Zola", "rivoli paris"),
        ("Zoal", "Émile Zola", "zola"),
    ):
        answer = await app.answer("admin", "search_address", {"search": typed})
        assert [each.name for each in answer.addresses] == [name], typed
        assert answer.corrected == corrected, typed


async def test_exact_matches_are_not_corrected(app: App) -> None:
    for name in ("Anna Marten", "Anna Martin"):
        await app.answer("admin", "create_address", {**ADDRESSES[0], "name": name})
    answer = await app.answer("admin", "search_address", {"search": "martin"})
    assert ([each.name for each in answer.addresses], answer.corrected) == (["Anna Martin"], None)
    for typed in ("lovelyness", "10O Quen", "adda", "nowhere"):
        answer = await app.answer("admin", "search_address", {"search": typed})
        assert (answer.addresses, answer.corrected) == ([], None), typed


async def test_typo_tolerance_covers_updated_and_imported_addresses_of_the_own_book_only(app: App) -> None:
    made = (await app.answer("admin", "create_address", ADDRESSES[0])).address
    await app.answer("admin", "update_address", {"address_id": made.id, "name": "Grace Hopper"})
    for who, found in (("admin", ["Grace Hopper"]), ("rival", [])):
        answer = await app.answer(who, "search_address", {"search": "hoper"})
        assert [each.name for each in answer.addresses] == found


def test_words_one_typo_apart_share_a_key() -> None:
    near = {"queen": ("quen", "queeen", "qeuen", "quean", "uqeen", "queens"), "toronto": ("toronot", "otronto")}
    for word, typed in near.items():
        for each in typed:
            assert set(spelling_keys(word)) & set(spelling_keys(each)), each
            assert near_words(each, [word, "other"]) == [word], each
    assert near_words("quuen", ["queen", "quin", "queue"]) == ["queen"]
    assert [word for word in ("abc", "12ab", "a" * 25, "abcd") if is_corrected(word)] == ["abcd"]
