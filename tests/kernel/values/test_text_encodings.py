"""Text files are decoded in their original encoding, or refused."""

from collections.abc import Callable

import pytest
from tests.support.every_case import for_every

from haulier.kernel.file_reading import UnreadableFile
from haulier.kernel.values.table_files import read_table
from haulier.kernel.values.text_encodings import ENCODING_UNKNOWN, ENCODING_WRONG, TextHints, decode_text

ENGLISH = ("en", "fr")
FILES = {
    "gbk": ["1,王小明,中山路12号,上海,CN\n2,李伟,人民路8号,北京,CN", "1,张伟,建国门外大街甲6号,北京"],
    "big5": ["陳大文,中山北路二段12號,台北市"],
    "shift_jis": ["山田太郎,本町1-2-3,大阪市", "ヤマダ タロウ,東京都千代田区丸の内1-1"],
    "euc-kr": ["김철수,서울특별시 강남구 테헤란로 5"],
    "windows-1250": ["Łukasz Żółć,ul. Długa 5,Łódź", "Štěpán Dvořák,Dlouhá 5,Plzeň", "Kővágó Ödön,Fő utca 5,Győr"],
    "iso-8859-2": ["Štěpán Dvořák,Dlouhá 5,Plzeň", "Łukasz Kąkol,ul. Świętokrzyska 5,Łódź"],
    "windows-1251": ["Иван Петров,ул. Ленина 5,Москва", "Тарас Шевченко,вул. Хрещатик 1,Київ"],
    "windows-1252": [
        "Jürgen Groß,Königstraße 5,Köln",
        "André Müller,12 rue de l’Église,Besançon",
        "José Núñez,Calle Peñón 5 2º,Cádiz",
        "Bjørn Sæther,Åsgata 1,Åsgårdstrand",
        "João Conceição,Rua São João 5,Évora",
    ],
    "windows-1253": ["Γιώργος Παπαδόπουλος,Οδός Ερμού 5,Αθήνα"],
    "windows-1254": ["Şule Yılmaz,İstiklal Caddesi 5,İstanbul", "Ayşe Öztürk,Bağdat Cad. 12,Beşiktaş"],
    "windows-1255": ["דוד כהן,רחוב הרצל 5,תל אביב"],
    "windows-1256": ["محمد علي,شارع الملك 5,الرياض"],
    "macintosh": ["Zoë Müller,Rue de l’Église 5,Montréal"],
    "utf-16": ["王小明,上海", "Zoë,Köln"],
    "utf-16-le": ["王小明,上海", "Zoë,Köln"],
    "utf-16-be": ["王小明,上海", "Zoë,Köln"],
    "utf-8": ["王小明,上海", "Zoë,Köln"],
    "utf-8-sig": ["王小明,上海", "Zoë,Köln"],
}


@for_every("encoding", FILES)
def test_addresses_are_decoded_from_their_original_encoding(encoding: str) -> None:
    """The business is Canadian, so none of these languages is expected."""
    for body in FILES[encoding]:
        text = f"name,address,city\n{body}\n"
        assert decode_text(text.encode(encoding), TextHints(languages=ENGLISH)).text == text


def test_expected_languages_take_precedence() -> None:
    content = "name\nDvořák,Přerov\n".encode("windows-1250")
    assert decode_text(content, TextHints(languages=("cs", "en"))).encoding == "windows-1250"
    assert decode_text("name\nMøller\n".encode("windows-1252"), TextHints(languages=("da",))).text == "name\nMøller\n"
    assert decode_text("name\nPřerov\n".encode("windows-1250"), TextHints(languages=("cs",))).text == "name\nPřerov\n"


def test_a_named_encoding_is_used_and_refused_if_it_does_not_fit() -> None:
    content = "name\nПрага\n".encode("koi8-r")
    assert decode_text(content, TextHints("KOI8-R")).text == "name\nПрага\n"
    with pytest.raises(UnreadableFile) as fault:
        decode_text(content, TextHints("utf-8"))
    assert fault.value.code == ENCODING_WRONG


def test_bytes_that_are_no_text_in_any_encoding_are_refused() -> None:
    with pytest.raises(UnreadableFile) as fault:
        decode_text(bytes(range(1, 256)) * 3, TextHints(languages=ENGLISH))
    assert fault.value.code == ENCODING_UNKNOWN


def test_decomposed_characters_are_composed() -> None:
    assert decode_text("name\nNguye\u0302\u0303n\n".encode(), TextHints()).text == "name\nNguyễn\n"


def _rows(content: bytes) -> list[list[str]]:
    table = read_table(content, "csv")
    return [table.header, *table.rows]


SEPARATORS: dict[str, Callable[[str], str]] = {
    "hint": lambda sign: f"sep={sign}\r\n",
    "quoted hint": lambda sign: f'"sep={sign}"\n',
    "none": lambda _sign: "",
}


@for_every("hint", SEPARATORS)
def test_every_delimiter_is_recognized_with_and_without_excels_hint(hint: str) -> None:
    for sign in ";\t|,":
        body = f'{SEPARATORS[hint](sign)}name{sign}"city{sign} state"\nZoë{sign}Köln\n'
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "windows-1252"):
            assert _rows(body.encode(encoding)) == [["name", f"city{sign} state"], ["Zoë", "Köln"]]
