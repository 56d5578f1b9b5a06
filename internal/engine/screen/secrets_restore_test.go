package screen_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// keeper is a world in which a person keeps secrets, by their form and by their name.
func keeper(t *testing.T) (w enginetest.World, num int64, secrets []string) {
	w = enginetest.NewWorld(t)
	token, named := githubToken(), assembled("Tr0ub4", "dor3x9")
	res := w.MustSave(remember.SaveInput{Title: "CI token", Content: "CI uses " + token, Project: "shop", Origin: engram.OriginHuman, AllowSecret: true,
		Metadata: map[string]any{"password": named, "host": "ci.example.org"}})
	return w, res.Memory.Num, []string{token, named}
}

func TestASecretIsKnownByItsNameOnEveryWayOut(t *testing.T) {
	t.Parallel()
	w, num, secrets := keeper(t)
	if got := w.MustGet(num).Memory.Metadata["password"]; got != secrets[1] {
		t.Errorf("it was kept as %v; want it as it was typed", got)
	}
	var out bytes.Buffer
	if _, err := w.Export(t.Context(), &out, exchange.ExportInput{}); err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		if strings.Contains(out.String(), s) {
			t.Errorf("an export has %q:\n%s", s, out.String())
		}
	}
	if !strings.Contains(out.String(), `"host":"ci.example.org"`) {
		t.Errorf("an export lacks what is no secret:\n%s", out.String())
	}
}

// A text that returns without its secrets is no change.
func TestWhatAPersonKeepsSurvivesItsOwnExport(t *testing.T) {
	t.Parallel()
	for _, mode := range []exchange.ImportMode{"", exchange.ImportReplace} {
		w, num, _ := keeper(t)
		before := w.MustGet(num).Memory
		var out bytes.Buffer
		if _, err := w.Export(t.Context(), &out, exchange.ExportInput{}); err != nil {
			t.Fatal(err)
		}
		res, err := w.Import(t.Context(), &out, exchange.ImportInput{Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		now := w.MustGet(num)
		if now.Memory.Content != before.Content || now.Memory.Origin != engram.OriginHuman || !maps.Equal(now.Memory.Metadata, before.Metadata) || len(now.Revisions) > 0 {
			t.Errorf("mode %q: %+v became %+v, %d revisions", mode, before, now.Memory, len(now.Revisions))
		}
		if mode == "" && res.Memories.Changed != 0 {
			t.Errorf("mode %q: %+v; want nothing changed", mode, res.Memories)
		}
	}
}

func TestAColleaguesTagLeavesTheWordsBesideIt(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	id := a.MustSave(remember.SaveInput{Title: "CI token", Content: "CI uses " + githubToken(), Project: "shop", Origin: engram.OriginHuman, AllowSecret: true}).Memory.ID
	a.MustPush()
	b.MustPull()
	if _, err := b.Update(t.Context(), remember.UpdateInput{Ref: engram.ByID(id), AddTags: []string{"ci"}}); err != nil {
		t.Fatal(err)
	}
	b.MustPush()
	a.MustPull()
	got := a.Memory(id)
	if got.Content != "CI uses "+githubToken() || got.Origin != engram.OriginHuman || len(got.Tags) != 1 || got.RevisionCount != 1 {
		t.Errorf("after a colleague tagged it: %+v", got)
	}
	if there := b.Memory(id); strings.Contains(there.Content, githubToken()) {
		t.Errorf("the colleague has %q", there.Content)
	}
}

// Importing an own export with its secrets warned that they were removed, though they stay.
func TestNothingIsSaidToBeCutThatStays(t *testing.T) {
	t.Parallel()
	for _, mode := range []exchange.ImportMode{"", exchange.ImportReplace} {
		w, num, secrets := keeper(t)
		var out bytes.Buffer
		if _, err := w.Export(t.Context(), &out, exchange.ExportInput{AllowSecret: true}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), secrets[0]) {
			t.Fatalf("the export has no secret:\n%s", out.String())
		}
		changed := strings.Replace(out.String(), `"importance":0.5`, `"importance":0.9`, 1)
		for name, file := range map[string]string{"as it is": out.String(), "with another importance": changed} {
			res, err := w.Import(t.Context(), strings.NewReader(file), exchange.ImportInput{Mode: mode})
			if err != nil || len(res.Notes) > 0 {
				t.Errorf("mode %q, %s: told %+v, %v; want nothing", mode, name, res.Notes, err)
			}
			if now := w.MustGet(num).Memory; !strings.Contains(now.Content, secrets[0]) {
				t.Errorf("mode %q, %s: it says %q", mode, name, now.Content)
			}
		}
		other := strings.ReplaceAll(out.String(), "CI uses ", "CI uses no more ")
		res, err := w.Import(t.Context(), strings.NewReader(other), exchange.ImportInput{Mode: mode, Project: "elsewhere"})
		if err != nil || !slices.ContainsFunc(res.Notes, func(n engram.ImportNote) bool { return strings.Contains(n.Reason, "Removed before saving") }) {
			t.Errorf("mode %q: of a text that is not here told %+v, %v; want that its secret was cut", mode, res.Notes, err)
		}
	}
}

func TestAPullSaysNothingOfWhatStays(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 1)
	b := cs[0]
	content := "CI uses " + githubToken()
	kept := b.MustSave(remember.SaveInput{Title: "CI token", Content: content, Project: "shop", Origin: engram.OriginHuman, AllowSecret: true}).Memory
	back := enginetest.Foreign(string(kept.ID), kept.UpdatedAt, "CI token", content)
	back.Causal = nil // as an earlier version wrote it
	enginetest.WriteTo(t, b.Remote, "old", back)
	if p := b.MustPull(); len(p.Notes) > 0 || b.Memory(kept.ID).Content != content {
		t.Errorf("told %+v, and it says %q; want nothing, and what it said", p.Notes, b.Memory(kept.ID).Content)
	}
	enginetest.WriteTo(t, b.Remote, "old", enginetest.Foreign("mem_00000000000000000000000009", b.Clock.Now(), "Deploy token", "Deploys use "+githubToken()))
	if p := b.MustPull(); len(p.Notes) != 1 || !strings.Contains(p.Notes[0].Reason, "Removed before saving") {
		t.Errorf("of a text that is not here told %+v; want that its secret was cut", p.Notes)
	}
}
