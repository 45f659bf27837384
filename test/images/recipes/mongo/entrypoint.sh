#!/bin/sh
# As in the official image: options alone mean mongod, whose folders are its user's.
set -e
if [ "${1#-}" != "$1" ]; then set -- mongod "$@"; fi
exec "$@"
