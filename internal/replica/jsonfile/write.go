package jsonfile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/alanbuscaglia/engram"
)

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
