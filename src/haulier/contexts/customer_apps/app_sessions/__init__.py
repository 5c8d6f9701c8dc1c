"""App sessions: who is signed in to an app, on which device. A session lives on one token at a time."""
