package sqlite

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

// An export reads each table once, page by page: no page may start from the first row, sort, or scan
// another table. An import looks up each thing; memories found by either name are merged.
func TestAnExportReadsEachTableOnce(t *testing.T) {
	ctx := t.Context()
	s := planStore(t)
	for _, tt := range []planCase{
		{name: "memories after a number", run: func(t *tx) error { _, err := engram.MemoriesAfter(ctx, t, "", 3, 10); return err },
			want: []string{"SEARCH m USING INTEGER PRIMARY KEY (rowid>?)"}},
		{name: "memories of a project after a number", run: func(t *tx) error { _, err := engram.MemoriesAfter(ctx, t, "app", 3, 10); return err },
			want: []string{"SEARCH m USING INTEGER PRIMARY KEY (rowid>?)"}},
		{name: "prompts after a number", run: func(t *tx) error { _, err := engram.PromptsAfter(ctx, t, "", 3, 10); return err },
			want: []string{"SEARCH p USING INTEGER PRIMARY KEY (rowid>?)"}},
		{name: "sessions after an id", run: func(t *tx) error { _, err := engram.SessionsAfter(ctx, t, "", "a", 10); return err },
			want: []string{"SEARCH s USING INDEX sqlite_autoindex_sessions_1 (id>?)"}},
		{name: "relations after a number", run: func(t *tx) error { _, err := engram.RelationsAfter(ctx, t, "", 3, 10); return err },
			want: []string{"SEARCH r USING INTEGER PRIMARY KEY (rowid>?)"}},
		{name: "what was erased after another", run: func(t *tx) error { _, err := t.ErasedAfter(ctx, engram.EntityMemory, "", 10); return err },
			want: []string{"SEARCH t USING PRIMARY KEY (entity=? AND (name,project)>(?,?))"}},
		{name: "a prompt by its sync id", run: func(t *tx) error { _, _, err := engram.PromptBySyncID(ctx, t, "prompt-1"); return err },
			want: []string{"SEARCH p USING INDEX sqlite_autoindex_prompts_1 (sync_id=?)"}},
		{name: "memories by their names", run: func(t *tx) error { _, err := t.Named(ctx, []string{"mem_1"}); return err },
			want: []string{"SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)", "SEARCH m USING INDEX sqlite_autoindex_memories_2 (sync_id=?)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := slices.DeleteFunc(planned(t, s, tt.run), func(step string) bool {
				return strings.Contains(step, "memories USING INTEGER PRIMARY KEY") && strings.HasPrefix(tt.name, "relations") // of its two ends
			})
			if !slices.Equal(got, tt.want) {
				t.Errorf("plan\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
			}
		})
	}
}
