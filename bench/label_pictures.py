"""Generated labels of many layouts, with typical damage of photographed labels.

Their content is known, so reading can be verified. Fonts of the machine are used if available.
"""

import random
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import zxingcpp
from msgspec import Struct
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont

from haulier.contexts.shipping.label_parsing.rules.tracking_numbers import fedex_check, gs1_check, ups_check

WIDTH, HEIGHT = 812, 1218
OWN_FONTS = Path(__file__).parents[1] / "src" / "haulier" / "rendering" / "fonts"
FONT_FOLDERS = (Path("/usr/share/fonts"), OWN_FONTS)
FONT_PAIRS = (
    ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("LiberationSansNarrow-Regular.ttf", "LiberationSansNarrow-Bold.ttf"),
    ("FreeSans.ttf", "FreeSansBold.ttf"),
    ("LiberationMono-Regular.ttf", "LiberationMono-Bold.ttf"),
)


class Place(Struct, frozen=True):
    """An address, with the last lines formatted as in its country."""

    name: str
    street: str
    city: str
    code: str
    country: str
    town_line: str
    company: str | None = None
    unit: str | None = None

    def lines(self, *, country: str | None) -> list[str]:
        """Return its lines, with the country if given."""
        parts = (self.name, self.company, self.street, self.unit, self.town_line, country)
        return [part for part in parts if part]


PLACES = {
    "CA": (
        Place("Ada Lovelace", "100 Queen Street West", "Toronto", "M5H 2N2", "CA", "Toronto ON M5H 2N2"),
        Place("Marc-André Gagnon", "1250 rue Sherbrooke Ouest", "Montréal", "H3G 1H3", "CA", "Montréal QC H3G 1H3"),
        Place(
            "Priya Raman", "8 Granville Street", "Vancouver", "V6C 1T2", "CA", "VANCOUVER BC V6C 1T2", None, "Unit 1204"
        ),
        Place("Northern Optics", "77 Elgin St", "Ottawa", "K1P 1C7", "CA", "OTTAWA, ON K1P 1C7"),
    ),
    "US": (
        Place("Grace Hopper", "1600 Harbor Drive", "San Diego", "92101", "US", "SAN DIEGO CA 92101"),
        Place("Tom Becker", "455 Larkspur Lane", "Austin", "78704", "US", "Austin, TX 78704", "Becker Tools LLC"),
        Place("Maria Lopez", "2210 W Division St", "Chicago", "60622", "US", "Chicago, IL 60622", None, "APT 3F"),
        Place("WAREHOUSE 12", "9800 Peachtree Road", "Atlanta", "30305", "US", "ATLANTA GA 30305"),
    ),
    "DE": (
        Place("Jürgen Schäfer", "Lindenstraße 14", "Berlin", "10969", "DE", "10969 Berlin"),
        Place("Käthe Müller", "Am Hafen 3", "Hamburg", "20457", "DE", "20457 Hamburg"),
    ),
    "FR": (
        Place("Chloé Lefèvre", "12 rue des Martyrs", "Paris", "75009", "FR", "75009 PARIS"),
        Place("Étienne Dubois", "5 place Bellecour", "Lyon", "69002", "FR", "69002 Lyon"),
    ),
    "ES": (
        Place("Ana Núñez", "Calle de Alcalá 45", "Madrid", "28014", "ES", "28014 Madrid"),
        Place("Jorge Peña", "Carrer de Balmes 120", "Barcelona", "08008", "ES", "08008 Barcelona"),
    ),
    "GB": (Place("Oliver Hughes", "22 Baker Street", "London", "W1U 3BW", "GB", "London W1U 3BW"),),
}
COUNTRY_NAMES = {"CA": "CANADA", "US": "UNITED STATES", "DE": "Deutschland", "FR": "France", "ES": "España",
                 "GB": "United Kingdom"}  # fmt: skip
CARRIERS = {
    "UPS": ("UPS GROUND", "UPS NEXT DAY AIR", "UPS STANDARD"),
    "USPS": ("USPS PRIORITY MAIL", "USPS GROUND ADVANTAGE"),
    "FEDEX": ("FedEx Ground", "FedEx Priority Overnight", "FedEx Home Delivery"),
    "CANADA_POST": ("Expedited Parcel", "Xpresspost", "Regular Parcel"),
}


class Truth(Struct, frozen=True):
    """Content of a label."""

    sender: Place
    consignee: Place
    carrier: str
    service: str
    number: str
    printed_number: str
    countries: bool
    """If true, the countries are printed."""


