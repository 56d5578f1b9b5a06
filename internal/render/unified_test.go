package render_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/render"
)

func TestUnified(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after []byte
		want          string
	}{
		{"nothing changes", []byte("a\n"), []byte("a\n"), ""},
		{"a line comes", []byte("a\nb\n"), []byte("a\nx\nb\n"), "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n+x\n b\n"},
		{"a file comes", nil, []byte("a\n"), "--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+a\n"},
		{"a file goes", []byte("a\n"), nil, "--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"},
		{"an empty file comes", nil, []byte{}, "--- /dev/null\n+++ f\n"},
		{"characters that act are shown", []byte{}, []byte("\x1b[2J\n"), "--- f\n+++ f\n@@ -0,0 +1 @@\n+\\x1b[2J\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := render.Unified("f", c.before, c.after); got != c.want {
				t.Errorf("Unified(%q, %q) = %q, want %q", c.before, c.after, got, c.want)
			}
		})
	}
}
