package sqlite

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

// A push scans the causal metadata once, in key order, and checks each key for replication; only
// unreplicated things are looked up in their tables. A save reads the metadata of one thing.
func TestCausalMetadataIsServedByItsKeys(t *testing.T) {
	ctx := t.Context()
	s := planStore(t)
	b := []string{"b1"}
	const (
		asked      = "SCAN a VIRTUAL TABLE INDEX 1:" // the requested keys, as JSON
		walk       = "SEARCH l USING PRIMARY KEY (entity=? AND key>?)"
		replicated = "SEARCH c USING PRIMARY KEY (entity=? AND key=? AND digest=?)"
	)
	for _, tt := range []planCase{
		{name: "lineages of things", run: func(t *tx) error { _, err := t.CausalMetadata(ctx, engram.EntityMemory, []string{"1"}); return err },
			want: []string{"SEARCH l USING PRIMARY KEY (entity=? AND key=?)"}},
		{name: "shadowed topics", run: func(t *tx) error { _, err := t.Shadowed(ctx, engram.EntityMemory, "topic_key"); return err },
			want: []string{"SEARCH l USING INDEX lineages_topics (entity=?)", "USE TEMP B-TREE FOR ORDER BY"}},
		{name: "memories with a shadowed topic", run: func(t *tx) error { _, err := t.ShadowedTopic(ctx, "a/b"); return err },
			want: []string{"SEARCH l USING INDEX lineages_topics (entity=? AND <expr>=?)"}},
		{name: "shadowed deletions", run: func(t *tx) error { _, err := t.Shadowed(ctx, engram.EntityMemory, engram.PartDeleted); return err },
			want: []string{"SEARCH l USING INDEX lineages_held (entity=?)"}},
		{name: "unreplicated memories", run: func(t *tx) error {
			_, err := t.Unreplicated(ctx, engram.EntityMemory, "app", b, "1", 10)
			return err
		}, want: []string{walk, replicated, "SEARCH memories USING INTEGER PRIMARY KEY (rowid=?)"}},
		{name: "number of unreplicated memories", run: func(t *tx) error { _, err := t.CountUnreplicated(ctx, engram.EntityMemory, "app", b); return err },
			want: []string{walk, replicated, "SEARCH memories USING INTEGER PRIMARY KEY (rowid=?)"}},
		{name: "unreplicated sessions", run: func(t *tx) error {
			_, err := t.Unreplicated(ctx, engram.EntitySession, "app", b, "", 10)
			return err
		}, want: []string{walk, replicated, "SEARCH sessions USING INDEX sqlite_autoindex_sessions_1 (id=?)"}},
		{name: "strayed memories", run: func(t *tx) error { _, err := t.Strayed(ctx, "app", b, "", 10); return err },
			want: []string{"SEARCH l USING INDEX lineages_moved (entity=? AND key>?)", "SEARCH c EXISTS USING PRIMARY KEY (entity=? AND key=?)",
				"SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"}},
		{name: "who carries a state", run: func(t *tx) error { _, err := t.ReplicatedBy(ctx, engram.EntityMemory, "1", 1); return err },
			want: []string{"SEARCH c USING PRIMARY KEY (entity=? AND key=? AND digest=?)", "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)"}},
		{name: "pulled batches", run: func(t *tx) error { _, err := t.Pulled(ctx, "app", b); return err },
			want: []string{"SEARCH p USING PRIMARY KEY (batch=? AND project=?)"}},
		{name: "sessions that are gone", run: func(t *tx) error { _, err := t.SessionTombstones(ctx, "app", "", 10); return err },
			want: []string{walk}},
		{name: "reported sessions", run: func(t *tx) error { _, err := t.Reported(ctx, []string{"s"}, "app"); return err },
			want: []string{asked, "SEARCH s USING COVERING INDEX sqlite_autoindex_sessions_1 (id=?)", "SEARCH m USING INDEX memories_session (session=?)",
				"SEARCH m USING INDEX memories_session_forgotten (session=?)", "SEARCH c USING PRIMARY KEY (entity=? AND key=?)",
				"SEARCH l USING PRIMARY KEY (entity=? AND key=?)", "SEARCH t USING PRIMARY KEY (entity=? AND name=?)",
				"SEARCH o USING INDEX memories_session (session=?)", "SEARCH o USING INDEX memories_session_forgotten (session=?)",
				"SEARCH p USING INDEX prompts_session (session=?)"}},
		{name: "sessions with what is somebody's own", run: func(t *tx) error { _, err := t.Owned(ctx, []string{"s"}); return err },
			want: []string{asked, "SEARCH s USING COVERING INDEX sqlite_autoindex_sessions_1 (id=?)", "SEARCH o USING INDEX memories_session (session=?)",
				"SEARCH o USING INDEX memories_session_forgotten (session=?)"}},
		{name: "what was erased, by name", run: func(t *tx) error { _, err := t.ErasedOf(ctx, engram.EntityMemory, b); return err },
			want: []string{asked, "SEARCH t USING PRIMARY KEY (entity=? AND name=?)"}},
		{name: "sessions that are gone, by name", run: func(t *tx) error { _, err := t.TombstonesOf(ctx, b); return err },
			want: []string{asked, "SEARCH l USING PRIMARY KEY (entity=? AND key=?)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := slices.DeleteFunc(planned(t, s, tt.run), func(step string) bool {
				return step == "SCAN carriers" || strings.HasPrefix(step, "USE TEMP B-TREE FOR DISTINCT") // one row per batch; few strays
			})
			if !slices.Equal(got, tt.want) {
				t.Errorf("plan\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
			}
		})
	}
}

// An undo of an import shadows everything it hides, but an edit afterwards reads shadowed topics only.
func TestShadowedTopicsAreFoundBesideTheShadowsOfAnUndo(t *testing.T) {
	ctx := t.Context()
	s := planStore(t)
	put := func(key, held string) {
		t.Helper()
		l := engram.CausalMetadata{Base: engram.VersionStamp{At: 1, Device: "d"}}
		if err := json.Unmarshal([]byte(held), &l.Shadowed); err != nil {
			t.Fatal(err)
		}
		if err := s.Update(ctx, func(tx engram.Tx) error {
			return tx.ReplicaTx().PutCausalMetadata(ctx, engram.EntityMemory, map[string]engram.CausalMetadata{key: l})
		}); err != nil {
			t.Fatal(err)
		}
	}
	put("1", `{"deleted":"2026-01-01T00:00:00Z"}`)
	put("2", `{"deleted":"2026-01-01T00:00:00Z","topic_key":"a"}`)
	put("3", `{"topic_key":"b"}`)
	put("4", `{"topic_key":"c"}`)
	put("4", `null`)
	put("5", `{"metadata":{"note":"\"topic_key\""}}`)
	for part, want := range map[engram.Part][]string{"topic_key": {"2", "3"}, engram.PartDeleted: {"1", "2"}, "metadata": {"5"}} {
		var got []string
		err := s.View(ctx, func(r engram.Reader) (err error) {
			got, err = r.Replica().Shadowed(ctx, engram.EntityMemory, part)
			return err
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("held %s: got %v, %v; want %v", part, got, err, want)
		}
	}
	var indexed int
	err := s.View(ctx, func(r engram.Reader) error {
		return r.(*tx).Row(ctx, `SELECT count(*) FROM lineages INDEXED BY lineages_topics WHERE instr(held, '"topic_key"')`, nil, &indexed)
	})
	if err != nil || indexed != 2 {
		t.Errorf("entries of lineages_topics: got %d, %v; want 2, what is held of a topic alone", indexed, err)
	}
}
