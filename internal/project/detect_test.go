package project_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
)

func TestDetect(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   project.Facts
		want project.Detection
	}{
		{"a configuration goes before everything",
			project.Facts{Dir: "/w/app/cmd", ConfigDir: "/w/app", ConfigName: " My--App ", Root: "/w/app", Remote: "git@host:x/other.git"},
			project.Detection{Name: "my-app", Source: project.SourceConfig, Path: "/w/app"}},
		{"a remote goes before the folder",
			project.Facts{Dir: "/w/app/cmd", Root: "/w/app", Main: "/w/app", Remote: "git@host:x/Other.git"},
			project.Detection{Name: "other", Source: project.SourceRemote, Path: "/w/app"}},
		{"a remote without a name gives way to the folder",
			project.Facts{Dir: "/w/app", Root: "/w/app", Main: "/w/app", Remote: "https://user:t0ken@host"},
			project.Detection{Name: "app", Source: project.SourceRoot, Path: "/w/app"}},
		{"a repository is called as its folder",
			project.Facts{Dir: "/w/App/cmd", Root: "/w/App", Main: "/w/App"},
			project.Detection{Name: "app", Source: project.SourceRoot, Path: "/w/App"}},
		{"a worktree is called as the main one",
			project.Facts{Dir: "/w/app-fix", Root: "/w/app-fix", Main: "/w/app"},
			project.Detection{Name: "app", Source: project.SourceRoot, Path: "/w/app-fix"}},
		{"a bare repository has no .git in its name",
			project.Facts{Dir: "/w/wt", Root: "/w/wt", Main: "/srv/app.git"},
			project.Detection{Name: "app", Source: project.SourceRoot, Path: "/w/wt"}},
		{"a repository of which only the root is known",
			project.Facts{Dir: "/w/app", Root: "/w/app"},
			project.Detection{Name: "app", Source: project.SourceRoot, Path: "/w/app"}},
		{"the only repository in a folder is meant",
			project.Facts{Dir: "/w", Children: []string{"/w/App"}},
			project.Detection{Name: "app", Source: project.SourceChild, Path: "/w/App", Warning: "auto-promoted child repository: app"}},
		{"a folder is called as it is",
			project.Facts{Dir: "/home/me/Notes"},
			project.Detection{Name: "notes", Source: project.SourceBaseName, Path: "/home/me/Notes"}},
		{"a folder's name is made fit",
			project.Facts{Dir: "/home/me/a\x1b\nb\\c"},
			project.Detection{Name: "a-b-c", Source: project.SourceBaseName, Path: "/home/me/a\x1b\nb\\c"}},
		{"a folder's name is cut between characters",
			project.Facts{Dir: "/w/a" + strings.Repeat("é", 100)},
			project.Detection{Name: "a" + strings.Repeat("é", 99), Source: project.SourceBaseName, Path: "/w/a" + strings.Repeat("é", 100)}},
		{"no folder is unknown", project.Facts{}, project.Detection{Name: "unknown", Source: project.SourceBaseName}},
		{"the folder . is unknown", project.Facts{Dir: "."}, project.Detection{Name: "unknown", Source: project.SourceBaseName, Path: "."}},
		{"the top folder is unknown", project.Facts{Dir: "/"}, project.Detection{Name: "unknown", Source: project.SourceBaseName, Path: "/"}},
		{"a folder of spaces is unknown", project.Facts{Dir: "/w/ "}, project.Detection{Name: "unknown", Source: project.SourceBaseName, Path: "/w/ "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := project.Detect(tt.in)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Detect(%+v)\n got %+v, %v\nwant %+v", tt.in, got, err, tt.want)
			}
		})
	}
}

func TestDetectInAFolderOfSeveralRepositories(t *testing.T) {
	d, err := project.Detect(project.Facts{Dir: "/w", Children: []string{"/w/B", "/w/a", "/w/b"}})
	want := project.Detection{Source: project.SourceAmbiguous, Path: "/w", Available: []string{"a", "b"}}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("got %+v\nwant %+v", d, want)
	}
	e, ok := errors.AsType[*engram.Error](err)
	if !ok || e.Code != engram.CodeConflict || e.Msg != "ambiguous project: multiple git repos found in cwd" || !strings.Contains(e.Hint, "a, b") {
		t.Errorf("got the error %#v", err)
	}
	p, ok := errors.AsType[*project.Problem](err)
	if !ok || p.Reason != project.ReasonAmbiguous || !reflect.DeepEqual(p.Available, want.Available) {
		t.Errorf("got the cause %#v", p)
	}
}

func TestDetectWithAConfigurationThatCannotBeUsed(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   project.Facts
		want string
	}{
		{"a broken file", project.Facts{ConfigDir: "/w", ConfigErr: ".engram/config.json is not JSON"}, ".engram/config.json is not JSON"},
		{"a path for a name", project.Facts{ConfigDir: "/w", ConfigName: "../x"},
			"project_name in .engram/config.json cannot be used: project must be a name, not a path"},
		{"a name with an escape in it", project.Facts{ConfigDir: "/w", ConfigName: "a\x1b[2J"},
			"project_name in .engram/config.json cannot be used: project contains control characters"},
		{"a name that is too long", project.Facts{ConfigDir: "/w", ConfigName: strings.Repeat("n", 300)},
			"project_name in .engram/config.json cannot be used: project has 300 bytes, the limit is 200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Root, tt.in.Remote = "/w", "git@host:x/app.git"
			d, err := project.Detect(tt.in)
			e, ok := errors.AsType[*engram.Error](err)
			if !ok || e.Code != engram.CodeInvalid || e.Msg != tt.want || !strings.Contains(e.Hint, "/w/.engram/config.json") {
				t.Errorf("got the error %#v\nwant %s", err, tt.want)
			}
			if p, ok := errors.AsType[*project.Problem](err); !ok || p.Reason != project.ReasonConfig {
				t.Errorf("got the cause %#v", p)
			}
			if want := (project.Detection{Source: project.SourceConfig, Path: "/w"}); !reflect.DeepEqual(d, want) {
				t.Errorf("got %+v, want %+v", d, want)
			}
		})
	}
}

func TestDetectNeverShowsCredentials(t *testing.T) {
	for _, remote := range []string{"https://me:t0ken@host/app", "https://t0ken@host", "me:t0ken@host", "https://me:t0/ken@host",
		"https://me:x/t0ken@host/", "https://host/app?t0ken", "https://host/app#t0ken", "me:x?t0ken@host/app", "https://host/?a=b/t0ken"} {
		d, err := project.Detect(project.Facts{Dir: "/w", Root: "/w", Main: "/w", Remote: remote})
		if err != nil || strings.Contains(d.Name+d.Path+d.Warning, "t0") || strings.Contains(d.Name, "ken") {
			t.Errorf("remote %q gives %+v, %v", remote, d, err)
		}
	}
}
