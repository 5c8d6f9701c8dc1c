"""The most common questions work without a model, in six languages."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from tests.contexts.control_tower.agent.makers import asked, has_agent, make_session
from tests.contexts.control_tower.approvals.makers import create_order_as
from tests.support.app import App

from haulier.contexts.control_tower.agent.rules.clerk.wishes import parse_intent
from haulier.kernel.i18n.languages import Catalogues
from haulier.web.desk.agent import TRIED

LANGUAGES = ("en", "de", "fr", "es", "zh-Hans", "zh-Hant")
ASKED: dict[str, tuple[str, ...]] = {
    "late": (
        "What is late?",
        "Was ist verspätet?",
        "Qu'est-ce qui est en retard ?",
        "¿Qué va retrasado?",
        "哪些延误了？",
        "哪些延誤了？",
    ),
    "unplanned": (
        "Which orders are not planned?",
        "Welche Aufträge sind ungeplant?",
        "Quelles commandes ne sont pas planifiées ?",
        "¿Qué pedidos están sin planificar?",
        "哪些订单未安排？",
        "哪些訂單未安排？",
    ),
    "failed": (
        "What failed today?",
        "Was ist heute fehlgeschlagen?",
        "Qu'est-ce qui a échoué aujourd'hui ?",
        "¿Qué entregas fueron fallidas hoy?",
        "今天哪些失败了？",
        "今天哪些失敗了？",
    ),
    "held": (
        "What is on hold?",
        "Was ist angehalten?",
        "Qu'est-ce qui est en attente ?",
        "¿Qué está retenido?",
        "哪些是暂停的？",
        "哪些是暫停的？",
    ),
    "routes": (
        "Which routes run today?",
        "Welche Touren fahren heute?",
        "Quelles tournées roulent aujourd'hui ?",
        "¿Qué rutas hay hoy?",
        "今天有哪些路线？",
        "今天有哪些路線？",
    ),
    "routes ": (
        "Who is driving today?",
        "Wer fährt heute?",
        "Qui roule aujourd'hui ?",
        "¿Quién conduce hoy?",
        "今天谁在开车？",
        "今天誰在開車？",
    ),
    "digest": (
        "How is the day?",
        "Wie läuft der Tag?",
        "Comment va la journée ?",
        "¿Cómo va el día?",
        "今天情况怎么样？",
        "今天情況怎麼樣？",
    ),
    "digest ": (
        "Summary of the day",
        "Zusammenfassung des Tages",
        "Résumé de la journée",
        "Resumen del día",
        "今日概况",
        "今日概況",
    ),
    "approvals": (
        "What waits for approval?",
        "Was wartet auf Genehmigung?",
        "Quelles propositions sont à approuver ?",
        "¿Qué está por aprobar?",
        "哪些等待审批？",
        "哪些等待審批？",
    ),
    "exceptions": (
        "Are there any problems?",
        "Gibt es Probleme?",
        "Y a-t-il des problèmes ?",
        "¿Hay problemas?",
        "有什么问题吗？",
        "有什麼問題嗎？",
    ),
    "out": (
        "What is out for delivery?",
        "Was ist in Zustellung?",
        "Qu'est-ce qui est en cours de livraison ?",
        "¿Qué está en reparto?",
        "哪些在配送中？",
        "哪些在配送中？",
    ),
    "delivered": (
        "What was delivered today?",
        "Was wurde heute zugestellt?",
        "Qu'est-ce qui a été livré aujourd'hui ?",
        "¿Qué se ha entregado hoy?",
        "今天哪些已送达？",
        "今天哪些已送達？",
    ),
    "week": (
        "How was this week?",
        "Wie war diese Woche?",
        "Comment s'est passée cette semaine ?",
        "¿Cómo ha ido esta semana?",
        "本周情况如何？",
        "本週情況如何？",
    ),
    "pickups": (
        "Which orders are waiting for pickup?",
        "Welche Aufträge warten auf Abholung?",
        "Quelles commandes sont en attente de retrait ?",
        "¿Qué pedidos están por recoger?",
        "哪些订单待自提？",
        "哪些訂單待自取？",
    ),
    "ratings": (
        "Are there any bad ratings?",
        "Gibt es schlechte Bewertungen?",
        "Y a-t-il de mauvais avis ?",
        "¿Hay malas valoraciones?",
        "有差评吗？",
        "有差評嗎？",
    ),
    "debts": (
        "Who owes us money?",
        "Wer schuldet uns Geld?",
        "Qui nous doit de l'argent ?",
        "¿Qué clientes nos deben dinero?",
        "谁有欠款？",
        "誰有欠款？",
    ),
    "debts ": (
        "Which invoices are overdue?",
        "Welche Rechnungen sind überfällig?",
        "Quelles factures sont en retard ?",
        "¿Qué facturas están vencidas?",
        "哪些发票逾期未付？",
        "哪些發票逾期未付？",
    ),
    "tomorrow": (
        "What is there tomorrow?",
        "Was steht morgen an?",
        "Qu'y a-t-il demain ?",
        "¿Qué hay mañana?",
        "明天有哪些订单？",
        "明天有哪些訂單？",
    ),
    "status": (
        "Where is A-1?",
        "Wo ist A-1?",
        "Où est A-1 ?",
        "¿Dónde está A-1?",
        "A-1在哪？",
        "A-1在哪？",
    ),
    "status ": (
        "When does A-1 arrive?",
        "Wann kommt A-1 an?",
        "Quand arrive A-1 ?",
        "¿Cuándo llega A-1?",
        "A-1什么时候到？",
        "A-1什麼時候到？",
    ),
    "status  ": (
        "Which driver has A-1?",
        "Welcher Fahrer hat A-1?",
        "Quel chauffeur a A-1 ?",
        "¿Qué conductor lleva A-1?",
        "A-1是哪位司机送？",
        "A-1是哪位司機送？",
    ),
    "hold": (
        "Please hold A-1",
        "Bitte halte A-1 an",
        "Suspends A-1",
        "Retén A-1",
        "请暂停A-1",
        "請暫停A-1",
    ),
    "release": (
        "release A-1",
        "Gib A-1 frei",
        "Libère A-1",
        "Libera A-1",
        "放行A-1",
        "放行A-1",
    ),
    "cancel": (
        "cancel A-1",
        "Storniere A-1",
        "Annule A-1",
        "Cancela A-1",
        "取消A-1",
        "取消A-1",
    ),
    "reschedule": (
        "reschedule A-1 to tomorrow",
        "Verschiebe A-1 auf morgen",
        "Reporte A-1 à demain",
        "Reprograma A-1 para mañana",
        "把A-1改期到明天",
        "把A-1改期到明天",
    ),
    "note": (
        "note on A-1: ring twice",
        "Notiz zu A-1: zweimal klingeln",
        "Note pour A-1 : sonner deux fois",
        "Nota para A-1: llamar dos veces",
        "备注A-1：按两次门铃",
        "備註A-1：按兩次門鈴",
    ),
}

CHINESE = {
    "late": ("今天有哪些订单延误？", "今天有哪些訂單延誤？", "有没有晚到的"),
    "unplanned": ("哪些订单待规划？", "哪些訂單待規劃？", "哪些订单还没安排"),
    "failed": ("今天有哪些订单派送失败？", "今天有哪些訂單配送失敗？"),
    "held": ("暂停的订单有哪些", "哪些訂單已暫停？"),
    "approvals": ("有哪些更改等待审批？", "有哪些變更等待核准？"),
    "exceptions": ("有什么需要我处理？", "有什麼需要我處理？"),
    "out": ("在途的有哪些", "司機正在配送哪些訂單？"),
    "tomorrow": ("明日有哪些订单", "明日有哪些訂單"),
    "digest": ("今日情况", "給我今天的總結"),
    "status A-1": ("A-1到哪了", "A-1幾點到？", "帮我查A-1"),
    "status 王小姐": ("王小姐的包裹在哪里？", "請問王小姐的訂單什麼時候到？"),
    "hold A-1": ("帮我把A-1暂停，因为客户来电", "請將A-1暫停"),
    "release A-1": ("把A-1恢复", "恢復A-1"),
    "cancel A-1": ("麻烦您取消A-1，原因：不要了", "能幫我取消A-1嗎"),
    "note A-1": ("给A-1加备注：放在门口", "給A-1新增備註：客戶要求改期"),
    "reschedule A-1": ("把A-1改到后天下午2点半到4点", "將A-1改期到後天14:30～16:00"),
}


def test_other_chinese_words_are_understood() -> None:
    for expected, texts in CHINESE.items():
        for text in texts:
            wish = parse_intent(text, date(2026, 6, 10), "America/Toronto")
            assert wish is not None, text
            assert " ".join(filter(None, (wish.intent.value, wish.subject))) == expected, text


def test_chinese_times_reasons_and_notes_are_read() -> None:
    zone = ZoneInfo("America/Toronto")
    window = (datetime(2026, 6, 12, 14, 30, tzinfo=zone), datetime(2026, 6, 12, 16, tzinfo=zone))
    for text in CHINESE["reschedule A-1"]:
        wish = parse_intent(text, date(2026, 6, 10), "America/Toronto")
        assert wish is not None, text
        assert (wish.day, wish.window) == (date(2026, 6, 12), window), text
    held = parse_intent(CHINESE["hold A-1"][0], date(2026, 6, 10), "America/Toronto")
    noted = parse_intent(CHINESE["note A-1"][0], date(2026, 6, 10), "America/Toronto")
    assert held is not None
    assert noted is not None
    assert (held.reason, noted.note) == ("客户来电", "放在门口")


def test_all_questions_are_understood() -> None:
    assert len(ASKED) == 26
    for intent, texts in ASKED.items():
        for language, text in zip(LANGUAGES, texts, strict=True):
            wish = parse_intent(text, date(2026, 6, 10), "America/Toronto")
            assert wish is not None, (language, text)
            subject = "A-1" if "A-1" in text else None
            assert (wish.intent.value, wish.subject) == (intent.strip(), subject), (language, text)


def test_the_questions_that_the_page_offers_are_understood() -> None:
    catalogues = Catalogues()
    for language in LANGUAGES:
        for name in TRIED:
            text = catalogues.translate(language, f"agent_page.try.{name}")
            wish = parse_intent(text, date(2026, 6, 10), "America/Toronto")
            assert wish is not None, (language, text)
            assert wish.intent.value == name, (language, text)


async def test_each_question_calls_a_working_tool(app: App) -> None:
    await has_agent(app)
    await create_order_as(app, order_ref="A-1", scheduled_date="2026-06-11")
    session = await make_session(app)
    for intent, texts in ASKED.items():
        turn = (await asked(app, texts[0], session_id=session)).turn
        assert turn.tools, intent
        refused = [tool.code for tool in turn.tools if tool.code]
        assert refused == (["ORDER_STEP_REFUSED"] if intent == "release" else []), (intent, turn.reply)
    reply = (await asked(app, "What is there tomorrow?", session_id=session)).turn.reply
    assert reply.startswith("Orders for tomorrow: 1\n- A-1: ")
