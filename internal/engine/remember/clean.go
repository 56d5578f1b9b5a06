package remember

import (
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// Draft returns the cleaned and valid memory that in asks for, independent of the store.
func (w *Writer) Draft(in SaveInput) (engram.Memory, error) {
	t, err := w.IntakeOf(in)
	return t.Draft, err
}

// IntakeOf returns a checked and cleaned save.
func (w *Writer) IntakeOf(in SaveInput) (Intake, error) {
	t := Intake{in: in, redactor: w.screen.Redactor()}
	t.redactor.Keep = in.AllowSecret
	if err := in.raw().Check(); err != nil {
		return t, err
	}
	redactor := t.redactor
	metadata, err := screen.PlainMetadata(redactor.Members(in.Metadata))
	if err != nil {
		return t, err
	}
	m := engram.Memory{
		Project: project.Normalize(screen.Line(in.Project)), Scope: engram.ParseScope(string(in.Scope)),
		Type: engram.Type(strings.ToLower(redactor.Line(string(in.Type)))), Title: redactor.Line(in.Title), Content: redactor.Text(in.Content),
		TopicKey: topic.Normalize(redactor.Text(in.TopicKey)), SessionID: screen.Line(in.SessionID), ToolName: redactor.Line(in.ToolName),
		Origin: in.Origin, Tags: screen.Tags(redactor.Lines(in.Tags)), Metadata: metadata,
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
		m.Title = screen.TitleOf(m.Content)
	}
	if err := m.Validate(); err != nil {
		t.Draft = m
		return t, err
	}
	t.Draft = lifecycle.Pinned(engram.Memory{}, m, nil)
	t.Draft.NormalizedHash = screen.HashOf(m.Content)
	return t, nil
}

func (in SaveInput) raw() screen.Raw {
	fields := screen.Raw{"content", in.Content, "title", in.Title, "type", string(in.Type), "topic key", in.TopicKey,
		"project", in.Project, "session id", in.SessionID, "directory", in.Directory, "tool name", in.ToolName}
	return fields.And("tag", in.Tags...)
}
