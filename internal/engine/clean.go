package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// line is a text field of one line: private spans removed, white space folded.
func line(s string) string { return strings.Join(strings.Fields(redact.Private(s)), " ") }

// draft is the memory that in asks for, cleaned and valid, before anything is known
// of the store.
func (e *Engine) draft(in SaveInput) (engram.Memory, error) {
	m := engram.Memory{
		Project: project.Normalize(line(in.Project)), Scope: engram.ParseScope(string(in.Scope)),
		Type: engram.Type(strings.ToLower(line(string(in.Type)))), Title: line(in.Title), Content: redact.Private(in.Content),
		TopicKey: topic.Normalize(redact.Private(in.TopicKey)), SessionID: line(in.SessionID), ToolName: line(in.ToolName),
		Origin: in.Origin, Tags: tags(in.Tags), Metadata: redact.Metadata(in.Metadata),
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
		return m, err
	}
	// The raw texts too: what is cut away must not smuggle a NUL or a megabyte in.
	if err := engram.CheckText("content", in.Content, engram.MaxContent); err != nil {
		return m, err
	}
	m.NormalizedHash = hashOf(m.Content)
	return m, nil
}

// titleOf is the first words of a content that came without a title.
func titleOf(content string) string {
	const most = 80
	first, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	first = strings.TrimLeft(line(first), "#*->_ \t")
	if utf8.RuneCountInString(first) <= most {
		return first
	}
	cut := string([]rune(first)[:most])
	if i := strings.LastIndexByte(cut, ' '); i > most/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// hashOf is the NormalizedHash of a content.
func hashOf(content string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(strings.ToLower(content)), " ")))
	return hex.EncodeToString(sum[:])
}

// tags cleans tags: one line each, lower case, each once, empty ones dropped.
func tags(in []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, t := range in {
		t = strings.ToLower(line(t))
		if t != "" && !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
