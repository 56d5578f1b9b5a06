package foreign

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Two programs kept one table, memories, and little more: that of the remember and recall tools,
// with a known schema, and that of sleep and focus, in LibSQL, of which only a description is
// known. So columns are read under any of their possible names, and unknown content is reported,
// not guessed. Neither knew projects. Vectors are computed anew.

func plainSessions() table {
	return table{"sessions", []string{"id"}, []string{"project", "directory", "cwd", "started_at", "start_time", "created_at", "ended_at", "end_time", "summary"}, "id"}
}

func plainMemories() table {
	return table{"memories", []string{"id", "content"}, []string{"title", "type", "category", "summary", "tags", "metadata", "importance", "strength", "project", "session_id", "scope",
		"permanent", "is_permanent", "pinned", "source", "access_count", "created_at", "updated_at", "last_accessed", "last_accessed_at", "last_consolidation_at",
		"deleted_at", "archived_at"}, "id"}
}

// plainRevisions are tables of earlier texts.
func plainRevisions(name string) table {
	return table{name, []string{"memory_id", "content"}, []string{"id", "title", "category", "type", "reason", "created_at", "replaced_at"}, "rowid"}
}

// plainLinks are tables that may hold relations, with all possible column names.
func plainLinks(name string) table {
	return table{name, nil, []string{"id", "source_id", "from_id", "source", "from_memory_id", "target_id", "to_id", "target", "to_memory_id",
		"relation", "relation_type", "link_type", "type", "strength", "weight", "created_at", "reason", "note"}, "rowid"}
}

func plainTags(name string) table {
	return table{name, []string{"memory_id"}, []string{"tag", "name", "tag_id"}, "rowid"}
}

// plainDatabase reads such a database.
type plainDatabase struct {
	source
	naming
	db        *database
	home      string
	names     map[string]engram.Ref // of memories, by their ids there
	tags      map[string][]string
	revisions map[string][]engram.Revision
	relations []engram.Record // named in the metadata of memories
}

// newPlain returns the source of a database, which it closes.
func newPlain(ctx context.Context, db *database, o Options) (engram.Source, error) {
	if err := db.require(ctx, "an earlier Engram", plainMemories()); err != nil {
		return nil, err
	}
	p := &plainDatabase{db: db, home: o.home(), naming: naming{system: Engram}, names: map[string]engram.Ref{}, tags: map[string][]string{}, revisions: map[string][]engram.Revision{}}
	p.source = source{head: engram.Snapshot{Format: string(Engram), Memories: db.count(ctx, "memories"),
		Lacks: []engram.Entity{engram.EntityProject, engram.EntityPrompt}}, each: p.each, close: db.close}
	db.note = p.note
	return p, nil
}

func (p *plainDatabase) each(ctx context.Context, yield func(engram.Record) bool) error {
	tagNames := map[string]string{}
	read := []struct {
		table table
		row   func(values)
	}{
		{table{"tags", []string{"id", "name"}, nil, "id"}, func(v values) { tagNames[v.text("id")] = v.text("name") }},
		{plainTags("memory_tags"), func(v values) {
			if tag := cmp.Or(v.text("tag"), v.text("name"), tagNames[v.text("tag_id")]); tag != "" {
				p.tags[v.text("memory_id")] = append(p.tags[v.text("memory_id")], tag)
			}
		}},
		{plainRevisions("revisions"), p.revision}, {plainRevisions("memory_revisions"), p.revision},
	}
	var lost []engram.Record
	for _, r := range read {
		err := p.db.each(ctx, r.table, func(v values) bool { r.row(v); return true }, func(x engram.Record) { lost = append(lost, x) })
		if err != nil {
			return err
		}
	}
	if slices.ContainsFunc(lost, func(x engram.Record) bool { return !yield(x) }) {
		return nil
	}
	readers := []rowReader{{plainSessions(), p.session}, {plainMemories(), p.memory}}
	for _, name := range []string{"links", "memory_links", "relations", "relationships"} {
		readers = append(readers, rowReader{plainLinks(name), p.link})
	}
	if stopped, err := p.db.records(ctx, yield, readers...); err != nil || stopped {
		return err
	}
	if slices.ContainsFunc(p.relations, func(r engram.Record) bool { return !yield(r) }) {
		return nil
	}
	return p.db.leftOut(ctx)
}