class Sheet:
    """A label to draw on."""

    def __init__(self, fonts: tuple[Path, Path]) -> None:
        self.image = Image.new("L", (WIDTH, HEIGHT), 255)
        self._draw = ImageDraw.Draw(self.image)
        self._fonts = fonts

    def text(self, x: float, y: float, words: str, size: int, *, bold: bool = False) -> float:
        """Write a line; return the position of the next one."""
        font = ImageFont.truetype(self._fonts[bold], size)
        while font.getlength(words) > WIDTH - x - 20:
            size -= 1
            font = ImageFont.truetype(self._fonts[bold], size)
        self._draw.text((x, y), words, fill=0, font=font)
        return y + size * 1.25

    def lines(self, x: float, y: float, words: Sequence[str], size: int, *, bold: bool = False) -> float:
        """Write lines below each other; return the position of the next one."""
        for each in words:
            y = self.text(x, y, each, size, bold=bold)
        return y

    def rule(self, y: float) -> None:
        """Draw a horizontal line."""
        self._draw.line((0, y, WIDTH, y), fill=0, width=4)

    def bars(self, y: float, data: str, height: int = 180) -> None:
        """Draw a centred Code 128."""
        code = zxingcpp.create_barcode(data, zxingcpp.BarcodeFormat.Code128)
        picture = Image.fromarray(_pixels(code.to_image(scale=1)))
        scale = max(1, min(3, (WIDTH - 60) // picture.width))
        wide = picture.resize((picture.width * scale, height), Image.Resampling.NEAREST)
        self.image.paste(wide, ((WIDTH - wide.width) // 2, int(y)))


def _pixels(image: object) -> Any:
    import numpy

    return numpy.asarray(image)


def _lines(place: Place, truth: Truth) -> list[str]:
    return place.lines(country=COUNTRY_NAMES[place.country] if truth.countries else None)


def indented(sheet: Sheet, truth: Truth) -> None:
    """Sender small at the top, recipient indented behind two words, banner, bars."""
    sheet.lines(24, 20, _lines(truth.sender, truth), 24)
    sheet.text(24, 250, "SHIP", 28, bold=True)
    sheet.text(24, 284, "TO:", 28, bold=True)
    sheet.lines(130, 255, _lines(truth.consignee, truth), 36, bold=True)
    sheet.rule(560)
    y = sheet.text(24, 580, truth.service, 48, bold=True)
    sheet.text(24, y + 6, f"TRACKING #: {truth.printed_number}", 28)
    sheet.bars(720, truth.number, 220)


def banner(sheet: Sheet, truth: Truth) -> None:
    """Banner at the top, sender without a caption, number below the bars."""
    sheet.rule(20)
    sheet.text(150, 40, truth.service, 52, bold=True)
    sheet.rule(120)
    sheet.lines(30, 140, _lines(truth.sender, truth), 24)
    sheet.text(30, 400, "SHIP TO:", 24)
    sheet.lines(120, 430, _lines(truth.consignee, truth), 34)
    sheet.rule(700)
    sheet.text(230, 715, "TRACKING NUMBER", 26, bold=True)
    sheet.bars(760, truth.number, 200)
    sheet.text(180, 980, truth.printed_number, 30, bold=True)


def inline(sheet: Sheet, truth: Truth) -> None:
    """Captions in the first line of each address."""
    y = sheet.lines(20, 20, [f"FROM: {truth.sender.name}", *_lines(truth.sender, truth)[1:]], 24)
    sheet.text(500, 20, "SHIP DATE: 23NOV26", 20)
    sheet.text(500, 46, "WEIGHT: 2.30 KG", 20)
    sheet.rule(y + 10)
    sheet.lines(20, y + 30, [f"TO: {truth.consignee.name}", *_lines(truth.consignee, truth)[1:]], 36, bold=True)
    sheet.rule(640)
    sheet.text(30, 660, f"TRK# {truth.printed_number}", 34, bold=True)
    sheet.text(30, 720, truth.service, 40, bold=True)
    sheet.bars(800, truth.number, 240)


def columns(sheet: Sheet, truth: Truth) -> None:
    """Sender and recipient side by side."""
    sheet.text(20, 30, "FROM", 22, bold=True)
    sheet.lines(20, 64, _lines(truth.sender, truth), 22)
    sheet.text(430, 30, "TO", 22, bold=True)
    sheet.lines(430, 64, _lines(truth.consignee, truth), 26, bold=True)
    sheet.rule(330)
    sheet.text(20, 350, f"Service: {truth.service}", 34)
    sheet.text(20, 410, f"Tracking no: {truth.printed_number}", 30)
    sheet.bars(480, truth.number, 260)
    sheet.text(20, 800, "Order: A-10442", 26)
    sheet.text(20, 840, "Pieces: 1 of 1", 26)


def worded(sender: str, consignee: str, number: str) -> Callable[[Sheet, Truth], None]:
    """Return a layout of boxes with captions in a language above each address."""

    def draw(sheet: Sheet, truth: Truth) -> None:
        sheet.text(24, 16, truth.service, 40, bold=True)
        sheet.rule(80)
        sheet.text(24, 92, sender, 22)
        sheet.lines(24, 122, _lines(truth.sender, truth), 24)
        sheet.rule(360)
        sheet.text(24, 372, consignee, 22)
        sheet.lines(24, 404, _lines(truth.consignee, truth), 38, bold=True)
        sheet.rule(720)
        sheet.bars(750, truth.number, 220)
        sheet.text(60, 990, f"{number} {truth.printed_number}", 28)

    return draw


def wordless(sheet: Sheet, truth: Truth) -> None:
    """No captions: only size and position distinguish the addresses."""
    sheet.lines(30, 30, _lines(truth.sender, truth), 22)
    sheet.lines(180, 380, _lines(truth.consignee, truth), 40, bold=True)
    sheet.text(30, 700, truth.service, 36, bold=True)
    sheet.bars(780, truth.number, 230)
    sheet.text(200, 1030, truth.printed_number, 30)


def bars_first(sheet: Sheet, truth: Truth) -> None:
    """Bars at the top, recipient below, sender at the bottom."""
    sheet.bars(30, truth.number, 200)
    sheet.text(170, 245, truth.printed_number, 30, bold=True)
    sheet.rule(300)
    sheet.text(30, 316, "DELIVER TO", 24, bold=True)
    sheet.lines(30, 350, _lines(truth.consignee, truth), 38)
    sheet.rule(650)
    sheet.text(30, 664, truth.service, 44, bold=True)
    sheet.rule(740)
    sheet.text(30, 760, "RETURN ADDRESS", 20)
    sheet.lines(30, 790, _lines(truth.sender, truth), 22)


LAYOUTS: dict[str, Callable[[Sheet, Truth], None]] = {
    "indented": indented,
    "banner": banner,
    "inline": inline,
    "columns": columns,
    "English words": worded("SENDER:", "CONSIGNEE:", "Tracking ID:"),
    "French words": worded("Expéditeur", "Destinataire", "N° de suivi :"),
    "German words": worded("Absender:", "Empfänger:", "Sendungsnummer:"),
    "Spanish words": worded("Remitente", "Destinatario", "Número de seguimiento:"),
    "no words": wordless,
    "bars first": bars_first,
}


def clean(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Return the picture as printed."""
    return picture


def tilted(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Tilt by up to eight degrees on a grey table."""
    table = Image.new("L", (picture.width + 200, picture.height + 200), 150)
    table.paste(picture, (100, 100))
    return table.rotate(chance.uniform(-8, 8), Image.Resampling.BICUBIC, fillcolor=150)


def turned(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Turn on its side or upside down."""
    return picture.rotate(chance.choice((90, 180, 270)), expand=True)


def blurred(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Blur and save as a low-quality JPEG."""
    soft = picture.filter(ImageFilter.GaussianBlur(chance.uniform(1.0, 2.0)))
    return _as_jpeg(soft, chance.randint(25, 50))


def small(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Shrink to 45 to 60 % of its size, as from far away."""
    factor = chance.uniform(0.45, 0.6)
    return picture.resize((int(picture.width * factor), int(picture.height * factor)), Image.Resampling.LANCZOS)


def shadowed(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Add a shadow over a half, low contrast, and the noise of a dark room."""
    shade = Image.linear_gradient("L").resize(picture.size).rotate(chance.choice((0, 90, 180)))
    shade = shade.resize(picture.size).point([90 + value * 165 // 255 for value in range(256)])
    dark = Image.composite(picture, Image.new("L", picture.size, 60), shade)
    noise = Image.effect_noise(picture.size, 40)
    return ImageEnhance.Contrast(Image.blend(dark, noise, 0.12)).enhance(0.8)


def folded(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Fold across: the halves lean in different ways, with a dark crease in between."""
    crease = int(picture.height * chance.uniform(0.35, 0.65))
    lean = chance.uniform(10, 40)
    out = Image.new("L", (picture.width + 80, picture.height), 140)
    upper = picture.crop((0, 0, picture.width, crease))
    lower = picture.crop((0, crease, picture.width, picture.height))
    for half, top, sign in ((upper, 0, 1), (lower, crease, -1)):
        slope = sign * lean / half.height
        moved = half.transform(
            (picture.width + 80, half.height),
            Image.Transform.AFFINE,
            (1, slope, -40 if sign > 0 else -40 + lean, 0, 1, 0),
            Image.Resampling.BICUBIC,
            fillcolor=140,
        )
        out.paste(moved, (0, top))
    draw = ImageDraw.Draw(out)
    for offset in range(-5, 6):
        y = crease + offset
        for x in range(0, out.width, 2):
            draw.point((x, y), max(0, int(out.getpixel((x, y))) - 20 * (6 - abs(offset))))  # type: ignore[arg-type]
    return out


def photographed(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Photograph from the side, on a table, slightly out of focus, as with a phone."""
    by = [chance.uniform(0, 60) for _ in range(8)]
    w, h = picture.size
    corners = ((by[0], by[1]), (w - by[2], by[3]), (w - by[4], h - by[5]), (by[6], h - by[7]))
    table = Image.new("L", (w + 160, h + 160), 120)
    seen = picture.transform((w, h), Image.Transform.PERSPECTIVE, _perspective(corners, (w, h)),
                             Image.Resampling.BICUBIC, fillcolor=120)  # fmt: skip
    table.paste(seen, (80, 80))
    return _as_jpeg(table.rotate(chance.uniform(-4, 4), fillcolor=120).filter(ImageFilter.GaussianBlur(0.7)), 60)


def _perspective(corners: Sequence[tuple[float, float]], size: tuple[int, int]) -> list[float]:
    import numpy

    w, h = size
    rows: list[list[float]] = []
    goals: list[float] = []
    for (x, y), (u, v) in zip(corners, ((0, 0), (w, 0), (w, h), (0, h)), strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        goals += [u, v]
    return [float(value) for value in numpy.linalg.solve(numpy.array(rows), numpy.array(goals))]


def _as_jpeg(picture: Image.Image, quality: int) -> Image.Image:
    file = BytesIO()
    picture.save(file, "JPEG", quality=quality)
    return Image.open(BytesIO(file.getvalue())).convert("L")


DAMAGES: dict[str, Callable[[Image.Image, random.Random], Image.Image]] = {
    "clean": clean,
    "tilted": tilted,
    "turned": turned,
    "blurred": blurred,
    "small": small,
    "shadowed": shadowed,
    "folded": folded,
    "photographed": photographed,
}


def make_truth(chance: random.Random) -> Truth:
    """Return the random content of a label."""
    carrier = chance.choice(sorted(CARRIERS))
    home = "CA" if carrier == "CANADA_POST" else chance.choice(sorted(PLACES))
    away = chance.choice(sorted(PLACES)) if chance.random() < 0.4 else home
    number, printed = _number(carrier, chance)
    sender, consignee = chance.choice(PLACES[home]), chance.choice(PLACES[away])
    return Truth(sender, consignee, carrier, chance.choice(CARRIERS[carrier]), number, printed, home != away)


def _number(carrier: str, chance: random.Random) -> tuple[str, str]:
    lengths = {"UPS": 15, "USPS": 20, "FEDEX": 11, "CANADA_POST": 15}
    start = {"UPS": "1Z", "USPS": "94", "FEDEX": "", "CANADA_POST": "7"}[carrier]
    count = (
        lengths[carrier] - (len(start) if carrier in {"USPS", "CANADA_POST"} else 0) + (1 if carrier == "USPS" else 0)
    )
    body = start + "".join(chance.choice("0123456789") for _ in range(count))
    check = {"UPS": ups_check, "USPS": gs1_check, "FEDEX": fedex_check, "CANADA_POST": gs1_check}[carrier]
    number = next(body + digit for digit in "0123456789" if check(body + digit))
    groups = [number[at : at + 4] for at in range(0, len(number), 4)]
    return number, " ".join(groups)


def make_label(layout: str, truth: Truth, chance: random.Random) -> Image.Image:
    """Return a label of a layout in a random font."""
    sheet = Sheet(chance.choice(available_fonts()))
    LAYOUTS[layout](sheet, truth)
    return sheet.image


def available_fonts() -> list[tuple[Path, Path]]:
    """Return the fonts of this machine that labels may use."""
    files = {path.name: path for folder in FONT_FOLDERS for path in folder.rglob("*.ttf")}
    return [(files[plain], files[bold]) for plain, bold in FONT_PAIRS if plain in files and bold in files]


def as_png(picture: Image.Image) -> bytes:
    """Return a picture as a PNG file."""
    file = BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()
