#!/bin/sh
# Dump the database once a day. A dump appears under its name when it is complete; old ones are removed.
set -eu
PGPASSWORD=$(cat "${PASSWORD_FILE:-/run/secrets/postgres_password}")
export PGPASSWORD
folder=${BACKUPS_FOLDER:-/backups}
while :; do
    name=haulier-$(date -u +%Y-%m-%dT%H%M%SZ).dump
    if pg_dump --format=custom --file="$folder/.$name.part" && mv "$folder/.$name.part" "$folder/$name"; then
        echo "wrote $name"
        find "$folder" -name 'haulier-*.dump' -mtime "+${BACKUPS_KEPT_DAYS:-14}" -delete
    else
        echo "the backup failed" >&2
        rm -f "$folder/.$name.part"
    fi
    [ -z "${ONCE:-}" ] || exit 0
    sleep "${BACKUP_EVERY_S:-86400}"
done
