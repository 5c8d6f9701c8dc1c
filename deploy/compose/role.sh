#!/bin/sh
# Run once, by the image of PostgreSQL, when its volume is new. The role is no superuser, so row-level security binds it.
set -eu
url=$(cat "${DATABASE_FILE:-/run/secrets/database}")
password=${url#*:*:}
password=${password%%@*}
psql --quiet --set ON_ERROR_STOP=1 --set password="$password" --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
CREATE ROLE haulier LOGIN PASSWORD :'password';
CREATE DATABASE haulier OWNER haulier;
SQL
