"""Manual choice of a winning variant."""

from haulier.contexts.messaging.campaigns.actions.dispatch import RunSmsCampaign, look_again
from haulier.contexts.messaging.campaigns.actions.winners import set_winner
from haulier.contexts.messaging.campaigns.contract.campaigns import ChooseSmsCampaignWinner, SmsCampaignAnswer
from haulier.contexts.messaging.campaigns.errors import SMS_CAMPAIGN_STEP_REFUSED
from haulier.contexts.messaging.campaigns.operations.campaigns import ONE, require_campaign
from haulier.contexts.messaging.campaigns.operations.contacts import FEATURE, WRITE
from haulier.contexts.messaging.campaigns.rules.lifecycle import CampaignStatus
from haulier.contexts.messaging.campaigns.rules.winners import ChosenBy
from haulier.contexts.messaging.campaigns.serializers import campaign_record
from haulier.contexts.messaging.campaigns.store import settings as settings_store
from haulier.contexts.messaging.campaigns.store.tables import SmsCampaignRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError

OPEN = (CampaignStatus.SENDING, CampaignStatus.PAUSED)


@writes(
    "choose_sms_campaign_winner",
    allowed_where={"status": frozenset(OPEN)},
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ONE}/winner"), GraphQL("chooseSmsCampaignWinner")),
    errors=(NOT_FOUND, SMS_CAMPAIGN_STEP_REFUSED),
)
async def choose_sms_campaign_winner(call: Call, request: ChooseSmsCampaignWinner) -> SmsCampaignAnswer:
    """Choose the winning variant of an SMS campaign.

    The rest of the audience gets this variant instead of the one that would be chosen automatically. The sample need
    not be complete. The choice is final.
    """
    await settings_store.get_settings_row(
        call.work, lock=True
    )  # locked before the campaign, in the same order as sending
    campaign = await require_campaign(call, request.sms_campaign_id, lock=True)
    known = {variant["key"] for variant in campaign.variants}
    sampled = campaign.begun_at is not None and campaign.prepared_until is None
    if campaign.test is None or campaign.winner or campaign.status not in OPEN or not sampled:
        raise SMS_CAMPAIGN_STEP_REFUSED(action="choose_winner", status=campaign.status)
    if request.variant not in known:
        raise INVALID_REQUEST.for_fields(FieldError("variant", "field.sms_no_such_variant"))
    await set_winner(call, campaign, request.variant, ChosenBy.PERSON)
    if campaign.status == CampaignStatus.SENDING:
        await SmsCampaignRow.update(call.work, campaign.id, {"round": campaign.round + 1})
        await look_again(call, RunSmsCampaign(campaign_id=campaign.id, round=campaign.round + 1, turn=-1), call.now)
    call.add_audit_subjects("sms_campaign", campaign.id)
    changed = await require_campaign(call, campaign.id)
    return SmsCampaignAnswer(campaign=campaign_record(call, changed))
