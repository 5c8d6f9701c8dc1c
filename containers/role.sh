#!/bin/sh
# Run once, by the image of PostgreSQL, when its volume is new. Haulier's role is no superuser: row-level security, which keeps
# businesses apart, does not bind those.
set -eu
psql --quiet --set ON_ERROR_STOP=1 --set password="$DATABASE_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE haulier LOGIN PASSWORD :'password';
CREATE DATABASE haulier OWNER haulier;
SQL
