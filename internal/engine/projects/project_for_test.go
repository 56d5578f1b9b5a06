package projects_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/project"
)

// disk is a temporary folder with repositories in it.
type disk struct {
	testing.TB
	dir string
}

func newDisk(t testing.TB) disk {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return disk{t, dir}
}

// folder makes a folder.
func (d disk) folder(parts ...string) string {
	d.Helper()
	dir := filepath.Join(append([]string{d.dir}, parts...)...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		d.Fatal(err)
	}
	return dir
}

func (d disk) git(dir string, args ...string) {
	d.Helper()
	args = append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		d.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// repo makes a repository with one commit and, unless it is "", a remote.
func (d disk) repo(remote string, parts ...string) string {
	d.Helper()
	dir := d.folder(parts...)
	d.git(dir, "init", "-q")
	d.git(dir, "commit", "-q", "--allow-empty", "-m", "first")
	if remote != "" {
		d.git(dir, "remote", "add", "origin", remote)
	}
	return dir
}

// config writes .engram/config.json into dir.
func (d disk) config(dir, text string) {
	d.Helper()
	if err := os.MkdirAll(filepath.Join(dir, ".engram"), 0o700); err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".engram", "config.json"), []byte(text), 0o600); err != nil {
		d.Fatal(err)
	}
}

func TestTheProjectOfAFolder(t *testing.T) {
	d, w := newDisk(t), enginetest.NewWorld(t)
	remote := d.repo("git@host:team/Store--Front.git", "checkout")
	plain := d.repo("", "Plain")
	configured := d.repo("https://host/team/other", "configured")
	d.config(configured, `{"project_name": " My__App "}`)
	worktree := filepath.Join(d.dir, "plain-fix")
	d.git(plain, "worktree", "add", "-q", worktree)
	d.repo("https://host/x/child-remote", "parent", "Child")
	noted := d.folder("notes")
	d.config(noted, `{"project_name": "written"}`)
	for _, tt := range []struct {
		name, dir string
		want      projects.ProjectInForce
	}{
		{"configuration before remote", d.folder("configured", "deep", "down"), projects.ProjectInForce{Name: "my_app", Source: project.SourceConfig, Path: configured}},
		{"remote before folder", d.folder("checkout", "cmd"), projects.ProjectInForce{Name: "store-front", Source: project.SourceRemote, Path: remote}},
		{"root of the repository", d.folder("Plain", "cmd"), projects.ProjectInForce{Name: "plain", Source: project.SourceRoot, Path: plain}},
		{"a worktree is its repository", worktree, projects.ProjectInForce{Name: "plain", Source: project.SourceRoot, Path: worktree}},
		{"the only repository in a folder", d.folder("parent"), projects.ProjectInForce{Name: "child", Source: project.SourceChild,
			Path: filepath.Join(d.dir, "parent", "Child"), Warning: "auto-promoted child repository: child"}},
		{"a configuration without a repository", noted, projects.ProjectInForce{Name: "written", Source: project.SourceConfig, Path: noted}},
		{"which counts in its own folder alone", d.folder("notes", "Below"), projects.ProjectInForce{Name: "below", Source: project.SourceBaseName, Path: filepath.Join(noted, "Below")}},
		{"a folder by its name", d.folder("Some--Thing"), projects.ProjectInForce{Name: "some-thing", Source: project.SourceBaseName, Path: filepath.Join(d.dir, "Some--Thing")}},
		{"a folder that is not there", filepath.Join(d.dir, "Gone"), projects.ProjectInForce{Name: "gone", Source: project.SourceBaseName, Path: filepath.Join(d.dir, "Gone")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, write := range []bool{false, true} {
				got := w.In(t).MustProject(projects.ProjectRequest{Dir: tt.dir, Write: write})
				if got.Name != tt.want.Name || got.Source != tt.want.Source || got.Path != tt.want.Path || got.Warning != tt.want.Warning || len(got.Available) > 0 {
					t.Errorf("project of %s\n got %+v\nwant %+v", tt.dir, got, tt.want)
				}
			}
		})
	}
}

