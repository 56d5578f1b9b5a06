package toggle_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/toggle"
)

// cramped returns a folder in which no file can be made beside off.json, as on a full disk, and
// off.json itself can: the paths of others are longer than the system takes.
func cramped(t *testing.T) string {
	t.Helper()
	const longest = 4095 // bytes of a path
	dir := t.TempDir()
	for room := longest - len("/"+toggle.FileName); len(dir) < room; {
		step := min(room-len(dir)-1, 200)
		if left := room - len(dir) - 1 - step; left == 1 { // no room for a slash and a name
			step--
		}
		if step < 1 {
			break
		}
		dir = filepath.Join(dir, strings.Repeat("d", step))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := os.CreateTemp(dir, ".*.new"); err == nil {
		t.Fatalf("a file beside could be made in %d bytes of path", len(dir))
	}
	return dir
}

// What cannot be kept aside is not lost: it goes on counting as off.
func TestWhatCannotBeKeptAsideStays(t *testing.T) {
	t.Parallel()
	dir := cramped(t)
	if err := os.WriteFile(filepath.Join(dir, toggle.FileName), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(dir)
	if _, _, err := s.On(t.Context(), nil, at()); err == nil || !s.State().Off("shop") {
		t.Errorf("got error %v, %+v, want an error, and everything off", err, s.State())
	}
	if got, err := os.ReadFile(filepath.Join(dir, toggle.FileName)); err != nil || string(got) != "half" {
		t.Errorf("got %q, %v; want the file as it was", got, err)
	}
}

// Off has to be said at any moment: where there is no room for a new file, the one that is there
// is written over, and one without a text means off, too.
func TestOffCanBeSaidWhereThereIsNoRoom(t *testing.T) {
	t.Parallel()
	t.Run("everything, where nothing was off", func(t *testing.T) {
		s := open(cramped(t))
		if _, _, err := s.Off(t.Context(), nil, at()); err != nil || !s.State().Off("shop") {
			t.Errorf("got error %v, %+v, want everything off", err, s.State())
		}
		if _, _, err := s.On(t.Context(), nil, at()); err != nil || s.State().Any() {
			t.Errorf("on: got error %v, %+v, want nothing off", err, s.State())
		}
	})
	t.Run("one project, where nothing was off", func(t *testing.T) {
		s := open(cramped(t))
		if _, _, err := s.Off(t.Context(), []string{"shop"}, at()); err == nil || s.State().Any() {
			t.Errorf("got error %v, %+v, want an error and nothing off: who said one project does not mean every one", err, s.State())
		}
	})
	t.Run("one more project", func(t *testing.T) {
		dir := cramped(t)
		if err := os.WriteFile(filepath.Join(dir, toggle.FileName), []byte(`{"version":1,"projects":{"bank":"2026-03-04T05:06:07Z"}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(dir)
		off(t, s, "shop")
		if now := s.State(); now.Broken != nil || !now.Off("shop") || !now.Off("bank") || now.Off("blog") {
			t.Errorf("got %+v, want bank and shop off", now)
		}
		on(t, s, "bank")
		if now := s.State(); now.Broken != nil || now.Off("bank") || !now.Off("shop") {
			t.Errorf("on: got %+v, want shop off alone", now)
		}
	})
}
