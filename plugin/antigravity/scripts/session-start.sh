#!/bin/sh
# Tells what a new session should know of a project: session-start.sh [FOLDER]
# FOLDER is the folder that is worked in, this one if it is left out.
set -u

engram() { __ENGRAM_SHELL__ "$@"; }

unset CDPATH
cd -- "${1:-.}" 2>/dev/null || {
	echo "There is no such folder: go on without memory." >&2
	exit 0
}
off=$(engram off --check 2>/dev/null </dev/null)
case $? in
0)
	printf '%s\n' "$off" "Nothing is remembered here. Go on without it, and do not switch it on."
	exit 0
	;;
126 | 127)
	echo "Engram cannot be run: go on without memory." >&2
	exit 0
	;;
esac
engram context
