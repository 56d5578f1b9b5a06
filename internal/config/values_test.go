package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
)

func TestEveryValueInForceCanBeWrittenDownAgain(t *testing.T) {
	for _, k := range config.Keys() {
		if !k.InFile {
			continue
		}
		dir := writeFile(t, "")
		path := dir + "/" + config.FileName
		if _, err := config.Set(path, k.Name, k.Like); err != nil {
			t.Errorf("set %s %s, as the documentation has it: %v", k.Name, k.Like, err)
			continue
		}
		for _, v := range load(t, config.Sources{File: path, Env: env()}).Values() {
			if v.Name != k.Name || k.Secret {
				continue
			}
			if v.Origin.Source != config.SourceFile {
				t.Errorf("%s set in the file: origin %v", k.Name, v.Origin)
			}
			if _, err := config.Set(path, k.Name, v.Text); err != nil {
				t.Errorf("set %s %q, as it is in force: %v", k.Name, v.Text, err)
			}
			if again := value(t, load(t, config.Sources{File: path, Env: env()}), k.Name); again.Text != v.Text {
				t.Errorf("%s: %q written down is %q", k.Name, v.Text, again.Text)
			}
		}
	}
}

func value(t *testing.T, c config.Config, name string) config.Value {
	t.Helper()
	values := c.Values()
	i := slices.IndexFunc(values, func(v config.Value) bool { return v.Name == name })
	if i < 0 {
		t.Fatalf("no value of %s", name)
	}
	return values[i]
}

func TestSecretsAreNeverAmongTheValues(t *testing.T) {
	c := load(t, config.Sources{Env: env("ENGRAM_HTTP_TOKEN", "hunter2", "ENGRAM_LLM_API_KEY", "hunter2", "HF_TOKEN", "hunter2", "ENGRAM_EMBEDDING_API_KEY", "hunter2", "ENGRAM_STORE", "postgres://me:hunter2@host/db")})
	for _, v := range c.Values() {
		if strings.Contains(v.Text, "hunter2") {
			t.Errorf("%s shows its value", v.Name)
		}
		if v.Secret && !v.Set {
			t.Errorf("%s: got not set, want set", v.Name)
		}
	}
}

func TestEveryNumberHasAUnitAndBounds(t *testing.T) {
	for _, k := range config.Keys() {
		if k.About == "" || k.Like == "" || k.Default == "" || len(k.Env) == 0 {
			t.Errorf("%s is not documented: %+v", k.Name, k)
		}
		if k.Kind == config.Number && (k.Unit == "" || k.Range == "") {
			t.Errorf("%s is a number of unit %q and range %q; want both", k.Name, k.Unit, k.Range)
		}
		if k.Kind != config.Number {
			continue
		}
		for _, bad := range []string{"-1", "1e300", "NaN", "many", "0x", "1,5"} {
			c := load(t, config.Sources{Env: env(k.Env[0], bad)})
			if len(c.Ignored()) != 1 || !strings.Contains(c.Remarks[0].String(), k.Env[0]) || !strings.ContainsAny(c.Remarks[0].Text, "0123456789") {
				t.Errorf("%s=%s: got %v, want a remark that names the variable and the numbers that would do", k.Env[0], bad, c.Remarks)
			}
		}
	}
}

func TestSwitchesAreSpelledAsShellsDo(t *testing.T) {
	for text, want := range map[string]bool{"1": true, "true": true, "YES": true, "on": true, "0": false, "False": false, "no": false, "off": false} {
		if c := load(t, config.Sources{Env: env("ENGRAM_METRICS", text, "ENGRAM_OFFLINE", text)}); c.Metrics != want || c.Offline != want {
			t.Errorf("%q: got %v and %v, want %v", text, c.Metrics, c.Offline, want)
		}
	}
	if c := load(t, config.Sources{File: writeFile(t, "metrics = true\n") + "/" + config.FileName, Env: env()}); !c.Metrics {
		t.Error("metrics = true in the file: got false")
	}
	if c := load(t, config.Sources{Env: env("ENGRAM_METRICS", "maybe")}); c.Metrics || len(c.Ignored()) != 1 {
		t.Errorf("ENGRAM_METRICS=maybe: got %v, %v; want the default and a remark", c.Metrics, c.Remarks)
	}
}

func TestVariablesThatNobodyReadsAreToldWithTheNearest(t *testing.T) {
	got := config.Strays([]string{"PATH", "ENGRAM_PORT", "ENGRAM_PROT", "ENGRAM_ZZZZZZZZZZZZZZZZ", "ENGRAM_DATADIR"})
	want := []config.Stray{{"ENGRAM_DATADIR", "ENGRAM_DATA_DIR"}, {"ENGRAM_PROT", "ENGRAM_PORT"}, {"ENGRAM_ZZZZZZZZZZZZZZZZ", ""}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOfflineNothingLeavesThisMachine(t *testing.T) {
	for _, tt := range []struct {
		name     string
		env      []string
		ask, run bool // may be
	}{
		{"nothing is set", nil, true, true},
		{"a model elsewhere", []string{"ENGRAM_LLM_BASE_URL", "https://api.example.com/v1"}, false, true},
		{"a model that only looks local", []string{"ENGRAM_LLM_BASE_URL", "http://localhost.example.com/v1"}, false, true},
		{"a model on this machine", []string{"ENGRAM_LLM_BASE_URL", "http://127.0.0.1:1234/v1"}, true, true},
		{"a model on this machine, in the other address", []string{"ENGRAM_LLM_BASE_URL", "http://[::1]:1234/v1"}, true, true},
		{"a model by name alone", []string{"ENGRAM_LLM_MODEL", "qwen3"}, true, true},
		{"an agent", []string{"ENGRAM_AGENT_CLI", "claude"}, true, false},
	} {
		c := load(t, config.Sources{Env: env(append(tt.env, "ENGRAM_OFFLINE", "1")...)})
		for what, err := range map[string]error{"ask": c.MayAsk(), "run": c.MayRun()} {
			may := tt.ask
			if what == "run" {
				may = tt.run
			}
			if (err == nil) != may || err != nil && engram.CodeOf(err) != engram.CodeForbidden {
				t.Errorf("%s: may %s: got %v, want %v", tt.name, what, err, may)
			}
		}
		online := load(t, config.Sources{Env: env(tt.env...)})
		if online.MayAsk() != nil || online.MayRun() != nil {
			t.Errorf("%s, not offline: got %v and %v, want both", tt.name, online.MayAsk(), online.MayRun())
		}
	}
}
