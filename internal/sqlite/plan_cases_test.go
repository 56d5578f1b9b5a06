package sqlite

import (
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/text"
)

func memoryPlans(t *testing.T) []planCase {
	ctx := t.Context()
	read := func(ref engram.Ref) func(*tx) error {
		return func(t *tx) error {
			_, err := t.Memory(ctx, ref)
			if code := engram.CodeOf(err); code == engram.CodeNotFound || code == engram.CodeConflict {
				return nil
			}
			return err
		}
	}
	return []planCase{
		{name: "memory by number", run: read(engram.ByNum(1)),
			want: []string{"SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"}},
		{name: "memory by id", run: read(engram.ByID("mem_00000000000000000000000001")),
			want: []string{"SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)"}},
		{name: "memory by the beginning of an id", run: read(engram.Ref{ID: "mem_00"}), // tries ids of an earlier program too
			want: []string{"SEARCH m USING INDEX sqlite_autoindex_memories_1 (id>? AND id<?)", "SEARCH m USING INDEX sqlite_autoindex_memories_2 (sync_id=?)"}},
		{name: "memory by sync id", run: read(engram.Ref{SyncID: "3"}),
			want: []string{"SEARCH m USING INDEX sqlite_autoindex_memories_2 (sync_id=?)"}},
		{name: "memory by topic", run: read(engram.Ref{Topic: "a/b"}),
			want: []string{"SEARCH m USING INDEX memories_topic (topic_key=?)", "USE TEMP B-TREE FOR ORDER BY"},
			why:  "one memory a project has the topic"},
		{name: "memory by topic in a project", run: read(engram.Ref{Topic: "a/b", Project: "app"}),
			want: []string{"SEARCH m USING INDEX memories_topic (topic_key=? AND project=?)", "USE TEMP B-TREE FOR ORDER BY"},
			why:  "one memory a scope has the topic"},
		{name: "memories by number", run: func(t *tx) error { _, err := t.Memories(ctx, []int64{1, 2}); return err },
			want: []string{"SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"}},
		{name: "by topic", run: func(t *tx) error { _, _, err := engram.ByTopic(ctx, t, "app", engram.ScopeProject, "a/b"); return err },
			want: []string{"SEARCH m USING INDEX memories_topic (topic_key=? AND project=? AND scope=?)"}},
		{name: "by hash", run: func(t *tx) error { _, _, err := engram.ByHash(ctx, t, "app", "abab", time.Time{}, nil); return err },
			want: []string{"SEARCH m USING INDEX memories_hash (<expr>=?)"}},
		{name: "by title", run: func(t *tx) error {
			_, err := t.List(ctx, engram.Filter{Project: "app", Scope: engram.ScopeProject, Types: []engram.Type{engram.TypeDecision}, Title: "Pool size"},
				engram.Page{Order: engram.OrderLatest, Limit: 1})
			return err
		}, want: []string{"SEARCH m USING INDEX memories_title (project=? AND <expr>=?)"}},
		{name: "neighbours", run: func(t *tx) error { _, _, err := t.Neighbours(ctx, "s", 3, 5, 5); return err },
			want: []string{"SEARCH m USING INDEX memories_session (session=? AND num<?)", "SCAN (subquery-5)", "USE TEMP B-TREE FOR ORDER BY",
				"SEARCH m USING INDEX memories_session (session=? AND num>?)"},
			why: "the few that were found are turned round"},
		{name: "anchored", run: func(t *tx) error {
			_, err := t.List(ctx, engram.Filter{Project: "app", Anchor: "a/b.go"}, engram.Page{Limit: 9})
			return err
		},
			want: []string{"SEARCH m USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH anchors USING PRIMARY KEY (path=?)",
				"SEARCH anchors USING PRIMARY KEY (path>? AND path<?)", "USE TEMP B-TREE FOR ORDER BY"},
			why: "few memories are anchored to one path"},
		{name: "anchors that were seen", run: func(t *tx) error { _, err := t.SeenAnchors(ctx, []int64{1, 2}); return err },
			want: []string{"SEARCH a USING INDEX anchors_seen (memory=?)", "USE TEMP B-TREE FOR GROUP BY"}, why: "of a page of hits"},
		{name: "stale anchors", run: func(t *tx) error {
			_, err := t.List(ctx, engram.Filter{Project: "app", Stale: true}, engram.Page{Limit: 9})
			return err
		},
			want: []string{"SEARCH m USING INTEGER PRIMARY KEY (rowid=?)", "SCAN anchors USING INDEX anchors_seen", "USE TEMP B-TREE FOR ORDER BY"},
			why:  "few wait to be looked at"},
		{name: "revisions", run: func(t *tx) error { _, err := t.Revisions(ctx, 3); return err },
			want: []string{"SEARCH revisions USING INDEX revisions_memory (memory=?)"}},
		{name: "relations", run: func(t *tx) error { _, err := engram.RelationsOf(ctx, t, []int64{3}, nil, 0); return err },
			want: []string{"SEARCH r USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH relations USING COVERING INDEX relations_source (source=?)",
				"USE TEMP B-TREE FOR ORDER BY", "SEARCH relations USING COVERING INDEX relations_target (target=?)"},
			why: "the two ends are merged by number"},
	}
}

