package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// line cleans a one-line field: it removes control characters, then private spans, which those could hide, and
// folds white space.
func line(s string) string {
	mark := func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }
	if strings.ContainsFunc(s, mark) {
		s = strings.Map(func(r rune) rune {
			if mark(r) {
				return -1
			}
			return r
		}, s)
	}
	return strings.Join(strings.Fields(redact.Private(s)), " ")
}

// draft returns the cleaned and valid memory that in asks for, independent of the store.
func (e *Engine) draft(in SaveInput) (engram.Memory, error) {
	t, err := e.intakeOf(in)
	return t.draft, err
}

func (e *Engine) intakeOf(in SaveInput) (intake, error) {
	t := intake{in: in, redactor: e.redactor()}
	t.redactor.keep = in.AllowSecret
	if err := in.raw().check(); err != nil {
		return t, err
	}
	w := t.redactor
	metadata, err := plainMetadata(w.members(in.Metadata))
	if err != nil {
		return t, err
	}
	m := engram.Memory{
		Project: project.Normalize(line(in.Project)), Scope: engram.ParseScope(string(in.Scope)),
		Type: engram.Type(strings.ToLower(w.line(string(in.Type)))), Title: w.line(in.Title), Content: w.text(in.Content),
		TopicKey: topic.Normalize(w.text(in.TopicKey)), SessionID: line(in.SessionID), ToolName: w.line(in.ToolName),
		Origin: in.Origin, Tags: tags(w.lines(in.Tags)), Metadata: metadata,
		Importance: engram.DefaultImportance, Strength: 1, Permanent: in.Permanent, RevisionCount: 1, DuplicateCount: 1,
	}
	if in.Importance != nil {
		m.Importance = *in.Importance
	}
	if m.Type == "" {
		m.Type = engram.TypeManual
	}
	if m.Origin == "" {
		m.Origin = engram.OriginAgent
	}
	if m.Title == "" {
		m.Title = titleOf(m.Content)
	}
	if err := m.Validate(); err != nil {
		t.draft = m
		return t, err
	}
	t.draft = lifecycle.Pinned(engram.Memory{}, m, nil)
	t.draft.NormalizedHash = hashOf(m.Content)
	return t, nil
}

// raw are texts as received, each after the name of its field. They are checked before cleaning, which would hide
// invalid UTF-8 or cut away a NUL or a megabyte.
type raw []string

func (in SaveInput) raw() raw {
	fields := raw{"content", in.Content, "title", in.Title, "type", string(in.Type), "topic key", in.TopicKey,
		"project", in.Project, "session id", in.SessionID, "directory", in.Directory, "tool name", in.ToolName}
	return fields.and("tag", in.Tags...)
}

// and adds texts of one name.
func (r raw) and(name string, texts ...string) raw {
	for _, t := range texts {
		r = append(r, name, t)
	}
	return r
}

func (r raw) check() error {
	for field := range slices.Chunk(r, 2) {
		name, text := field[0], field[1]
		if err := engram.CheckText(name, text, engram.MaxContent); err != nil {
			return err
		}
		if name == "project" {
			// A name appears in lists and in texts for agents, among other lines.
			if err := project.CheckText(redact.Private(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// cleanMetadata removes private spans and converts values to JSON's own kinds, as stores return them. Nil when
// nothing is left.
func cleanMetadata(in map[string]any) (map[string]any, error) {
	return plainMetadata(redact.Metadata(in))
}

// plainMetadata is cleanMetadata without redaction.
func plainMetadata(in map[string]any) (map[string]any, error) {
	if len(in) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(in)
	if err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "metadata is not JSON").WithHint("use numbers, texts, lists and objects").WithCause(err)
	}
	if len(b) > engram.MaxMetadata {
		return nil, engram.Errorf(engram.CodeInvalid, "metadata has %d bytes, the limit is %d", len(b), engram.MaxMetadata).
			WithHint("keep long texts in the content")
	}
	var clean map[string]any
	if err := json.Unmarshal(b, &clean); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return clean, nil
}

// titleOf makes a title of the first words of a content: of the first line that is more than Markdown marks, if
// there is one.
func titleOf(content string) string {
	const most = 80
	var first string
	for l := range strings.Lines(content) {
		if first = strings.TrimLeft(line(l), "#*->_ \t"); first != "" {
			break
		}
	}
	if first == "" {
		first = line(content)
	}
	if utf8.RuneCountInString(first) <= most {
		return first
	}
	cut := string([]rune(first)[:most])
	if i := strings.LastIndexByte(cut, ' '); i > most/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// hashOf returns the NormalizedHash of a content.
func hashOf(content string) string { return lifecycle.Hash(content) }

// tags cleans tags: one line, lower case, unique, not empty, sorted as stores return them.
func tags(in []string) []string {
	var out []string
	for _, t := range in {
		if t = strings.ToLower(line(t)); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
