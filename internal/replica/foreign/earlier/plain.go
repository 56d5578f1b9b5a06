package earlier

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/database"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// Two programs kept one table, memories, and little more: that of the remember and recall tools,
// with a known schema, and that of sleep and focus, in LibSQL, of which only a description is
// known. So columns are read under any of their possible names, and unknown content is reported,
// not guessed. Neither knew projects. Vectors are computed anew.

type plainDatabase struct {
	source.Source
	source.Naming
	db        *database.DB
	home      string
	names     map[string]engram.Ref // of memories, by their ids there
	tags      map[string][]string
	revisions map[string][]engram.Revision
	relations []engram.Record // named in the metadata of memories
}

// newPlain returns the source of a database, which it closes.
func newPlain(ctx context.Context, db *database.DB, o source.Options) (engram.Source, error) {
	p := &plainDatabase{db: db, home: o.Home(), Naming: source.Naming{System: source.Engram}, names: map[string]engram.Ref{}, tags: map[string][]string{}, revisions: map[string][]engram.Revision{}}
	if err := db.Require(ctx, "an earlier Engram", p.tables()[1]); err != nil {
		return nil, err
	}
	p.Source = source.Source{Head: engram.Snapshot{Format: string(source.Engram), Memories: db.Count(ctx, "memories"),
		Lacks: []engram.Entity{engram.EntityProject, engram.EntityPrompt}}, Each: p.each, Done: db.Close}
	db.Note = p.Note
	return p, nil
}

func (p *plainDatabase) each(ctx context.Context, yield func(engram.Record) bool) error {
	tagNames := map[string]string{}
	read := []struct {
		table database.Table
		row   func(database.Values)
	}{
		{database.Table{Name: "tags", Needs: []string{"id", "name"}, Order: "id"}, func(v database.Values) { tagNames[v.Text("id")] = v.Text("name") }},
		{database.Table{Name: "memory_tags", Needs: []string{"memory_id"}, Likes: []string{"tag", "name", "tag_id"}, Order: "rowid"}, func(v database.Values) {
			if tag := cmp.Or(v.Text("tag"), v.Text("name"), tagNames[v.Text("tag_id")]); tag != "" {
				p.tags[v.Text("memory_id")] = append(p.tags[v.Text("memory_id")], tag)
			}
		}},
		{plainRevisions("revisions"), p.revision}, {plainRevisions("memory_revisions"), p.revision},
	}
	var lost []engram.Record
	for _, r := range read {
		err := p.db.Each(ctx, r.table, func(v database.Values) bool { r.row(v); return true }, func(x engram.Record) { lost = append(lost, x) })
		if err != nil {
			return err
		}
	}
	if slices.ContainsFunc(lost, func(x engram.Record) bool { return !yield(x) }) {
		return nil
	}
	if stopped, err := p.db.Records(ctx, yield, p.tables()...); err != nil || stopped {
		return err
	}
	if slices.ContainsFunc(p.relations, func(r engram.Record) bool { return !yield(r) }) {
		return nil
	}
	return p.db.LeftOut(ctx)
}

// tables returns the memories, what they belong to, and the tables that may hold relations, with all possible names
// of columns.
func (p *plainDatabase) tables() []database.Table {
	all := []database.Table{
		{Name: "sessions", Needs: []string{"id"}, Likes: []string{"project", "directory", "cwd", "started_at", "start_time", "created_at", "ended_at", "end_time", "summary"},
			Order: "id", Record: p.session},
		{Name: "memories", Needs: []string{"id", "content"}, Likes: []string{"title", "type", "category", "summary", "tags", "metadata", "importance", "strength", "project", "session_id", "scope",
			"permanent", "is_permanent", "pinned", "source", "access_count", "created_at", "updated_at", "last_accessed", "last_accessed_at", "last_consolidation_at",
			"deleted_at", "archived_at"}, Order: "id", Record: p.memory},
	}
	for _, name := range []string{"links", "memory_links", "relations", "relationships"} {
		all = append(all, database.Table{Name: name, Likes: []string{"id", "source_id", "from_id", "source", "from_memory_id", "target_id", "to_id", "target", "to_memory_id",
			"relation", "relation_type", "link_type", "type", "strength", "weight", "created_at", "reason", "note"}, Order: "rowid", Record: p.link})
	}
	return all
}

// plainRevisions is a table of earlier texts.
func plainRevisions(name string) database.Table {
	return database.Table{Name: name, Needs: []string{"memory_id", "content"}, Likes: []string{"id", "title", "category", "type", "reason", "created_at", "replaced_at"}, Order: "rowid"}
}

func (p *plainDatabase) session(v database.Values) engram.Record {
	return engram.Record{Session: &engram.Session{ID: v.Text("id"), Project: cmp.Or(v.Text("project"), p.home), Directory: v.First("directory", "cwd"),
		StartedAt: v.Moment("started_at", "start_time", "created_at"), EndedAt: v.Moment("ended_at", "end_time"), Summary: v.Text("summary")}}
}

