#!/bin/sh
# Options and a configuration file alone mean redis-server; it never runs as root. Protected mode is off, as in the
# official image: the container's network decides who reaches it, --requirepass who may speak.
set -e
if [ "${1#-}" != "$1" ] || [ "${1%.conf}" != "$1" ]; then set -- redis-server "$@"; fi
if [ "$1" = redis-server ]; then
  if [ "$(id -u)" = 0 ]; then
    find . \! -user redis -exec chown redis:redis '{}' +
    exec setpriv --reuid=redis --regid=redis --init-groups "$0" "$@"
  fi
  set -- "$@" --protected-mode no
fi
exec "$@"
