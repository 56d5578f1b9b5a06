package tool

import (
	"encoding/json"
	"fmt"
)

// Reply is what a tool answers.
type Reply struct {
	Text       string          // the one text block
	Structured json.RawMessage // the same as an object
}

// plainText is what an output has when its text is not its JSON.
type plainText interface {
	// PlainText returns the text block; ok is false when the JSON is to be it after all.
	PlainText() (text string, ok bool)
}

// inText is what an output has when the object in its text is another than the structured
// one: clients that read texts know it in words and need no fields beside, those that read
// structured content have the fields and need no words.
type inText interface {
	// InText returns the object for the text, a struct.
	InText() any
}

// ReplyOf makes the reply of an output struct: an object with its keys sorted, as text
// and as structured content; or the text of its method PlainText, or the object of its method
// InText, beside that object.
func ReplyOf(out any) (Reply, error) {
	object, err := sorted(out)
	if err != nil {
		return Reply{}, fmt.Errorf("write the answer: %w", err)
	}
	if p, ok := out.(plainText); ok {
		if text, ok := p.PlainText(); ok {
			return Reply{Text: text, Structured: object}, nil
		}
	}
	if t, ok := out.(inText); ok {
		text, err := sorted(t.InText())
		if err != nil {
			return Reply{}, fmt.Errorf("write the answer: %w", err)
		}
		return Reply{Text: string(text), Structured: object}, nil
	}
	return Reply{Text: string(object), Structured: object}, nil
}

// sorted writes v, a struct, as an object with sorted keys; nested objects keep the
// order of their fields.
func sorted(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// Failure is an error for which a dialect has a shape of its own.
type Failure struct {
	Text string // the text block; "" writes Object there, as JSON
	// Object is the structured answer, a struct; nil makes one of Err.
	Object any
	Err    error // the cause; never nil
}

// Hinted is an Object of a Failure that has a place for the hint of its error.
type Hinted interface {
	// Told returns the object with the hint, in the words of the caller.
	Told(hint string) any
}

// Error returns what went wrong.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }
