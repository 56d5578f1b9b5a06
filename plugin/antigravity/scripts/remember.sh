#!/bin/sh
# Saves a memory, whose content is read from standard input:
#   remember.sh [--type KIND] [--topic KEY] [--tags A,B] [--scope WHOM] TITLE <<'END'
# or many, from JSON as engram ingest takes it (standard input when no file is named):
#   remember.sh --batch [FILE]
set -u

engram() { __ENGRAM_SHELL__ "$@"; }

fail() {
	printf 'remember: %s\n' "$1" >&2
	exit 2
}

off=$(engram off --check 2>/dev/null </dev/null) && {
	printf '%s\n' "$off" "Nothing was saved. Go on without it, and do not switch it on."
	exit 0
}
case $? in
126 | 127)
	echo "Engram cannot be run: go on without memory." >&2
	exit 0
	;;
esac

if [ "${1-}" = --batch ]; then
	[ $# -le 2 ] || fail "--batch takes one file"
	engram ingest --origin=agent -- "${2:--}"
	exit
fi

type=discovery topic='' tags='' scope=project
while [ $# -gt 0 ]; do
	case $1 in
	--type=* | --topic=* | --tags=* | --scope=*)
		flag=${1%%=*} value=${1#*=}
		shift
		set -- "$flag" "$value" "$@"
		;;
	--type | --topic | --tags | --scope)
		[ $# -gt 1 ] || fail "$1 needs a value"
		case $1 in
		--type) type=$2 ;;
		--topic) topic=$2 ;;
		--tags) tags=$2 ;;
		--scope) scope=$2 ;;
		esac
		shift 2
		;;
	--)
		shift
		break
		;;
	-*[[:space:]]*) break ;; # no flag has two words: it is the title
	-*) fail "there is no $1" ;;
	*) break ;;
	esac
done
[ $# -eq 1 ] || fail "one title, in quotes, and the content on standard input"

# What is not given is no argument; what is given stays one word, whatever is in it.
title=$1
set -- --origin=agent "--type=$type" "--scope=$scope"
[ -z "$topic" ] || set -- "$@" "--topic=$topic"
[ -z "$tags" ] || set -- "$@" "--tags=$tags"
engram save "$@" -- "$title" -
