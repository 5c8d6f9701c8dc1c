"""Operations for templates, segments and previews."""

from typing import Any

from haulier.contexts.messaging.campaigns.contract.templates import (
    ListSmsSegments,
    ListSmsTemplates,
    PreviewSmsText,
    SaveSmsSegment,
    SaveSmsTemplate,
    SmsPreview,
    SmsReach,
    SmsSegmentAnswer,
    SmsSegmentList,
    SmsSegmentRecord,
    SmsSegmentRef,
    SmsTemplateAnswer,
    SmsTemplateList,
    SmsTemplateRecord,
    SmsTemplateRef,
    UpdateSmsSegment,
    UpdateSmsTemplate,
)
from haulier.contexts.messaging.campaigns.errors import SMS_MARKETING_NOT_SET_UP, SMS_NAME_TAKEN
from haulier.contexts.messaging.campaigns.operations.contacts import FEATURE, READ, WRITE
from haulier.contexts.messaging.campaigns.queries.audience import load_reach, require_segment, segment_rules
from haulier.contexts.messaging.campaigns.queries.settings import require_settings, segment_price
from haulier.contexts.messaging.campaigns.queries.texts import SAMPLE_LINK, finished_text
from haulier.contexts.messaging.campaigns.rules.laws import MessagePurpose
from haulier.contexts.messaging.campaigns.rules.texts import MissingVariable, measure_text
from haulier.contexts.messaging.campaigns.store import templates as store
from haulier.contexts.messaging.campaigns.store.tables import SmsSegmentRow, SmsTemplateRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import record

TEMPLATES, SEGMENTS = "/v1/sms-marketing/templates", "/v1/sms-marketing/segments"
TEMPLATE, SEGMENT = f"{TEMPLATES}/{{sms_template_id}}", f"{SEGMENTS}/{{sms_segment_id}}"


@reads(
    "list_sms_templates",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    doors=(Rest("GET", TEMPLATES), GraphQL("smsTemplates")),
)
async def list_sms_templates(call: Call, request: ListSmsTemplates) -> SmsTemplateList:
    """List SMS templates.

    Results are ordered by name.
    """
    rows, total = await store.list_template_rows(call.work, request.per_page, request.offset)
    shown = [_template(call, row) for row in rows]
    return SmsTemplateList(total=total, page=request.page, per_page=request.per_page, templates=shown)


@writes(
    "create_sms_template",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    doors=(Rest("POST", TEMPLATES), GraphQL("createSmsTemplate")),
    errors=(SMS_NAME_TAKEN,),
)
async def create_sms_template(call: Call, request: SaveSmsTemplate) -> SmsTemplateAnswer:
    """Create an SMS template.

    A template has a text for each language.
    """
    try:
        async with call.savepoint():
            values = {**request.model_dump(), "updated_at": call.now}
            template_id = await SmsTemplateRow.insert(call.work, **values)
    except UniqueConflict:
        raise SMS_NAME_TAKEN() from None
    call.add_audit_subjects("sms_template", template_id)
    return SmsTemplateAnswer(template=_template(call, await _require_template(call, template_id)))


@writes(
    "update_sms_template",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", TEMPLATE), GraphQL("updateSmsTemplate")),
    errors=(NOT_FOUND, SMS_NAME_TAKEN),
)
async def update_sms_template(call: Call, request: UpdateSmsTemplate) -> SmsTemplateAnswer:
    """Replace an SMS template.

    Scheduled campaigns keep their texts.
    """
    template = await _require_template(call, request.sms_template_id)
    values = {**request.model_dump(exclude={"sms_template_id"}), "updated_at": call.now}
    try:
        async with call.savepoint():
            await SmsTemplateRow.update(call.work, template.id, values)
    except UniqueConflict:
        raise SMS_NAME_TAKEN() from None
    call.add_audit_subjects("sms_template", template.id)
    return SmsTemplateAnswer(template=_template(call, await _require_template(call, template.id)))


@writes(
    "delete_sms_template",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", TEMPLATE), GraphQL("deleteSmsTemplate")),
    errors=(NOT_FOUND,),
)
async def delete_sms_template(call: Call, request: SmsTemplateRef) -> Done:
    """Delete an SMS template.

    Scheduled campaigns keep their texts.
    """
    template = await _require_template(call, request.sms_template_id)
    await SmsTemplateRow.delete(call.work, template.id)
    call.add_audit_subjects("sms_template", template.id)
    return Done(message=call.translate("sms_template_deleted"))


@reads(
    "preview_sms_text",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    doors=(Rest("POST", "/v1/sms-marketing/preview"), GraphQL("smsPreview")),
    errors=(SMS_MARKETING_NOT_SET_UP,),
)
async def preview_sms_text(call: Call, request: PreviewSmsText) -> SmsPreview:
    """Preview an SMS message.

    Returns the final text with its segments and cost.
    """
    settings = await require_settings(call)
    values = {**request.variables, **({"name": request.name} if request.name else {})}
    values |= {"business": settings.business_name, "link": f"{call.app.base_url}{SAMPLE_LINK}"}
    try:
        text = finished_text(call.app, settings, request.text, values, request.purpose, request.language)
    except MissingVariable as missing:
        fault = FieldError("text", "field.sms_variable_missing", {"name": str(missing)})
        raise INVALID_REQUEST.for_fields(fault) from None
    size, price = measure_text(text), segment_price(settings, request.country)
    return SmsPreview(
        text=text,
        encoding=size.encoding,
        units=size.units,
        segments=size.segments,
        left_in_segment=max(0, size.per_segment * size.segments - size.units),
        segment_cost_micros=price,
        total_cost_micros=price * size.segments,
        currency=settings.currency,
    )


