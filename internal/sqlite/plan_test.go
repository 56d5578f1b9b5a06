package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// planned returns how the statements run by fn use tables, according to EXPLAIN QUERY PLAN: each step
// once, in the order of the statements' texts, without the look-ups of one name or row that every
// statement has.
func planned(t *testing.T, s *Store, fn func(*tx) error) []string {
	t.Helper()
	c, err := s.Reads.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Reads.Give(c)
	if err := errors.Join(c.Forget(), fn(newTx(c, &s.kept, false))); err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, query := range c.Queries() {
		for _, step := range explainPlan(t, c, query) {
			if touches(step) && !slices.Contains(steps, step) {
				steps = append(steps, step)
			}
		}
	}
	return steps
}

// touches reports whether a step of a plan is compared.
func touches(step string) bool {
	switch step {
	case "SEARCH projects USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH sessions USING INTEGER PRIMARY KEY (rowid=?)",
		"SEARCH projects USING COVERING INDEX sqlite_autoindex_projects_1 (name=?)", "SEARCH project_aliases USING PRIMARY KEY (alias=?)",
		"SEARCH sessions USING COVERING INDEX sqlite_autoindex_sessions_1 (id=?)", "SEARCH meta USING PRIMARY KEY (key=?)",
		"SEARCH tags USING PRIMARY KEY (memory=?)", "USE TEMP B-TREE FOR json_group_array(ORDER BY)",
		"SCAN json_each VIRTUAL TABLE INDEX 1:", "SCAN asked VIRTUAL TABLE INDEX 1:":
		return false
	}
	return strings.HasPrefix(step, "SCAN ") || strings.HasPrefix(step, "SEARCH ") || strings.HasPrefix(step, "USE TEMP ")
}

func explainPlan(t *testing.T, c *conn.Conn, query string) []string {
	t.Helper()
	var args []any
	for {
		steps, err := sqlrow.List(t.Context(), &conn.Tx{Conn: c}, "explain", "EXPLAIN QUERY PLAN "+query, args, func(s sqlrow.Scanner) (step string, err error) {
			var id, parent, unused int
			err = s.Scan(&id, &parent, &unused, &step)
			return step, err
		})
		if err != nil && strings.Contains(err.Error(), "missing ") && len(args) < 50 {
			args = append(args, nil) // plans do not depend on bound values
			continue
		}
		if err != nil {
			t.Fatalf("explain %s: %v", query, err)
		}
		return steps
	}
}

// planCase is an operation and the expected plan.
type planCase struct {
	name string
	run  func(*tx) error
	want []string // the steps that use tables, in order
	why  string   // justification of scans and sorts
}

// The cost of an answer must depend on the answer, not on the table. A step that scans a table or sorts
// needs a justification in its case.
func TestFrequentQueriesAreServedByAnIndex(t *testing.T) {
	s := planStore(t)
	for _, tt := range slices.Concat(memoryPlans(t), listPlans(t), otherPlans(t), lexicalPlans(t)) {
		t.Run(tt.name, func(t *testing.T) {
			got := planned(t, s, tt.run)
			if !slices.Equal(got, tt.want) {
				t.Errorf("plan\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
			}
			for _, step := range got {
				if tt.why == "" && costly(step) {
					t.Errorf("%q needs a reason", step)
				}
			}
		})
	}
}

// costly reports whether a step scans a table or sorts.
func costly(step string) bool {
	if strings.HasPrefix(step, "SCAN ") {
		return !strings.Contains(step, "VIRTUAL TABLE") && !strings.Contains(step, "SCAN (subquery")
	}
	return strings.HasPrefix(step, "USE TEMP B-TREE")
}

// A search uses the index alone, and reads only the memories it found, by number.
func TestASearchDoesNotScanTheMemories(t *testing.T) {
	s := planStore(t)
	for _, tt := range lexicalPlans(t) {
		read := false
		for _, step := range planned(t, s, tt.run) {
			read = read || strings.Contains(step, " postings ")
			memories := strings.Contains(step, " m ") || strings.Contains(step, " memories ")
			if memories && step != "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)" {
				t.Errorf("%s: %q", tt.name, step)
			}
		}
		if !read {
			t.Errorf("%s: nothing is read of the index", tt.name)
		}
	}
}

// planStore has a project "app" with session "s" and two hundred memories of a kettle.
func planStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "engram.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	long := time.UnixMilli(1)
	err = s.Update(t.Context(), func(tx engram.Tx) error {
		if err := tx.PutProject(t.Context(), engram.Project{Name: "app", CreatedAt: long}); err != nil {
			return err
		}
		if err := tx.PutSession(t.Context(), engram.Session{ID: "s", Project: "app", StartedAt: long, ActiveAt: long}); err != nil {
			return err
		}
		return nil
	})
	for _, nums := range [][2]int{{0, 192}, {192, 200}} { // the last ones stay unsealed
		err = errors.Join(err, planMemories(t, s, nums[0], nums[1], long))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func planMemories(t *testing.T, s *Store, from, to int, long time.Time) error {
	return s.Update(t.Context(), func(tx engram.Tx) error {
		for i := from; i < to; i++ {
			m := engram.Memory{ID: engram.ID(fmt.Sprintf("mem_%026d", i)), SyncID: fmt.Sprint(i), Project: "app", SessionID: "s",
				Scope: engram.ScopeProject, Type: engram.TypeFact, Title: "kettle", Content: "boils", NormalizedHash: strings.Repeat("ab", 32),
				CreatedAt: long, UpdatedAt: long, TouchedAt: long}
			if err := tx.InsertMemory(t.Context(), &m); err != nil {
				return err
			}
		}
		return nil
	})
}
