package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
)

func TestSetChangesOneValueAndNothingElse(t *testing.T) {
	for _, tt := range []struct{ name, file, key, value, want string }{
		{"the first key makes the file", "", "port", "7000", "port = 7000\n"},
		{"a key that is not there comes last", "# mine\nproject = \"a\"\n", "port", "1", "# mine\nproject = \"a\"\nport = 1\n"},
		{"a last line without an end gets one", "project = \"a\"", "port", "1", "project = \"a\"\nport = 1\n"},
		{"comments, order and blanks stay", "# one\n  port   =   1   # why\n\nproject='a'\n", "port", "2", "# one\n  port   =   2   # why\n\nproject='a'\n"},
		{"a value that says so already changes nothing", "port = 0x10\n", "project", "x", "port = 0x10\nproject = \"x\"\n"},
		{"a key between quotes is the same key", "\"port\" = 1\n", "port", "2", "\"port\" = 2\n"},
		{"a key with escapes is the same key", "\"p\\u006frt\" = 1\n", "port", "2", "\"p\\u006frt\" = 2\n"},
		{"a text of several lines is one value", "project = \"\"\"\na # b\n\"\"\" # c\nport = 1\n", "project", "z", "project = \"z\" # c\nport = 1\n"},
		{"a key inside a text is none", "project = '''\nport = 1\n'''\n", "port", "2", "project = '''\nport = 1\n'''\nport = 2\n"},
		{"a # inside a text begins no comment", "llm_model = \"a#b\" # c\n", "llm_model", "x", "llm_model = \"x\" # c\n"},
		{"quotes and backslashes are written so that they come back", "", "project", `a"b\c`, `project = "a\"b\\c"` + "\n"},
		{"lines of Windows stay so", "port = 1\r\n", "project", "a", "port = 1\r\nproject = \"a\"\r\n"},
		{"a time is text", "", "sleep_at", "03:00", "sleep_at = \"03:00\"\n"},
		{"a switch stands bare", "", "metrics", "true", "metrics = true\n"},
		{"a switch in other words is written as one", "", "offline", "yes", "offline = true\n"},
		{"a switch as a number is written as one", "metrics = true\n", "metrics", "0", "metrics = false\n"},
		{"a number with a fraction stands bare", "", "decay_rate", "0.02", "decay_rate = 0.02\n"},
		{"a wrong value can be put right", "port = \"http\"\n", "port", "7", "port = 7\n"},
		{"a right value goes into a file with an unknown key", "prot = 1\n", "port", "7", "prot = 1\nport = 7\n"},
		{"of two wrong values each can be put right", "port = \"http\"\nmetrics = \"?\"\n", "port", "7", "port = 7\nmetrics = \"?\"\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(writeFile(t, tt.file), config.FileName)
			if _, err := config.Set(path, tt.key, tt.value); err != nil {
				t.Fatalf("set %s %q in %q: %v", tt.key, tt.value, tt.file, err)
			}
			if got := readBack(t, path); got != tt.want {
				t.Errorf("set %s %q in\n%q: got\n%q, want\n%q", tt.key, tt.value, tt.file, got, tt.want)
			}
		})
	}
}

func TestUnsetTakesOneKeyOut(t *testing.T) {
	for _, tt := range []struct{ name, file, key, want string }{
		{"its line goes", "# a\nport = 1\nproject = \"x\"\n", "port", "# a\nproject = \"x\"\n"},
		{"its comment stays", "port = 1 # the old one\nproject = \"x\"\n", "port", "# the old one\nproject = \"x\"\n"},
		{"a text of several lines goes whole", "project = \"\"\"\na\nb\"\"\"\nport = 1\n", "project", "port = 1\n"},
		{"what is not there need not go", "port = 1\n", "project", "port = 1\n"},
		{"a key that nobody knows can go, too", "prot = 1\nport = 2\n", "prot", "port = 2\n"},
		{"a list that is no value can go", "port = [1, # a\n 2]\nmetrics = true\n", "port", "metrics = true\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(writeFile(t, tt.file), config.FileName)
			changed, err := config.Unset(path, tt.key)
			if err != nil || changed != (tt.file != tt.want) {
				t.Fatalf("unset %s in %q: changed %v, %v", tt.key, tt.file, changed, err)
			}
			if got := readBack(t, path); got != tt.want {
				t.Errorf("unset %s in\n%q: got\n%q, want\n%q", tt.key, tt.file, got, tt.want)
			}
		})
	}
}

func TestWhatWouldSpoilTheFileIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, file, key, value, msg, hint string }{
		{"an unknown key", "", "prot", "1", `unknown key "prot"`, `"port"`},
		{"a value out of range", "port = 1\n", "port", "65536", "65535", "nothing was changed"},
		{"a value that does not go with another", "decay_policy = \"importance\"\ndecay_rate = 5.0\n", "decay_policy", "geometric", "this change makes", "nothing was changed"},
		{"a wrong value into a file that is wrong", "metrics = \"?\"\nport = 1\n", "metrics", "perhaps", "not true or false", "nothing was changed"},
		{"a wrong value beside an unknown key", "prot = 1\n", "port", "65536", "port", "nothing was changed"},
		{"a wrong value below another wrong one", "port = \"http\"\n", "sleep_at", "24:00", "time of day", "nothing was changed"},
		{"a wrong value above another wrong one", "sleep_at = \"24:00\"\n", "port", "http", "port", "nothing was changed"},
		{"a value that does not go with another, beside an unknown key", "prot = 1\ndecay_policy = \"importance\"\ndecay_rate = 5.0\n", "decay_policy", "geometric", "decay_rate", "nothing was changed"},
		{"nothing", "", "project", " ", "needs a value", "config unset project"},
		{"the data directory", "", "data_dir", "/x", "config.toml", "ENGRAM_DATA_DIR"},
		{"bytes that are no text", "", "project", "\xff", "invalid value", "UTF-8"},
		{"a file that is no TOML", "port = = 1\n", "port", "1", "not valid TOML", "editor"},
		{"a model that does not exist", "", "rerank_model", "bge", "no model \"bge\" is installed", "nothing was changed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(writeFile(t, tt.file), config.FileName)
			_, err := config.Set(path, tt.key, tt.value)
			if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), tt.msg) || !strings.Contains(engram.HintOf(err), tt.hint) {
				t.Errorf("set %s %q in %q: got %v (hint %q), want invalid: …%s… (hint …%s…)", tt.key, tt.value, tt.file, err, engram.HintOf(err), tt.msg, tt.hint)
			}
			if got := readBack(t, path); got != tt.file {
				t.Errorf("set %s %q changed the file all the same: %q", tt.key, tt.value, got)
			}
		})
	}
}

func TestTheFileIsTheUsersAloneAndALinkStaysOne(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "dotfiles", "engram.toml"), filepath.Join(dir, "data", config.FileName)
	if err := os.MkdirAll(filepath.Dir(real), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(real, []byte("port = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if changed, err := config.Set(link, "http_token", "secret"); err != nil || !changed {
		t.Fatalf("set through a link: changed %v, %v", changed, err)
	}
	if changed, err := config.Set(link, "http_token", "secret"); err != nil || changed {
		t.Errorf("set the same again: changed %v, %v; want nothing changed", changed, err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: got %v, %v; want a link still", info, err)
	}
	if info, err = os.Stat(real); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: got %v, %v; want mode 0600", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(real)); err != nil || len(left) != 1 {
		t.Errorf("beside the file: got %v, %v; want nothing", left, err)
	}
}

func TestAFolderThatDoesNotExistIsMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", config.FileName)
	if _, err := config.Set(path, "port", "1"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: got %v, %v; want mode 0700", info, err)
	}
}

func readBack(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// For any valid file, setting a value gives a valid file with that value and no other difference,
// and unsetting removes it again.
func FuzzSet(f *testing.F) {
	for _, s := range []string{"", "port = 1 # c", "\"p\\u0072oject\" = '''\na'''\r\n", "project = \"\"\"a\"\"\"\"\" #\nport=1", "\ufeffport = 1", "host = \"a\\\\\"\n", "llm_model='\"'\n#", "port = [\n]", "project . x = 1"} {
		f.Add(s, "shop")
	}
	f.Add("project = 'a' \t# b", "quote \" and \\ and \u0001")
	f.Fuzz(func(t *testing.T, text, value string) {
		dir := writeFile(t, text)
		path := filepath.Join(dir, config.FileName)
		before, err := config.Load(config.Sources{File: path, Env: env()})
		if err != nil || len(before.Remarks) > 0 {
			return
		}
		want := strings.TrimSpace(value)
		if _, err := config.Set(path, "project", value); err != nil {
			if engram.HintOf(err) == "" || readBack(t, path) != text || strings.Contains(err.Error(), "written in a way") {
				t.Fatalf("set project %q in %q: %v, and the file is now %q", value, text, err, readBack(t, path))
			}
			return
		}
		after, err := config.Load(config.Sources{File: path, Env: env()})
		if err != nil || after.Project != want {
			t.Fatalf("%q with project %q became %q: %q, %v", text, value, readBack(t, path), after.Project, err)
		}
		before.Project, after.Project = "", ""
		if got, was := texts(after), texts(before); got != was {
			t.Fatalf("%q with project %q became %q, which has\n%s instead of\n%s", text, value, readBack(t, path), got, was)
		}
		if _, err := config.Unset(path, "project"); err != nil {
			t.Fatalf("unset project in %q: %v", readBack(t, path), err)
		}
		if after, err = config.Load(config.Sources{File: path, Env: env()}); err != nil || after.Project != "" {
			t.Fatalf("%q without project: %q, %v", text, after.Project, err)
		}
	})
}

// texts returns all values of a configuration.
func texts(c config.Config) string {
	var b strings.Builder
	for _, v := range c.Values() {
		b.WriteString(v.Name + "=" + v.Text + "\n")
	}
	return b.String()
}
