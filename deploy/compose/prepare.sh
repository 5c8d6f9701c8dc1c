#!/bin/sh
# Create the secrets of compose.yaml beside it, once. Existing files stay.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets backups
[ -s secrets/postgres_password ] || openssl rand -hex 32 > secrets/postgres_password
[ -s secrets/database ] || printf 'postgresql://haulier:%s@db/haulier\n' "$(openssl rand -hex 32)" > secrets/database
[ -s secrets/secrets_keys ] || openssl rand -base64 32 > secrets/secrets_keys
[ -s secrets/mail ] || printf '%s\n' "${MAIL:?set it to smtps://user:password@mail.example}" > secrets/mail
# The containers read them as user 10001; the folder keeps everybody else out.
chmod 755 secrets && chmod 644 secrets/*
chmod 700 .
