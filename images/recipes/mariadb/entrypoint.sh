#!/bin/bash
# The first start makes the data folder from ROOT_PASSWORD, DATABASE, USER, PASSWORD, ALLOW_EMPTY_ROOT_PASSWORD and
# RANDOM_ROOT_PASSWORD, each named MARIADB_… or MYSQL_… and also as …_FILE, and runs /docker-entrypoint-initdb.d.
set -euo pipefail
data=/var/lib/mysql
made=/usr/share/first-data

setting() {
  local prefix name file_name
  for prefix in MARIADB MYSQL; do
    name=${prefix}_$1 file_name=${prefix}_${1}_FILE
    if [ -n "${!name:-}" ]; then printf %s "${!name}"; return; fi
    if [ -n "${!file_name:-}" ]; then printf %s "$(<"${!file_name}")"; return; fi
  done
}

# Quotes for a string literal and for an identifier.
literal() { printf %s "$1" | sed "s/\\\\/\\\\\\\\/g; s/'/''/g"; }
identifier() { printf %s "$1" | sed 's/`/``/g'; }

first_statements() {
  local root_password=$1 database=$2 user=$3 password=$4
  echo 'FLUSH PRIVILEGES;'
  echo "ALTER USER 'root'@'localhost' IDENTIFIED BY '$(literal "$root_password")';"
  echo "CREATE USER IF NOT EXISTS 'root'@'%' IDENTIFIED BY '$(literal "$root_password")';"
  echo "GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;"
  echo "DELETE FROM mysql.global_priv WHERE User='' OR (User='root' AND Host NOT IN ('localhost','%'));"
  [ -z "$database" ] || echo "CREATE DATABASE IF NOT EXISTS \`$(identifier "$database")\`;"
  if [ -n "$user" ]; then
    echo "CREATE USER '$(literal "$user")'@'%' IDENTIFIED BY '$(literal "$password")';"
    # An underscore is a wildcard in a grant.
    [ -z "$database" ] || echo "GRANT ALL ON \`$(identifier "${database//_/\\_}")\`.* TO '$(literal "$user")'@'%';"
  fi
  echo 'FLUSH PRIVILEGES;'
}

make_data() {
  local root_password
  root_password=$(setting ROOT_PASSWORD)
  if [ -z "$root_password" ] && [ -n "$(setting RANDOM_ROOT_PASSWORD)" ]; then
    root_password=$(head -c 24 /dev/urandom | base64)
    echo "GENERATED ROOT PASSWORD: $root_password"
  fi
  if [ -z "$root_password$(setting ALLOW_EMPTY_PASSWORD)$(setting ALLOW_EMPTY_ROOT_PASSWORD)" ]; then
    echo 'error: the database is empty and no root password is given; set MARIADB_ROOT_PASSWORD.' >&2
    exit 1
  fi
  lay_system_tables
  local messages
  messages=$(first_statements "$root_password" "$(setting DATABASE)" "$(setting USER)" "$(setting PASSWORD)" |
    mariadbd --user=mysql --datadir="$data" --bootstrap --skip-networking 2>&1) || { echo "$messages" >&2; exit 1; }
  run_scripts "$root_password"
}

# Those of the image, which hold nothing that a server would have for itself; under other options than it was made with, new ones.
lay_system_tables() {
  if [ -z "$(ls -A "$data")" ] && my_print_defaults --mysqld | cmp --silent - "$made/options"; then
    tar -C "$data" -xzf "$made/data.tar.gz"
    # Room for all of the redo log, as the server itself would take it, and all of it on the disk.
    fallocate --length "$(stat --format=%s "$data/ib_logfile0")" "$data/ib_logfile0" || true
    find "$data" -exec sync '{}' +
  else
    mariadb-install-db --user=mysql --datadir="$data" --skip-test-db --auth-root-authentication-method=normal >/dev/null
  fi
}

# Runs on a socket only, so that nobody reaches a half-made database.
run_scripts() {
  local files=(/docker-entrypoint-initdb.d/*)
  [ -e "${files[0]}" ] || return 0
  local socket=/run/mysqld/init.sock tries=0 file
  local query=(mariadb --socket="$socket" -uroot --database="$(setting DATABASE)")
  export MYSQL_PWD=$1
  mariadbd --user=mysql --datadir="$data" --skip-networking --socket="$socket" &
  local server=$!
  until mariadb-admin --socket="$socket" -uroot ping >/dev/null 2>&1; do
    sleep 0.2; tries=$((tries + 1)); [ "$tries" -lt 1500 ] || { echo 'error: the server for the first scripts did not start in 300 s.' >&2; exit 1; }
  done
  for file in "${files[@]}"; do
    case $file in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.sql) "${query[@]}" <"$file" ;;
      *.sql.gz) gunzip -c "$file" | "${query[@]}" ;;
    esac
  done
  mariadb-admin --socket="$socket" -uroot shutdown
  wait "$server"
  unset MYSQL_PWD
}

[ "${1:0:1}" != - ] || set -- mariadbd "$@"
case $1 in
  mariadbd | mysqld)
    shift
    mkdir -p "$data" /run/mysqld
    chown mysql:mysql "$data" /run/mysqld
    [ -d "$data/mysql" ] || make_data
    set -- mariadbd --user=mysql --datadir="$data" --bind-address=0.0.0.0 --skip-name-resolve "$@"
    ;;
esac
exec "$@"