func listPlans(t *testing.T) []planCase {
	list := func(f engram.Filter) func(*tx) error {
		return func(tx *tx) error { _, err := tx.List(t.Context(), f, engram.Page{Limit: 10}); return err }
	}
	const newestFirst = "newest first, until the page is full"
	long := time.UnixMilli(1)
	return []planCase{
		{name: "list", run: list(engram.Filter{}),
			want: []string{"SCAN m USING INDEX memories_recent"}, why: newestFirst},
		{name: "list of a project", run: list(engram.Filter{Project: "app"}),
			want: []string{"SEARCH m USING INDEX memories_project_recent (project=?)"}},
		{name: "list of a project by type and scope", run: list(engram.Filter{Project: "app", Types: []engram.Type{"x"}, Scope: "project"}),
			want: []string{"SEARCH m USING INDEX memories_project_recent (project=?)"}},
		{name: "list of a project by metadata", run: list(engram.Filter{Project: "app", Metadata: map[string]any{"a": 1}}),
			want: []string{"SEARCH m USING INDEX memories_project_recent (project=?)"}},
		{name: "list of a stretch of time", run: list(engram.Filter{Project: "app", Since: long, Until: long}),
			want: []string{"SEARCH m USING INDEX memories_project_recent (project=? AND created_at>? AND created_at<?)"}},
		{name: "list since", run: list(engram.Filter{Since: long}),
			want: []string{"SEARCH m USING INDEX memories_recent (created_at>?)"}},
		{name: "list by tag", run: list(engram.Filter{Tags: []string{"x"}}),
			want: []string{"SCAN m USING INDEX memories_recent", "SEARCH tags USING PRIMARY KEY (memory=? AND tag=?)"},
			why:  newestFirst + "; a search takes the tag from the index of words"},
		{name: "list of a session", run: list(engram.Filter{SessionID: "s"}),
			want: []string{"SEARCH m USING INDEX memories_session (session=?)", "USE TEMP B-TREE FOR ORDER BY"},
			why:  "the index has them in the order of saving, which is not always that of their times"},
		{name: "list of forgotten ones", run: list(engram.Filter{Forgotten: true}),
			want: []string{"SEARCH m USING INDEX memories_forgotten (deleted_at>?)"}},
		{name: "list of a project's forgotten ones", run: list(engram.Filter{Forgotten: true, Project: "app"}),
			want: []string{"SEARCH m USING INDEX memories_forgotten (deleted_at>?)"}},
	}
}

