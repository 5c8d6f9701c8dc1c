"""Permissions and preferences of users, and customer references of a business."""

from typing import Any

import pytest
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.identity.accounts.rules import SCOPES_BY_ACCOUNT
from haulier.contexts.identity.members.rules import MEMBER_ROLES
from haulier.kernel.operations.enums import Account, Scope

OWN_ACCOUNT = {"account:read", "account:write"}


def code(result: Any) -> tuple[int, str]:
    return result.status, result.error["code"]


async def given(app: App, who: str, **what: Any) -> Any:
    return await app.answer("admin", "set_permissions", {"user_id": app.ids[who], **what})


class TestPermissions:
    @for_every("who", ["employee", "contractor", "driver", "customer"])
    async def test_only_admins_grant_and_revoke_permissions(self, app: App, who: str) -> None:
        body = {"user_id": app.ids["employee"], "role": "everything"}
        assert code(await app.call(None, "set_permissions", body)) == (401, "UNAUTHENTICATED")
        assert code(await app.call(who, "set_permissions", body)) == (403, "ACCOUNT_NOT_ALLOWED")

    @pytest.mark.parametrize("operation", ["get_permissions", "set_permissions"])
    async def test_another_clients_user_is_not_found(self, app: App, operation: str) -> None:
        assert code(await app.call("rival", operation, {"user_id": app.ids["employee"]})) == (404, "NOT_FOUND")

    async def test_an_employee_has_all_permissions_until_one_is_revoked(self, app: App) -> None:
        before = await app.answer("employee", "get_permissions", {"user_id": app.ids["employee"]})
        assert (before.role, before.scopes) == (None, sorted(Scope))

    async def test_a_role_change_applies_to_existing_tokens_from_the_next_call(self, app: App) -> None:
        assert (await app.call("employee", "get_orders")).error is None
        answer = await given(app, "employee", role="integrator")
        assert set(answer.scopes) == {scope.value for scope in MEMBER_ROLES["integrator"]} | OWN_ACCOUNT
        assert (await app.call("employee", "get_orders")).error is None
        place = {"name": "A", "address": "1 Main", "city": "Toronto", "country": "CA"}
        assert code(await app.call("employee", "create_order", {"consignee": place})) == (403, "SCOPE_MISSING")
        assert set((await app.answer("employee", "who_am_i")).scopes) == set(answer.scopes)

    async def test_individual_scopes_can_be_combined_with_a_role(self, app: App) -> None:
        answer = await given(app, "employee", role="integrator", scopes=["orders:write"])
        assert "orders:write" in answer.scopes

    async def test_all_permissions_return_when_restrictions_are_removed(self, app: App) -> None:
        await given(app, "employee", scopes=["orders:read"])
        assert (await given(app, "employee")).scopes == sorted(Scope)

    async def test_a_role_cannot_exceed_the_account_kind(self, app: App) -> None:
        answer = await given(app, "driver", role="everything")
        assert set(answer.scopes) == {scope.value for scope in SCOPES_BY_ACCOUNT[Account.DRIVER]}
        beyond = await app.call(
            "admin", "set_permissions", {"user_id": app.ids["driver"], "scopes": ["webhooks:write"]}
        )
        assert code(beyond) == (409, "SCOPES_BEYOND_ACCOUNT")

    async def test_an_admins_permissions_cannot_be_restricted(self, app: App) -> None:
        body = {"user_id": app.ids["admin"], "role": "viewer"}
        assert code(await app.call("admin", "set_permissions", body)) == (409, "ADMIN_UNLIMITED")

    async def test_a_restricted_user_can_sign_out_and_cannot_grant_more(self, app: App) -> None:
        await given(app, "employee", role="support")
        mightier = {"name": "x", "scopes": ["webhooks:write"]}
        assert code(await app.call("employee", "issue_api_token", mightier)) == (403, "SCOPES_EXCEEDED")
        assert (await app.call("employee", "logout")).error is None

    async def test_an_employee_promoted_to_admin_has_all_permissions(self, app: App) -> None:
        await given(app, "employee", role="viewer")
        promotion = {"user_id": app.ids["employee"], "account": "client_admin"}
        await app.answer(await app.sign_in("admin"), "update_user", promotion)
        assert (await app.answer("employee", "who_am_i")).scopes == sorted(Scope)

    async def test_roles_can_be_listed_and_a_viewer_can_change_nothing(self, app: App) -> None:
        roles = {role.name: role.scopes for role in (await app.answer("employee", "list_roles")).roles}
        assert roles.keys() == MEMBER_ROLES.keys()
        assert all(scope.endswith(":read") for scope in roles["viewer"])


