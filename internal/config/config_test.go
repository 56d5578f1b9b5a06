package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
)

func env(pairs ...string) func(string) (string, bool) {
	m := map[string]string{"HOME": "/home/ada"}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(k string) (string, bool) { v, ok := m[k]; return v, ok }
}

func load(t *testing.T, s config.Sources) config.Config {
	t.Helper()
	c, err := config.Load(s)
	if err != nil {
		t.Fatalf("Load(%+v): %v (hint: %s)", s.Flags, err, engram.HintOf(err))
	}
	return c
}

// writeFile makes a data directory with this config.toml and returns the directory.
func writeFile(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWithoutAnythingTheDefaultsHold(t *testing.T) {
	c := load(t, config.Sources{Env: env()})
	got := []any{c.DataDir, c.DBPath, c.Host, c.Port, c.Project, c.HTTPToken, c.EmbeddingModel, c.Timezone.String()}
	want := []any{"/home/ada/.engram", "/home/ada/.engram/engram.db", "127.0.0.1", 7437, "", "", "builtin", "Local"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("setting %d: got %v, want %v", i, got[i], want[i])
		}
	}
	for key, o := range c.Origins {
		if o.Source != config.SourceDefault {
			t.Errorf("origin of %s: got %v, want default", key, o)
		}
	}
	if c.LLM() || c.LLMBaseURL+c.LLMModel+c.LLMKey != "" {
		t.Errorf("a language model is asked although nobody named one: %+v", c)
	}
	if len(c.Origins) < 18 {
		t.Errorf("origins: got %d keys, want one for every setting: %v", len(c.Origins), c.Origins)
	}
}

func TestFlagBeatsEnvironmentBeatsFileBeatsDefault(t *testing.T) {
	dir := writeFile(t, "port = 1\nhost = \"127.0.0.2\"\nproject = \"file\"\n")
	c := load(t, config.Sources{
		Flags: map[string]string{"data_dir": dir, "port": "3"},
		Env:   env("ENGRAM_PORT", "2", "ENGRAM_PROJECT", "environment"),
	})
	for _, tt := range []struct{ key, got, want, origin string }{
		{"port", string(rune('0' + c.Port)), "3", "flag --port"},
		{"project", c.Project, "environment", "environment ENGRAM_PROJECT"},
		{"host", c.Host, "127.0.0.2", "file " + filepath.Join(dir, "config.toml")},
		{"timezone", c.Timezone.String(), "Local", "default"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.key, tt.got, tt.want)
		}
		if o := c.Origins[tt.key].String(); o != tt.origin {
			t.Errorf("origin of %s: got %q, want %q", tt.key, o, tt.origin)
		}
	}
}

func TestOneSettingMayHaveTwoVariables(t *testing.T) {
	c := load(t, config.Sources{Env: env("ENGRAM_HTTP_HOST", "::1", "ENGRAM_HTTP_PORT", "8000")})
	if c.Host != "::1" || c.Port != 8000 {
		t.Errorf("second names: got %s %d, want ::1 8000", c.Host, c.Port)
	}
	c = load(t, config.Sources{Env: env("ENGRAM_PORT", "9000", "ENGRAM_HTTP_PORT", "8000")})
	if c.Port != 9000 {
		t.Errorf("both names: got port %d, want 9000 of ENGRAM_PORT", c.Port)
	}
	c = load(t, config.Sources{Env: env("ENGRAM_PORT", "", "ENGRAM_HTTP_PORT", "8000")})
	if c.Port != 8000 {
		t.Errorf("an empty variable counts as not set: got port %d, want 8000", c.Port)
	}
}

