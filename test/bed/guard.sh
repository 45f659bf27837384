#!/bin/sh
# guard.sh OWNER NODE MAIN   waits until the process OWNER has ended, then lets the bed's program close what it left.
tail --pid="$1" -f /dev/null
exec "$2" "$3" sweep
