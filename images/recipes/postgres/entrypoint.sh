#!/bin/bash
# The first start makes the cluster from POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB, POSTGRES_INITDB_ARGS,
# POSTGRES_HOST_AUTH_METHOD (each also as NAME_FILE) and runs /docker-entrypoint-initdb.d; later starts only serve.
set -euo pipefail

from_file() {
  local name=$1 file_name="${1}_FILE"
  [ -z "${!file_name:-}" ] || export "$name=$(<"${!file_name}")"
  unset "$file_name"
}

as_postgres() {
  mkdir -p "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  chown -R postgres:postgres "$PGDATA" /var/run/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
}

identifier() { printf %s "\"${1//\"/\"\"}\""; }

make_cluster() {
  local method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256} arguments=()
  if [ -z "${POSTGRES_PASSWORD:-}" ] && [ "$method" != trust ]; then
    echo 'Error: the database is empty and no superuser password is given; set POSTGRES_PASSWORD.' >&2
    exit 1
  fi
  read -r -a arguments <<<"${POSTGRES_INITDB_ARGS:-}"
  initdb --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "${POSTGRES_PASSWORD:-}") "${arguments[@]}" >/dev/null
  [ "$POSTGRES_DB" = postgres ] || make_database
  printf '\nhost all all all %s\n' "$method" >>"$PGDATA/pg_hba.conf"
  printf "\nlisten_addresses = '*'\nunix_socket_directories = '/var/run/postgresql'\n" >>"$PGDATA/postgresql.conf"
}

# Without a server that anybody could reach, and in a third of the time of one.
make_database() {
  printf 'CREATE DATABASE %s;\n\n' "$(identifier "$POSTGRES_DB")" | postgres --single -j -c exit_on_error=true -c log_checkpoints=off -D "$PGDATA" postgres >/dev/null
}

fill_cluster() {
  local files=(/docker-entrypoint-initdb.d/*)
  [ ! -e "${files[0]}" ] || run_scripts "${files[@]}"
  echo 'PostgreSQL init process complete; ready for start up.'
}

# Runs on a socket only, so that nobody reaches a half-made database.
run_scripts() {
  export PGPASSWORD=${POSTGRES_PASSWORD:-}
  pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start >/dev/null
  local query=(psql -v ON_ERROR_STOP=1 --no-psqlrc --username "$POSTGRES_USER")
  local file
  for file; do
    case $file in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.sql) "${query[@]}" --dbname "$POSTGRES_DB" -f "$file" ;;
      *.sql.gz) gunzip -c "$file" | "${query[@]}" --dbname "$POSTGRES_DB" ;;
    esac
  done
  pg_ctl -D "$PGDATA" -m fast -w stop >/dev/null
  unset PGPASSWORD
}

[ "${1:0:1}" != - ] || set -- postgres "$@"
if [ "$1" = postgres ]; then
  for name in POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB POSTGRES_INITDB_ARGS; do from_file "$name"; done
  export POSTGRES_USER=${POSTGRES_USER:-postgres}
  export POSTGRES_DB=${POSTGRES_DB:-$POSTGRES_USER}
  [ "$(id -u)" != 0 ] || as_postgres "$@"
  if [ ! -s "$PGDATA/PG_VERSION" ]; then make_cluster; fill_cluster; fi
fi
exec "$@"
