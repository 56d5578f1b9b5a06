package config_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
)

func TestStore(t *testing.T) {
	const space = "5f0c3f4e-5d0a-4b8e-9a39-0c1d2e3f4a5b"
	for _, tt := range []struct{ store, place string }{
		{"file", "/h/.engram/engram.db"},
		{" postgres://me:hunter2@db.example.org:5433/team?sslmode=require&password=hunter2 ", "postgres://me@db.example.org:5433/team, space " + space},
		{"postgresql://db.example.org/team", "postgresql://db.example.org/team, space " + space},
		{"postgres://me:hunter2@/team?host=/run/postgresql&search_path=notes", "postgres://me@/team?host=%2Frun%2Fpostgresql&search_path=notes, space " + space},
		{"postgres://me:p%40ss@a:1,b:2/team?target_session_attrs=read-write", "postgres://me@a:1,b:2/team, space " + space},
		{"postgres://me:p%40ss@/team?host=a,b&port=1,2", "postgres://me@/team?host=a%2Cb&port=1%2C2, space " + space},
	} {
		c, err := config.Load(config.Sources{Env: env("HOME", "/h", "ENGRAM_STORE", tt.store, "ENGRAM_SPACE", strings.ToUpper(space)), Dir: t.TempDir()})
		if err != nil || c.Place() != tt.place || c.OnServer() != (tt.store != "file") {
			t.Errorf("%s: got %s, %v, want %s", tt.store, c.Place(), err, tt.place)
		}
	}
}

// A wrong store is an error wherever it is set: with the default, memories would go into another one. Its text has no
// password.
func TestStoreRefused(t *testing.T) {
	for _, tt := range []struct{ name, value string }{
		{"ENGRAM_STORE", "/var/lib/hunter2.db"},
		{"ENGRAM_STORE", "mysql://me:hunter2@host/db"},
		{"ENGRAM_STORE", "postgres://me:hunter2%zz@host/db"},
		{"ENGRAM_STORE", "postgres://me:hunter2@host:port/db"},
		{"ENGRAM_STORE", "postgres://me:hunter2@host/a db"},
		{"ENGRAM_SPACE", "team"},
		{"ENGRAM_SPACE", "00000000-0000-4000-8000-00000000000g"},
	} {
		_, err := config.Load(config.Sources{Env: env("HOME", "/h", tt.name, tt.value), Dir: t.TempDir()})
		if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), tt.name) || engram.HintOf(err) == "" {
			t.Errorf("%s: %v", tt.value, err)
		}
		if err != nil && strings.Contains(err.Error()+engram.HintOf(err), "hunter2") {
			t.Errorf("the password is in %v", err)
		}
		dir := writeFile(t, strings.ToLower(strings.TrimPrefix(tt.name, "ENGRAM_"))+" = \""+tt.value+"\"\n")
		if _, err := config.Load(config.Sources{File: dir + "/" + config.FileName, Env: env("HOME", "/h"), Dir: dir}); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%s in the file: %v", tt.value, err)
		}
	}
	if _, err := (config.Config{}).WithStore("mysql://me:hunter2@host/db", ""); engram.CodeOf(err) != engram.CodeInvalid || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("another store: %v", err)
	}
}

func TestMayStore(t *testing.T) {
	for _, tt := range []struct {
		store string
		may   bool
	}{
		{"", true}, {"postgres://localhost/db", true}, {"postgres://127.0.0.1:5432/db", true}, {"postgres:///db", true}, {"postgres://me@/db?host=/run/postgresql", true},
		{"postgres://db.example.org/db", false}, {"postgres://localhost/db?host=db.example.org", false},
	} {
		c := config.Config{Store: tt.store, Offline: true}
		if err := c.MayStore(); (err == nil) != tt.may {
			t.Errorf("%s offline: %v", tt.store, err)
		}
		c.Offline = false
		if err := c.MayStore(); err != nil {
			t.Errorf("%s: %v", tt.store, err)
		}
	}
}
