package foreign

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// The program of the memory_* tools kept one SQLite database: memories, relationships, projects and
// embeddings. Times are integers since 1970, tags a JSON list in a text. A memory gets the same
// name as from the JSON export, so both imports match. Vectors are skipped: their model is not
// available.

func graphProjects() table {
	return table{"projects", []string{"id"}, []string{"name", "root_path", "decay_rate", "created_at"}, "id"}
}

func graphMemories() table {
	return table{"memories", []string{"id", "project_id", "memory_type", "content"}, []string{"summary", "tags", "importance", "relevance_score", "access_count",
		"created_at", "updated_at", "last_accessed_at"}, "id"}
}

func graphRelationships() table {
	return table{"relationships", []string{"id", "source_id", "target_id", "relation_type"}, []string{"strength", "created_at"}, "id"}
}

// graphDatabase reads such a database.
type graphDatabase struct {
	source
	naming
	db       *database
	projects map[string]string // names by ID
}

// newGraph returns the source of a database, which it closes.
func newGraph(ctx context.Context, db *database) (engram.Source, error) {
	if err := db.require(ctx, "the memory_* program", graphMemories()); err != nil {
		return nil, err
	}
	g := &graphDatabase{db: db, naming: naming{system: Engram}, projects: map[string]string{}}
	g.source = source{head: engram.Snapshot{Format: string(Engram), Memories: db.count(ctx, "memories"),
		Lacks: []engram.Entity{engram.EntitySession, engram.EntityPrompt}}, each: g.each, close: db.close}
	db.note = g.note
	return g, nil
}

func (g *graphDatabase) each(ctx context.Context, yield func(engram.Record) bool) error {
	stopped, err := g.db.records(ctx, yield, rowReader{graphProjects(), g.project}, rowReader{graphMemories(), g.memory}, rowReader{graphRelationships(), g.relation})
	if err != nil || stopped {
		return err
	}
	return g.db.leftOut(ctx)
}

// project returns a project with its decay rate, unless that is the default.
func (g *graphDatabase) project(v values) engram.Record {
	id := v.text("id")
	name := cmp.Or(v.text("name"), id)
	g.projects[id] = name
	p := engram.Project{Name: name, Root: v.text("root_path"), CreatedAt: v.moment("created_at")}
	if rate, is := v.row["decay_rate"].(float64); is && rate != usualRate {
		p.Decay = &engram.ProjectDecay{Decay: engram.Decay{Curve: engram.CurveImportance, Rate: rate}}
		if rate <= 0 || p.Decay.Validate() != nil {
			v.doubt("its decay_rate %v is invalid: the project uses the default", rate)
			p.Decay = nil
		}
	}
	return engram.Record{Project: &p}
}

// usualRate is the default loss per day of a project.
const usualRate = 0.01

func (g *graphDatabase) memory(v values) engram.Record {
	id := v.text("id")
	project := cmp.Or(g.projects[v.text("project_id")], v.text("project_id"))
	if id == "" {
		v.doubt("it has no id and is identified by its text")
	}
	r := newMemory(engram.Memory{ID: engram.ID(id), Project: project, Type: engram.Type(v.text("memory_type")), Content: v.text("content"),
		Summary: v.text("summary"), Tags: tagList(v.text("tags")), AccessCount: int(v.number("access_count")), CreatedAt: v.moment("created_at"),
		UpdatedAt: v.moment("updated_at"), LastAccessedAt: v.moment("last_accessed_at"), Metadata: g.origin(id, "", nil)})
	v.shares(&r.Memory.Memory, "importance", "relevance_score")
	return r
}

// tagList reads tags: a JSON list, or words between commas.
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
	said := v.text("relation_type")
	word := read(said)
	r := engram.Relation{ID: v.text("id"), Verb: word.verb, Strength: 1, CreatedAt: v.moment("created_at")}
	if x, is := v.share("strength"); is {
		r.Strength = x
	}
	if said != string(word.verb) {
		r.Reason = said
	}
	from, to := word.ends(v.text("source_id"), v.text("target_id"))
	return engram.Record{Relation: &engram.RelationRecord{Relation: r, Source: engram.ByID(engram.ID(from)), Target: engram.ByID(engram.ID(to))}}
}
