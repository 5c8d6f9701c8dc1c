"""Identity: users, client businesses, sessions, passwords, invitations.

Terms: client (the business that runs on the platform), user, account (the kind of a user), token, session, scope,
profile.
"""