func (p *plainDatabase) revision(v database.Values) {
	at := v.Moment("created_at")
	id := v.Text("memory_id")
	p.revisions[id] = append(p.revisions[id], engram.Revision{Number: len(p.revisions[id]) + 1, Type: engram.Type(v.First("category", "type")), Title: v.Text("title"),
		Content: v.Text("content"), WrittenAt: at, ReplacedAt: cmp.Or(v.Moment("replaced_at"), at), Reason: cmp.Or(v.Text("reason"), "before the import")})
}

func (p *plainDatabase) memory(v database.Values) engram.Record {
	id := v.Text("id")
	m := engram.Memory{Type: engram.Type(v.First("type", "category")), Title: v.Text("title"), Content: v.Text("content"), Summary: v.Text("summary"),
		Project: cmp.Or(v.Text("project"), p.home), Scope: engram.Scope(v.Text("scope")), SessionID: v.Text("session_id"), ToolName: v.Text("source"),
		Tags: append(tagList(v.Text("tags")), p.tags[id]...), AccessCount: int(v.Number("access_count")),
		Permanent: v.Number("permanent") != 0 || v.Number("is_permanent") != 0 || v.Number("pinned") != 0,
		CreatedAt: v.Moment("created_at"), UpdatedAt: v.Moment("updated_at"), LastAccessedAt: v.Moment("last_accessed_at", "last_accessed"),
		TouchedAt: v.Moment("last_consolidation_at", "last_accessed_at", "last_accessed"), DeletedAt: v.Moment("deleted_at", "archived_at")}
	if m.Project == "" && m.Scope == "" {
		m.Scope = engram.ScopeGlobal // that program showed it everywhere
	}
	m.Permanent = m.Permanent || slices.Contains(m.Tags, "permanent")
	// A number is only unique in one file; any other id is unique everywhere.
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n > 0 {
		m.Num, m.SyncID = n, p.Naming.Memory(id, v.Text("created_at"))
		p.names[id] = engram.Ref{SyncID: m.SyncID}
	} else if id != "" {
		m.ID = engram.ID(id)
		p.names[id] = engram.ByID(m.ID)
	}
	more := map[string]any{}
	if text := v.Text("metadata"); text != "" {
		if err := json.Unmarshal([]byte(text), &more); err != nil || more == nil {
			v.Doubt("its metadata is not a JSON object and is kept as text")
			more = map[string]any{"metadata": text}
		}
	}
	if len(m.Tags) == 0 && strings.HasPrefix(strings.TrimSpace(v.Text("tags")), "[") && strings.TrimSpace(v.Text("tags")) != "[]" {
		v.Doubt("its tags are not a JSON list of words")
	}
	p.relateByMetadata(id, m, more)
	m.Metadata = p.Origin(id, "", more)
	r := source.NewMemory(m)
	r.Memory.Revisions = p.revisions[id]
	v.Shares(&r.Memory.Memory, "importance", "strength")
	return r
}

// relateByMetadata makes relations of the ids that agents kept in metadata.
func (p *plainDatabase) relateByMetadata(id string, m engram.Memory, metadata map[string]any) {
	for _, f := range []struct {
		field string
		verb  engram.Verb
	}{{"supersedes", engram.VerbSupersedes}, {"related_to", engram.VerbRelatesTo}} {
		targets, _ := metadata[f.field].([]any)
		if one, is := metadata[f.field].(string); is {
			targets = []any{one}
		}
		for _, t := range targets {
			target, is := t.(string)
			if !is || target == "" || id == "" {
				continue
			}
			reason, _ := metadata[f.field+"_reason"].(string)
			p.relations = append(p.relations, engram.Record{Item: "memories " + id + ", metadata " + f.field, Relation: &engram.RelationRecord{
				Relation: engram.Relation{Verb: f.verb, Strength: 1, Reason: reason, CreatedAt: cmp.Or(m.UpdatedAt, m.CreatedAt)},
				Source:   p.end(id), Target: p.end(target)}})
		}
	}
}

// end returns a memory by its id there.
func (p *plainDatabase) end(id string) engram.Ref {
	if ref, known := p.names[id]; known {
		return ref
	}
	return engram.ByID(engram.ID(id))
}

func (p *plainDatabase) link(v database.Values) engram.Record {
	said := v.First("relation", "relation_type", "link_type", "type")
	word := source.ReadingOf(said)
	r := engram.Relation{Verb: word.Verb, Strength: 1, Reason: v.First("reason", "note"), CreatedAt: v.Moment("created_at")}
	if x, is := v.Share("strength", "weight"); is {
		r.Strength = x
	}
	if r.Reason == "" && said != string(word.Verb) && said != "related_to" {
		r.Reason = said
	}
	from, to := v.First("source_id", "from_id", "from_memory_id", "source"), v.First("target_id", "to_id", "to_memory_id", "target")
	if from == "" || to == "" {
		return engram.Record{Flaw: engram.Errorf(engram.CodeInvalid, "it does not name two memories in known columns")}
	}
	from, to = word.Ends(from, to)
	return engram.Record{Relation: &engram.RelationRecord{Relation: r, Source: p.end(from), Target: p.end(to)}}
}
