package consolidate_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/project"
)

// patient is a store with a segment, some unsealed memories, and a vector for each.
func patient(t *testing.T) enginetest.Parts {
	t.Helper()
	p := enginetest.NewParts(t)
	if err := os.Chmod(filepath.Dir(p.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	var in []remember.SaveInput
	for i := range 70 {
		in = append(in, remember.SaveInput{Project: "shop", Title: fmt.Sprintf("Decision %d", i), Content: fmt.Sprintf("The token of service %d lives for %d minutes.", i, i+3)})
	}
	for _, one := range in {
		if _, err := p.Save(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// behind runs SQL like a program that bypasses the engine.
func behind(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=foreign_keys(0)&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		res, err := db.Exec(s)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		if n, _ := res.RowsAffected(); n == 0 {
			t.Fatalf("%s: there was nothing to damage", s)
		}
	}
}

func doctor(t *testing.T, e *engine.Engine, in consolidate.DoctorInput) health.Report {
	t.Helper()
	r, err := e.Doctor(t.Context(), in)
	if err != nil {
		t.Fatalf("Doctor(%+v): %v", in, err)
	}
	return r
}

func TestDoctorFindsNothingInAHealthyStore(t *testing.T) {
	t.Parallel()
	r := doctor(t, patient(t).Engine, consolidate.DoctorInput{All: true, Full: true})
	for _, c := range r.Checks {
		if c.Result != health.OK {
			t.Errorf("%s: got %s, %s", c.Check, c.Result, c.Message)
		}
	}
	of := 1 // of a server
	if enginetest.OnServer() {
		of = 5 // of a file and its log
	}
	if r.Summary.Total != len(health.IDs())-of || r.Status != health.OK {
		t.Errorf("got %s, %+v, want every check but those of the other kind of store", r.Status, r.Summary)
	}
}

func TestDoctorFindsAndMendsWhatIsBroken(t *testing.T) {
	enginetest.OfFile(t)
	t.Parallel()
	for _, tt := range []struct {
		name   string
		breaks []string
		full   bool
		check  health.ID
		reason string // of the check
		says   string // in the check or one of its findings
		fixed  bool
	}{
		{"the index lost a memory", []string{`DELETE FROM unsealed WHERE seq = (SELECT max(seq) FROM unsealed)`}, false,
			health.IndexInStep, "index_out_of_step", "1 memory is not found", true},
		{"the index kept a memory that was forgotten", []string{`UPDATE memories SET deleted_at = 1 WHERE num = 3`}, false,
			health.IndexInStep, "index_out_of_step", "1 forgotten or deleted memory", true},
		{"the index kept a memory that is gone", []string{`DELETE FROM memories WHERE num = 3`}, false,
			health.IndexInStep, "index_out_of_step", "1 forgotten or deleted memory", true},
		{"the index has a memory twice", []string{`INSERT INTO unsealed (memory, document, words) SELECT memory, document, words FROM unsealed LIMIT 1`}, false,
			health.IndexInStep, "index_out_of_step", "twice", true},
		{"the index has a memory at another time", []string{`UPDATE memories SET created_at = created_at - 5 WHERE num = 3`}, false,
			health.IndexInStep, "index_out_of_step", "another project or time", true},
		{"the lists of words are overwritten", []string{`UPDATE postings SET words = randomblob(200)`}, false,
			health.IndexInStep, "index_damaged", "Cannot read the index", true},
		{"the documents are cut short", []string{`UPDATE documents SET rows = substr(rows, 1, 40)`}, false,
			health.IndexInStep, "index_damaged", "Cannot read the index", true},
		{"a segment counts wrong", []string{`UPDATE segments SET live = live - 2`}, false, health.IndexInStep, "index_damaged", "counts 62", true},
		{"the index has other words than the memory", []string{`UPDATE memories SET title = 'Nothing of the kind' WHERE num = 3`}, true,
			health.IndexInStep, "index_out_of_step", "1 memory is not found", true},
		{"a vector is gone", []string{`DELETE FROM vectors WHERE num = (1 << 48) + 70`}, false, health.VectorsInStep, "vectors_out_of_step", "1 memory has no vector", true},
		{"a vector of a memory with a slot is gone", []string{`DELETE FROM vectors WHERE num = (1 << 48) + 2`}, false, health.VectorsInStep, "vectors_out_of_step", "1 memory has no vector", true},
		{"a vector outlived its memory", []string{`INSERT INTO vectors SELECT num - 2 + 9999, row FROM vectors WHERE num = (1 << 48) + 2`}, false,
			health.VectorsInStep, "vectors_out_of_step", "1 vector belongs to a forgotten or deleted memory", true},
		{"a vector is cut short", []string{`UPDATE vectors SET row = substr(row, 1, 10) WHERE num = (1 << 48) + 2`}, false,
			health.VectorsInStep, "vectors_out_of_step", "length", true},
		{"codes are overwritten", []string{`UPDATE vector_codes SET sizes = zeroblob(length(sizes))`}, false,
			health.VectorsInStep, "vectors_out_of_step", "cannot be found by their codes", true},
		{"a page of codes is cut short", []string{`UPDATE vector_codes SET signs = substr(signs, 1, 40)`}, false,
			health.VectorsInStep, "vectors_damaged", "a page of codes of segment 1 is damaged", true},
		{"a code outlived its memory", []string{`DELETE FROM memories WHERE num = 3`}, false, health.VectorsInStep, "vectors_out_of_step", "1 vector cannot be found by its code", true},
		{"vectors of a former model are left", []string{`INSERT INTO models (name, fingerprint, dimensions, memories) VALUES ('old', 'old-1', 4, 1)`,
			`INSERT INTO vectors SELECT (num << 48) + 2, zeroblob(8) FROM models WHERE name = 'old'`}, false, health.VectorsInStep, "former_model", "old", true},
		{"a relation leads nowhere", []string{`INSERT INTO relations (id, source, target, verb, status, strength, created_at, updated_at)
			VALUES ('rel-1', 2, 9999, 'relates_to', 'judged', 1, 1, 1)`}, false, health.Nowhere, "relations_to_nowhere", "1 relation leads", true},
		{"a memory has no type", []string{`UPDATE memories SET type = '' WHERE num = 4`}, false, health.RequiredFields, "memories_lack_required_fields", "Memory #4 lacks: type.", false},
		{"a memory has no session", []string{`UPDATE memories SET session = 777 WHERE num = 4`}, false, health.RequiredFields, "memories_lack_required_fields", "Memory #4 lacks: session_id.", false},
		{"a journal entry has no verb", []string{`UPDATE mutations SET verb = '' WHERE seq = 7`}, false, health.RequiredFields, "journal_entries_lack_required_fields", "Journal entry 7", false},
		{"the old values of a journal entry are no JSON", []string{`UPDATE mutations SET was = '{' WHERE seq = 7`}, false,
			health.RequiredFields, "journal_entries_lack_required_fields", "Journal entry 7", false},
		{"tags are of no memory", []string{`INSERT INTO tags VALUES (9999, 'x')`}, false, health.Integrity, "rows_without_parent", "1 row refers to missing rows (tags)", false},
		{"a content is not what was saved", []string{`UPDATE memories SET content = 'The token lives for ever.' WHERE num = 5`}, true,
			health.Integrity, "content_altered", "#5", false},
		{"two versions take turns", []string{`INSERT INTO meta VALUES ('program:1.0', '1781254800000 1781258400000'), ('program:2.0', '1781254900000 1781258500000')`}, false,
			health.BinaryVersions, "several_binary_versions", "1.0, 2.0", false},
		{"a memory comes from the future", []string{`UPDATE memories SET created_at = 2000000000000 WHERE num = 70`}, false,
			health.ClockBackwards, "clock_moved_backwards", "ahead of the clock", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := patient(t)
			behind(t, p.Path, tt.breaks...)
			in := consolidate.DoctorInput{All: true, Check: string(tt.check), Full: tt.full}
			c := doctor(t, p.Engine, in).Checks[0]
			said := c.Message
			for _, f := range c.Findings {
				said += "\n" + f.Message
			}
			if c.Result == health.OK || c.Reason != tt.reason || !strings.Contains(said, tt.says) {
				t.Fatalf("%v: got %s, %s, %q; want %s, %q", tt.breaks, c.Result, c.Reason, said, tt.reason, tt.says)
			}
			if tt.fixed {
				in.Check = "" // what is broken may have broken something else
			}
			m, err := p.Fix(t.Context(), consolidate.FixInput{DoctorInput: in})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range m.Steps {
				if s.Err != nil {
					t.Errorf("%s: %v", s.Remedy, s.Err)
				}
			}
			if ok := m.Report.Status == health.OK; ok != tt.fixed || (len(m.Steps) > 0) != tt.fixed || (m.Backup != "") != tt.fixed {
				t.Errorf("mended: got %+v after %+v, backup %q; want mended: %v", m.Report.Summary, m.Steps, m.Backup, tt.fixed)
			}
			if !tt.fixed {
				return
			}
			if found, err := p.Search(t.Context(), search.SearchInput{Query: "token of service 41", Filter: engram.Filter{Project: "shop"}}); err != nil || len(found.Hits) == 0 || found.Hits[0].Memory.Num != 42 {
				t.Errorf("search afterwards: got %+v, %v; want #42 first", found.Hits, err)
			}
			if _, err := enginetest.OpenStore(m.Backup); err != nil {
				t.Errorf("the backup cannot be opened: %v", err)
			}
		})
	}
}

func TestDoctorSeesAClockThatMovedBackwards(t *testing.T) {
	t.Parallel()
	p := patient(t)
	p.Clock.Add(-48 * time.Hour)
	c := doctor(t, p.Engine, consolidate.DoctorInput{All: true, Check: string(health.ClockBackwards)}).Checks[0]
	if c.Result != health.Warning || c.Evidence["made_in_the_future"] == 0 {
		t.Errorf("two days back: got %s, %v; want a warning", c.Result, c.Evidence)
	}
}

func TestDoctorClosesFilesToOthers(t *testing.T) {
	enginetest.OfFile(t)
	t.Parallel()
	p := patient(t)
	for name, mode := range map[string]os.FileMode{p.Path: 0o644, filepath.Dir(p.Path): 0o755} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	m, err := p.Fix(t.Context(), consolidate.FixInput{DoctorInput: consolidate.DoctorInput{All: true, Check: string(health.FileModes)}})
	if err != nil || len(m.Steps) != 1 || m.Backup != "" || m.Report.Status != health.OK {
		t.Fatalf("got %+v, %v; want one step without a backup", m, err)
	}
	info, err := os.Stat(p.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: got %v, %v; want 0600", info.Mode(), err)
	}
}

func TestDoctorMovesSessionsAndUndoTakesItBack(t *testing.T) {
	t.Parallel()
	p := patient(t)
	repo := filepath.Join(t.TempDir(), "till")
	if out, err := exec.Command("git", "init", "-q", repo).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	if _, err := p.StartSession(t.Context(), remember.SessionInput{ID: "s1", Project: "shop", Directory: repo}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.StartSession(t.Context(), remember.SessionInput{ID: "manual-save-shop-old", Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	saved, err := p.Save(t.Context(), remember.SaveInput{SessionID: "s1", Title: "In the wrong drawer", Content: "It belongs to the till.", TopicKey: "bug/drawer"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.SavePrompt(t.Context(), remember.PromptInput{SessionID: "s1", Project: "shop", Content: "why does the drawer stick?"}); err != nil {
		t.Fatal(err)
	}
	in := consolidate.RepairInput{Project: "shop", Check: string(health.SessionFolder)}
	planned := consolidate.RepairCounts{SessionsPlanned: 1, MemoriesPlanned: 1, PromptsPlanned: 1}
	for _, mode := range []consolidate.RepairMode{consolidate.RepairPlan, consolidate.RepairDryRun} {
		in.Mode = mode
		r, err := p.Repair(t.Context(), in)
		if err != nil || len(r.Actions) != 1 || r.Actions[0] != (consolidate.RepairAction{Session: "s1", From: "shop", To: "till", Source: "git_root", Path: repo}) || r.Counts != planned || r.Backup != "" {
			t.Fatalf("%s: got %+v, %v; want one session with a memory and a prompt", mode, r, err)
		}
		if s, err := p.Session(t.Context(), "s1"); err != nil || s.Project != "shop" {
			t.Fatalf("after %s: got %+v, %v; want nothing changed", mode, s, err)
		}
	}
	in.Mode = consolidate.RepairApply
	r, err := p.Repair(t.Context(), in)
	applied := consolidate.RepairCounts{SessionsPlanned: 1, MemoriesPlanned: 1, PromptsPlanned: 1, SessionsApplied: 1, MemoriesApplied: 1, PromptsApplied: 1}
	if err != nil || r.Status != "applied" || r.Counts != applied || (r.Backup == "") != enginetest.OnServer() {
		t.Fatalf("apply: got %+v, %v; want %+v and a backup", r, err, applied)
	}
	where := func() string {
		s, err := p.Session(t.Context(), "s1")
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Get(t.Context(), engram.ByNum(saved.Memory.Num))
		if err != nil {
			t.Fatal(err)
		}
		return s.Project + " " + d.Memory.Project + " " + d.Memory.TopicKey
	}
	if got := where(); got != "till till bug/drawer" {
		t.Errorf("after apply: got %s, want all in till", got)
	}
	if r, err = p.Repair(t.Context(), in); err != nil || r.Status != "noop" || r.Backup != "" {
		t.Errorf("once more: got %+v, %v; want nothing to do", r, err)
	}
	// A name in an id is no reason to create its project.
	in.Check = string(health.ManualSession)
	if r, err = p.Repair(t.Context(), in); err != nil || r.Status != "noop" || len(r.Skipped) != 1 || r.Skipped[0].Reason != "manual_name_unknown_project" {
		t.Errorf("a session named for no project: got %+v, %v; want it skipped", r, err)
	}
	undone, err := p.Undo(t.Context(), undo.UndoInput{Project: "till"})
	if err != nil || undone.Undone.Name != "doctor" {
		t.Fatalf("undo: got %+v, %v; want the doctor's operation", undone, err)
	}
	if got := where(); got != "shop shop bug/drawer" {
		t.Errorf("after undo: got %s, want all as it was", got)
	}
}

func TestDoctorKnowsItsProjects(t *testing.T) {
	t.Parallel()
	p := patient(t)
	if _, err := p.RenameProject(t.Context(), "shop", "storefront"); err != nil {
		t.Fatal(err)
	}
	// manual-save-shop rightly belongs to storefront now.
	r := doctor(t, p.Engine, consolidate.DoctorInput{Project: projects.ProjectRequest{Explicit: "Shop"}})
	if r.Project != "storefront" || r.Status != health.OK {
		t.Errorf("by its former name: got %+v, want storefront, well", r)
	}
	_, err := p.Doctor(t.Context(), consolidate.DoctorInput{Project: projects.ProjectRequest{Explicit: "stor"}})
	if problem, told := errors.AsType[*project.Problem](err); !told || problem.Reason != project.ReasonUnknown || len(problem.Available) != 1 || problem.Available[0] != "storefront" {
		t.Errorf("an unknown project: got %v (%+v), want unknown_project with storefront", err, problem)
	}
	if r := doctor(t, p.Engine, consolidate.DoctorInput{All: true, Check: "pulse"}); r.Status != health.Failed || r.Checks[0].Check != "invalid_check" {
		t.Errorf("a check nobody knows: got %+v, want invalid_check", r)
	}
	if _, err := p.Repair(t.Context(), consolidate.RepairInput{Project: "storefront", Check: "disk_space", Mode: consolidate.RepairPlan}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("repair of the disk: got %v, want invalid", err)
	}
}
