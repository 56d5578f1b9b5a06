package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// errNoObject is the error of an event that is no object of JSON.
var errNoObject = engram.Errorf(engram.CodeInvalid, "the event is no JSON object")

// Decode reads the JSON of an event of an agent. Agents differ in the names of its fields
// (dialects.go), and add some with each version: what is not known is passed over, and what
// is missing stays empty. Of one whose end is missing, because it was too long, the fields
// count that are there.
func Decode(agent string, kind Kind, name string, b []byte) (Event, error) {
	f, err := fieldsOf(b, len(b) >= maxEvent(kind)-len(byteOrderMark))
	if err != nil {
		return Event{Kind: kind}, err
	}
	d := dialectOf(agent)
	f.lift(d[lifted]...)
	e := Event{
		Kind: kind, Name: f.text(d[wEvent]...), Session: strings.TrimSpace(f.text(d[wSession]...)),
		Folder: cmp.Or(f.text(d[wFolder]...), f.firstOf(d[wFolders]...)),
		Source: f.text(d[wSource]...), Prompt: d.typed(cmp.Or(f.text(d[wPrompt]...), f.parts(d[wPrompt]...))),
		Summary: f.text(d[wSummary]...), Last: f.text(d[wLast]...), Transcript: f.text(d[wTranscript]...),
		Again:    f.is(d[wAgain]...) || f.above(d[wRounds]...),
		Subagent: f.text(d[wHelper]...) != "" || kind == SubagentStop,
	}
	switch kind {
	case Stop:
		e.Last = cmp.Or(e.Last, f.text(d[wLastAtStop]...))
	case SessionEnd:
		e.Last = cmp.Or(e.Last, f.text(d[wLastAtEnd]...))
	case SubagentStop:
		e.Transcript = f.text(d[wHelperTells]...)
	case BeforeTool, AfterTool:
		e.Tool = toolOf(d.use(f), plain(cmp.Or(e.Name, name)))
	}
	return e, nil
}

// fields are those of an object, by the agent's names; none is read before it is asked for.
type fields map[string]json.RawMessage

// fieldsOf reads the names of an object's fields; where its end was cut, those before it.
func fieldsOf(b []byte, cut bool) (fields, error) {
	f := fields{}
	if !cut {
		if err := json.Unmarshal(b, &f); err != nil || f == nil {
			return nil, errors.Join(errNoObject, err)
		}
		return f, nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errNoObject
	}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return f, nil
		}
		from := d.InputOffset()
		var v json.RawMessage
		if d.Decode(&v) != nil {
			f[name] = opened(b[from:])
			return f, nil
		}
		f[name] = v
	}
	return f, nil
}

// opened is the beginning of a text of JSON whose end is missing, as one that ends there.
func opened(b []byte) json.RawMessage {
	const most = 512 << 10
	b = bytes.TrimLeft(b, ": \t\r\n")
	if len(b) == 0 || b[0] != '"' {
		return nil
	}
	b = b[:min(len(b), most)]
	for cut := 0; cut < 12 && cut < len(b); cut++ { // the last character may be half there: \ud83d\ude00
		var said string
		if text := append(bytes.Clone(b[:len(b)-cut]), '"'); json.Unmarshal(text, &said) == nil {
			return whole(said)
		}
	}
	return nil
}

// whole is the beginning of a text that was cut nobody looked where, without what may be half a
// secret at its end.
func whole(said string) json.RawMessage {
	const mayBeHalf = 24 << 10 // bytes; the longest keys take 13 KiB
	said, _ = scanner().Ends(said, max(0, len(said)-mayBeHalf), 0)
	text, err := json.Marshal(said)
	if err != nil { // texts always can be
		return nil
	}
	return text
}

// lift brings up what some agents put one deeper; what is there already stays.
func (f fields) lift(names ...string) {
	for _, name := range names {
		for inner, v := range f.object(name) {
			if _, told := f[inner]; !told {
				f[inner] = v
			}
		}
	}
}

// text is the first of some fields that is a text and says something.
func (f fields) text(names ...string) string {
	for _, name := range names {
		var s string
		if v := f[name]; len(v) > 1 && v[0] == '"' && json.Unmarshal(v, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// is reports that one of some fields says true.
func (f fields) is(names ...string) bool { return f.says("true", names) }

// no reports that one of some fields says false.
func (f fields) no(names ...string) bool { return f.says("false", names) }

func (f fields) says(what string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return string(f[name]) == what })
}

// number is a field that is one; 0 for any other.
func (f fields) number(name string) (n float64) {
	if v := f[name]; len(v) > 0 && json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n
}

// above reports that one of some fields is a number above 0.
func (f fields) above(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return f.number(name) > 0 })
}

// texts are the texts of a field that is a list, such as a command in its words.
func (f fields) texts(names ...string) (all []string) {
	for _, name := range names {
		if v := f[name]; len(v) > 0 && v[0] == '[' && json.Unmarshal(v, &all) == nil && len(all) > 0 {
			return all
		}
	}
	return nil
}

// parts are the texts in the first of some fields that is a list of parts, one below the
// other.
func (f fields) parts(names ...string) string {
	for _, name := range names {
		var all []fields
		if v := f[name]; len(v) == 0 || v[0] != '[' || json.Unmarshal(v, &all) != nil {
			continue
		}
		var texts []string
		for _, p := range all {
			if t := p.text("text"); t != "" {
				texts = append(texts, t)
			}
		}
		if len(texts) > 0 {
			return strings.Join(texts, "\n")
		}
	}
	return ""
}

// firstOf is the first text of the first of some lists that has one.
func (f fields) firstOf(names ...string) string {
	for _, name := range names {
		var list []json.RawMessage
		if v := f[name]; len(v) > 0 && v[0] == '[' && json.Unmarshal(v, &list) == nil && len(list) > 0 {
			if s := (fields{"": list[0]}).text(""); s != "" {
				return s
			}
		}
	}
	return ""
}

// object is the first of some fields that is an object, or a text that is the JSON of one.
func (f fields) object(names ...string) fields {
	for _, name := range names {
		v := bytes.TrimSpace(f[name])
		if len(v) > 0 && v[0] == '"' {
			v = []byte(strings.TrimSpace(f.text(name)))
		}
		inner := fields{}
		if len(v) > 0 && v[0] == '{' && json.Unmarshal(v, &inner) == nil {
			return inner
		}
	}
	return nil
}
