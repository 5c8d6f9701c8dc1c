"""Identity: who may sign in and as whom: users, client businesses, sessions, passwords, members and invitations.

Terms: client (the business that runs on the platform), user, account (the kind of a user), token, session, scope, profile.
"""
