package jsonfile

import (
	"cmp"
	"encoding/json"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// graphSections are the lists of an export of the old memory_* program, its tables. Vectors are
// skipped: their model is not available.
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

// tagList is a list of tags, or a string with a JSON list as the table had it.
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

func decodeGraph(section string, raw []byte) (engram.Record, error) {
	if section == "relationships" {
		n, err := item[graphRelation](raw)
		x := engram.Relation{ID: n.ID, Verb: cmp.Or(n.RelationType, n.Relation), Strength: wire.Or(n.Strength, 1), CreatedAt: n.CreatedAt.Time}
		return engram.Record{Relation: &engram.RelationRecord{Relation: x, Source: wire.RefOf(n.SourceID), Target: wire.RefOf(n.TargetID)}}, err
	}
	n, err := item[graphMemory](raw)
	m := engram.Memory{ID: engram.ID(n.ID), Project: n.ProjectID, Type: cmp.Or(n.MemoryType, n.Type), Title: n.Title, Content: n.Content,
		Summary: wire.Or(n.Summary, ""), Tags: n.Tags, Metadata: n.Metadata, Importance: wire.Or(n.Importance, engram.DefaultImportance),
		Strength: min(max(wire.Or(n.RelevanceScore, 1), 0), 1), AccessCount: n.AccessCount, CreatedAt: n.CreatedAt.Time, UpdatedAt: n.UpdatedAt.Time,
		LastAccessedAt: n.LastAccessedAt.Time}
	return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}, err
}

// item decodes one item; the error says what does not fit.
func item[T any](raw []byte) (v T, err error) {
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, wire.Misfit(err)
	}
	return v, nil
}
