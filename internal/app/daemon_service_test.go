//go:build unix

package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
)

// launchctl is one that refuses to load what is loaded, and lets go a moment after it was
// told to.
const launchctl = `#!/bin/sh
echo "$1" >> "$LAUNCHD/asked"
case "$1" in
bootout)
	[ -e "$LAUNCHD/loaded" ] || exit 3
	mv "$LAUNCHD/loaded" "$LAUNCHD/leaving" ;;
bootstrap)
	if [ -e "$LAUNCHD/leaving" ]; then rm "$LAUNCHD/leaving"; exit 37; fi
	[ -e "$LAUNCHD/loaded" ] && exit 5
	cp "$3" "$LAUNCHD/loaded" ;;
esac
`

func TestAnAgentIsLoadedAnewWhenItIsChanged(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "launchctl"), []byte(launchctl), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LAUNCHD", dir)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for _, data := range []string{"one", "one", "two"} {
		c := config.Config{DataDir: filepath.Join(dir, data)}
		c.Origins = map[string]config.Origin{}
		f, err := app.Service{System: app.Launchd, Config: c, Home: dir}.File()
		if err != nil {
			t.Fatal(err)
		}
		done, err := f.Put(t.Context(), true, false)
		if err != nil || !done.Used {
			t.Fatalf("%s: got %+v, %v, want it in use", data, done, err)
		}
		if loaded := string(read(t, filepath.Join(dir, "loaded"))); loaded != f.Text || !strings.Contains(loaded, data) {
			t.Errorf("%s: loaded %s, want %s", data, loaded, f.Text)
		}
	}
	const want = "bootout bootstrap bootout bootstrap bootstrap bootout bootstrap bootstrap"
	if got := strings.Join(strings.Fields(string(read(t, filepath.Join(dir, "asked")))), " "); got != want {
		t.Errorf("asked: got %s, want %s", got, want)
	}
}
