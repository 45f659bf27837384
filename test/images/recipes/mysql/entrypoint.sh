#!/bin/bash
# The first start makes the data folder from MYSQL_ROOT_PASSWORD, _DATABASE, _USER, _PASSWORD, _ALLOW_EMPTY_PASSWORD and
# _RANDOM_ROOT_PASSWORD, each also as …_FILE, and runs /docker-entrypoint-initdb.d; later starts only serve.
set -euo pipefail
data=/var/lib/mysql
unfinished=$data/.unfinished
socket=/run/mysqld/mysqld.sock

setting() {
  local name=MYSQL_$1 file_name=MYSQL_${1}_FILE
  if [ -n "${!name:-}" ]; then printf %s "${!name}"; return; fi
  if [ -n "${!file_name:-}" ]; then printf %s "$(<"${!file_name}")"; fi
}

literal() { printf %s "$1" | sed "s/\\\\/\\\\\\\\/g; s/'/''/g"; }
identifier() { printf %s "$1" | sed 's/`/``/g'; }

first_statements() {
  local root_password=$1 database user password
  database=$(setting DATABASE) user=$(setting USER) password=$(setting PASSWORD)
  [ -z "$database" ] || echo "CREATE DATABASE IF NOT EXISTS \`$(identifier "$database")\`;"
  if [ -n "$user" ]; then
    echo "CREATE USER '$(literal "$user")'@'%' IDENTIFIED BY '$(literal "$password")';"
    # An underscore is a wildcard in a grant.
    [ -z "$database" ] || echo "GRANT ALL ON \`$(identifier "${database//_/\\_}")\`.* TO '$(literal "$user")'@'%';"
  fi
  echo "CREATE USER 'root'@'%' IDENTIFIED BY '$(literal "$root_password")';"
  echo "GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;"
  echo "ALTER USER 'root'@'localhost' IDENTIFIED BY '$(literal "$root_password")';"
}

make_data() {
  local root_password server tries=0 file
  root_password=$(setting ROOT_PASSWORD)
  if [ -z "$root_password" ] && [ -n "$(setting RANDOM_ROOT_PASSWORD)" ]; then
    root_password=$(head -c 24 /dev/urandom | base64)
    echo "GENERATED ROOT PASSWORD: $root_password"
  fi
  if [ -z "$root_password$(setting ALLOW_EMPTY_PASSWORD)" ]; then
    echo 'error: the database is empty and no root password is given; set MYSQL_ROOT_PASSWORD.' >&2
    exit 1
  fi
  touch "$unfinished"
  # GNU tar of this suite calls fchmodat2, which the system call filter of older engines refuses.
  busybox tar -C "$data" -xzf /usr/share/first-data/data.tar.gz
  chown -R mysql:mysql "$data"
  # On a socket only, so that nobody reaches a half-made database.
  mysqld --user=mysql --datadir="$data" --skip-networking --mysqlx=OFF --socket="$socket" &
  server=$!
  until mysqladmin --socket="$socket" -uroot ping >/dev/null 2>&1; do
    sleep 0.2; tries=$((tries + 1)); [ "$tries" -lt 1500 ] || { echo 'error: the server for the first statements did not start in 300 s.' >&2; exit 1; }
  done
  first_statements "$root_password" | mysql --socket="$socket" -uroot
  export MYSQL_PWD=$root_password
  local query=(mysql --socket="$socket" -uroot --database="$(setting DATABASE)")
  for file in /docker-entrypoint-initdb.d/*; do
    case $file in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.sql) "${query[@]}" <"$file" ;;
      *.sql.gz) gunzip -c "$file" | "${query[@]}" ;;
    esac
  done
  mysqladmin --socket="$socket" -uroot shutdown
  wait "$server"
  unset MYSQL_PWD
  rm "$unfinished"
}

[ "${1:0:1}" != - ] || set -- mysqld "$@"
if [ "$1" = mysqld ]; then
  shift
  mkdir -p "$data" /run/mysqld
  chown mysql:mysql "$data" /run/mysqld
  # What a first start that was broken off left has no passwords yet.
  if [ -e "$unfinished" ]; then find "$data" -mindepth 1 -delete; fi
  [ -d "$data/mysql" ] || make_data
  set -- mysqld --user=mysql --datadir="$data" --socket="$socket" --bind-address=0.0.0.0 --mysqlx=OFF --skip-name-resolve "$@"
fi
exec "$@"
