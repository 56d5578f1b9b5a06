// Package jsonfile reads and writes memory as a JSON file. It writes three forms: the native one,
// which keeps everything and is an export object of the mem_* dialect at once; that object alone;
// and native items under their own names. It reads these and a fourth, a graph of memories and
// relationships, and detects the form itself (read.go).
//
// Both directions stream: one record at a time is in memory. docs/moving.md describes the native
// form.
//
// Input may come from anywhere. A file is rejected at the byte where it becomes unreadable; an
// invalid item is passed on with the reason, and the rest is read. The engine checks the values.
package jsonfile

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// Names of the forms.
const (
	NameNative  = "json"
	NameDialect = "mem"
	NamePlain   = "plain"
	NameGraph   = "graph" // read only
)

// Formats returns the writable forms, by name. Each reads all of them.
func Formats() map[string]engram.Format {
	return map[string]engram.Format{NameNative: Native{}, NameDialect: Dialect{}, NamePlain: Plain{}}
}

// Native is the form that keeps everything and that readers of the mem_* dialect understand.
type Native struct{ reader }

// Fit implements engram.Format.
func (Native) Fit(r engram.Record) (engram.Record, bool) { return r, true }

// Dialect is the export object of the mem_* dialect: sessions, observations and prompts. It has
// neither revisions nor relations, and of deleted things only observations.
type Dialect struct{ reader }

// Plain is the first version of the native form: it keeps everything, with memories in a list of
// that name.
type Plain struct{ reader }

// Fit implements engram.Format.
func (Plain) Fit(r engram.Record) (engram.Record, bool) { return r, true }

// The native form is the export object of the mem_* dialect with further lists, and in every item a
// field for what only Engram knows (wire.Extra). Deleted sessions and prompts, which the dialect
// would take for live, are in lists of their own.

// nativeName is the "format" of native files, nativeVersion the newest known "format_version". A
// new field does not make a new version, a changed meaning does. "version" is the dialect's.
const (
	nativeName    = "engram"
	nativeVersion = 2
)

type nativeList struct {
	name    string
	section int // of native items
	dialect int // of extended dialect items; -1 for native items
}

// Indexes in nativeLists of lists that depend on more than the kind of record.
const (
	deletedSessions = 2
	deletedPrompts  = 5
)

// nativeLists are the lists of native files, in order.
func nativeLists() []nativeList {
	return []nativeList{
		{"projects", wire.Projects, -1},
		{"sessions", wire.Sessions, wire.MemSessions},
		{"deleted_sessions", wire.Sessions, -1},
		{"observations", wire.Memories, wire.Observations},
		{"prompts", wire.Prompts, wire.MemPrompts},
		{"deleted_prompts", wire.Prompts, -1},
		{"relations", wire.Relations, -1},
		{"erased", wire.Erasures, -1},
	}
}

func nativeSections() (names []string) {
	for _, l := range nativeLists() {
		names = append(names, l.name)
	}
	return names
}

// Write implements engram.Format.
func (Native) Write(w io.Writer, head engram.Snapshot, records iter.Seq2[engram.Record, error]) error {
	fields := []field{{"version", dialectVersion}, {"exported_at", wire.On(head.At)}, {"format", nativeName}, {"format_version", nativeVersion},
		{"program", head.Program}, {"project", head.Project}, {"count", head.Memories}}
	return writeObject(w, nativeSections(), fields, records, writeNative)
}

func writeNative(o *object, r engram.Record) error {
	dialect, extended, err := wire.EncodeExtended(r)
	if err != nil {
		return err
	}
	if extended != nil {
		at := slices.IndexFunc(nativeLists(), func(l nativeList) bool { return l.dialect == dialect })
		return o.item(at, json.RawMessage(extended))
	}
	section, item := wire.Encode(r)
	switch {
	case section < 0:
		return nil
	case r.Session != nil:
		return o.item(deletedSessions, item)
	case r.Prompt != nil:
		return o.item(deletedPrompts, item)
	}
	return o.item(slices.IndexFunc(nativeLists(), func(l nativeList) bool { return l.section == section }), item)
}

