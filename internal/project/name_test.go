package project_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
)

func TestNormalize(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing stays nothing", "", ""},
		{"a good name stays", "my-app_2", "my-app_2"},
		{"case and outer space go", " My App\n", "my app"},
		{"runs of hyphens are one", "a---b--c", "a-b-c"},
		{"runs of underscores are one", "a___b", "a_b"},
		{"a mixed run stays", "a-_-b", "a-_-b"},
		{"dots stay", "a..b", "a..b"},
		{"other scripts are lower-cased", "ПРОЕКТ", "проект"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := project.Normalize(tt.in); got != tt.want {
				t.Errorf("Normalize(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestCheckTextLetsAPathBe(t *testing.T) {
	for in, want := range map[string]bool{"a/b": true, `C:\app`: true, "</b>": true, " my-app\n": true, "a\nb": false, "a\x1bb": false, "a/\u200bb": false, "a\xff": false,
		strings.Repeat("a", engram.MaxName+1): false} {
		if err := project.CheckText(in); (err == nil) != want {
			t.Errorf("CheckText(%q) = %v, want it to be fine: %v", in, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a good name", "my-app", ""},
		{"a name with a space within", "my app", ""},
		{"a name in another script", "проект", ""},
		{"space around it is Normalize's business", " my-app\n", ""},
		{"a name of the greatest length", strings.Repeat("a", engram.MaxName), ""},
		{"an empty name", "", "project is required"},
		{"a blank name", " \t", "project is required"},
		{"a path", "/home/me/app", "project must be a name, not a path"},
		{"a Windows path", `C:\app`, "project must be a name, not a path"},
		{"a way out of a folder", "..", "project has a part that is . or .."},
		{"a control character", "a\x1bb", "project contains control characters"},
		{"a line break within", "a\nb", "project contains control characters"},
		{"a NUL", "a\x00b", "project contains control characters"},
		{"a space of no width", "a\u200bb", "project contains control characters"},
		{"a turned direction", "a\u202eb", "project contains control characters"},
		{"bytes that are not UTF-8", "a\xff", "project is not valid UTF-8"},
		{"a name that is too long", strings.Repeat("a", engram.MaxName+1), "project has 201 bytes, the limit is 200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := project.Check(tt.in)
			if tt.want == "" {
				if err != nil {
					t.Errorf("Check(%q) = %v, want nil", tt.in, err)
				}
				return
			}
			e, ok := errors.AsType[*engram.Error](err)
			if !ok || e.Code != engram.CodeInvalid || e.Msg != tt.want {
				t.Fatalf("Check(%q) = %#v, want invalid: %s", tt.in, err, tt.want)
			}
			if p, ok := errors.AsType[*project.Problem](err); !ok || p.Reason != project.ReasonInvalid {
				t.Errorf("Check(%q): cause %#v, want reason %s", tt.in, e.Err, project.ReasonInvalid)
			}
		})
	}
}

func TestRemoteName(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"https://github.com/me/App.git", "App"},
		{"https://github.com/me/app", "app"},
		{"https://github.com/me/app/", "app"},
		{"https://github.com/me/app.git/", "app"},
		{"https://github.com/me/app.git?ref=main#x", "app"},
		{"https://user:t0ken@github.com/me/app.git", "app"},
		{"https://user:t0@ken@github.com/me/app.git", "app"},
		{"https://t0ken@github.com", ""},
		{"https://user:t0ken@github.com", ""},
		{"https://user:t0ken@github.com/", ""},
		{"https://user:t0?ken@github.com/me/app", ""},
		{"https://user:t0/ken@github.com", ""},
		{"https://github.com/?token=a/t0ken", ""},
		{"git@github.com:me/app.git", "app"},
		{"git@github.com:app.git", "app"},
		{"git@github.com:me/app.git?t0ken", "app"},
		{"user:t0ken@github.com", ""},
		{"user:t0ken@github.com/me/app", ""},
		{"ext::ssh -i t0ken %S", ""},
		{"codecommit::eu-west-1://profile@app", ""},
		{"ssh://git@host:2222/team/app.git", "app"},
		{"file:///srv/git/app.git", "app"},
		{"/srv/git/app.git", "app"},
		{"/srv/me@work/app", "app"},
		{"/srv/git/app/.git", "app"},
		{"../app", "app"},
		{"sub/app", "app"},
		{"..", ""},
		{"/", ""},
		{`C:\repos\app.git`, "app"},
		{"", ""},
	} {
		t.Run(tt.in, func(t *testing.T) {
			if got := project.RemoteName(tt.in); got != tt.want {
				t.Errorf("RemoteName(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestSafeRemote(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"https://github.com/me/app.git", "https://github.com/me/app.git"},
		{"https://user:t0ken@github.com/me/app.git?t0ken#t0ken", "https://github.com/me/app.git"},
		{"https://t0ken@github.com/me/app.git", "https://github.com/me/app.git"},
		{"https://user:t0/ken@github.com/me/app.git", ""},
		{"ssh://git@host:2222/app.git", "ssh://git@host:2222/app.git"},
		{"ssh://git:t0ken@host/app.git", "ssh://host/app.git"},
		{"git@github.com:me/app.git", "git@github.com:me/app.git"},
		{"user:t0ken@github.com/app", ""},
		{"ext::ssh -i t0ken %S", ""},
		{"/srv/git/app.git", "/srv/git/app.git"},
		{"", ""},
	} {
		t.Run(tt.in, func(t *testing.T) {
			if got := project.SafeRemote(tt.in); got != tt.want {
				t.Errorf("SafeRemote(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzNames(f *testing.F) {
	f.Add("My--App", "https://u:p@host/my-app.git")
	f.Add("\xff__\u200b", "git@host:a@b")
	f.Add("İstanbul", "://@:/")
	f.Fuzz(func(t *testing.T, a, b string) {
		name := project.Normalize(a)
		if again := project.Normalize(name); again != name {
			t.Errorf("Normalize(%q) = %q, and of that %q", a, name, again)
		}
		if err := project.Check(a); err == nil && project.Check(name) != nil {
			t.Errorf("Check passes %q but not its normal form %q", a, name)
		}
		project.Similar(a, []string{b, name, ""})
		project.Groups([]string{a, b, name})
		checkDetected(t, project.Facts{Dir: "/" + a, Root: "/" + b, Remote: b})
		checkDetected(t, project.Facts{Dir: a})
		if safe := project.SafeRemote(b); project.SafeRemote(safe) != safe {
			t.Errorf("SafeRemote(%q) = %q, and of that %q", b, safe, project.SafeRemote(safe))
		}
	})
}

// checkDetected checks that a detected name is valid.
func checkDetected(t *testing.T, f project.Facts) {
	d, err := project.Detect(f)
	if err != nil {
		t.Errorf("Detect(%+v): %v", f, err)
	} else if project.Check(d.Name) != nil || project.Normalize(d.Name) != d.Name {
		t.Errorf("Detect(%+v) gives the name %q: %v", f, d.Name, project.Check(d.Name))
	}
}
