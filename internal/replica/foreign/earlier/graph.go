package earlier

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/database"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// The program of the memory_* tools kept one SQLite database: memories, relationships, projects and
// embeddings. Times are integers since 1970, tags a JSON list in a text. A memory gets the same
// name as from the JSON export, so both imports match. Vectors are skipped: their model is not
// available.

type graphDatabase struct {
	source.Source
	source.Naming
	db       *database.DB
	projects map[string]string // names by ID
}

// newGraph returns the source of a database, which it closes.
func newGraph(ctx context.Context, db *database.DB) (engram.Source, error) {
	g := &graphDatabase{db: db, Naming: source.Naming{System: source.Engram}, projects: map[string]string{}}
	if err := db.Require(ctx, "the memory_* program", g.tables()[1]); err != nil {
		return nil, err
	}
	g.Source = source.Source{Head: engram.Snapshot{Format: string(source.Engram), Memories: db.Count(ctx, "memories"),
		Lacks: []engram.Entity{engram.EntitySession, engram.EntityPrompt}}, Each: g.each, Done: db.Close}
	db.Note = g.Note
	return g, nil
}

func (g *graphDatabase) each(ctx context.Context, yield func(engram.Record) bool) error {
	stopped, err := g.db.Records(ctx, yield, g.tables()...)
	if err != nil || stopped {
		return err
	}
	return g.db.LeftOut(ctx)
}

func (g *graphDatabase) tables() []database.Table {
	return []database.Table{
		{Name: "projects", Needs: []string{"id"}, Likes: []string{"name", "root_path", "decay_rate", "created_at"}, Order: "id", Record: g.project},
		{Name: "memories", Needs: []string{"id", "project_id", "memory_type", "content"}, Likes: []string{"summary", "tags", "importance", "relevance_score", "access_count",
			"created_at", "updated_at", "last_accessed_at"}, Order: "id", Record: g.memory},
		{Name: "relationships", Needs: []string{"id", "source_id", "target_id", "relation_type"}, Likes: []string{"strength", "created_at"}, Order: "id", Record: g.relation},
	}
}

// project returns a project with its decay rate, unless that is the default.
func (g *graphDatabase) project(v database.Values) engram.Record {
	id := v.Text("id")
	name := cmp.Or(v.Text("name"), id)
	g.projects[id] = name
	p := engram.Project{Name: name, Root: v.Text("root_path"), CreatedAt: v.Moment("created_at")}
	if rate, is := v.Row["decay_rate"].(float64); is && rate != usualRate {
		p.Decay = &engram.ProjectDecay{Decay: engram.Decay{Curve: engram.CurveImportance, Rate: rate}}
		if rate <= 0 || p.Decay.Validate() != nil {
			v.Doubt("its decay_rate %v is invalid: the project uses the default", rate)
			p.Decay = nil
		}
	}
	return engram.Record{Project: &p}
}

// usualRate is the default loss per day of a project.
const usualRate = 0.01

func (g *graphDatabase) memory(v database.Values) engram.Record {
	id := v.Text("id")
	project := cmp.Or(g.projects[v.Text("project_id")], v.Text("project_id"))
	if id == "" {
		v.Doubt("it has no id and is identified by its text")
	}
	r := source.NewMemory(engram.Memory{ID: engram.ID(id), Project: project, Type: engram.Type(v.Text("memory_type")), Content: v.Text("content"),
		Summary: v.Text("summary"), Tags: tagList(v.Text("tags")), AccessCount: int(v.Number("access_count")), CreatedAt: v.Moment("created_at"),
		UpdatedAt: v.Moment("updated_at"), LastAccessedAt: v.Moment("last_accessed_at"), Metadata: g.Origin(id, "", nil)})
	v.Shares(&r.Memory.Memory, "importance", "relevance_score")
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

func (g *graphDatabase) relation(v database.Values) engram.Record {
	said := v.Text("relation_type")
	word := source.ReadingOf(said)
	r := engram.Relation{ID: v.Text("id"), Verb: word.Verb, Strength: 1, CreatedAt: v.Moment("created_at")}
	if x, is := v.Share("strength"); is {
		r.Strength = x
	}
	if said != string(word.Verb) {
		r.Reason = said
	}
	from, to := word.Ends(v.Text("source_id"), v.Text("target_id"))
	return engram.Record{Relation: &engram.RelationRecord{Relation: r, Source: engram.ByID(engram.ID(from)), Target: engram.ByID(engram.ID(to))}}
}
