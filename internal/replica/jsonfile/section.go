package jsonfile

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

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

// kindOf names the kind of a value.
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