func TestAFolderOfSeveralRepositories(t *testing.T) {
	d, w := newDisk(t), enginetest.NewWorld(t)
	for _, name := range []string{"Beta", "alpha", "gamma"} {
		d.repo("", "Work", name)
	}
	d.repo("", "Work", "node_modules")
	dir := filepath.Join(d.dir, "Work")
	got, err := w.ProjectFor(t.Context(), projects.ProjectRequest{Dir: dir, Write: true})
	enginetest.WantCode(t, err, engram.CodeConflict)
	names := []string{"alpha", "beta", "gamma"}
	enginetest.Same(t, "the choices in the error", enginetest.WantProblem(t, err, project.ReasonAmbiguous).Available, names)
	enginetest.Same(t, "the choices in the answer", got.Available, names)
	if got.Name != "" || got.Source != project.SourceAmbiguous || got.Path != dir {
		t.Errorf("got %+v", got)
	}
	got = w.MustProject(projects.ProjectRequest{Dir: dir, Lenient: true})
	if got.Name != "work" || got.Source != project.SourceBaseName {
		t.Errorf("leniently: %+v", got)
	}
	got = w.MustProject(projects.ProjectRequest{Dir: dir, Chosen: "Beta", Write: true})
	if got.Name != "beta" || got.Source != project.SourceChosen {
		t.Errorf("chosen: %+v", got)
	}
	got = w.MustProject(projects.ProjectRequest{Dir: dir, Override: "gamma", Write: true})
	if got.Name != "gamma" || got.Source != project.SourceOverride {
		t.Errorf("overridden: %+v", got)
	}
}

func TestABrokenConfigurationIsSaid(t *testing.T) {
	d, w := newDisk(t), enginetest.NewWorld(t)
	dir := d.repo("git@host:x/app.git", "app")
	for _, text := range []string{"{", `{"project_name": ""}`, `{"project_name": "a/b"}`, `[]`, `{"other": 1}`} {
		d.config(dir, text)
		for _, lenient := range []bool{false, true} {
			_, err := w.ProjectFor(t.Context(), projects.ProjectRequest{Dir: dir, Lenient: lenient})
			enginetest.WantCode(t, err, engram.CodeInvalid)
			enginetest.WantProblem(t, err, project.ReasonConfig)
		}
		if got := w.MustProject(projects.ProjectRequest{Dir: dir, Override: "app"}); got.Name != "app" {
			t.Errorf("what goes before the folder must not need it: %+v", got)
		}
	}
}

func TestTheOrderInWhichAProjectIsDecided(t *testing.T) {
	d, w := newDisk(t), enginetest.NewWorld(t)
	dir := d.repo("", "folder")
	w.MustSession("s1", "of-session")
	w.Note("t", "c") // project demo is known
	all := projects.ProjectRequest{Chosen: "Chosen", Explicit: "Demo", SessionID: "s1", Override: "Over", Dir: dir, Write: true}
	for _, want := range []projects.ProjectInForce{
		{Name: "chosen", Source: project.SourceChosen},
		{Name: "demo", Source: project.SourceExplicit},
		{Name: "of-session", Source: project.SourceSession},
		{Name: "over", Source: project.SourceOverride, Warning: `Project name normalized: "Over" → "over"`},
		{Name: "folder", Source: project.SourceRoot, Path: dir},
	} {
		got := w.MustProject(all)
		if got.Name != want.Name || got.Source != want.Source || got.Warning != want.Warning || got.Path != want.Path {
			t.Errorf("request %+v\n got %+v\nwant %+v", all, got, want)
		}
		switch want.Source {
		case project.SourceChosen:
			all.Chosen = ""
		case project.SourceExplicit:
			all.Explicit = ""
		case project.SourceSession:
			all.SessionID = ""
		case project.SourceOverride:
			all.Override = ""
		}
	}
}

