package engram

import (
	"reflect"
	"strings"
	"sync"
)

// Field is a field of a noun T, declared by the tag of its struct: its name in the journal, in files and in databases.
//
//	ReviewAfter time.Time `field:"review_after"`
//
// Such a field is journaled, undone, read as of a past time, replicated, and merged by its own version stamp. Words after
// the name take some of that away:
//
//   - nojournal: Mutation.Was lacks it, since it never changes or since revisions hold it.
//   - nopart: package lifecycle merges it by a rule of its own, or not at all.
//   - part=NAME: it is merged as part NAME instead of the part with its own name.
type Field[T any] struct {
	Name    string
	Part    Part // "" for none
	Journal bool // it is in Mutation.Was
	index   int  // in the struct
}

// Fields returns the fields of T in the order of its struct; T is Memory, Session, Prompt, Relation or Project. The
// caller must not change the list.
func Fields[T any]() []Field[T] {
	var table func() any
	switch any((*T)(nil)).(type) {
	case *Memory:
		table = memoryFields
	case *Session:
		table = sessionFields
	case *Prompt:
		table = promptFields
	case *Relation:
		table = relationFields
	case *Project:
		table = projectFields
	default:
		return nil
	}
	return table().([]Field[T])
}

// The table of each noun, read from the tags once, and not before it is asked for: a start pays for nothing it does not need.
var (
	memoryFields   = sync.OnceValue(declared[Memory])
	sessionFields  = sync.OnceValue(declared[Session])
	promptFields   = sync.OnceValue(declared[Prompt])
	relationFields = sync.OnceValue(declared[Relation])
	projectFields  = sync.OnceValue(declared[Project])
)

// declared returns the []Field[T] of T, as any so that no call boxes it.
func declared[T any]() any {
	var all []Field[T]
	noun := reflect.TypeFor[T]()
	for i := range noun.NumField() {
		tag, known := noun.Field(i).Tag.Lookup("field")
		if !known {
			continue
		}
		name, words, _ := strings.Cut(tag, ",")
		f := Field[T]{Name: name, Part: Part(name), Journal: !strings.Contains(words, "nojournal"), index: i}
		if strings.Contains(words, "part") { // "nopart" or "part=NAME"
			_, part, _ := strings.Cut(words, "part=")
			f.Part = Part(part)
		}
		all = append(all, f)
	}
	return all
}

// Of returns a pointer to the field in noun.
func (f Field[T]) Of(noun *T) any {
	return reflect.ValueOf(noun).Elem().Field(f.index).Addr().Interface()
}

// Value returns the value of the field in noun.
func (f Field[T]) Value(noun *T) any { return reflect.ValueOf(noun).Elem().Field(f.index).Interface() }

// Copy gives the field in into the value that it has in from.
func (f Field[T]) Copy(into, from *T) {
	reflect.ValueOf(into).Elem().Field(f.index).Set(reflect.ValueOf(from).Elem().Field(f.index))
}
