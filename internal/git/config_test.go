//go:build unix

package git_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/alanbuscaglia/engram/internal/git"
	"github.com/alanbuscaglia/engram/internal/project"
)

func TestConfigurationInARepository(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	root := w.repo("app", "")
	inner, deep := w.path("app/inner"), w.path("app/inner/deep/down")
	want := project.Facts{Dir: deep, Root: root, Main: root}

	w.write(`{"project_name": "above"}`, w.dir, ".engram", "config.json")
	w.facts(deep, want) // what lies above the root does not count

	w.write(`{"project_name": "root", "other": [1]}`, root, ".engram", "config.json")
	want.ConfigDir, want.ConfigName = root, "root"
	w.facts(deep, want)

	w.path("app/inner/deep/.engram") // a folder without the file changes nothing
	w.write("\ufeff"+`{"project_name": "inner"}`+"\r\n", inner, ".engram", "config.json")
	want.ConfigDir, want.ConfigName = inner, "inner"
	w.facts(deep, want) // the nearest counts
}

func TestConfigurationOutsideARepository(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir, inner := w.path("plain"), w.path("plain/inner")
	w.write(`{"project_name": "plain"}`, dir, ".engram", "config.json")
	w.facts(dir, project.Facts{Dir: dir, ConfigDir: dir, ConfigName: "plain"})
	w.facts(inner, project.Facts{Dir: inner}) // only of the folder itself
}

func TestConfigurationThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	const notJSON = `.engram/config.json is not JSON of the form {"project_name": "NAME"}`
	for _, tt := range []struct{ name, text, want string }{
		{"no JSON", "project_name: s3cret", notJSON},
		{"an empty file", "", notJSON},
		{"JSON that is cut off", `{"project_name": "s3cret`, notJSON},
		{"text after the JSON", `{"project_name": "a"} s3cret`, notJSON},
		{"a name of the wrong type", `{"project_name": 7}`, notJSON},
		{"a list", `["s3cret"]`, notJSON},
		{"no name", `{"name": "s3cret"}`, ".engram/config.json has no project_name"},
		{"an empty name", `{"project_name": " "}`, ".engram/config.json has no project_name"},
		{"a file that is too large", strings.Repeat(" ", 64<<10) + `{"project_name": "a"}`, ".engram/config.json is larger than 64 KiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t)
			dir := w.repo("app", "")
			w.write(tt.text, dir, ".engram", "config.json")
			w.facts(dir, project.Facts{Dir: dir, Root: dir, Main: dir, ConfigDir: dir, ConfigErr: tt.want})
		})
	}
}

// A hostile repository must neither make Engram read elsewhere nor make it wait.
func TestConfigurationThatIsNoPlainFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		make func(w workspace, dir string) error
		want string
	}{
		{"a link that leads out", func(w workspace, dir string) error {
			w.write(`{"project_name": "s3cret"}`, w.dir, "outside.json")
			return os.Symlink("../../outside.json", filepath.Join(dir, "config.json"))
		}, ".engram/config.json cannot be read"},
		{"a pipe", func(_ workspace, dir string) error {
			return syscall.Mkfifo(filepath.Join(dir, "config.json"), 0o600)
		}, ".engram/config.json is not a file"},
		{"a folder", func(_ workspace, dir string) error {
			return os.Mkdir(filepath.Join(dir, "config.json"), 0o700)
		}, ".engram/config.json is not a file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t)
			dir := w.path("app")
			if err := tt.make(w, w.path("app/.engram")); err != nil {
				t.Fatal(err)
			}
			w.facts(dir, project.Facts{Dir: dir, ConfigDir: dir, ConfigErr: tt.want})
		})
	}
}

func TestAFileCalledEngramIsNoConfiguration(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	dir := w.path("app")
	w.write("text", dir, ".engram")
	w.facts(dir, project.Facts{Dir: dir})
}

func TestALinkCalledEngramIsNoConfiguration(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"../elsewhere", "conf", "nowhere"} {
		t.Run(to, func(t *testing.T) {
			w := newWorkspace(t)
			dir := w.path("app")
			w.write(`{"project_name": "s3cret"}`, w.dir, "elsewhere", "config.json")
			w.write(`{"project_name": "s3cret"}`, dir, "conf", "config.json")
			if err := os.Symlink(to, filepath.Join(dir, ".engram")); err != nil {
				t.Fatal(err)
			}
			w.facts(dir, project.Facts{Dir: dir})
		})
	}
}

func FuzzConfiguration(f *testing.F) {
	f.Add([]byte(`{"project_name": "My--App"}`))
	f.Add([]byte("\ufeff{\"project_name\": \"../x\\u001b\"}"))
	f.Add([]byte(`{"Project_Name": null}`))
	w := newWorkspace(f)
	dir := w.path("app")
	f.Fuzz(func(t *testing.T, text []byte) {
		workspace{t, w.dir}.write(string(text), dir, ".engram", "config.json")
		facts, err := git.Folders{}.Facts(context.Background(), dir)
		if err != nil || (facts.ConfigName == "") == (facts.ConfigErr == "") {
			t.Fatalf("%q gives %+v, %v", text, facts, err)
		}
		d, err := project.Detect(facts)
		if err == nil && (project.Check(d.Name) != nil || project.Normalize(d.Name) != d.Name) {
			t.Errorf("%q gives the name %q", text, d.Name)
		}
	})
}