func TestTheProjectOfASession(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	_, err := w.ProjectFor(t.Context(), projects.ProjectRequest{SessionID: "nobody", Override: "over", Write: true})
	enginetest.WantCode(t, err, engram.CodeNotFound)
	enginetest.WantProblem(t, err, project.ReasonUnknownSession)
	w.MustSave(remember.SaveInput{Content: "c", SessionID: "lost", NewSession: true})
	if got := w.MustProject(projects.ProjectRequest{SessionID: "lost", Override: "over", Write: true}); got.Name != "over" {
		t.Errorf("a session without a project leaves it open: %+v", got)
	}
}

func TestAProjectThatAReaderNames(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("t", "c")
	w.MustSave(remember.SaveInput{Content: "c", Project: "old"})
	if _, err := w.MergeProjects(t.Context(), []string{"old"}, "demo"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"demo", " DEMO ", "old", "Old"} {
		if got := w.MustProject(projects.ProjectRequest{Explicit: name}); got.Name != "demo" || got.Source != project.SourceExplicit {
			t.Errorf("%q: %+v", name, got)
		}
	}
	_, err := w.ProjectFor(t.Context(), projects.ProjectRequest{Explicit: "demmo", Dir: t.TempDir()})
	enginetest.WantCode(t, err, engram.CodeNotFound)
	enginetest.Same(t, "what there is", enginetest.WantProblem(t, err, project.ReasonUnknown).Available, []string{"demo"})
	if got := engram.HintOf(err); got != `did you mean "demo"?` {
		t.Errorf("the hint is %q", got)
	}
}

func TestNamesThatNoProjectMayHave(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, name := range []string{" ", "a/b", `a\b`, "/home/me", "a\x00b", "a\x1b[2J", "a\u202eb", "\xff", strings.Repeat("n", 201)} {
		for _, r := range []projects.ProjectRequest{{Explicit: name}, {Explicit: name, Write: true, Dir: t.TempDir()}, {Override: name}} {
			_, err := w.ProjectFor(t.Context(), r)
			enginetest.WantCode(t, err, engram.CodeInvalid)
			enginetest.WantProblem(t, err, project.ReasonInvalid)
		}
	}
}

// The engine validates names, so that all frontends agree.
func TestNamesThatNobodyMaySaveUnder(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("t", "c")
	for _, name := range []string{"a\nb", "a\tb", "a\x1b[2J", "a\u202eb", "a\u2028b"} {
		_, err := w.Save(t.Context(), remember.SaveInput{Content: "c", Project: name})
		_, started := w.StartSession(t.Context(), remember.SessionInput{ID: "s", Project: name})
		_, prompted := w.SavePrompt(t.Context(), remember.PromptInput{Content: "c", Project: name})
		_, updated := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Project: &name})
		_, captured := w.Capture(t.Context(), remember.CaptureInput{Content: "## Learnings\n- a learning that is long enough", Project: name})
		for verb, err := range map[string]error{"save": err, "session": started, "prompt": prompted, "update": updated, "capture": captured} {
			if p, ok := errors.AsType[*project.Problem](err); engram.CodeOf(err) != engram.CodeInvalid || !ok || p.Reason != project.ReasonInvalid {
				t.Errorf("%s under %q: got %v, want an invalid project", verb, name, err)
			}
		}
	}
	if all, err := w.Projects(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("there are %v (%v), want demo alone", all, err)
	}
}

// Other programs create projects with a slash in their names.
func TestAProjectWithASlashIsReadAndWrittenOnceItIsThere(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSave(remember.SaveInput{Content: "c", Project: "Team/App"})
	for _, r := range []projects.ProjectRequest{{Explicit: "team/app"}, {Explicit: "team/app", Write: true, Dir: t.TempDir()}, {Override: "team/app"}} {
		if got := w.MustProject(r); got.Name != "team/app" {
			t.Errorf("%+v: got %+v", r, got)
		}
	}
	if _, err := w.MergeProjects(t.Context(), []string{"demo"}, "team/app"); err != nil {
		t.Errorf("merge into it: %v", err)
	}
}