func decodeNative(list int, raw []byte) (engram.Record, error) {
	l := nativeLists()[list]
	if l.dialect >= 0 {
		return wire.DecodeExtended(l.dialect, raw)
	}
	return wire.Decode(l.section, raw)
}

// dialectVersion is the version that all mem_* programs write.
const dialectVersion = "0.1.0"

// Write implements engram.Format.
func (d Dialect) Write(w io.Writer, head engram.Snapshot, records iter.Seq2[engram.Record, error]) error {
	fields := []field{{"version", dialectVersion}, {"exported_at", wire.On(head.At)}}
	return writeObject(w, wire.DialectSections(), fields, records, func(o *object, r engram.Record) error {
		r, fits := d.Fit(r)
		switch {
		case !fits:
			return nil
		case r.Session != nil:
			return o.item(wire.MemSessions, wire.MemSessionOf(*r.Session))
		case r.Memory != nil:
			return o.item(wire.Observations, wire.ObservationOf(r.Memory.Memory))
		}
		return o.item(wire.MemPrompts, wire.MemPromptOf(*r.Prompt))
	})
}

// Fit implements engram.Format: it keeps what the dialect can express.
func (Dialect) Fit(r engram.Record) (engram.Record, bool) {
	switch {
	case r.Tombstone:
	case r.Session != nil:
		return engram.Record{Session: r.Session}, true
	case r.Memory != nil:
		m := r.Memory.Memory
		without := engram.Memory{Importance: engram.DefaultImportance, Strength: m.Strength}
		for _, f := range engram.Fields[engram.Memory]() {
			if slices.Contains(dialectLacks(), f.Name) {
				f.Copy(&m, &without)
			}
		}
		return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}, true
	case r.Prompt != nil && !r.Prompt.Deleted():
		return engram.Record{Prompt: r.Prompt}, true
	}
	return engram.Record{}, false
}

// plainVersion is the "version" of the first native files: native items alone, with memories in a
// list of that name. People write such files by hand, and tools of the memory_* dialect exchange
// them.
const plainVersion = 1

// Write implements engram.Format.
func (Plain) Write(w io.Writer, head engram.Snapshot, records iter.Seq2[engram.Record, error]) error {
	fields := []field{{"format", nativeName}, {"version", plainVersion}, {"exported_at", wire.Instant(head.At)},
		{"program", head.Program}, {"project", head.Project}, {"count", head.Memories}}
	return writeObject(w, wire.Sections(), fields, records, func(o *object, r engram.Record) error {
		section, item := wire.Encode(r)
		if section < 0 {
			return nil
		}
		return o.item(section, item)
	})
}

// graphSections are the lists of an export of the old memory_* program, its tables. Vectors are
// skipped: their model is not available.
func graphSections() []string { return []string{"memories", "relationships", "embeddings"} }

type graphMemory struct {
	ID             string         `json:"id"`
	ProjectID      string         `json:"project_id"`
	MemoryType     engram.Type    `json:"memory_type"`
	Type           engram.Type    `json:"type"`
	Title          string         `json:"title"`
	Content        string         `json:"content"`
	Summary        *string        `json:"summary"`
	Tags           tagList        `json:"tags"`
	Metadata       map[string]any `json:"metadata"`
	Importance     *float64       `json:"importance"`
	RelevanceScore *float64       `json:"relevance_score"`
	AccessCount    int            `json:"access_count"`
	CreatedAt      wire.Time      `json:"created_at"`
	UpdatedAt      wire.Time      `json:"updated_at"`
	LastAccessedAt wire.Time      `json:"last_accessed_at"`
}

// tagList is a list of tags, or a string with a JSON list as the table had it.
type tagList []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *tagList) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		if text == "" {
			return nil
		}
		b = []byte(text)
	}
	return json.Unmarshal(b, (*[]string)(t))
}

