#!/bin/sh
# `docker run image app.js` and `docker run image --version` mean node; anything that is a command runs as it is.
set -e
if [ "${1#-}" != "$1" ] || ! command -v "$1" >/dev/null || { [ -f "$1" ] && ! [ -x "$1" ]; }; then
  set -- node "$@"
fi
exec "$@"
