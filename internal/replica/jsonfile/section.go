package jsonfile

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// wants reports whether a list is one of records.
func (f *reading) wants(name string) bool {
	if f.known {
		return slices.Contains(f.form.sections, name)
	}
	return slices.Contains(slices.Concat(wire.Sections(), nativeSections(), graphSections()), name) // the dialect's are native ones
}

// mayLack reports whether a value other than a list is fine where a list of records has its
// place: programs that are not ours write null when there is nothing, and vectors are read
// over. In a native file it is a mistake, and a replacement would take it for nothing.
func (f *reading) mayLack(name string, value json.Token) bool {
	if f.head["format"] == nativeName {
		return !slices.Contains(f.ownSections(), name)
	}
	return value == nil || name == "embeddings"
}

// ownSections are the lists of a native file of the version that this one is of.
func (f *reading) ownSections() []string {
	if f.versioned() {
		return nativeSections()
	}
	return wire.Sections()
}

// noList is the error of a list of records that is something else.
func (f *reading) noList(name string, value json.Token) error {
	if err := f.decide(name); err != nil {
		if f.head["format"] == nil {
			return f.foreign()
		}
		return err
	}
	return engram.Errorf(engram.CodeInvalid, "%s is no list but %s", name, kindOf(value)).WithHint("it holds the items in brackets; [] is none")
}

// misspelt is what a field of a native file was meant to be that is called almost as a list of
// records is; "" for any other one.
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

// singular is what an item of a list of records is called.
func singular(section string) string {
	if stem, ok := strings.CutSuffix(section, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(section, "s")
}

// kindOf says what a value is that should have been a list.
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

// unlisted are the kinds of things that a file says nothing of: all, when it has not one list.
func (f *reading) unlisted() []engram.Entity {
	if !f.form.native() || f.section != "" {
		return f.form.lacks
	}
	return []engram.Entity{engram.EntityProject, engram.EntitySession, engram.EntityMemory, engram.EntityPrompt, engram.EntityRelation}
}