func TestALanguageModelIsAskedOnlyWhenOneIsNamed(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  []string
		want bool
	}{
		{"an address", []string{"ENGRAM_LLM_BASE_URL", " https://api.example.com/v1 "}, true},
		{"a model", []string{"ENGRAM_LLM_MODEL", "qwen3"}, true},
		{"a key alone names nobody", []string{"ENGRAM_LLM_API_KEY", "sk-1"}, false},
		{"blanks", []string{"ENGRAM_LLM_BASE_URL", " ", "ENGRAM_LLM_MODEL", "\t"}, false},
	} {
		c := load(t, config.Sources{Env: env(tt.env...)})
		if c.LLM() != tt.want || strings.TrimSpace(c.LLMBaseURL) != c.LLMBaseURL {
			t.Errorf("%s: got %v (%q, %q), want %v", tt.name, c.LLM(), c.LLMBaseURL, c.LLMModel, tt.want)
		}
	}
	dir := writeFile(t, "llm_base_url = \"http://a:hunter2@localhost/v1\"\n")
	c := load(t, config.Sources{Flags: map[string]string{"data_dir": dir}})
	if c.LLM() || len(c.Remarks) != 1 || strings.Contains(c.Remarks[0].String(), "hunter2") {
		t.Errorf("a password in the address: got %q, %v; want no model, and a remark that does not repeat it", c.LLMBaseURL, c.Remarks)
	}
}

func TestPathsAreAbsolute(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"a tilde is the home directory", "~/memory", "/home/ada/memory"},
		{"a lone tilde too", "~", "/home/ada"},
		{"a relative path starts at the working directory", "memory", "/home/ana/memory"},
		{"an absolute path is cleaned", "/a/../b/", "/b"},
		{"a tilde inside is a letter", "/a/~b", "/a/~b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := load(t, config.Sources{Env: env("ENGRAM_DATA_DIR", tt.value), Dir: "/home/ana"})
			if c.DataDir != tt.want || c.DBPath != filepath.Join(tt.want, "engram.db") {
				t.Errorf("%q: got %s and %s, want %s", tt.value, c.DataDir, c.DBPath, tt.want)
			}
		})
	}
}

// The place of memories, and flags of this command, must be valid.
func TestAWrongFlagOrPlaceIsAnError(t *testing.T) {
	for _, tt := range []struct {
		name      string
		flags     map[string]string
		env       []string
		msg, hint string // parts
	}{
		{name: "an unknown flag", flags: map[string]string{"prot": "1"}, msg: `unknown key "prot" in flags`, hint: `"port"`},
		{name: "an empty flag", flags: map[string]string{"project": " "}, msg: "--project needs a value"},
		{name: "a port that is no number", flags: map[string]string{"port": "http"}, msg: "flag --port", hint: "correct it"},
		{name: "a project of 300 bytes", flags: map[string]string{"project": strings.Repeat("x", 300)}, msg: "the limit is 200"},
		{name: "no home and no data directory", env: []string{"HOME", ""}, msg: "home directory is unknown", hint: "ENGRAM_DATA_DIR"},
		{name: "a path that no file has", env: []string{"ENGRAM_DB_PATH", strings.Repeat("x", 20_000)}, msg: "is not a path"},
		{name: "a tilde without a home", env: []string{"HOME", "", "ENGRAM_DATA_DIR", "~/x"}, msg: "home directory is unknown"},
		{name: "a database that is no path", env: []string{"ENGRAM_DB_PATH", "a\x00b"}, msg: "environment ENGRAM_DB_PATH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Load(config.Sources{Flags: tt.flags, Env: env(tt.env...)})
			if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), tt.msg) ||
				!strings.Contains(engram.HintOf(err), tt.hint) {
				t.Errorf("got %s: %v (hint %q)\nwant invalid: …%s… (hint …%s…)",
					engram.CodeOf(err), err, engram.HintOf(err), tt.msg, tt.hint)
			}
		})
	}
}