func otherPlans(t *testing.T) []planCase {
	ctx, page := t.Context(), engram.Page{Limit: 10}
	const newestFirst = "newest first, until the page is full"
	return []planCase{
		{name: "topics", run: func(t *tx) error { _, err := t.Topics(ctx, "app", "au", 5); return err },
			want: []string{"SEARCH memories USING INDEX memories_topic (topic_key>? AND topic_key<?)"}},
		{name: "sample", run: func(t *tx) error {
			return t.Outlines(ctx, engram.Filter{Project: "app"}, 1, func(engram.Memory) bool { return true })
		},
			want: []string{"SEARCH tallies USING PRIMARY KEY (project=?)", "SEARCH m USING INDEX memories_project_recent (project=?)"},
			why:  "the index is walked, and of the rows so many read as are asked for"},
		{name: "a list that goes on", run: func(t *tx) error {
			_, err := t.List(ctx, engram.Filter{Project: "app"}, engram.Page{Limit: 5, After: engram.Position{CreatedAt: time.UnixMilli(9), Num: 7}})
			return err
		}, want: []string{"SEARCH m USING INDEX memories_project_recent (project=? AND created_at<?)"}},
		{name: "session", run: func(t *tx) error { _, err := t.Session(ctx, "s"); return err },
			want: []string{"SEARCH s USING INDEX sqlite_autoindex_sessions_1 (id=?)"}},
		{name: "sessions", run: func(t *tx) error { _, err := t.Sessions(ctx, engram.SessionFilter{}, page); return err },
			want: []string{"SCAN s USING INDEX sessions_active"}, why: newestFirst},
		{name: "sessions of a project", run: func(t *tx) error { _, err := t.Sessions(ctx, engram.SessionFilter{Project: "app"}, page); return err },
			want: []string{"SEARCH s USING INDEX sessions_project_active (project=?)"}},
		{name: "open session", run: func(t *tx) error {
			_, err := t.Sessions(ctx, engram.SessionFilter{Project: "app", Open: true, SkipPrefix: "manual"}, engram.Page{Limit: 1})
			return err
		},
			want: []string{"SEARCH s USING INDEX sessions_project_active (project=?)"}},
		{name: "all memories of a session", run: func(t *tx) error {
			_, err := t.Count(ctx, engram.Filter{SessionID: "s", WithForgotten: true})
			return err
		},
			want: []string{"SEARCH m USING INDEX memories_session_forgotten (session=?)"}},
		{name: "prompts", run: func(t *tx) error { _, err := t.Prompts(ctx, engram.PromptFilter{SessionID: ""}, page); return err },
			want: []string{"SCAN p USING INDEX prompts_recent"}, why: newestFirst},
		{name: "prompts of a project", run: func(t *tx) error { _, err := t.Prompts(ctx, engram.PromptFilter{Project: "app"}, page); return err },
			want: []string{"SEARCH p USING INDEX prompts_project_recent (project=?)"}},
		{name: "prompts of a session", run: func(t *tx) error { _, err := t.Prompts(ctx, engram.PromptFilter{SessionID: "s"}, page); return err },
			want: []string{"SEARCH p USING INDEX prompts_session (session=?)"}},
		{name: "prompts of a project's session", run: func(t *tx) error {
			_, err := t.Prompts(ctx, engram.PromptFilter{Project: "app", SessionID: "s"}, page)
			return err
		},
			want: []string{"SEARCH p USING INDEX prompts_session (session=?)"}},
		{name: "search of prompts", run: func(t *tx) error { _, err := t.SearchPrompts(ctx, text.Query("kettle"), "app", 5); return err },
			want: []string{"SCAN prompts_fts VIRTUAL TABLE INDEX 0:M2", "USE TEMP B-TREE FOR ORDER BY", "SCAN f", "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
				"USE TEMP B-TREE FOR LAST TERM OF ORDER BY"},
			why: "what matched is ranked, and the best of it read"},
		{name: "project", run: func(t *tx) error { _, _, err := t.Project(ctx, "app"); return err },
			want: []string{"SEARCH p USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH project_aliases USING COVERING INDEX project_aliases_project (project=?)"}},
		{name: "projects", run: func(t *tx) error { _, err := t.Projects(ctx, true); return err },
			want: []string{"SCAN p USING INDEX sqlite_autoindex_projects_1", "SEARCH project_aliases USING COVERING INDEX project_aliases_project (project=?)",
				"SEARCH tallies USING PRIMARY KEY (project=?)", "SEARCH sessions USING COVERING INDEX sessions_project_active (project=?)",
				"SEARCH prompts USING COVERING INDEX prompts_project_recent (project=?)"},
			why: "all of them are asked for"},
		{name: "project names", run: func(t *tx) error { _, err := engram.ProjectNames(ctx, t); return err },
			want: []string{"SCAN p USING INDEX sqlite_autoindex_projects_1", "SEARCH project_aliases USING COVERING INDEX project_aliases_project (project=?)"}, why: "all of them are asked for"},
		{name: "last entry", run: func(t *tx) error { _, err := engram.LastMutation(ctx, t); return err },
			want: []string{"SCAN j"}, why: "the first row of a walk backwards"},
		{name: "journal", run: func(t *tx) error { _, err := t.Mutations(ctx, engram.JournalSpan{}, page); return err },
			want: []string{"SCAN j"}, why: newestFirst},
		{name: "journal of one thing", run: func(t *tx) error {
			_, err := t.Mutations(ctx, engram.JournalSpan{Entity: "memory", Key: "3"}, page)
			return err
		},
			want: []string{"SEARCH j USING INDEX mutations_key (key=? AND entity=?)"}},
		{name: "a span of the journal", run: func(t *tx) error {
			_, err := t.Mutations(ctx, engram.JournalSpan{Entity: "memory", After: 1}, engram.Page{Limit: 10})
			return err
		}, want: []string{"SEARCH j USING INTEGER PRIMARY KEY (rowid>?)"}},
		{name: "projects in a span of the journal", run: func(t *tx) error {
			_, err := t.Mutations(ctx, engram.JournalSpan{Entity: "project", After: 1}, engram.Page{Limit: 10})
			return err
		}, want: []string{"SEARCH j USING INDEX mutations_project (seq>?)"}},
		{name: "the entry before a time", run: func(t *tx) error {
			_, err := t.SeqBefore(ctx, time.UnixMilli(0))
			return err
		}, want: []string{"SEARCH mutations", "SEARCH mutations USING INTEGER PRIMARY KEY (rowid<?)"}},
		{name: "the first that was made", run: func(t *tx) error {
			_, err := t.FirstMade(ctx, "memory", 1)
			return err
		}, want: []string{"SEARCH mutations USING INTEGER PRIMARY KEY (rowid>?)"}},
		{name: "operations after one", run: func(t *tx) error {
			_, err := t.Operations(ctx, engram.JournalFilter{After: 3}, page)
			return err
		}, want: []string{"SEARCH j USING INTEGER PRIMARY KEY (rowid>?)", "SEARCH mutations USING INTEGER PRIMARY KEY (rowid>?)",
			"SEARCH mutations", "SEARCH mutations USING INDEX mutations_undoes (undoes=?)"}},
		{name: "operations on one thing", run: func(t *tx) error {
			_, err := t.Operations(ctx, engram.JournalFilter{Entity: "memory", Key: "3"}, page)
			return err
		}, want: []string{"SEARCH j USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH mutations USING INDEX mutations_key (key=? AND entity=?)",
			"SCAN mutations USING INDEX mutations_project", "SCAN json_each EXISTS VIRTUAL TABLE INDEX 3:",
			"SEARCH r USING COVERING INDEX relations_source (source=?)", "SEARCH m USING INDEX mutations_key (key=? AND entity=?)",
			"SEARCH r USING COVERING INDEX relations_target (target=?)",
			"SEARCH mutations USING INTEGER PRIMARY KEY (rowid>?)", "SEARCH mutations", "SEARCH mutations USING INDEX mutations_undoes (undoes=?)"},
			why: "entries on projects are few, and those of moves list what they moved; the newest entry is the last row"},
		{name: "statistics", run: func(t *tx) error { _, err := t.Stats(ctx, ""); return err },
			want: []string{"SEARCH m USING COVERING INDEX memories_forgotten (deleted_at>?)", "SEARCH r USING COVERING INDEX relations_source (source=?)",
				"USE TEMP B-TREE FOR ORDER BY", "SEARCH r USING INDEX relations_target (target=?)", "SCAN (subquery-2)",
				"SEARCH memories USING COVERING INDEX memories_forgotten (deleted_at>?)", "SCAN prompts USING COVERING INDEX prompts_project_recent",
				"SCAN relations USING COVERING INDEX relations_target", "SCAN sessions USING COVERING INDEX sessions_active",
				"SCAN projects USING COVERING INDEX sqlite_autoindex_projects_1", "SCAN pragma_page_count VIRTUAL TABLE INDEX 0:",
				"SCAN pragma_page_size VIRTUAL TABLE INDEX 0:", "SCAN tallies", "USE TEMP B-TREE FOR GROUP BY"},
			why: "what is counted is smaller than the memories, and those are tallied"},
		{name: "relations of a project with few memories", run: func(t *tx) error { _, err := t.countRelations(ctx, []any{1}, 0); return err },
			want: []string{"SCAN tallies", "SEARCH m USING COVERING INDEX memories_forgotten (deleted_at>?)", "SEARCH r USING INDEX relations_target (target=?)",
				"SEARCH s USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH relations USING COVERING INDEX relations_source (source=?)",
				"SEARCH memories USING INDEX memories_project_recent (project=?)"},
			why: "the tallies are a row a project and type"},
		{name: "relations of a project with most memories", run: func(t *tx) error { _, err := t.countRelations(ctx, []any{1}, 1<<40); return err },
			want: []string{"SCAN CONSTANT ROW", "SEARCH relations USING COVERING INDEX relations_source (source=?)", "SCAN memories USING INDEX memories_project_recent",
				"SEARCH m USING COVERING INDEX memories_forgotten (deleted_at>?)", "SEARCH r USING COVERING INDEX relations_source (source=?)",
				"SCAN tallies", "SEARCH r USING INDEX relations_target (target=?)", "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)",
				"SCAN relations USING COVERING INDEX relations_target"},
			why: "that index has all memories, whose rows are not read, and the others' are looked up, which are fewer"},
	}
}

