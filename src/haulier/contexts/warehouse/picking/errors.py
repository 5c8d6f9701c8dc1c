"""Errors of picking."""

from haulier.kernel.operations.errors import declare_error

NOTHING_TO_PICK = declare_error("nothing_to_pick", 409)
PICK_UNDERWAY = declare_error("pick_underway", 409)
PICK_EXCEEDED = declare_error("pick_exceeded", 409)
NOT_A_STAGING_LOCATION = declare_error("not_a_staging_location", 409)
NOT_PICKED_YET = declare_error("not_picked_yet", 409)
PACK_EXCEEDS_PICKED = declare_error("pack_exceeds_picked", 409)
CARTON_PACKED = declare_error("carton_packed", 409)
PACKAGE_SHIPPED = declare_error("package_shipped", 409)
PACKING_PLAN_STALE = declare_error("packing_plan_stale", 409)
