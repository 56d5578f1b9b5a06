package exchange_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// worn is an engine with everything that the dialect has no room for, at times with fractions of seconds.
func worn(t *testing.T) *engine.Engine {
	t.Helper()
	p := enginetest.NewParts(t)
	e, ctx := p.Engine, t.Context()
	p.Clock.Add(1234567 * time.Microsecond)
	save := func(title, content, topic string) engram.Memory {
		t.Helper()
		s, err := e.Save(ctx, remember.SaveInput{Title: title, Content: content, Project: "shop", Scope: "project", TopicKey: topic, SessionID: "s1",
			Tags: []string{"auth", "jwt"}, Metadata: map[string]any{"k": "v"}, Importance: new(0.9), NewSession: true})
		if err != nil {
			t.Fatal(err)
		}
		p.Clock.Add(777 * time.Millisecond)
		return s.Memory
	}
	save("Auth", "JWT, 15 minutes", "architecture/auth")
	a := save("Auth", "JWT, 5 minutes", "architecture/auth")
	b := save("Pool", "20 connections", "")
	gone := save("Gone", "it was wrong", "")
	if _, err := e.Forget(ctx, engram.ByNum(gone.Num)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Link(ctx, relate.LinkInput{Source: engram.ByNum(a.Num), Target: engram.ByNum(b.Num), Verb: "caused_by"}); err != nil {
		t.Fatal(err)
	}
	p.Clock.Add(333 * time.Millisecond)
	if _, err := e.SavePrompt(ctx, remember.PromptInput{Content: "Why 5 minutes?", SessionID: "s1", Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestReadingOnesOwnPoorerExportChangesNothing(t *testing.T) {
	t.Parallel()
	for _, mode := range []exchange.ImportMode{exchange.ImportMerge, exchange.ImportReplace} {
		e := worn(t)
		_, was, _ := strings.Cut(enginetest.Exported(t, e, exchange.ExportInput{}), `"projects"`)
		res := enginetest.Imported(t, e, enginetest.Exported(t, e, exchange.ExportInput{Format: "mem"}), exchange.ImportInput{Mode: mode})
		if res.Op != 0 || res.All().Added+res.All().Changed+res.All().Removed != 0 {
			t.Errorf("%s: got %+v, want nothing changed", mode, res)
		}
		if _, now, _ := strings.Cut(enginetest.Exported(t, e, exchange.ExportInput{}), `"projects"`); now != was {
			t.Errorf("%s: the store\n got %s\nwant %s", mode, now, was)
		}
	}
}
