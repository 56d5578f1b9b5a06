#!/bin/sh
# Records a terminal as SVG: sh cmd/engram/terminal.sh bin/engram > docs/terminal.svg
# Real commands, real answers, in an empty home and a folder named shop.
set -eu

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir "$home/shop"
cd "$home/shop"

shown() {
	printf '$ engram %s\n' "$1"
	eval "env -i PATH=/usr/bin:/bin HOME='$home' COLUMNS=92 TZ=UTC LANG=C.UTF-8 '$program' $1" 2>&1
	echo
}

{
	shown "save 'Token lifetime' 'Access tokens live 15 minutes; refresh tokens rotate.' --topic auth/tokens"
	shown "save 'Token lifetime' 'Access tokens live 5 minutes; refresh tokens rotate.' --topic auth/tokens"
	shown "search how long do access tokens live"
	shown "history 1 --diff 1,2"
	shown "undo"
} | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' | awk '
	{ line[NR] = $0 }
	END {
		while (line[NR] == "") NR--
		high = 20 * NR + 32
		printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 920 %d\" role=\"img\" aria-label=\"engram in a terminal\">\n", high
		printf "<rect width=\"920\" height=\"%d\" rx=\"8\" fill=\"#1b1f24\"/>\n", high
		print "<g font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"14\" fill=\"#c9d1d9\" xml:space=\"preserve\">"
		for (n = 1; n <= NR; n++) if (line[n] != "")
			printf "<text x=\"20\" y=\"%d\"%s>%s</text>\n", 20 * n + 8, line[n] ~ /^\$ / ? " fill=\"#7ee787\"" : "", line[n]
		print "</g>\n</svg>"
	}'
