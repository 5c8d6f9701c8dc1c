"""Question patterns in six languages. All are tried, whatever the call's language."""

import re
from enum import StrEnum


class ClerkIntent(StrEnum):
    """Intents that the clerk understands."""

    CANCEL = "cancel"
    RELEASE = "release"
    RESCHEDULE = "reschedule"
    NOTE = "note"
    HOLD = "hold"
    APPROVALS = "approvals"
    LATE = "late"
    UNPLANNED = "unplanned"
    FAILED = "failed"
    HELD = "held"
    EXCEPTIONS = "exceptions"
    DELIVERED = "delivered"
    OUT = "out"
    TOMORROW = "tomorrow"
    STATUS = "status"
    DIGEST = "digest"
    ROUTES = "routes"
    HELP = "help"


def _any(*by_language: str) -> str:
    """Return alternatives of patterns in six languages."""
    return "|".join(by_language)


_PLEASE = _any(
    "please ",
    "pls ",
    "can you ",
    "could you ",
    "bitte ",
    "s'il (?:te|vous) pla[iî]t,? ",
    "veuillez ",
    "merci de ",
    "por favor,? ",
    "[请請]",
    "麻[烦煩]",
)
PLEASE = rf"^\W*(?:{_PLEASE})*"
WRITES = frozenset(
    {ClerkIntent.CANCEL, ClerkIntent.RELEASE, ClerkIntent.RESCHEDULE, ClerkIntent.NOTE, ClerkIntent.HOLD}
)
"""Intents that change data. They must start the message: a request, not a mention."""
_WRITES = {
    ClerkIntent.CANCEL: _any(r"cancel", r"stornier\w*", r"annul\w+", r"cancela\w*", r"anula\w*", "取消"),
    ClerkIntent.RELEASE: _any(
        r"release|resume\b|unhold",
        r"gib\b(?=.*\bfrei\b)|freigeb\w*",
        r"lib[èe]re\w*|d[ée]bloque\w*",
        r"libera\w*|desbloquea\w*|reanuda\w*",
        "放行|恢[复復]|[释釋]放",
    ),
    ClerkIntent.RESCHEDULE: _any(
        r"reschedule|postpone|move",
        r"verschieb\w*|verleg\w*",
        r"reporte\w*|d[ée]cale\w*|replanifie\w*",
        r"reprograma\w*|aplaza\w*|mueve",
        "(?:把(?=[^,，。]{1,40}(?:改期|改[约約]|推[迟遲])))|改期|改[约約]|推[迟遲]",
    ),
    ClerkIntent.NOTE: _any(
        r"(?:add )?(?:a )?note\b(?! de)",
        r"notiz|notiere|vermerk\w*",
        r"note[rz]?\b|ajoute\w* une note",
        r"nota\b|anota\w*|a[ñn]ade una nota",
        "[备備][注註]",
    ),
    ClerkIntent.HOLD: _any(
        r"hold|put\b(?=.*\bon hold\b)",
        r"halte?\b|stoppe\w*|sperre\w*",
        r"suspend\w*|bloque\w*|met(?:s|tez)\b(?=.*\ben attente\b)",
        r"ret[ée]n\w*|det[ée]n\w*|pausa\w*|suspende",
        "[暂暫]停|扣留|[搁擱]置",
    ),
}
_QUESTIONS = {
    ClerkIntent.APPROVALS: _any(
        r"\bapprovals?\b|\bproposals?\b",
        r"genehmigung|freigaben|vorschläge",
        r"approbation|à approuver|propositions?\b",
        r"aprobaci|por aprobar|propuestas?\b",
        "[审審]批|批准|提案",
    ),
    ClerkIntent.LATE: _any(
        r"\blate\b|\bdelayed\b|\boverdue\b|\bbehind\b",
        r"verspät|überfällig|zu spät",
        r"en retard|\bretards?\b|retardé",
        r"\btarde\b|atrasad|retrasad|\bretrasos?\b|demorad",
        "[迟遲]|晚[点點]|延[误誤]|逾期|超[时時]",
    ),
    ClerkIntent.UNPLANNED: _any(
        r"\bunplanned\b|\bnot planned\b|\bunassigned\b",
        r"ungeplant|nicht (?:ein)?geplant",
        r"(?:non|pas) planifi",
        r"(?:sin|no) planifica",
        "未排|未[规規][划劃]|未安排",
    ),
    ClerkIntent.FAILED: _any(
        r"\bfailed\b|\bin vain\b",
        r"fehlgeschlagen|gescheitert|vergeblich",
        r"échou|\béchecs?\b",
        r"fallid|fracas",
        "失[败敗]",
    ),
    ClerkIntent.HELD: _any(
        r"\bon hold\b|\bheld\b",
        r"angehalten|zurückgehalten|gesperrt",
        r"en attente|suspendue?s\b",
        r"retenid|en espera",
        "(?:[暂暫]停|扣留|[搁擱]置)的",
    ),
    ClerkIntent.EXCEPTIONS: _any(
        r"\bproblems?\b|\btrouble\b|\bexceptions?\b|\bneeds? (?:me|us|attention|somebody)\b|\bgo(?:es|ing) wrong\b",
        r"\bproblem\w*|\bstörung\w*|\bbraucht mich\b|läuft schief",
        r"\bproblèmes?\b|\bincidents?\b|\banomalies?\b",
        r"\bproblemas?\b|\bincidencias?\b",
        "问题|問題|异常|異常",
    ),
    ClerkIntent.OUT: _any(
        r"\bout for delivery\b|\bon the road\b|\bunderway\b",
        r"in zustellung|\bunterwegs\b",
        r"en cours de livraison|\ben route\b",
        r"\ben reparto\b|\ben camino\b",
        "配送中|在路上|派送中",
    ),
    ClerkIntent.STATUS: _any(
        r"\bwhere(?:'s| is| are)?\b|\bstatus\b|\btrack\b|\bfind\b|\bshow\b|\bwhat about\b",
        r"\bwho (?:has|carries|delivers)\b|\bwhich driver\b|\bwhen (?:does|will|is)\b|\beta\b",
        r"\bwo (?:ist|sind|bleibt)\b|\bzeig\w*|\bsuche?\b",
        r"\bwer (?:hat|bringt|fährt)\b.*\d|\bwelcher fahrer\b|\bwann\b",
        r"\boù (?:est|en est|sont)\b|\bstatut\b|\bsuivi\b|\bcherche\b",
        r"\bquand\b|\bquel (?:chauffeur|livreur)\b|^\W*qui (?:a|livre)\b",
        r"\bd[óo]nde est[áa]n?\b|\bestado\b|\bbusca\b",
        r"\bcu[áa]ndo\b|\bqu[ée] (?:conductor|repartidor)\b|\bqui[ée]n (?:lleva|tiene|entrega)\b",
        "在哪|[状狀][态態]|查[询詢找]|查一下",
        "什[么麼][时時][候间間]|[哪谁誰][个個位]?司[机機]|[谁誰](?:送|在送)",
    ),
    ClerkIntent.DELIVERED: _any(
        r"\bdelivered\b",
        r"\bzugestellt\b|\bausgeliefert\b",
        r"\blivrée?s?\b",
        r"\bentregad[oa]s?\b|\bse (?:ha|han) entregado\b",
        "[送交][达達]|[签簽]收",
    ),
    ClerkIntent.TOMORROW: _any(
        r"\btomorrow\b",
        r"\bfür morgen\b|\bmorgen (?:an|fällig|geplant)\b|\bsteht morgen\b",
        r"\bdemain\b",
        r"\bma[ñn]ana\b",
        "明天",
    ),
    ClerkIntent.DIGEST: _any(
        r"\bdigest\b|\bsummary\b|\boverview\b|\bthe day\b|\b(?:my|the) morning\b|\bhow (?:is|are) (?:we|today|it|things)",
        r"überblick|übersicht|zusammenfassung|wie läuft|tagesbericht|\bder tag\b",
        r"résumé|\bbilan\b|aperçu|synthèse|la journée|comment (?:ça )?va",
        r"\bresumen\b|\bbalance\b|panorama|c[óo]mo va|\bel d[íi]a\b",
        "概[况況]|概[览覽]|摘要|[总總][结結]|日[报報]|怎[么麼][样樣]|情[况況]",
    ),
    ClerkIntent.ROUTES: _any(
        r"\broutes?\b|\btours?\b|\bwho (?:is driving|drives|works)\b",
        r"\btouren\b|\brouten\b|\bwer fährt\b",
        r"\btournées?\b|\bqui (?:roule|conduit)\b",
        r"\brutas?\b|\bqui[ée]n conduce\b",
        "路[线線]|[谁誰]在[开開][车車]",
    ),
    ClerkIntent.HELP: _any(
        r"^\W*(?:help|hi|hello)\b|what can you do",
        r"^\W*(?:hilfe|hallo)\b|was kannst du",
        r"^\W*(?:aide|bonjour)\b|que (?:peux|sais)-tu faire",
        r"^\W*(?:ayuda|hola)\b|qué puedes hacer",
        r"^\W*(?:[帮幫]助|[你您]好)|你能做什[么麼]",
    ),
}
WRITE_PATTERNS = {intent: re.compile(f"{PLEASE}(?:{text})", re.IGNORECASE) for intent, text in _WRITES.items()}
QUESTION_PATTERNS = {intent: re.compile(text, re.IGNORECASE) for intent, text in _QUESTIONS.items()}
REFERENCE = re.compile(
    r"(?<![A-Za-z0-9_:/-])#?(?=[A-Za-z_/-]*\d)([A-Za-z0-9](?:[A-Za-z0-9_/-]*[A-Za-z0-9])?)(?![A-Za-z0-9_.-]*:\d)"
)
"""A reference, tracking number or id: with a digit, but no time of day."""
DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
TIMES = re.compile(
    r"(?<![\d-])(\d{1,2})(?:[:h.](\d{2}))?\s*h?\s*(?:-|–|to|bis|à|a|至|到)\s*(\d{1,2})(?:[:h.](\d{2}))?\s*h?(?![\d-])"
)
TODAY = re.compile(r"\btoday\b|\bheute\b|aujourd['’]hui|\bhoy\b|今天", re.IGNORECASE)
TOMORROW = re.compile(r"\btomorrow\b|\bmorgen\b|\bdemain\b|\bma[ñn]ana\b|明天", re.IGNORECASE)
REASON = re.compile(
    r"\b(?:because(?: of)?|reason:|weil|wegen|grund:|parce que?|car|raison\s?:|porque|motivo:)\s*(.+)$"
    "|(?:因[为為]|原因:?)(.+)$",
    re.IGNORECASE,
)
_ASKED = _any(
    r"where(?:'s| is| are)|status(?: of| von| de)?|track|find|show(?: me)?|what about",
    r"wo (?:ist|sind|bleibt)|zeig\w*(?: mir)?|suche?",
    r"où (?:est|en est|sont)|statut d[eu']?|suivi d[eu']?|cherche",
    r"d[óo]nde est[áa]n?|estado del?|busca",
)
_ARTICLES = "the|my|der|die|das|mein|le|la|les|l'|el|los|las"
_PARCELS = _any(
    "order|parcel|package|delivery|shipment",
    "bestellung|auftrag|paket|lieferung|sendung",
    "commande|colis|livraison",
    "pedido|paquete|envío|entrega",
)
SUBJECT = re.compile(
    rf"^\W*(?:{_ASKED})\s+(?:(?:{_ARTICLES})\s+)*(?:(?:{_PARCELS})\s+(?:(?:of|for|von|für|de|du|del|para|d')\s*)?)?(.+?)[\s?!.]*$",
    re.IGNORECASE,
)
"""Subject of a question without a number."""