// lexicalPlans covers all paths of a query through the index.
func lexicalPlans(t *testing.T) []planCase {
	ask := func(question string, change func(*engram.LexicalQuery)) func(*tx) error {
		q := engram.LexicalQuery{Terms: text.Query(question), Limit: 10}
		change(&q)
		return func(tx *tx) error {
			tx.index.Cache = new(lexicon.Cache) // as in a new process
			_, err := tx.Lexical(t.Context(), q)
			return err
		}
	}
	index := []string{"SCAN CONSTANT ROW", "SCAN index_state", "SCAN unsealed", "SEARCH unsealed",
		"SEARCH documents USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", "SCAN kinds", "SCAN segments",
		"SEARCH postings USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", "SEARCH unsealed USING INTEGER PRIMARY KEY (rowid>?)"}
	checked := slices.Insert(slices.Clone(index), 4, "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)")
	const why = "one row of state, and as many of unsealed, kinds and segments as there are: some dozens"
	return []planCase{
		{name: "search", run: ask("kettle boils", func(*engram.LexicalQuery) {}), want: index, why: why},
		{name: "search with filters", run: ask("kettle boils", func(q *engram.LexicalQuery) {
			q.Filter = engram.Filter{Project: "app", Types: []engram.Type{engram.TypeFact}, Scope: engram.ScopeProject, Tags: []string{"x"},
				SessionID: "s", Since: time.UnixMilli(1), Until: time.UnixMilli(2)}
		}), want: index, why: why},
		{name: "search by metadata", run: ask("kettle boils", func(q *engram.LexicalQuery) {
			q.Filter = engram.Filter{Metadata: map[string]any{"a": 1}}
		}), want: checked, why: why},
		{name: "search for beginnings", run: ask("kett", func(q *engram.LexicalQuery) { q.Filter.Project, q.Limit = "app", 30 }), want: index, why: why},
		{name: "search for a misspelled word", run: ask("kitle", func(*engram.LexicalQuery) {}), want: index, why: why},
	}
}