func TestAWrongValueStopsNothingAndIsNamed(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		env        []string
		says       []string
	}{
		{name: "an unknown key names the nearest", file: "prot = 1", says: []string{`unknown key "prot"`, `"port"`, "ignored"}},
		{name: "a table is an unknown key", file: "[server]\nport = 1", says: []string{`unknown key "server"`, "known keys"}},
		{name: "a key without neighbours lists all", file: "zzzzzzzz = 1", says: []string{"zzzzzzzz", "known keys: data_dir"}},
		{name: "broken TOML", file: "port = = 1", says: []string{"not valid TOML", "the file is ignored",
			"offline true", "journal_days 0", "plugin_auto_extract false"}},
		{name: "a value of another type", file: "port = [1]", says: []string{"port = ", "in force is 7437"}},
		{name: "a careful value in place of one of another type", file: "offline = [1]", says: []string{"offline", "in force is true"}},
		{name: "the data directory inside the data directory", file: `data_dir = "/x"`, says: []string{"ENGRAM_DATA_DIR"}},
		{name: "a port that is no number", env: []string{"ENGRAM_PORT", "http"}, says: []string{"environment ENGRAM_PORT", "in force is 7437"}},
		{name: "a port out of range", env: []string{"ENGRAM_PORT", "65536"}, says: []string{"65535", "in force is 7437"}},
		{name: "a negative port", env: []string{"ENGRAM_HTTP_PORT", "-1"}, says: []string{"ENGRAM_HTTP_PORT"}},
		{name: "a zone that does not exist", env: []string{"ENGRAM_TIMEZONE", "Mars/Olympus"}, says: []string{"Europe/Berlin", "in force is Local"}},
		{name: "a host with a port", env: []string{"ENGRAM_HOST", "localhost:80"}, says: []string{"port separately", "in force is 127.0.0.1"}},
		{name: "a host for others without a token", env: []string{"ENGRAM_HOST", "0.0.0.0"}, says: []string{"ENGRAM_HTTP_TOKEN", "in force is 127.0.0.1"}},
		{name: "a model of an earlier design", env: []string{"ENGRAM_EMBEDDING_MODEL", "Xenova/bge-small-en-v1.5"}, says: []string{"Xenova/bge", "in force is builtin"}},
		{name: "a language model at no address", env: []string{"ENGRAM_LLM_BASE_URL", "localhost:1234"}, says: []string{"http://localhost:1234/v1", "in force is none"}},
		{name: "a language model's password in its address", env: []string{"ENGRAM_LLM_BASE_URL", "http://a:b@localhost/v1"}, says: []string{"ENGRAM_LLM_API_KEY"}},
		{name: "an agent that cannot judge", env: []string{"ENGRAM_AGENT_CLI", "rm -rf"}, says: []string{"claude or opencode", "in force is none"}},
		{name: "a long host", env: []string{"ENGRAM_HOST", strings.Repeat("9", 20_000)}, says: []string{"is not a host name", "in force is 127.0.0.1"}},
		{name: "a host that a terminal would obey", env: []string{"ENGRAM_HOST", "a\x1b[31m"}, says: []string{"is not a host name"}},
		{name: "a project that no project can be called", env: []string{"ENGRAM_PROJECT", "a\x01b"}, says: []string{"control characters", "in force is from the folder"}},
		{name: "a project outside", env: []string{"ENGRAM_PROJECT", "../shop"}, says: []string{"in force is from the folder"}},
		{name: "a server that does not exist", env: []string{"ENGRAM_CLOUD_AUTOSYNC", "1", "ENGRAM_CLOUD_TOKEN", "hunter2"}, says: []string{"ENGRAM_CLOUD_TOKEN, ENGRAM_CLOUD_AUTOSYNC", "no server", "engram sync"}},
		{name: "a megabyte", env: []string{"ENGRAM_TIMEZONE", strings.Repeat("x", 1<<20)}, says: []string{"is not a time zone"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := config.Sources{Env: env(tt.env...)}
			if tt.file != "" {
				s.File = filepath.Join(writeFile(t, tt.file), config.FileName)
			}
			c, plain := load(t, s), load(t, config.Sources{Env: env()})
			if len(c.Remarks) != 1 || !c.Remarks[0].Ignored || len(c.Remarks[0].String()) > 1000 {
				t.Fatalf("got %v, want one remark of one line", c.Remarks)
			}
			if strings.Contains(c.Remarks[0].String(), "hunter2") {
				t.Errorf("got %q, want no secret in it", c.Remarks[0])
			}
			for _, part := range tt.says {
				if !strings.Contains(c.Remarks[0].String(), part) {
					t.Errorf("got %q, want …%s…", c.Remarks[0], part)
				}
			}
			if c.Port != plain.Port || c.Host != plain.Host || c.Timezone != plain.Timezone || c.EmbeddingModel != plain.EmbeddingModel || c.LLM() {
				t.Errorf("got %+v, want the defaults", c)
			}
		})
	}
}

// It may be an existing project: other programs have such names.
func TestAProjectLikeAPathIsNotedAndKept(t *testing.T) {
	c := load(t, config.Sources{Env: env("ENGRAM_PROJECT", "team/shop")})
	if c.Project != "team/shop" || len(c.Remarks) != 1 || c.Remarks[0].Ignored || !strings.Contains(c.Remarks[0].String(), "like a path") {
		t.Errorf("got %q, %v; want it, and a note", c.Project, c.Remarks)
	}
}

