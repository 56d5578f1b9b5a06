package jsonfile

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// decide determines the form of the file from its head and the name of its first list.
func (f *reading) decide(section string) error {
	if f.known {
		return nil
	}
	format, given := f.head["format"].(string)
	switch {
	case given && format == nativeName:
		if err := f.checkVersion(); err != nil {
			return err
		}
		f.form = form{name: NamePlain, sections: wire.Sections(), decode: func(list int, raw []byte) (engram.Record, error) { return wire.Decode(list, raw) }}
		if f.versioned() {
			f.form = form{name: NameNative, sections: nativeSections(), decode: decodeNative}
		}
	case given:
		return engram.Errorf(engram.CodeInvalid, "the file has the unknown format %.40q", format).
			WithHint("use an export of Engram, with the format %q, or of a mem_* program, without a format", nativeName)
	case section == "memories" || section == "relationships" || section == "embeddings":
		f.form = form{NameGraph, graphSections(), []engram.Entity{engram.EntityProject, engram.EntitySession, engram.EntityPrompt},
			partsBut("project", "type", "summary", "metadata", "session_id", "importance", "deleted_at"), 0, decodeGraph}
	case f.head["entityType"] != nil:
		return f.lines()
	case slices.Contains(wire.DialectSections(), section),
		section == "" && f.head["version"] != nil && f.head["exported_at"] != nil: // its lists are null when empty
		f.form = form{NameDialect, wire.DialectSections(), []engram.Entity{engram.EntityProject, engram.EntityRelation}, dialectLacks(), time.Second, wire.DecodeDialect}
		return f.checkDialect()
	case slices.Contains(wire.Sections(), section), slices.Contains(nativeSections(), section):
		return misplaced()
	default:
		return f.foreign()
	}
	f.known = true
	return nil
}

// misplaced reports a native file with reordered fields: the head must come first, because it
// decides what a list holds.
func misplaced() error {
	return engram.Errorf(engram.CodeInvalid, "the file has a list before its format and version").
		WithHint("put these two first; a tool may have sorted the keys")
}

// versioned reports whether a native file has the field that version 1 lacks.
func (f *reading) versioned() bool { return f.head[versionField] != nil }

// versionField has the version of a native file; version 1 used "version", which now is the
// dialect's.
const versionField = "format_version"

func (f *reading) checkVersion() error {
	said, newest := f.head["version"], float64(plainVersion)
	if f.versioned() {
		said, newest = f.head[versionField], nativeVersion
	}
	v, number := said.(float64)
	switch {
	case said == nil:
		return engram.Errorf(engram.CodeInvalid, "the file lacks the version of its format").WithHint("add format and version before the lists")
	case !number || v < 1 || v != math.Trunc(v):
		text, _ := json.Marshal(said) // a scalar from JSON
		return engram.Errorf(engram.CodeInvalid, "the file has the invalid format version %.40s", text).
			WithHint("use a whole number from 1, without quotes; this program writes format_version %d", nativeVersion)
	case v > newest:
		by := ""
		if program, _ := f.head["program"].(string); program != "" {
			by = fmt.Sprintf(", by engram %.40s", program)
		}
		return engram.Errorf(engram.CodeConflict, "the file has version %v of the format%s, and this program reads up to %v", v, by, newest).
			WithHint("import it with that version or a newer one, or export it there with {export --format mem}")
	}
	return nil
}

// checkDialect rejects later versions of the dialect: the meaning of their fields is unknown.
func (f *reading) checkDialect() error {
	f.known = true
	said, _ := f.head["version"].(string)
	major, _, _ := strings.Cut(strings.TrimPrefix(said, "v"), ".")
	if n, err := strconv.ParseUint(major, 10, 64); said == "" || err == nil && n <= 1 {
		return nil
	}
	return engram.Errorf(engram.CodeConflict, "the file has version %.40q of the mem_* export, and this program reads %s", said, dialectVersion).
		WithHint("export it with the version of the program that wrote %s", dialectVersion)
}

