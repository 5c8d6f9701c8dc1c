"""Operations for reports, blocks and chat settings."""

from haulier.contexts.chat.order_chat.actions.messages import report_message, resolve_report, tell_chat_changed
from haulier.contexts.chat.order_chat.contract.threads import (
    BlockChatRole,
    ChatReportAnswer,
    ChatReportList,
    ChatSettings,
    ListChatReports,
    OrderChatAnswer,
    OwnReplyRecord,
    ReportChatMessage,
    ReportStatus,
    ResolveChatReport,
    SetChatSettings,
)
from haulier.contexts.chat.order_chat.operations.messages import CHAT_PATH
from haulier.contexts.chat.order_chat.queries.threads import load_chat, load_reports
from haulier.contexts.chat.order_chat.queries.visits import load_config, visit_chat
from haulier.contexts.chat.order_chat.rules.parties import ChatRole
from haulier.contexts.chat.order_chat.rules.quick_replies import BUILT_IN
from haulier.contexts.chat.order_chat.rules.threads import REPORT_RESOLVED
from haulier.contexts.chat.order_chat.serializers import list_built_in
from haulier.contexts.chat.order_chat.store import threads as store
from haulier.contexts.chat.order_chat.store.tables import ChatReportRow
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, Feature, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

REPORTS_PATH = "/v1/order-chat-reports"
SETTINGS_PATH = "/v1/order-chat-settings"


@writes(
    "report_chat_message",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    limits=(RateLimit(30, 3600, ("user",)),),
    errors=(NOT_FOUND,),
    doors=(Rest("POST", f"{CHAT_PATH}/reports"), GraphQL("reportChatMessage")),
)
async def report_chat_message(call: Call, request: ReportChatMessage) -> Done:
    """Report a chat message to staff.

    A second report of the same message by the same user changes nothing.
    """
    visit = await visit_chat(call, request.order_id)
    await report_message(visit, request.message_id, request.reason.value, request.note)
    call.add_audit_subjects("order", visit.order_id)
    return Done(message=call.translate("chat_message_reported"))


@reads(
    "list_chat_reports",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    doors=(Rest("GET", REPORTS_PATH), GraphQL("chatReports")),
)
async def list_chat_reports(call: Call, request: ListChatReports) -> ChatReportList:
    """List reported chat messages.

    Results are ordered newest report first.
    """
    rows, total = await store.list_reports(
        call.work,
        request.status.value if request.status else None,
        limit=request.per_page,
        offset=request.offset,
    )
    reports = await load_reports(call, rows)
    return ChatReportList(**total_fields(total), page=request.page, per_page=request.per_page, reports=reports)


@writes(
    "resolve_chat_report",
    allowed_where={"status": ReportStatus.OPEN.value},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND, REPORT_RESOLVED),
    doors=(Rest("POST", f"{REPORTS_PATH}/{{report_id}}/resolve"), GraphQL("resolveChatReport")),
)
async def resolve_chat_report(call: Call, request: ResolveChatReport) -> ChatReportAnswer:
    """Resolve a chat report.

    Hides the message with its photo, or dismisses the report. The sender can also be blocked in this chat.
    """
    row = await ChatReportRow.lock(call.work, request.report_id)
    if row is None:
        raise record_not_found(report_id=request.report_id)
    if row.status != ReportStatus.OPEN:
        raise REPORT_RESOLVED(status=row.status)
    await resolve_report(call, row, hide=request.hide, block=request.block)
    call.add_audit_subjects("order", row.order_id)
    row = await ChatReportRow.get(call.work, request.report_id)
    assert row
    return ChatReportAnswer(report=(await load_reports(call, [row]))[0])


@writes(
    "block_chat_role",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    doors=(Rest("PUT", f"{CHAT_PATH}/block"), GraphQL("blockChatRole")),
)
async def block_chat_role(call: Call, request: BlockChatRole) -> OrderChatAnswer:
    """Block or unblock an order chat participant.

    Applies to the customer, recipient, driver or contractor. Blocked participants can still read.
    """
    if request.role is ChatRole.DISPATCHER:
        raise INVALID_REQUEST.for_fields(FieldError("role", "field.chat_role_not_blocked"))
    visit = await visit_chat(call, request.order_id)
    thread = await store.lock_thread(call.work, visit.order_id, call.now)
    await store.block_role(call.work, thread.id, request.role, call.now if request.blocked else None)
    await tell_chat_changed(call, visit.order_id)
    call.add_audit_subjects("order", visit.order_id)
    return OrderChatAnswer(chat=await load_chat(visit))


@reads(
    "get_chat_settings",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    feature=Feature.ORDER_CHAT,
    doors=(Rest("GET", SETTINGS_PATH), GraphQL("chatSettings")),
)
async def get_chat_settings(call: Call, request: EmptyRequest) -> ChatSettings:
    """Get the chat settings.

    Shows how long messages can be sent after the end of an order, and the quick replies.
    """
    return await _settings(call)


@writes(
    "set_chat_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    feature=Feature.ORDER_CHAT,
    doors=(Rest("PUT", SETTINGS_PATH), GraphQL("setChatSettings")),
)
async def set_chat_settings(call: Call, request: SetChatSettings) -> ChatSettings:
    """Set the chat settings.

    Sets how long messages can be sent after the end of an order, and the business's own quick replies. Sent quick
    replies do not change.
    """
    codes = [reply.code for reply in request.quick_replies]
    for place, code in enumerate(codes):
        if code in BUILT_IN or code in codes[:place]:
            raise INVALID_REQUEST.for_fields(FieldError(f"quick_replies.{place}.code", "field.quick_reply_taken"))
    replies = [reply.model_dump(mode="json") for reply in request.quick_replies]
    values = {"grace_hours": request.grace_hours, "quick_replies": replies, "updated_at": call.now}
    await store.put_chat_settings(call.work, values)
    call.add_audit_subjects("client", call.client_id)
    return await _settings(call)


async def _settings(call: Call) -> ChatSettings:
    config = await load_config(call)
    own = [
        record(OwnReplyRecord, reply, texts=dict(reply.texts), roles=[ChatRole(role) for role in reply.roles])
        for reply in config.quick_replies
    ]
    return ChatSettings(grace_hours=config.grace_hours, quick_replies=own, built_in=list_built_in(call))