class TestPreferences:
    async def test_preferences_default_to_the_business_settings(self, app: App) -> None:
        await app.answer("admin", "update_client", {"language": "fr"})
        me = await app.answer("driver", "who_am_i")
        assert (me.language, me.time_zone) == ("fr", "America/Toronto")

    async def test_users_set_their_own_preferences_and_omitted_ones_are_kept(self, app: App) -> None:
        await app.answer("driver", "update_me", {"language": "de", "time_zone": "Europe/Berlin"})
        chosen = await app.answer("driver", "update_me", {"name": "Dora"})
        assert (chosen.name, chosen.language, chosen.time_zone) == ("Dora", "de", "Europe/Berlin")
        me = await app.answer("driver", "who_am_i")
        assert (me.user.name, me.language, me.time_zone) == ("Dora", "de", "Europe/Berlin")
        assert (await app.answer("driver2", "who_am_i")).language == "en"

    async def test_an_unknown_time_zone_is_refused(self, app: App) -> None:
        assert (await app.call("driver", "update_me", {"time_zone": "Mars/Olympus"})).status == 422


class TestCustomers:
    async def settings(self, app: App, **what: Any) -> Any:
        return await app.answer("admin", "update_customer_settings", {"customer_id": app.ids["customer"], **what})

    async def test_the_office_reads_customers_and_only_admins_update_them(self, app: App) -> None:
        mine = {"customer_id": app.ids["customer"]}
        for who in ("contractor", "driver", "customer"):
            assert code(await app.call(who, "get_customer_settings", mine)) == (403, "ACCOUNT_NOT_ALLOWED")
        assert code(await app.call("employee", "update_customer_settings", mine)) == (403, "ACCOUNT_NOT_ALLOWED")
        assert (await app.answer("employee", "get_customer_settings", mine)).customer_code is None

    @pytest.mark.parametrize("operation", ["get_customer_settings", "update_customer_settings"])
    async def test_another_clients_customer_is_not_found_and_a_driver_is_no_customer(
        self, app: App, operation: str
    ) -> None:
        hers = {"customer_id": app.ids["rival_customer"]}
        assert code(await app.call("admin", operation, hers)) == (404, "NOT_FOUND")
        assert code(await app.call("admin", operation, {"customer_id": app.ids["driver"]})) == (409, "NOT_A_CUSTOMER")

    async def test_customer_settings_are_stored_and_omitted_ones_are_kept(self, app: App) -> None:
        await self.settings(app, customer_code="C-100", phone="+1 416 555 0123", note="pays on the 15th", language="es")
        kept = await self.settings(app, name="Casa Nova")
        assert (kept.name, kept.customer_code, kept.phone, kept.note, kept.language) == (
            "Casa Nova",
            "C-100",
            "+14165550123",
            "pays on the 15th",
            "es",
        )

    async def test_customer_codes_are_unique_within_a_business(self, app: App) -> None:
        await self.settings(app, customer_code="C-100")
        again = {"customer_id": app.ids["customer2"], "customer_code": "C-100"}
        assert code(await app.call("admin", "update_customer_settings", again)) == (409, "CUSTOMER_CODE_TAKEN")
        elsewhere = {"customer_id": app.ids["rival_customer"], "customer_code": "C-100"}
        assert (await app.call("rival", "update_customer_settings", elsewhere)).error is None

    async def test_an_invalid_phone_number_is_refused_with_an_explanation(self, app: App) -> None:
        wrong = {"customer_id": app.ids["customer"], "phone": "555-0123"}
        result = await app.call("admin", "update_customer_settings", wrong, accept_language="de")
        assert (result.error or {})["errors"][0]["message"].startswith("Geben Sie die Telefonnummer")

    async def test_hidden_prices_can_be_read_back(self, app: App) -> None:
        mine = {"customer_id": app.ids["customer"]}
        await app.answer("admin", "set_price_visibility", {**mine, "hidden": ["label_service"]})
        assert (await app.answer("employee", "get_price_visibility", mine)).hidden == ["label_service"]
        assert (await app.answer("employee", "get_customer_settings", mine)).hidden_prices == ["label_service"]
        assert code(await app.call("customer", "get_price_visibility", mine)) == (403, "ACCOUNT_NOT_ALLOWED")
        assert code(await app.call("rival", "get_price_visibility", mine)) == (404, "NOT_FOUND")


async def test_permissions_list_the_scopes_every_user_has(app: App) -> None:
    told = await app.answer("admin", "set_permissions", {"user_id": app.ids["employee"], "scopes": ["orders:read"]})
    assert told.always == ["account:read", "account:write"]
    assert set(told.scopes) - set(told.always) == {"orders:read"}
