package jsonfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

type form struct {
	name           string
	sections       []string
	lacks          []engram.Entity
	unlistedFields []string      // fields of memories that it lacks
	grid           time.Duration // resolution of its times; 0: milliseconds
	decode         func(section int, raw []byte) (engram.Record, error)
}

// native reports whether a form keeps everything.
func (f form) native() bool { return f.name == NameNative || f.name == NamePlain }

// dialectLacks returns the fields of memories that the dialect lacks.
var dialectLacks = sync.OnceValue(func() []string {
	return append(partsBut("project", "scope", "type", "topic_key", "session_id", "tool_name", "review_after", "deleted_at"), "tags", "strength")
})

// partsBut returns the fields of memories that are merged as parts, but for those that a form has.
func partsBut(has ...string) (lacks []string) {
	for _, f := range engram.Fields[engram.Memory]() {
		if f.Part != "" && !slices.Contains(has, f.Name) {
			lacks = append(lacks, f.Name)
		}
	}
	return lacks
}

type reading struct {
	in    *guarded
	d     *json.Decoder
	head  map[string]any // scalars of the object read so far
	form  form
	known bool // form is decided
	// section is the list before whose next item the decoder is; "" at the end of the object.
	section string
	counts  map[string]int  // items by section
	begun   map[string]bool // sections
	raw     json.RawMessage // the item that was read last
}

type reader struct{}

// Read implements engram.Format. It reads the fields of the head and stops at the first list.
func (reader) Read(r io.Reader) (engram.Snapshot, iter.Seq2[engram.Record, error], error) {
	r, err := sniffed(r)
	if err != nil {
		return engram.Snapshot{}, nil, err
	}
	in := &guarded{r: r}
	f := &reading{in: in, d: json.NewDecoder(in), head: map[string]any{}, counts: map[string]int{}, begun: map[string]bool{}}
	if err := f.begin(); err != nil {
		return engram.Snapshot{}, nil, err
	}
	if err := f.next(); err != nil {
		return engram.Snapshot{}, nil, err
	}
	if !f.known {
		if err := f.decide(""); err != nil {
			return engram.Snapshot{}, nil, err
		}
	}
	return f.snapshot(), f.records(), nil
}

func (f *reading) begin() error {
	t, err := f.d.Token()
	switch {
	case err != nil:
		return f.failed(err)
	case t == json.Delim('['):
		return engram.Errorf(engram.CodeInvalid, "the file is a list, but an export is an object").WithHint("import a list of memories with {ingest FILE}")
	case t != json.Delim('{'):
		return f.foreign()
	}
	return nil
}

// failed reports where the file became unreadable.
func (f *reading) failed(err error) error {
	at := f.d.InputOffset() + f.in.skip
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
		if errors.Is(err, io.ErrUnexpectedEOF) || bad.Error() == "unexpected end of JSON input" {
			return f.cut()
		}
		return engram.Errorf(engram.CodeInvalid, "the file is not JSON at byte %d%s: %v", at, f.where(), bad)
	}
	switch {
	case errors.Is(err, io.EOF) && f.in.read == 0:
		return engram.Errorf(engram.CodeInvalid, "the file is empty").WithHint("export it or copy it again")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return f.cut()
	}
	if typed, ok := errors.AsType[*engram.Error](err); ok {
		return typed
	}
	if f.in.foreign {
		return engram.Errorf(engram.CodeUnavailable, "cannot read the file after byte %d%s", at, f.where()).WithCause(err)
	}
	bad := engram.Errorf(engram.CodeInvalid, "cannot read the file after byte %d%s: %v", at, f.where(), err)
	if errors.Is(err, errEncoding) {
		return bad.WithHint("convert it first, for example from Windows-1252 with iconv -f WINDOWS-1252 -t UTF-8")
	}
	return bad
}

func (f *reading) cut() error {
	return engram.Errorf(engram.CodeInvalid, "the file ends at byte %d%s, in the middle of something", f.in.read+f.in.skip, f.where()).
		WithHint("export it or copy it again; it was cut off")
}