func TestTheNextInLineCounts(t *testing.T) {
	dir := writeFile(t, "port = 8000\n")
	c := load(t, config.Sources{Flags: map[string]string{"data_dir": dir}, Env: env("ENGRAM_PORT", "abc", "ENGRAM_HTTP_PORT", "x")})
	if c.Port != 8000 || len(c.Remarks) != 2 || c.Origins["port"].Source != config.SourceFile {
		t.Errorf("got port %d (%s), %v; want the file's, and a remark on each variable", c.Port, c.Origins["port"], c.Remarks)
	}
}

// If a value is unreadable, nothing leaves the machine, is forgotten, or is stored without a
// request.
func TestWhatIsInDoubtIsTakenWithCare(t *testing.T) {
	for _, s := range []config.Sources{
		{Env: env("ENGRAM_OFFLINE", "perhaps", "ENGRAM_JOURNAL_DAYS", "for ever", "ENGRAM_PLUGIN_AUTO_EXTRACT", "never")},
		{Env: env(), File: filepath.Join(writeFile(t, "offline = = true"), config.FileName)},
		{Env: env(), File: filepath.Join(writeFile(t, "offline = [1]\njournal_days = [1]\nplugin_auto_extract = [1]"), config.FileName)},
		{Env: env(), File: t.TempDir()}, // a directory
	} {
		c := load(t, s)
		if !c.Offline || c.JournalDays != 0 || c.AutoExtract || len(c.Remarks) == 0 {
			t.Errorf("%s: got offline %v, journal %d, extract %v, remarks %v", s.File, c.Offline, c.JournalDays, c.AutoExtract, c.Remarks)
		}
	}
}

func TestADataDirectoryThatIsAFileStillGivesAConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := load(t, config.Sources{Flags: map[string]string{"data_dir": file}})
	if c.DataDir != file {
		t.Errorf("got %s, want %s", c.DataDir, file)
	}
}

func TestOthersMayOnlyConnectWithAToken(t *testing.T) {
	for _, tt := range []struct {
		host, token string
		want        string // "" is a refusal
	}{
		{"127.0.0.1", "", "127.0.0.1:7437"},
		{"127.8.8.8", "", "127.8.8.8:7437"},
		{"localhost", "", "localhost:7437"},
		{"[::1]", "", "[::1]:7437"},
		{"0.0.0.0", "", ""},
		{"::", "", ""},
		{"192.168.1.2", "", ""},
		{"localhost.evil.test", "", ""},
		{"0.0.0.0", "secret", "0.0.0.0:7437"},
	} {
		c := load(t, config.Sources{Flags: map[string]string{"host": tt.host}, Env: env("ENGRAM_HTTP_TOKEN", tt.token)})
		got, err := c.Address()
		if got != tt.want || (tt.want == "") != (engram.CodeOf(err) == engram.CodeForbidden) {
			t.Errorf("host %s, token %q: got %q, %v; want %q", tt.host, tt.token, got, err, tt.want)
		}
	}
}

func TestNoColor(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  []string
		want bool
	}{
		{"nothing set", nil, false},
		{"set", []string{"NO_COLOR", "1"}, true},
		{"set but empty", []string{"NO_COLOR", ""}, false},
		{"a dumb terminal", []string{"TERM", "dumb"}, true},
	} {
		if got := config.NoColor(env(tt.env...)); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// No file, however odd, prevents the start or leaves a setting without a value.
func FuzzLoadFile(f *testing.F) {
	for _, s := range []string{"", "port = 7437", "port = \"x\"", "[a]\nb=1", "timezone = \"UTC\"\nhost='::1'", "port = 1e3", "\x00", "project = \"\"\"\na\"\"\""} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, config.FileName)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.Sources{Env: env(), File: path})
		if err != nil {
			if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "db_path") {
				t.Errorf("%q: got %v, want an error about the place of the database alone", text, err)
			}
			return
		}
		if c.Port < 0 || c.Port > 65535 || c.Timezone == nil || c.Host == "" || !filepath.IsAbs(c.DBPath) {
			t.Errorf("%q: got %+v", text, c)
		}
	})
}
