"""One valid request for each operation of invitations."""

EXAMPLES: dict[str, dict[str, object]] = {
    "invite_user": {"name": "Mia Wu", "email": "mia@demo.example", "account": "employee", "role": "dispatcher"},
    "list_invitations": {"status": "pending"},
    "resend_invitation": {"invitation_id": "$invitation_id"},
    "withdraw_invitation": {"invitation_id": "$invitation_id"},
    "read_invitation": {"token": "hlinvitation_0123456789"},
    "accept_invitation": {"token": "hlinvitation_0123456789", "password": "correct horse battery", "language": "de"},
}
