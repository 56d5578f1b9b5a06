package engine

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// takenEdit is what became of one edit in its transaction.
type takenEdit struct {
	passed   bool // it is not this import's
	memory   engram.Memory
	revised  []string // fields that came in
	clash    []string // fields that both sides changed
	rejected string   // why nothing of it came in
	gone     bool     // the memory was forgotten
	torn     bool     // the note seems to be cut off
	// elsewhere says that the note was written by another store, which shares the vault, or
	// that its memory was erased.
	elsewhere bool
	noted     []string
	base      engram.NoteDigest // what the note says, as far as it tells
}

// takeEdit decides and writes, in one transaction with others: what is refused is refused
// before anything is written.
func (o *op) takeEdit(ctx context.Context, e engram.NoteEdit, project string) (t takenEdit, err error) {
	was, err := o.tx.Memory(ctx, engram.ByID(e.ID))
	switch {
	case engram.CodeOf(err) == engram.CodeNotFound:
		t.passed = project != ""
		if t.rejected = "no memory here has this id"; e.Base != nil {
			t.rejected, t.elsewhere = "", true
		}
		return t, nil
	case err != nil:
		return t, err
	}
	t.memory = was
	if project != "" && was.Project != project {
		t.passed = true
		return t, nil
	}
	if was.Forgotten() {
		t.gone = true
		return t, nil
	}
	if e.Unended && len(e.Fields.Content) < len(strings.TrimSpace(was.Content)) && strings.HasPrefix(was.Content, e.Fields.Content) {
		t.torn = true
		return t, nil
	}
	in, err := t.compare(was, e)
	if err != nil || len(t.revised) == 0 {
		return t, err
	}
	m, why, err := o.editedMemory(ctx, was, in)
	if err != nil || why != "" {
		t.rejected = why
		return t, err
	}
	if reflect.DeepEqual(m, was) {
		t.revised = nil
		return t, nil
	}
	m.UpdatedAt = o.at
	t.memory = m
	return t, o.replaceMemory(ctx, was, m, "note")
}

// editedMemory is was with what a note changes, or why it cannot be.
func (o *op) editedMemory(ctx context.Context, was engram.Memory, in UpdateInput) (m engram.Memory, why string, err error) {
	if err := in.raw().check(); err != nil {
		return m, flawText(err), nil
	}
	if m, err = o.changed(ctx, was, in, o.washing()); engram.CodeOf(err) == engram.CodeInvalid {
		return m, flawText(err), nil
	}
	if err != nil || m.TopicKey == "" || m.TopicKey == was.TopicKey && m.Scope == was.Scope {
		return m, "", err
	}
	other, found, err := o.tx.ByTopic(ctx, m.Project, m.Scope, m.TopicKey)
	if err == nil && found && other.Num != was.Num {
		why = fmt.Sprintf("the topic %s is that of memory #%d", m.TopicKey, other.Num)
	}
	return m, why, err
}

// compare finds out what the note changes, and what of that the memory changed, too.
func (t *takenEdit) compare(was engram.Memory, e engram.NoteEdit) (in UpdateInput, err error) {
	here, note := engram.NoteFieldsOf(was).Digest(), e.Fields.Digest()
	base := here
	if e.Base != nil {
		base = *e.Base
	}
	changedHere := here.Differs(base)
	t.base = note
	for i, field := range engram.NoteFieldNames() {
		if slices.Contains(e.Lacks, field) {
			t.base[i] = base[i]
			continue
		}
		if note[i] == base[i] || note[i] == here[i] || field == "content" && sameLines(was.Content, e.Fields.Content) {
			continue
		}
		if e.Base == nil || slices.Contains(changedHere, field) {
			t.clash = append(t.clash, field)
			continue
		}
		t.revised = append(t.revised, field)
		if err := in.set(field, e.Fields); err != nil {
			return in, err
		}
	}
	t.noted = slices.Clone(e.Ignored)
	if e.Project != "" && normalProject(e.Project) != was.Project {
		t.noted = append(t.noted, fmt.Sprintf("its project is not changed by a note: engram update %d --move-to NAME does", was.Num))
	}
	return in, nil
}

// sameLines reports texts that differ in the ends of lines alone: some editors change them all.
func sameLines(a, b string) bool {
	return strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
}

// set takes one field of a note into a change.
func (in *UpdateInput) set(field string, f engram.NoteFields) error {
	switch field {
	case "title":
		in.Title = &f.Title
	case "content":
		in.Content = &f.Content
	case "type":
		in.Type = &f.Type
	case "scope":
		in.Scope = &f.Scope
	case "topic":
		in.TopicKey = &f.TopicKey
	case "tags":
		in.Tags = &f.Tags
	case "importance":
		in.Importance = &f.Importance
	case "permanent":
		in.Permanent = &f.Permanent
	default:
		return engram.Errorf(engram.CodeInternal, "field %q of a note is not known", field)
	}
	return nil
}
