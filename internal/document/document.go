// Package document holds the JSON documents that the command line and the newer HTTP routes share, such as
// memories, hits and their reasons. Documents of one frontend are defined there.
//
// They are a contract: keys are in snake_case and always present; empty lists are [] and empty objects {}; a
// time is RFC 3339 in UTC with milliseconds, or null for no time.
package document

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Timestamp is a time in a document.
type Timestamp time.Time

// MarshalJSON writes RFC 3339 in UTC with milliseconds, or null for the zero time.
func (s Timestamp) MarshalJSON() ([]byte, error) {
	t := time.Time(s)
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// Each maps a list; the result is never nil, so that it encodes as [].
func Each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

// OrEmpty returns list, or an empty list instead of nil.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Draft is a memory to save, as POST /memories and `engram ingest` take it. Content is required.
type Draft struct {
	Title      string         `json:"title" example:"Auth model" doc:"empty: the first words of the content"`
	Content    string         `json:"content" example:"Access tokens live 15 minutes." required:"true" doc:"the text to remember"`
	Type       engram.Type    `json:"type" example:"decision" doc:"decision, bugfix, pattern, …; empty is manual"`
	Scope      string         `json:"scope" doc:"project, personal or global; empty is project"`
	Project    string         `json:"project" example:"shop" doc:"empty: the project of the session, on the command line that of the folder"`
	TopicKey   string         `json:"topic_key" example:"architecture/auth-model" doc:"family/description: the same key revises the same memory"`
	SessionID  string         `json:"session_id" doc:"the session that saves"`
	ToolName   string         `json:"tool_name" doc:"the tool that produced it"`
	Tags       []string       `json:"tags"`
	Metadata   map[string]any `json:"metadata" doc:"any values, for filtering"`
	Importance *float64       `json:"importance" min:"0" max:"1" doc:"default 0.5"`
	Permanent  bool           `json:"permanent" doc:"never fades"`
	Files      []string       `json:"files" doc:"code it refers to: PATH, PATH:FIRST-LAST or PATH#L3-L9, absolute or relative to the folder of the session"`
	Related    []string       `json:"related" doc:"memories it relates to: numbers, ids or topic:KEY"`
}

// CurrentProject is the project of a folder, over MCP and HTTP. It is never an error: what is wrong with the folder
// is part of the answer.
type CurrentProject struct {
	Project   string   `json:"project"`
	Source    string   `json:"project_source"`
	Path      string   `json:"project_path" schema:"-"`
	Cwd       string   `json:"cwd" schema:"-"`
	Available []string `json:"available_projects"`
	Warning   string   `json:"warning,omitempty" schema:"-"`
	ErrorHint string   `json:"error_hint,omitempty" schema:"-"`
}

// Group counts the memories of a project, a type or a time span.
type Group struct {
	Name      string `json:"name"`      // project, type, or the first day: 2026-01-31
	Memories  int    `json:"memories"`  // live memories
	Forgotten int    `json:"forgotten"` // 0 if grouped by time
}

// GroupOf returns the document of g.
func GroupOf(g engram.GroupCount) Group { return Group{g.Name, g.Memories, g.Forgotten} }

// VerbOf returns the verb of a verdict, and "pending" for a candidate, whose verb is only a guess.
func VerbOf(r engram.Relation) string {
	if r.Status == engram.RelationPending {
		return string(engram.RelationPending)
	}
	return string(r.Verb)
}

// Models send numbers, flags and lists in several forms. All frontends that take JSON normalise them with the
// functions below, so that the same arguments have the same meaning.

// Unquoted returns the number or boolean in a string that contains nothing else, such as "12"; every other
// value unchanged.
func Unquoted(raw json.RawMessage) json.RawMessage {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return raw
	}
	s = strings.TrimSpace(s)
	if flag := strings.ToLower(s); flag == "true" || flag == "false" {
		return json.RawMessage(flag)
	}
	var n *float64
	if json.Unmarshal([]byte(s), &n) != nil || n == nil {
		return raw
	}
	return json.RawMessage(s)
}

// KindOf returns the JSON type of a text, a flag or a number in Go: string, boolean, integer or number.
func KindOf(t reflect.Type) string {
	return map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer",
		reflect.Float64: "number"}[t.Kind()]
}

// Items returns the elements of an array, of a string with an array ("[1, 2]"), or of a comma-separated
// string, whose elements are strings; blank ones are left out. ok is false for anything else.
func Items(raw json.RawMessage) (items []json.RawMessage, ok bool) {
	if json.Unmarshal(raw, &items) == nil {
		return items, items != nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, false
	}
	if s = strings.TrimSpace(s); strings.HasPrefix(s, "[") && json.Unmarshal([]byte(s), &items) == nil {
		return items, true
	}
	items = []json.RawMessage{}
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			quoted, err := json.Marshal(part)
			if err != nil {
				return nil, false
			}
			items = append(items, quoted)
		}
	}
	return items, true
}
