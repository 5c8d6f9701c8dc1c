"""How calls of SMS Marketing fail."""

from haulier.kernel.operations.errors import declare_error

SMS_MARKETING_NOT_SET_UP = declare_error("sms_marketing_not_set_up", 409)
SMS_CONTACT_EXISTS = declare_error("sms_contact_exists", 409)
SMS_CONSENT_NOT_ENOUGH = declare_error("sms_consent_not_enough", 409)
SMS_SUPPRESSED_BY_RECIPIENT = declare_error("sms_suppressed_by_recipient", 409)
SMS_CAMPAIGN_STEP_REFUSED = declare_error("sms_campaign_step_refused", 409)
SMS_SENDER_NOT_REGISTERED = declare_error("sms_sender_not_registered", 409)
SMS_IMPORT_IS_OVER = declare_error("sms_import_is_over", 409)
SMS_NAME_TAKEN = declare_error("sms_name_taken", 409)
SMS_REPLY_IS_RESOLVED = declare_error("sms_reply_is_resolved", 409)
SMS_SIGNATURE_WRONG = declare_error("sms_signature_wrong", 401)
SMS_EVENT_UNREADABLE = declare_error("sms_event_unreadable", 400)
