#!/bin/sh
# enter.sh CGROUP... -- PROGRAM ARGUMENT...   moves itself into each control group, then becomes the program, so that
# whatever the program starts is born there (a process moved afterwards may already have children outside).
set -e
while [ "$1" != -- ]; do
  echo $$ >"$1/cgroup.procs"
  shift
done
shift
exec "$@"
