package browse

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/config"
)

func TestPastSearchesAreKeptForTheirOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tui.json")
	if k, err := loadKept(path); err != nil || len(k.History) > 0 {
		t.Errorf("without a file: %+v, %v", k, err)
	}
	want := app.TUIKept{History: []string{"how long do tokens live"}, Saved: []string{"type:decision auth"}}
	if err := storeKept(path, want); err != nil {
		t.Fatal(err)
	}
	if got, err := loadKept(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o600 {
		t.Errorf("mode %o, want 600", mode)
	}
	if err := os.WriteFile(path, []byte("{damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if k, err := loadKept(path); err != nil || len(k.History) > 0 {
		t.Errorf("from a damaged file: %+v, %v", k, err)
	}
}

func TestTheEditorIsTheOneOfTheEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want []string
	}{
		{"VISUAL first", map[string]string{"VISUAL": "code --wait", "EDITOR": "vi"}, []string{"code", "--wait"}},
		{"EDITOR", map[string]string{"VISUAL": " ", "EDITOR": "nano"}, []string{"nano"}},
	} {
		p := &command.Program{Options: command.Options{Env: func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok }}}
		if got := editorWords(p); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestADatabaseThatWentIsSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check := alive(config.Config{DBPath: path})
	if err := check(); err != nil {
		t.Errorf("while it is there: %v", err)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := check(); err == nil || !strings.Contains(err.Error(), "has disappeared") {
		t.Errorf("when it went: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := check(); err == nil || !strings.Contains(err.Error(), "was replaced") {
		t.Errorf("when another took its place: %v", err)
	}
}

func TestDescriptionsLoseTheirMarkdown(t *testing.T) {
	if got, want := plain("the `curve` by which [strength fades](cli.md#strength) a day"), "the curve by which strength fades a day"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