func (f *reading) snapshot() engram.Snapshot {
	s := engram.Snapshot{Format: f.form.name, Lacks: f.unlisted(), Unlisted: f.form.unlistedFields, Grid: f.form.grid}
	text := func(name string) string { t, _ := f.head[name].(string); return t }
	var m wire.Time
	b, _ := json.Marshal(f.head["exported_at"]) // a scalar from JSON
	if m.UnmarshalJSON(b) == nil {
		s.At = m.Time
	}
	if s.Program = text("program"); f.form.name == NameDialect {
		s.Program = text("version")
	}
	if s.Project = text("project"); f.form.name == NameGraph && s.Project == "" {
		s.Project = text("project_id")
	}
	if project, given := f.head["project"]; f.form.native() && given && project == "" {
		s.Whole = true
	}
	if n, ok := f.head["count"].(float64); ok && n > 0 && n < 1<<40 {
		s.Memories = int(n)
	}
	return s
}

// foreign reports a file of no known form.
func (f *reading) foreign() error {
	return engram.Errorf(engram.CodeInvalid, "the file is not a known export").
		WithHint("use an object with format and version, with observations, or with memories and relationships")
}

// lines reports a file with one object per line.
func (f *reading) lines() error {
	err := engram.Errorf(engram.CodeInvalid, "the file has an object per line, but an export is one object")
	if f.head["entityType"] != nil || f.head["type"] == "entity" || f.head["type"] == "relation" {
		return err.WithHint("import the graph of a memory server with {migrate --from mcp-memory FILE}")
	}
	return err.WithHint("import memories, one per line, with {ingest FILE}")
}

// wants reports whether a list holds records.
func (f *reading) wants(name string) bool {
	if f.known {
		return slices.Contains(f.form.sections, name)
	}
	return slices.Contains(slices.Concat(wire.Sections(), nativeSections(), graphSections()), name) // includes the dialect's
}

// mayLack reports whether a value other than a list is accepted for a list of records: other
// programs write null for an empty list, and vectors are skipped. In a native file it is an error,
// because a replacing import would take it for empty.
func (f *reading) mayLack(name string, value json.Token) bool {
	if f.head["format"] == nativeName {
		return !slices.Contains(f.ownSections(), name)
	}
	return value == nil || name == "embeddings"
}

// ownSections returns the lists of a native file of this version.
func (f *reading) ownSections() []string {
	if f.versioned() {
		return nativeSections()
	}
	return wire.Sections()
}

// noList reports a list of records that is not a list.
func (f *reading) noList(name string, value json.Token) error {
	if err := f.decide(name); err != nil {
		if f.head["format"] == nil {
			return f.foreign()
		}
		return err
	}
	return engram.Errorf(engram.CodeInvalid, "%s is %s, not a list", name, kindOf(value)).WithHint("put the items in brackets; use [] for an empty list")
}

// misspelt returns the list that a similar field name of a native file was meant to be; "" for
// none.
func (f *reading) misspelt(name string) string {
	if f.head["format"] != nativeName {
		return ""
	}
	for _, section := range f.ownSections() {
		if strings.EqualFold(name, section) || strings.EqualFold(name, singular(section)) {
			return section
		}
	}
	return ""
}

// singular returns the name of one item of a list.
func singular(section string) string {
	if stem, ok := strings.CutSuffix(section, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(section, "s")
}

func kindOf(value json.Token) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return "a text"
	case bool:
		return "true or false"
	case json.Delim:
		if v == '{' {
			return "an object"
		}
	}
	return "a number"
}

// unlisted returns the kinds of things missing from a file: all of them if it has no list.
func (f *reading) unlisted() []engram.Entity {
	if !f.form.native() || f.section != "" {
		return f.form.lacks
	}
	return []engram.Entity{engram.EntityProject, engram.EntitySession, engram.EntityMemory, engram.EntityPrompt, engram.EntityRelation}
}