type graphRelation struct {
	ID           string      `json:"id"`
	SourceID     string      `json:"source_id"`
	TargetID     string      `json:"target_id"`
	RelationType engram.Verb `json:"relation_type"`
	Relation     engram.Verb `json:"relation"`
	Strength     *float64    `json:"strength"`
	CreatedAt    wire.Time   `json:"created_at"`
}

func decodeGraph(section int, raw []byte) (engram.Record, error) {
	if graphSections()[section] == "relationships" {
		n, err := item[graphRelation](raw)
		x := engram.Relation{ID: n.ID, Verb: cmp.Or(n.RelationType, n.Relation), Strength: wire.Or(n.Strength, 1), CreatedAt: n.CreatedAt.Time}
		return engram.Record{Relation: &engram.RelationRecord{Relation: x, Source: wire.RefOf(n.SourceID), Target: wire.RefOf(n.TargetID)}}, err
	}
	n, err := item[graphMemory](raw)
	m := engram.Memory{ID: engram.ID(n.ID), Project: n.ProjectID, Type: cmp.Or(n.MemoryType, n.Type), Title: n.Title, Content: n.Content,
		Summary: wire.Or(n.Summary, ""), Tags: n.Tags, Metadata: n.Metadata, Importance: wire.Or(n.Importance, engram.DefaultImportance),
		Strength: min(max(wire.Or(n.RelevanceScore, 1), 0), 1), AccessCount: n.AccessCount, CreatedAt: n.CreatedAt.Time, UpdatedAt: n.UpdatedAt.Time,
		LastAccessedAt: n.LastAccessedAt.Time}
	return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}, err
}

// item decodes one item; the error says what does not fit.
func item[T any](raw []byte) (v T, err error) {
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, wire.Misfit(err)
	}
	return v, nil
}

// object writes one JSON object whose last fields are lists, an item per line.
type object struct {
	w        *bufio.Writer
	encoder  *json.Encoder
	sections []string
	at       int // the open section; -1 for none
	items    int // in it
}

// field is a field before the lists.
type field struct {
	name  string
	value any
}

// writeObject writes a whole object: the head, then each record with put.
func writeObject(w io.Writer, sections []string, head []field, records iter.Seq2[engram.Record, error], put func(*object, engram.Record) error) error {
	out := bufio.NewWriterSize(w, 1<<16)
	o := &object{w: out, encoder: json.NewEncoder(out), sections: sections, at: -1}
	o.encoder.SetEscapeHTML(false)
	for i, f := range head {
		value, err := json.Marshal(f.value)
		if err != nil {
			return err
		}
		open := ",\n"
		if i == 0 {
			open = "{\n"
		}
		if _, err := fmt.Fprintf(out, "%s%q: %s", open, f.name, value); err != nil {
			return err
		}
	}
	for r, err := range records {
		if err == nil {
			err = put(o, r)
		}
		if err != nil {
			return err
		}
	}
	if err := o.open(len(sections) - 1); err != nil {
		return err
	}
	if _, err := out.WriteString("]\n}\n"); err != nil {
		return err
	}
	return out.Flush()
}

// item writes an item of a section. Sections must come in order.
func (o *object) item(section int, v any) error {
	if section < o.at {
		return fmt.Errorf("%s come before %s", o.sections[section], o.sections[o.at])
	}
	if err := o.open(section); err != nil {
		return err
	}
	between := "\n"
	if o.items > 0 {
		between = ","
	}
	o.items++
	if _, err := o.w.WriteString(between); err != nil {
		return err
	}
	if raw, done := v.(json.RawMessage); done {
		_, err := o.w.Write(append(raw, '\n'))
		return err
	}
	return o.encoder.Encode(v) // with a line break
}

// open opens a section, and the empty ones before it.
func (o *object) open(section int) error {
	for o.at < section {
		end := ""
		if o.at >= 0 {
			end = "]"
		}
		o.at++
		o.items = 0
		if _, err := fmt.Fprintf(o.w, "%s,\n%q: [", end, o.sections[o.at]); err != nil {
			return err
		}
	}
	return nil
}
