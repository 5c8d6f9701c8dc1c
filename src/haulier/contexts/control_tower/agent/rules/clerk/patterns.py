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
    DEBTS = "debts"
    PICKUPS = "pickups"
    RATINGS = "ratings"
    WEEK = "week"
    HELP = "help"


def _any(*by_language: str) -> str:
    """Return alternatives of patterns in six languages."""
    return "|".join(by_language)


def _chinese(verbs: str, particles: str = "把将將") -> str:
    """Return a Chinese request with the verb before or after its object."""
    verb = f"(?:{verbs})(?![的中了])"
    return f"(?:[{particles}](?=[^,，。:：]{{1,40}}{verb})|{verb})"


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
    "[请請][问問]?",
    "麻[烦煩][你您]?",
    "[帮幫替]我",
    "[你您]?(?:能不能|可不可以|可否|可以|能)",
)
PLEASE = rf"^\W*(?:{_PLEASE})*"
WRITES = frozenset(
    {ClerkIntent.CANCEL, ClerkIntent.RELEASE, ClerkIntent.RESCHEDULE, ClerkIntent.NOTE, ClerkIntent.HOLD}
)
"""Intents that change data. They must start the message: a request, not a mention."""
_WRITES = {
    ClerkIntent.CANCEL: _any(r"cancel", r"stornier\w*", r"annul\w+", r"cancela\w*", r"anula\w*", _chinese("取消")),
    ClerkIntent.RELEASE: _any(
        r"release|resume\b|unhold",
        r"gib\b(?=.*\bfrei\b)|freigeb\w*",
        r"lib[èe]re\w*|d[ée]bloque\w*",
        r"libera\w*|desbloquea\w*|reanuda\w*",
        _chinese("放行|恢[复復]|[释釋]放|解除[暂暫]停"),
    ),
    ClerkIntent.RESCHEDULE: _any(
        r"reschedule|postpone|move",
        r"verschieb\w*|verleg\w*",
        r"reporte\w*|d[ée]cale\w*|replanifie\w*",
        r"reprograma\w*|aplaza\w*|mueve",
        _chinese("改期|改[约約到成]|推[迟遲]|延期|延[后後到]|[挪移][到至]"),
    ),
    ClerkIntent.NOTE: _any(
        r"(?:add )?(?:a )?note\b(?! de)",
        r"notiz|notiere|vermerk\w*",
        r"note[rz]?\b|ajoute\w* une note",
        r"nota\b|anota\w*|a[ñn]ade una nota",
        _chinese("(?:[添增新]?[加增]|[写寫])?(?:一?[条條个個])?[备備][注註]", "把将將给給在为為"),
    ),
    ClerkIntent.HOLD: _any(
        r"hold|put\b(?=.*\bon hold\b)",
        r"halte?\b|stoppe\w*|sperre\w*",
        r"suspend\w*|bloque\w*|met(?:s|tez)\b(?=.*\ben attente\b)",
        r"ret[ée]n\w*|det[ée]n\w*|pausa\w*|suspende",
        _chinese("[暂暫]停|扣留|[搁擱]置"),
    ),
}
_QUESTIONS = {
    ClerkIntent.PICKUPS: _any(
        r"\b(?:waiting|ready|held) for (?:customer )?(?:pick-?up|collection)\b|\bpick-?ups\b",
        r"\babholung(?:en)?\b|\babholbereit\w*|\babgeholt werden\b",
        r"\bretraits\b|\bà retirer\b|\ben attente de retrait\b",
        r"\brecogidas\b|\bpor recoger\b|\bpara recoger\b",
        "自提|自取|待取|取[货貨件]",
    ),
    ClerkIntent.DEBTS: _any(
        r"\bowes?\b|\breceivables\b|\b(?:open|unpaid|overdue) invoices?\b|\binvoices?\b.*\b(?:open|unpaid|overdue)\b",
        r"\bschulde[tn]\b|\bforderungen\b|\b(?:offene|unbezahlte|überfällige)n? rechnung\w*",
        r"\brechnung(?:en)?\b.*\b(?:offen|unbezahlt|überfällig)\b",
        r"\bdoi(?:t|vent) de l['’]argent\b|\bcréances?\b|\bimpayée?s?\b|\bfactures?\b.*\b(?:ouvertes?|échues?|en retard)\b",
        r"\bdeben?\b|\bpor cobrar\b|\bimpagad[ao]s?\b|\bfacturas?\b.*\b(?:pendientes?|abiertas?|vencidas?)\b",
        "欠款|欠[我们們]|[应應]收|未付|未收款|逾期的?[账帳發发]",
    ),
    ClerkIntent.RATINGS: _any(
        r"\b(?:bad|low|poor|negative) (?:ratings?|reviews?|feedback)\b|\bratings\b|\bcomplain\w*",
        r"\bbewertung\w*|\bbeschwer\w*",
        r"\b(?:mauvais(?:es)?|faibles) (?:avis|notes|évaluations)\b|\bévaluations\b|\bavis négatifs?\b",
        r"\bvaloraci[óo]n\w*|\bcalificacion\w*|\brese[ñn]as?\b|\bquejas?\b",
        "差[评評]|[评評][分价價]|投[诉訴]",
    ),
    ClerkIntent.APPROVALS: _any(
        r"\bapprovals?\b|\bproposals?\b",
        r"genehmigung|freigaben|vorschläge",
        r"approbation|à approuver|propositions?\b",
        r"aprobaci|por aprobar|propuestas?\b",
        "[审審][批核]|批准|核准|提[案议議]",
    ),
    ClerkIntent.LATE: _any(
        r"\blate\b|\bdelayed\b|\boverdue\b|\bbehind\b",
        r"verspät|überfällig|zu spät",
        r"en retard|\bretards?\b|retardé",
        r"\btarde\b|atrasad|retrasad|\bretrasos?\b|demorad",
        "[迟遲]|晚[点點到]|[延误誤][误誤点點]|逾期|超[时時]",
    ),
    ClerkIntent.UNPLANNED: _any(
        r"\bunplanned\b|\bnot planned\b|\bunassigned\b",
        r"ungeplant|nicht (?:ein)?geplant",
        r"(?:non|pas) planifi|à planifier",
        r"(?:sin|no) planifica",
        "(?:未|待|[没沒]有?|[还還]没)(?:排|[规規][划劃]|安排)",
    ),
    ClerkIntent.FAILED: _any(
        r"\bfailed\b|\bin vain\b",
        r"fehlgeschlagen|gescheitert|vergeblich",
        r"échou|\béchecs?\b",
        r"fallid|fracas",
        "失[败敗]|[送交][达達]?不成功",
    ),
    ClerkIntent.HELD: _any(
        r"\bon hold\b|\bheld\b",
        r"angehalten|zurückgehalten|gesperrt",
        r"en attente|suspendue?s\b",
        r"retenid|en espera",
        "(?:[暂暫]停|扣留|[搁擱]置)(?:[的中了]|\\W*$)|[已被](?:[暂暫]停|扣留|[搁擱]置)",
    ),
    ClerkIntent.EXCEPTIONS: _any(
        r"\bproblems?\b|\btrouble\b|\bexceptions?\b|\bneeds? (?:me|us|attention|somebody)\b|\bgo(?:es|ing) wrong\b",
        r"\bproblem\w*|\bstörung\w*|\bbraucht mich\b|läuft schief",
        r"\bproblèmes?\b|\bincidents?\b|\banomalies?\b",
        r"\bproblemas?\b|\bincidencias?\b",
        "问题|問題|异常|異常|出[错錯]|需要?[我人]?(?:[处處]理|[关關]注|留意)",
    ),
    ClerkIntent.OUT: _any(
        r"\bout for delivery\b|\bon the road\b|\bunderway\b",
        r"in zustellung|\bunterwegs\b",
        r"en cours de livraison|\ben route\b",
        r"\ben reparto\b|\ben camino\b",
        "[派配运運]送中|在[派配运運]送|在路上|在途",
    ),
    ClerkIntent.WEEK: _any(
        r"\b(?:this|last) week\b|\bthe week\b|\bweekly\b",
        r"\b(?:diese|letzte)[nr]? woche\b|\bdie woche\b|\bwochenbericht\b",
        r"\b(?:cette|la) semaine\b|\bhebdomadaire\b",
        r"\b(?:esta|la) semana\b|\bsemanal\b",
        "[本这這上][个個]?(?:[周週]|星期)|[周週][报報]",
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
        "[在到]哪|[状狀][态態]|查[询詢找看]|查一下|[帮幫]我[查找]|^\\W*[请請]?[查找]|[追跟][踪蹤]|物流",
        "什[么麼][时時][候间間]|何[时時]|[几幾][点點]|[哪谁誰]一?[个個位]?(?:司[机機]|[配派]送[员員])|[谁誰](?:送|在送|[派配]送)",
    ),
    ClerkIntent.DELIVERED: _any(
        r"\bdelivered\b",
        r"\bzugestellt\b|\bausgeliefert\b",
        r"\blivrée?s?\b",
        r"\bentregad[oa]s?\b|\bse (?:ha|han) entregado\b",
        "(?<![未没沒])(?<![没沒]有)(?:[送交][达達]|[送派配]到了|[签簽]收|已[派配]送|(?:已|派送|配送)完成)",
    ),
    ClerkIntent.TOMORROW: _any(
        r"\btomorrow\b",
        r"\bfür morgen\b|\bmorgen (?:an|fällig|geplant)\b|\bsteht morgen\b",
        r"\bdemain\b",
        r"\bma[ñn]ana\b",
        "明[天日]",
    ),
    ClerkIntent.DIGEST: _any(
        r"\bdigest\b|\bsummary\b|\boverview\b|\bthe day\b|\b(?:my|the) morning\b|\bhow (?:is|are) (?:we|today|it|things)",
        r"überblick|übersicht|zusammenfassung|wie läuft|tagesbericht|\bder tag\b",
        r"résumé|\bbilan\b|aperçu|synthèse|la journée|comment (?:ça )?va",
        r"\bresumen\b|\bbalance\b|panorama|c[óo]mo va|\bel d[íi]a\b",
        "概[况況]|概[览覽]|摘要|[总總小][结結]|[汇匯彙][总總]|[日早][报報]|怎[么麼][样樣]|情[况況形]",
    ),
    ClerkIntent.ROUTES: _any(
        r"\broutes?\b|\btours?\b|\bwho (?:is driving|drives|works)\b",
        r"\btouren\b|\brouten\b|\bwer fährt\b",
        r"\btournées?\b|\bqui (?:roule|conduit)\b",
        r"\brutas?\b|\bqui[ée]n conduce\b",
        "路[线線]|[线線]路|[谁誰]在?[开開出跑][车車]?",
    ),
    ClerkIntent.HELP: _any(
        r"^\W*(?:help|hi|hello)\b|what can you do",
        r"^\W*(?:hilfe|hallo)\b|was kannst du",
        r"^\W*(?:aide|bonjour)\b|que (?:peux|sais)-tu faire",
        r"^\W*(?:ayuda|hola)\b|qué puedes hacer",
        r"^\W*(?:[帮幫]助|[说說]明\W*$|[你您]好|嗨|哈[啰囉喽嘍])|[你您](?:能|可以|[会會])(?:[帮幫]我)?做[什哪](?:[么麼]|些)",
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
    r"(?<![\d-])(\d{1,2})(?:[:：h.点點时時](\d{2}|半)分?)?\s*[h点點时時]?\s*(?:-|–|—|~|～|to|bis|à|a|至|到)\s*(?:[上下]午|晚上)?"
    r"(\d{1,2})(?:[:：h.点點时時](\d{2}|半)分?)?\s*[h点點时時]?(?![\d-])"
)
AFTERNOON = ("下午", "晚上")
"""Words before an hour of the second half of the day."""
TODAY = re.compile(r"\btoday\b|\bheute\b|aujourd['’]hui|\bhoy\b|今[天日]", re.IGNORECASE)
TOMORROW = re.compile(r"\btomorrow\b|\bmorgen\b|\bdemain\b|\bma[ñn]ana\b|明[天日]", re.IGNORECASE)
AFTER_TOMORROW = re.compile(
    r"\bday after tomorrow\b|\bübermorgen\b|\baprès-demain\b|\bpasado ma[ñn]ana\b|[后後]天", re.IGNORECASE
)
REASON = re.compile(
    r"\b(?:because(?: of)?|reason:|weil|wegen|grund:|parce que?|car|raison\s?:|porque|motivo:)\s*(.+)$"
    "|[,，;；。]?\\s*(?:因[为為]|由[于於]|(?:原因|理由)[是为為]?[:：]?)\\s*(.+)$",
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
CHINESE_SUBJECT = re.compile(
    r"^\W*(?:[请請][问問]?|麻[烦煩][你您]?|[帮幫]我|[查找](?:一下|[询詢找看])?|追[踪蹤])*\s*(.+?)的?(?:[订訂][单單]|包裹|快[递遞件]|[货貨]件?)?"
    r"(?:[现現]在|目前|[会會])?(?:的?(?:[状狀][态態]|物流).*|[送走]?[在到]哪.*|什[么麼][时時].*|何[时時].*|[几幾][点點].*|是?[哪谁誰].*)?\W*$"
)
"""The same in Chinese, where the verb may come last."""
