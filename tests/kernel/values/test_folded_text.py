"""Both databases fold text like Python."""

from sqlalchemy import literal, select
from tests.support.app import App

from haulier.kernel.values.folded_text import folded
from haulier.kernel.values.words import fold_search

TEXTS = {
    "O’Brien-Müller, Straße 5": "obrien muller strasse 5",
    "Łódź Đorđe ØRSTED Æther Œuvre Þór": "lodz dorde orsted aether oeuvre thor",
    "中山路１２号，上海": "中山路12号 上海",
    "Nguye\u0302\u0303n Va\u0306n": "nguyen van",
    "ΑΘΉΝΑ Ελλάς": "αθηνα ελλασ",
    "ИВАН Ёлкин": "иван елкин",
    "İstanbul Işık": "istanbul isik",
    "Saint–Jean (Québec)": "saint jean quebec ",
    "a.b@example.com\n+1 416-555": "a.b@example.com\n+1 416 555",
    "ガソリン 김철수 מֹשֶׁה مُحَمَّد ﬁn": None,
}


async def test_sql_folds_text_like_python(app: App) -> None:
    async with app.application.database.read(None) as work:
        for text, expected in TEXTS.items():
            found = await work.value(select(folded(literal(text))))
            assert found == fold_search(text)
            assert expected is None or found == expected