func TestAProjectThatAWriterNames(t *testing.T) {
	d, w := newDisk(t), enginetest.NewWorld(t)
	repo := d.repo("git@host:x/Store.git", "checkout")
	configured := d.repo("", "configured")
	d.config(configured, `{"project_name": "by-config"}`)
	d.repo("", "work", "a--b")
	d.repo("", "work", "a-b")
	d.repo("", "work", "c")
	work, bare := filepath.Join(d.dir, "work"), d.folder("bare")
	w.Note("t", "c")
	w.MustSession("s1", "of-session")
	for _, tt := range []struct {
		name string
		in   projects.ProjectRequest
		want string
		fail project.Reason
	}{
		{"one that is known", projects.ProjectRequest{Explicit: "Demo", Dir: repo}, "demo", ""},
		{"that of the session", projects.ProjectRequest{Explicit: "of-session", SessionID: "s1", Dir: repo}, "of-session", ""},
		{"that of the configuration", projects.ProjectRequest{Explicit: "By-Config", Dir: configured}, "by-config", ""},
		{"that of the repository, before its first memory", projects.ProjectRequest{Explicit: "store", Dir: repo}, "store", ""},
		{"another in a repository", projects.ProjectRequest{Explicit: "new", Dir: repo}, "", project.ReasonUnknown},
		{"another in a configured repository", projects.ProjectRequest{Explicit: "configured", Dir: configured}, "", project.ReasonUnknown},
		{"another with a session", projects.ProjectRequest{Explicit: "new", SessionID: "s1", Dir: repo}, "", project.ReasonUnknown},
		{"a new one in a folder that tells nothing", projects.ProjectRequest{Explicit: "New", Dir: bare}, "new", ""},
		{"a new one in an ambiguous folder", projects.ProjectRequest{Explicit: "new", Dir: work}, "", project.ReasonUnknown},
		{"a choice of an ambiguous folder without its token", projects.ProjectRequest{Explicit: "c", Dir: work}, "", project.ReasonUnknown},
		{"one that two folders would share", projects.ProjectRequest{Explicit: "a--b", Dir: work}, "", project.ReasonCollision},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Write = true
			got, err := w.ProjectFor(t.Context(), tt.in)
			if tt.fail != "" {
				p := enginetest.WantProblem(t, err, tt.fail)
				if tt.fail == project.ReasonUnknown && !strings.Contains(err.Error(), "is not backed by known context") {
					t.Errorf("got %q", err)
				}
				if tt.in.Dir == work && len(p.Available) == 0 {
					t.Errorf("the choices are not told: %+v", p)
				}
				return
			}
			if err != nil || got.Name != tt.want || got.Source != project.SourceExplicit {
				t.Errorf("got %+v, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// A save never lands in another project's session, whatever merges did to the names.
func TestASaveOutsideASessionStaysInItsProject(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	n := 0
	save := func(project string) {
		t.Helper()
		n++
		m := w.MustSave(remember.SaveInput{Content: fmt.Sprintf("content %d", n), Project: project}).Memory
		s, err := w.Session(t.Context(), m.SessionID)
		if err != nil || s.Project != m.Project {
			t.Errorf("#%d of %q is in session %q of %q: %v", m.Num, m.Project, m.SessionID, s.Project, err)
		}
	}
	merge := func(to string, from ...string) {
		t.Helper()
		if _, err := w.MergeProjects(t.Context(), from, to); err != nil {
			t.Fatal(err)
		}
	}
	save("alpha")
	merge("delta", "", "alpha")
	save("alpha")
	save("")
	merge("alpha", "alpha", "gamma")
	save("alpha")
	save("delta")
}