// where names the current item.
func (f *reading) where() string {
	if f.section == "" {
		return ""
	}
	return " (" + f.place() + ")"
}

func (f *reading) place() string { return fmt.Sprintf("%s[%d]", f.section, f.counts[f.section]) }

// next reads fields up to the next list of records, or to the end of the file.
func (f *reading) next() error {
	f.section = ""
	for f.d.More() {
		t, err := f.d.Token()
		if err != nil {
			return f.failed(err)
		}
		name, _ := t.(string)
		value, err := f.d.Token()
		if err != nil {
			return f.failed(err)
		}
		f.in.mark = f.d.InputOffset()
		delim, nested := value.(json.Delim)
		switch {
		case name == "format" && value == nativeName && f.known && !f.form.native():
			return misplaced()
		case delim != '[' && f.wants(name) && !f.mayLack(name, value):
			return f.noList(name, value)
		case !nested && len(f.head) < 64:
			f.head[name] = value
		case !nested:
		case delim == '[' && f.wants(name):
			if err := f.decide(name); err != nil {
				return err
			}
			if !f.wants(name) {
				if err := f.skip(); err != nil {
					return err
				}
				continue
			}
			if f.begun[name] {
				return engram.Errorf(engram.CodeInvalid, "the file has %s twice", name).WithHint("remove one of the two")
			}
			f.section, f.begun[name] = name, true
			return nil
		case f.misspelt(name) != "":
			return engram.Errorf(engram.CodeInvalid, "the file has %.40q, which is not the name of a list", name).
				WithHint("rename it to %s if that is meant", f.misspelt(name))
		default:
			if err := f.skip(); err != nil {
				return err
			}
		}
	}
	if _, err := f.d.Token(); err != nil { // the closing brace
		return f.failed(err)
	}
	if _, err := f.d.Token(); !errors.Is(err, io.EOF) {
		if !f.known {
			return f.lines()
		}
		return engram.Errorf(engram.CodeInvalid, "something follows the export at byte %d", f.d.InputOffset()+f.in.skip)
	}
	return nil
}

// skip skips a list or an object after its first token.
func (f *reading) skip() error {
	const deepest = 1000
	for depth := 1; depth > 0; {
		t, err := f.d.Token()
		if err != nil {
			return f.failed(err)
		}
		f.in.mark = f.d.InputOffset()
		switch t {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth > deepest {
			return engram.Errorf(engram.CodeInvalid, "the file is nested more than %d deep at byte %d", deepest, f.d.InputOffset())
		}
	}
	return nil
}

// records returns the items of this list and the following ones.
func (f *reading) records() iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		for f.section != "" {
			for f.d.More() {
				r, err := f.one()
				if err != nil {
					yield(engram.Record{}, err)
					return
				}
				nothing := r.Flaw == nil && r.Erased == nil && r.Entity() == "" // of a skipped list
				if !nothing && !yield(r, nil) {
					return
				}
			}
			if _, err := f.d.Token(); err != nil { // the closing bracket
				yield(engram.Record{}, f.failed(err))
				return
			}
			if err := f.next(); err != nil {
				yield(engram.Record{}, err)
				return
			}
		}
	}
}

// one reads the next item of the section. An error is about the file; a fault of the item is its
// Flaw.
func (f *reading) one() (engram.Record, error) {
	if err := f.d.Decode(&f.raw); err != nil {
		return engram.Record{}, f.failed(err)
	}
	r, err := f.decode(f.raw)
	if err != nil {
		r = engram.Record{Flaw: err}
	}
	r.Item = f.place()
	f.counts[f.section]++
	f.in.mark = f.d.InputOffset()
	return r, nil
}

// decode decodes an item of the section; a vector gives the zero Record.
func (f *reading) decode(raw []byte) (engram.Record, error) {
	switch {
	case f.section == "embeddings":
		return engram.Record{}, nil
	case string(raw) == "null":
		return engram.Record{}, engram.Errorf(engram.CodeInvalid, "it is null, not an object")
	}
	if err := wire.Ambiguous(raw); err != nil {
		return engram.Record{}, err
	}
	return f.form.decode(slices.Index(f.form.sections, f.section), raw)
}
