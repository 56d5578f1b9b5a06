package foreign_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

func TestAPageWhoseFrontMatterBreaksOffIsLeftOutAndTold(t *testing.T) {
	for _, s := range []source.System{source.BasicMemory, source.ClaudeCode, source.Markdown} {
		for text, item := range map[string]string{"---\ntitle: cut\n": "n.md:1", "---\nname: n\ntags: [bad\n---\nx": "n.md:3"} {
			dir := folder(t, map[string]string{"n.md": text})
			all := must(t, s, filepath.Join(dir, "n.md"), source.Options{Here: "shop"})
			if len(all.memories) != 0 || len(all.records) != 1 || all.records[0].Flaw == nil || !strings.HasSuffix(all.records[0].Item, item) {
				t.Errorf("%s %q: got %+v, want that it is told at %s", s, text, all.records, item)
			}
		}
	}
}

func TestAListOverSeveralLinesIsReadWhole(t *testing.T) {
	dir := folder(t, map[string]string{"n.md": "---\ntitle: n\ntags: [a,\n  b]\n---\nx"})
	all := must(t, source.BasicMemory, dir, source.Options{Here: "shop"})
	if m := all.memory(t, "n"); strings.Join(m.Tags, " ") != "a b" {
		t.Errorf("tags: got %v, want both", m.Tags)
	}
}

func TestAnEmptyFileIsRefused(t *testing.T) {
	for _, s := range foreign.Systems() {
		dir := folder(t, map[string]string{"zero.md": ""})
		if all, err := open(t, s, filepath.Join(dir, "zero.md"), source.Options{}); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%s: got %+v, %v, want that it is refused", s, all.memories, err)
		}
	}
}
