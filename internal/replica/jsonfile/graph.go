package jsonfile

import (
	"encoding/json"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// The export of the memory_* program of old: the rows of its tables, memories,
// relationships and embeddings. Its vectors are of a model that nobody can ask any more,
// and are read over.
func graphSections() []string { return []string{"memories", "relationships", "embeddings"} }

type graphMemory struct {
	ID             string         `json:"id"`
	ProjectID      string         `json:"project_id"`
	MemoryType     engram.Type    `json:"memory_type"`
	Type           engram.Type    `json:"type"`
	Title          string         `json:"title"`
	Content        string         `json:"content"`
	Summary        *string        `json:"summary"`
	Tags           tagList        `json:"tags"`
	Metadata       map[string]any `json:"metadata"`
	Importance     *float64       `json:"importance"`
	RelevanceScore *float64       `json:"relevance_score"`
	AccessCount    int            `json:"access_count"`
	CreatedAt      wire.Time      `json:"created_at"`
	UpdatedAt      wire.Time      `json:"updated_at"`
	LastAccessedAt wire.Time      `json:"last_accessed_at"`
}

// tagList is a list of tags, or the text of a JSON list, as the table had it.
type tagList []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *tagList) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		if text == "" {
			return nil
		}
		b = []byte(text)
	}
	return json.Unmarshal(b, (*[]string)(t))
}

type graphRelation struct {
	ID           string      `json:"id"`
	SourceID     string      `json:"source_id"`
	TargetID     string      `json:"target_id"`
	RelationType engram.Verb `json:"relation_type"`
	Relation     engram.Verb `json:"relation"`
	Strength     *float64    `json:"strength"`
	CreatedAt    wire.Time   `json:"created_at"`
}

// graphItem reads an item of a section; a vector gives the zero Record.
func graphItem(section string, d *json.Decoder) (engram.Record, error) {
	switch section {
	case "embeddings":
		var over json.RawMessage
		return engram.Record{}, d.Decode(&over)
	case "relationships":
		n, err := item[graphRelation](d)
		if n.RelationType == "" {
			n.RelationType = n.Relation
		}
		x := engram.Relation{ID: n.ID, Verb: n.RelationType, Strength: or(n.Strength, 1), CreatedAt: n.CreatedAt.Time}
		return engram.Record{Relation: &engram.RelationRecord{Relation: x, Source: wire.RefOf(n.SourceID), Target: wire.RefOf(n.TargetID)}}, err
	}
	n, err := item[graphMemory](d)
	if n.MemoryType == "" {
		n.MemoryType = n.Type
	}
	m := engram.Memory{ID: engram.ID(n.ID), Project: n.ProjectID, Type: n.MemoryType, Title: n.Title, Content: n.Content,
		Summary: or(n.Summary, ""), Tags: n.Tags, Metadata: n.Metadata, Importance: or(n.Importance, engram.DefaultImportance),
		Strength: min(max(or(n.RelevanceScore, 1), 0), 1), AccessCount: n.AccessCount, CreatedAt: n.CreatedAt.Time, UpdatedAt: n.UpdatedAt.Time,
		LastAccessedAt: n.LastAccessedAt.Time}
	return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}, err
}

func or[T any](v *T, otherwise T) T {
	if v == nil {
		return otherwise
	}
	return *v
}
