package httpapi

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// instead maps a command that hints name to the request that does the same. Words in angle brackets stand for
// the command's arguments.
type instead struct{ command, request string }

// routesOfCommands lists the commands in hints that have a route.
func routesOfCommands() []instead {
	return []instead{
		{"projects list", "GET /projects"},
		{"projects merge <from> --into <to>", `POST /projects/migrate {"old_project":"<from>","new_project":"<to>"}`},
		{"list --forgotten", "GET /memories?forgotten=true"},
		{"search <words>", "GET /search?q=<words>"},
		{"session list", "GET /sessions/recent"},
		{"log", "GET /log"},
		{"log --all-projects", "GET /log"}, // without a project it covers all
		{"log --verb <verb>", "GET /log?verb=<verb>"},
		{"log <ref>", "GET /log?ref=<ref>"},
		{"undo <op>", `POST /undo {"op":<op>}`},
		{"history <ref>", "GET /history/<ref>"},
		{"update <ref> --scope <scope>", `PATCH /memories/<ref> {"scope":"<scope>"}`},
		{"delete prompt <id> --hard", "DELETE /prompts/<id>?hard=true"},
		{"graph <ref>", "GET /graph?ref=<ref>"},
		{"graph <ref> --relation <relation>", "GET /graph?ref=<ref>&relation=<relation>"},
		{"link <a> <b>", `POST /relations {"source":"<a>","relation":"relates_to","target":"<b>"}`},
		{"link <a> <relation> <b>", `POST /relations {"source":"<a>","relation":"<relation>","target":"<b>"}`},
		{"unlink <a> <relation> <b>", "DELETE /relations?source=<a>&relation=<relation>&target=<b>"},
		{"conflicts list", "GET /conflicts"},
		{"conflicts judge <id> <verdict>", `POST /conflicts/judge {"judgment_id":"<id>","relation":"<verdict>"}`},
		{"export <file> --project <project>", "GET /export?project=<project>"},
		{"ingest <file>", "POST /memories/batch"},
	}
}

// requested writes a call as a request, or as the command where no route does the same.
func requested(c engram.Call) string {
	for _, r := range routesOfCommands() {
		if values, ok := c.Match(r.command); ok {
			address, body, with := strings.Cut(r.request, " {")
			address = strings.NewReplacer(escaped(values, url.QueryEscape)...).Replace(address)
			if !with {
				return address
			}
			return address + " {" + strings.NewReplacer(escaped(values, inString)...).Replace(body)
		}
	}
	return c.String()
}

// escaped applies escape to each value that Match returned.
func escaped(values []string, escape func(string) string) []string {
	all := make([]string, len(values))
	for i := 0; i < len(values); i += 2 {
		all[i], all[i+1] = values[i], escape(values[i+1])
	}
	return all
}

// inString escapes s for a JSON string.
func inString(s string) string {
	quoted, _ := json.Marshal(s) // a string cannot fail
	return string(quoted[1 : len(quoted)-1])
}

// hintOf returns the hint of err in terms of routes.
func hintOf(err error) string { return engram.HintFor(err, requested) }
