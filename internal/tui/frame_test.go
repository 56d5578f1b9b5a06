package tui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/search"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/tui"
)

func searchFor(question, project string) search.SearchInput {
	return search.SearchInput{Query: question, Filter: engram.Filter{Project: project}}
}

// views are the screens, and the keys that lead to each from the first.
func views() map[string][]string {
	command := func(name string) []string { return []string{":", "'" + name, "enter"} }
	return map[string][]string{
		"dashboard":  nil,
		"search":     {"/", "'access tokens"},
		"results":    {"/", "'type:decision tokens", "enter", "w"},
		"recent":     append(command("recent"), "j", "space", "j"),
		"detail":     append(command("open 1"), "r"),
		"wide-text":  command("open 5"),
		"escapes":    command("open 6"),
		"timeline":   append(command("open 2"), "t"),
		"sessions":   command("sessions"),
		"session":    append(command("sessions"), "enter"),
		"activity":   append(command("activity"), "p"),
		"due":        command("due"),
		"conflicts":  command("conflicts"),
		"projects":   append(command("projects"), "j"),
		"graph":      append(command("open 6"), "v"),
		"queue":      command("queue"),
		"journal":    append(command("journal"), "j"),
		"exposures":  append(command("exposures"), "enter"),
		"setup":      command("setup"),
		"settings":   command("settings"),
		"help":       append(command("recent"), "?"),
		"command":    {":", "'p"},
		"filter":     {"/", "esc", "/", "enter", "f", "'bug"},
		"history":    {"/", "enter", "H"},
		"forgotten":  append(command("recent"), "d"),
		"unknown":    command("recnt"),
		"no-editor":  append(command("recent"), "e"),
		"everything": append(command("recent"), "P"),
	}
}

// TestFrames compares what each screen shows at three sizes with a golden file: the characters, and below them a letter for
// the style of each cell. The themes differ in the legend alone.
func TestFrames(t *testing.T) {
	sizes := [][2]int{{80, 24}, {120, 40}, {200, 60}}
	for _, name := range sortedNames(views()) {
		t.Run(name, func(t *testing.T) {
			var golden strings.Builder
			w := world(t)
			for _, size := range sizes {
				var first frame
				for _, theme := range []string{"mocha", "latte"} {
					if name == "forgotten" { // it changes the store
						w = world(t)
					}
					d := open(t, w.Engine, size[0], size[1], tui.Options{Project: "shop", Theme: theme, Outside: outside()})
					d.keys(views()[name]...)
					f := d.frame(size[0], size[1])
					if theme == "mocha" {
						first = f
						fmt.Fprintf(&golden, "=== %dx%d\n%s--- styles\n%s\n", size[0], size[1], f, strings.Join(f.styles, "\n"))
					} else if !slices.Equal(f.text, first.text) || !slices.Equal(f.styles, first.styles) {
						t.Errorf("%s at %v: the themes differ in more than colours:\n%s\n%s", name, size, first, f)
					}
					fmt.Fprintf(&golden, "--- %s\n%s\n", theme, strings.Join(f.legend, "\n"))
				}
			}
			path := filepath.Join("testdata", "frames", name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(golden.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != golden.String() {
				t.Errorf("%s changed (rewrite with -update, and look at it)\n%s", path, firstDifference(string(want), golden.String()))
			}
		})
	}
}

func sortedNames(m map[string][]string) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			end := min(i+6, len(w))
			return fmt.Sprintf("line %d\nwant:\n%s\n got:\n%s", i+1, strings.Join(w[i:end], "\n"), strings.Join(g[min(i, len(g)):min(end, len(g))], "\n"))
		}
	}
	return "the new one is longer"
}
