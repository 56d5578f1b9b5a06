package keymap_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/tui/keymap"
)

type key string

func (k key) String() string { return string(k) }

func TestSettingsChangeKeys(t *testing.T) {
	m, err := keymap.Parse("forget=x, down=ctrl+j n, why=")
	if err != nil {
		t.Fatal(err)
	}
	all := []keymap.Action{keymap.Forget, keymap.Down, keymap.Why, keymap.Pin}
	for k, want := range map[key]keymap.Action{"x": keymap.Forget, "d": "", "ctrl+j": keymap.Down, "n": keymap.Down, "j": "", "w": "", "p": keymap.Pin} {
		if got := m.Match(k, all); got != want {
			t.Errorf("%s: got %q, want %q", k, got, want)
		}
	}
}

func TestWrongSettingsSayWhy(t *testing.T) {
	for text, want := range map[string]string{
		"forgot=x": `action "forgot" does not exist`, "forget": "is not action=key", "forget=delete me now": "is not a key",
		"forget=xx": `"xx" is not a key`, "quit=, back=": "quit and back have no key",
	} {
		if _, err := keymap.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestEveryActionIsDescribedOnce(t *testing.T) {
	m := keymap.Default()
	names := m.Names()
	slices.Sort(names)
	if twice := slices.Compact(slices.Clone(names)); len(twice) != len(names) {
		t.Errorf("an action is there twice: %v", names)
	}
	for _, b := range m {
		if b.About == "" || b.Short == "" || b.First() == "" {
			t.Errorf("%s has no description or no key", b.Action)
		}
	}
}