@reads(
    "list_sms_segments",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    doors=(Rest("GET", SEGMENTS), GraphQL("smsSegments")),
)
async def list_sms_segments(call: Call, request: ListSmsSegments) -> SmsSegmentList:
    """List contact segments.

    Results are ordered by name.
    """
    rows, total = await store.list_segment_rows(call.work, request.per_page, request.offset)
    shown = [_segment(call, row) for row in rows]
    return SmsSegmentList(total=total, page=request.page, per_page=request.per_page, segments=shown)


@reads(
    "get_sms_segment",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    doors=(Rest("GET", SEGMENT), GraphQL("smsSegment")),
    errors=(NOT_FOUND,),
)
async def get_sms_segment(call: Call, request: SmsSegmentRef) -> SmsSegmentAnswer:
    """Get a contact segment.

    Includes the number of contacts who can receive marketing messages now.
    """
    return await _segment_answer(call, request.sms_segment_id)


@writes(
    "create_sms_segment",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    doors=(Rest("POST", SEGMENTS), GraphQL("createSmsSegment")),
    errors=(SMS_NAME_TAKEN,),
)
async def create_sms_segment(call: Call, request: SaveSmsSegment) -> SmsSegmentAnswer:
    """Create a contact segment.

    Segments are the audiences of campaigns.
    """
    try:
        async with call.savepoint():
            segment_id = await SmsSegmentRow.insert(call.work, **(_segment_values(call, request)))
    except UniqueConflict:
        raise SMS_NAME_TAKEN() from None
    call.add_audit_subjects("sms_segment", segment_id)
    return await _segment_answer(call, segment_id)


@writes(
    "update_sms_segment",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    doors=(Rest("PUT", SEGMENT), GraphQL("updateSmsSegment")),
    errors=(NOT_FOUND, SMS_NAME_TAKEN),
)
async def update_sms_segment(call: Call, request: UpdateSmsSegment) -> SmsSegmentAnswer:
    """Replace a contact segment.

    Scheduled campaigns keep their audience.
    """
    segment = await require_segment(call, request.sms_segment_id)
    try:
        async with call.savepoint():
            await SmsSegmentRow.update(call.work, segment.id, _segment_values(call, request))
    except UniqueConflict:
        raise SMS_NAME_TAKEN() from None
    call.add_audit_subjects("sms_segment", segment.id)
    return await _segment_answer(call, segment.id)


@writes(
    "delete_sms_segment",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    doors=(Rest("DELETE", SEGMENT), GraphQL("deleteSmsSegment")),
    errors=(NOT_FOUND,),
)
async def delete_sms_segment(call: Call, request: SmsSegmentRef) -> Done:
    """Delete a contact segment.

    Its contacts stay.
    """
    segment = await require_segment(call, request.sms_segment_id)
    await SmsSegmentRow.delete(call.work, segment.id)
    call.add_audit_subjects("sms_segment", segment.id)
    return Done(message=call.translate("sms_segment_deleted"))


def _segment_values(call: Call, request: SaveSmsSegment) -> dict[str, Any]:
    rules = request.model_dump(mode="json", exclude={"name", "sms_segment_id"})
    return {"name": request.name, "rules": rules, "updated_at": call.now}


async def _segment_answer(call: Call, segment_id: int) -> SmsSegmentAnswer:
    row = await require_segment(call, segment_id)
    reach = await load_reach(call, segment_rules(row.rules), MessagePurpose.MARKETING)
    return SmsSegmentAnswer(
        segment=_segment(call, row),
        contacts=sum(each.contacts for each in reach),
        reachable=sum(each.reachable for each in reach),
        reach=[record(SmsReach, each) for each in reach],
    )


def _segment(call: Call, row: SmsSegmentRow) -> SmsSegmentRecord:
    rules = segment_rules(row.rules)
    lists = {
        name: list(getattr(rules, name)) for name in ("languages", "countries", "tags_all", "tags_any", "tags_none")
    }
    created, updated = call.local_time(rules.created_after), call.local_time(row.updated_at)
    return SmsSegmentRecord(id=row.id, name=row.name, **lists, created_after=created, updated_at=updated)


async def _require_template(call: Call, template_id: int) -> SmsTemplateRow:
    row = (await store.get_template_rows(call.work, [template_id])).get(template_id)
    if row is None:
        raise record_not_found(sms_template_id=template_id)
    return row


def _template(call: Call, row: SmsTemplateRow) -> SmsTemplateRecord:
    return record(SmsTemplateRecord, row, updated_at=call.local_time(row.updated_at))