func (p *plainDatabase) session(v values) engram.Record {
	return engram.Record{Session: &engram.Session{ID: v.text("id"), Project: cmp.Or(v.text("project"), p.home), Directory: v.first("directory", "cwd"),
		StartedAt: v.moment("started_at", "start_time", "created_at"), EndedAt: v.moment("ended_at", "end_time"), Summary: v.text("summary")}}
}

func (p *plainDatabase) revision(v values) {
	at := v.moment("created_at")
	id := v.text("memory_id")
	p.revisions[id] = append(p.revisions[id], engram.Revision{Number: len(p.revisions[id]) + 1, Type: engram.Type(v.first("category", "type")), Title: v.text("title"),
		Content: v.text("content"), WrittenAt: at, ReplacedAt: cmp.Or(v.moment("replaced_at"), at), Reason: cmp.Or(v.text("reason"), "before the import")})
}

func (p *plainDatabase) memory(v values) engram.Record {
	id := v.text("id")
	m := engram.Memory{Type: engram.Type(v.first("type", "category")), Title: v.text("title"), Content: v.text("content"), Summary: v.text("summary"),
		Project: cmp.Or(v.text("project"), p.home), Scope: engram.Scope(v.text("scope")), SessionID: v.text("session_id"), ToolName: v.text("source"),
		Tags: append(tagList(v.text("tags")), p.tags[id]...), AccessCount: int(v.number("access_count")),
		Permanent: v.number("permanent") != 0 || v.number("is_permanent") != 0 || v.number("pinned") != 0,
		CreatedAt: v.moment("created_at"), UpdatedAt: v.moment("updated_at"), LastAccessedAt: v.moment("last_accessed_at", "last_accessed"),
		TouchedAt: v.moment("last_consolidation_at", "last_accessed_at", "last_accessed"), DeletedAt: v.moment("deleted_at", "archived_at")}
	if m.Project == "" && m.Scope == "" {
		m.Scope = engram.ScopeGlobal // that program showed it everywhere
	}
	m.Permanent = m.Permanent || slices.Contains(m.Tags, "permanent")
	// A number is only unique in one file; any other id is unique everywhere.
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n > 0 {
		m.Num, m.SyncID = n, p.naming.memory(id, v.text("created_at"))
		p.names[id] = engram.Ref{SyncID: m.SyncID}
	} else if id != "" {
		m.ID = engram.ID(id)
		p.names[id] = engram.ByID(m.ID)
	}
	more := map[string]any{}
	if text := v.text("metadata"); text != "" {
		if err := json.Unmarshal([]byte(text), &more); err != nil || more == nil {
			v.doubt("its metadata is not a JSON object and is kept as text")
			more = map[string]any{"metadata": text}
		}
	}
	if len(m.Tags) == 0 && strings.HasPrefix(strings.TrimSpace(v.text("tags")), "[") && strings.TrimSpace(v.text("tags")) != "[]" {
		v.doubt("its tags are not a JSON list of words")
	}
	p.relateByMetadata(id, m, more)
	m.Metadata = p.origin(id, "", more)
	r := newMemory(m)
	r.Memory.Revisions = p.revisions[id]
	v.shares(&r.Memory.Memory, "importance", "strength")
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

func (p *plainDatabase) link(v values) engram.Record {
	said := v.first("relation", "relation_type", "link_type", "type")
	word := read(said)
	r := engram.Relation{Verb: word.verb, Strength: 1, Reason: v.first("reason", "note"), CreatedAt: v.moment("created_at")}
	if x, is := v.share("strength", "weight"); is {
		r.Strength = x
	}
	if r.Reason == "" && said != string(word.verb) && said != "related_to" {
		r.Reason = said
	}
	from, to := v.first("source_id", "from_id", "from_memory_id", "source"), v.first("target_id", "to_id", "to_memory_id", "target")
	if from == "" || to == "" {
		return engram.Record{Flaw: engram.Errorf(engram.CodeInvalid, "it does not name two memories in known columns")}
	}
	from, to = word.ends(from, to)
	return engram.Record{Relation: &engram.RelationRecord{Relation: r, Source: p.end(from), Target: p.end(to)}}
}
