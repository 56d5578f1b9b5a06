package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// exported is what an engine exports.
func exported(t testing.TB, e *engine.Engine, in engine.ExportInput) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := e.Export(t.Context(), &b, in); err != nil {
		t.Fatalf("export %+v: %v", in, err)
	}
	return b.String()
}

func imported(t testing.TB, e *engine.Engine, file string, in engine.ImportInput) engine.Imported {
	t.Helper()
	res, err := e.Import(t.Context(), strings.NewReader(file), in)
	if err != nil {
		t.Fatalf("import %+v: %v", in, err)
	}
	return res
}

// story fills a store with one of everything that travels.
func story(t testing.TB, e *engine.Engine) {
	t.Helper()
	ctx := t.Context()
	first, err := e.Save(ctx, engine.SaveInput{Title: "Auth model", Content: "Tokens live 15 minutes", Type: "decision", Project: "shop",
		SessionID: "s1", NewSession: true, Directory: "/src/shop", TopicKey: "architecture/auth", Tags: []string{"auth", "jwt"},
		Metadata: map[string]any{"ticket": "ENG-12", "n": 1.5}, Origin: engram.OriginHuman})
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Save(ctx, engine.SaveInput{Title: "Auth model", Content: "Tokens live 5 minutes", Type: "decision", Project: "shop",
		SessionID: "s1", TopicKey: "architecture/auth"})
	if err != nil || again.Memory.Num != first.Memory.Num {
		t.Fatalf("revise: %v", err)
	}
	other, err := e.Save(ctx, engine.SaveInput{Title: "Pool size", Content: "The pool has 20 connections", Project: "shop", Permanent: true})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := e.Save(ctx, engine.SaveInput{Title: "Old port", Content: "It listens on 8080", Project: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Forget(ctx, engram.ByNum(gone.Memory.Num)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Link(ctx, engine.LinkInput{Source: engram.ByNum(other.Memory.Num), Target: engram.ByNum(first.Memory.Num), Verb: "caused_by", Reason: "load"}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.SavePrompt(ctx, engine.PromptInput{Content: "Why does login fail?", SessionID: "s1", Project: "shop"}); err != nil {
		t.Fatal(err)
	}
}

func TestWhatWasExportedComesInWhole(t *testing.T) {
	from, to := enginetest.New(t), enginetest.New(t)
	story(t, from)
	file := exported(t, from, engine.ExportInput{})
	res := imported(t, to, file, engine.ImportInput{})
	if all := res.All(); all.Rejected > 0 || all.Changed > 0 || res.Memories.Added != 3 || res.Relations.Added < 1 || res.Prompts.Added != 1 {
		t.Errorf("import\n got %+v", res)
	}
	got, want := bare(exported(t, to, engine.ExportInput{})), bare(file)
	if got != want {
		t.Errorf("export after the import\n got %s\nwant %s", got, want)
	}
	again := imported(t, to, file, engine.ImportInput{})
	if all := again.All(); all.Added+all.Changed+all.Rejected > 0 || again.Op != 0 {
		t.Errorf("the second import changed something: %+v", again)
	}
}

// bare is an export without its head, and with the one thing changed that an import does
// not take over: who says so.
func bare(file string) string {
	_, file, _ = strings.Cut(file, `"projects"`)
	for _, origin := range []string{"human", "agent", "tool"} {
		file = strings.ReplaceAll(file, `"origin":"`+origin+`"`, `"origin":"import"`)
	}
	return file
}
