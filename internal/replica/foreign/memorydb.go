package foreign

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// The program of the memory_* tools kept one SQLite database: memories, relationships,
// projects and embeddings. Its times are whole numbers since 1970, its tags the text of a
// JSON list. Of a memory it gives the name that its JSON export has, so that one that came
// in by either is known by the other. Vectors are of a model that nobody can ask any more,
// and are read over.

func graphProjects() table {
	return table{"projects", []string{"id"}, []string{"name"}, "id"}
}

func graphMemories() table {
	return table{"memories", []string{"id", "project_id", "memory_type", "content"}, []string{"summary", "tags", "importance", "relevance_score", "access_count",
		"created_at", "updated_at", "last_accessed_at"}, "id"}
}

func graphRelationships() table {
	return table{"relationships", []string{"id", "source_id", "target_id", "relation_type"}, []string{"strength", "created_at"}, "id"}
}

// isGraph reports a database of the memory_* program: one of this program has memories, too,
// and other columns.
func isGraph(ctx context.Context, db *database) (bool, error) {
	have, err := db.columns(ctx, graphMemories().name)
	for _, name := range have {
		if name == "memory_type" {
			return true, err
		}
	}
	return false, err
}

// graphDatabase is such a database at reading.
type graphDatabase struct {
	source
	naming
	db       *database
	projects map[string]string // their names by their ids
}

// newGraph is the source of a database, which it closes.
func newGraph(ctx context.Context, db *database) (engram.Source, error) {
	if err := db.require(ctx, "the memory_* program", graphMemories()); err != nil {
		return nil, err
	}
	g := &graphDatabase{db: db, naming: naming{system: Engram}, projects: map[string]string{}}
	g.source = source{head: engram.Snapshot{Format: string(Engram), Memories: db.count(ctx, "memories"),
		Lacks: []engram.Entity{engram.EntityProject, engram.EntitySession, engram.EntityPrompt}}, each: g.each, close: db.close}
	return g, nil
}

func (g *graphDatabase) each(ctx context.Context, yield func(engram.Record) bool) error {
	err := g.db.each(ctx, graphProjects(), func(v values) bool {
		g.projects[v.text("id")] = v.text("name")
		return true
	})
	if err != nil {
		return err
	}
	return g.db.records(ctx, yield, rowReader{graphMemories(), g.memory}, rowReader{graphRelationships(), g.relation})
}

func (g *graphDatabase) memory(v values) engram.Record {
	id, project := v.text("id"), v.text("project_id")
	if id == "" {
		return engram.Record{Flaw: engram.Errorf(engram.CodeInvalid, "the memory has no id")}
	}
	if name := g.projects[project]; name != "" {
		project = name
	}
	r := newMemory(engram.Memory{ID: engram.ID(id), Project: project, Type: engram.Type(v.text("memory_type")), Content: v.text("content"),
		Summary: v.text("summary"), Tags: tagList(v.text("tags")), AccessCount: int(v.number("access_count")), CreatedAt: epoch(v.number("created_at")),
		UpdatedAt: epoch(v.number("updated_at")), LastAccessedAt: epoch(v.number("last_accessed_at")), Metadata: g.origin(id, "", nil)})
	m := &r.Memory.Memory
	if x, is := v.share("importance"); is {
		m.Importance = x
	}
	if x, is := v.share("relevance_score"); is {
		m.Strength = x
	}
	return r
}

// share is a number from 0 to 1.
func (v values) share(name string) (x float64, is bool) {
	switch n := v[name].(type) {
	case float64:
		x = n
	case int64:
		x = float64(n)
	default:
		return 0, false
	}
	return min(max(x, 0), 1), x == x
}

// tagList reads tags: the text of a JSON list, or words between commas.
func tagList(text string) []string {
	var tags []string
	if text == "" || json.Unmarshal([]byte(text), &tags) == nil {
		return tags
	}
	for w := range strings.SplitSeq(text, ",") {
		if w = strings.TrimSpace(w); w != "" {
			tags = append(tags, w)
		}
	}
	return tags
}

func (g *graphDatabase) relation(v values) engram.Record {
	word := read(v.text("relation_type"))
	r := engram.Relation{ID: v.text("id"), Verb: word.verb, Strength: 1, CreatedAt: epoch(v.number("created_at"))}
	if x, is := v.share("strength"); is {
		r.Strength = x
	}
	if said := v.text("relation_type"); said != string(word.verb) {
		r.Reason = said
	}
	from, to := v.text("source_id"), v.text("target_id")
	if word.inverse {
		from, to = to, from
	}
	return engram.Record{Relation: &engram.RelationRecord{Relation: r, Source: engram.ByID(engram.ID(from)), Target: engram.ByID(engram.ID(to))}}
}
