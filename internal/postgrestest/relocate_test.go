package postgrestest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/relocate"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

func newFile(t *testing.T) engram.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "engram.db"), Now: storetest.Day})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func newSpace(t *testing.T, server *postgrestest.Server) engram.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), postgres.Options{URL: server.URL(), Space: postgrestest.Space()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// furnish puts something of everything into a store: rows of every kind, and more than a page of what an engine makes.
func furnish(t *testing.T, s engram.Store) {
	t.Helper()
	ctx := t.Context()
	if err := s.Update(ctx, func(tx engram.Tx) error { return storetest.Fill(ctx, tx, "some text") }); err != nil {
		t.Fatal(err)
	}
	clock := enginetest.Start()
	e := engine.New(engine.Options{Store: s, Embedder: enginetest.Embedder(), NewID: numberedIDs(), Now: storetest.Day})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("at %v: %v", clock, err)
		}
	}
	for i := range 450 {
		_, err := e.Save(ctx, remember.SaveInput{Project: fmt.Sprint("p", i%3), Title: fmt.Sprint("Decision ", i), Content: fmt.Sprintf("The pool of shard %d has %d connections.", i, i*7), Tags: []string{"t", fmt.Sprint(i % 5)}})
		must(err)
	}
	for i := int64(10); i < 40; i++ {
		text := fmt.Sprintf("The pool has %d connections by now.", i)
		_, err := e.Update(ctx, remember.UpdateInput{Ref: engram.ByNum(i), Content: &text})
		must(err)
		_, err = e.Link(ctx, relate.LinkInput{Source: engram.ByNum(i), Target: engram.ByNum(i + 99), Verb: engram.VerbRelatesTo, Reason: "it does"})
		must(err)
		_, err = e.SavePrompt(ctx, remember.PromptInput{Project: "p1", Content: fmt.Sprint("How many connections, ", i)})
		must(err)
	}
	_, err := e.Forget(ctx, engram.ByNum(50))
	must(err)
	_, err = e.Delete(ctx, true, engram.ByNum(111)) // with its relation, which leaves a gap in their numbers
	must(err)
	_, err = e.Link(ctx, relate.LinkInput{Source: engram.ByNum(60), Target: engram.ByNum(63), Verb: engram.VerbSupersedes})
	must(err)
	_, err = e.Undo(ctx, undo.UndoInput{})
	must(err)
	_, err = e.Save(ctx, remember.SaveInput{Project: "p1", Content: "Ours alone.", Scope: engram.ScopePersonal})
	must(err)
}

func numberedIDs() func() engram.ID {
	n := 1000
	return func() engram.ID {
		n++
		return engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, n))
	}
}

// contentsOf returns everything that a store tells, a line each, and its Canonical.
func contentsOf(t *testing.T, s engram.Store) (lines []string, canonical string) {
	t.Helper()
	ctx := t.Context()
	add := func(name string, v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, name+" "+string(text))
	}
	all := engram.Page{Limit: 10_000}
	err := s.View(ctx, func(r engram.Reader) error {
		head, err := r.Replica().Head(ctx)
		add("clock", head.Seq, err)
		ps, err := r.Projects(ctx, true)
		add("projects", ps, err)
		ss, err := r.Sessions(ctx, engram.SessionFilter{ByID: true}, all)
		add("sessions", ss, err)
		gone, err := r.Replica().SessionTombstones(ctx, "", "", 1000)
		add("tombstones", gone, err)
		ms, err := engram.MemoriesAfter(ctx, r, "", 0, 10_000)
		add("memories", len(ms), err)
		keys := map[engram.Entity][]string{}
		var nums []int64
		for _, m := range ms {
			add("memory", m, nil)
			nums = append(nums, m.Num)
			keys[engram.EntityMemory] = append(keys[engram.EntityMemory], fmt.Sprint(m.Num))
		}
		revisions, err := r.Revisions(ctx, nums...)
		add("revisions", revisions, err)
		marks, err := r.Trust(ctx, nums)
		add("marks", marks, err)
		seen, err := r.SeenAnchors(ctx, nums)
		add("anchors", seen, err)
		models, err := r.Models(ctx)
		add("models", models, err)
		for _, m := range models {
			vs, err := r.Vectors(ctx, m.Model.Fingerprint, nums)
			add("vectors", vs, err)
		}
		prompts, err := engram.PromptsAfter(ctx, r, "", 0, 10_000)
		add("prompts", prompts, err)
		rs, err := engram.RelationsAfter(ctx, r, "", 0, 10_000)
		add("relations", rs, err)
		for _, p := range prompts {
			keys[engram.EntityPrompt] = append(keys[engram.EntityPrompt], fmt.Sprint(p.Num))
		}
		for _, x := range rs {
			keys[engram.EntityRelation] = append(keys[engram.EntityRelation], fmt.Sprint(x.Num))
		}
		for _, x := range ss {
			keys[engram.EntitySession] = append(keys[engram.EntitySession], x.ID)
		}
		for _, x := range ps {
			keys[engram.EntityProject] = append(keys[engram.EntityProject], x.Name)
		}
		for _, kind := range []engram.Entity{engram.EntityMemory, engram.EntityPrompt, engram.EntityRelation, engram.EntitySession, engram.EntityProject} {
			l, err := r.Replica().CausalMetadata(ctx, kind, append(keys[kind], "gone"))
			add("metadata of "+string(kind), l, err)
			x, err := r.Replica().ErasedAfter(ctx, kind, "", 1000)
			add("erased "+string(kind), x, err)
		}
		waiting, err := r.Replica().Deferred(ctx, "", 0, 1000)
		add("deferred", waiting, err)
		entries, err := r.Mutations(ctx, engram.JournalSpan{}, all)
		for i := range entries {
			entries[i].Device = ""
		}
		add("journal", entries, err)
		shown, err := r.Exposures(ctx, "", all)
		add("exposures", shown, err)
		counters, err := r.Counters(ctx, engram.CounterQuery{ByDay: true, ByProject: true})
		add("counters", counters, err)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := engine.New(engine.Options{Store: s, Now: storetest.Day}).Canonical(ctx, &b, ""); err != nil {
		t.Fatal(err)
	}
	return lines, b.String()
}

// same compares two stores.
func same(t *testing.T, got, want engram.Store) {
	t.Helper()
	have, canonical := contentsOf(t, got)
	lines, bytes := contentsOf(t, want)
	if canonical != bytes || !strings.Contains(bytes, "Decision 449") {
		t.Errorf("canonical has %d bytes, want %d", len(canonical), len(bytes))
	}
	if len(have) != len(lines) {
		t.Fatalf("%d lines, want %d", len(have), len(lines))
	}
	for i := range lines {
		if have[i] != lines[i] {
			t.Errorf("got  %.2000s\nwant %.2000s", have[i], lines[i])
		}
	}
}

func relocated(ctx context.Context, from, to engram.Store, progress func(done, total int)) (res relocate.Copied, err error) {
	err = from.Update(ctx, func(tx engram.Tx) (err error) {
		res, err = relocate.Copy(ctx, tx, to, progress)
		return err
	})
	return res, err
}

// TestRelocate copies a file into a space, and that into another file: nothing is lost or changed on the way, wherever
// it is interrupted.
func TestRelocate(t *testing.T) {
	server := postgrestest.Start(t)
	file, space, back := newFile(t), newSpace(t, server), newFile(t)
	furnish(t, file)
	res, err := relocated(t.Context(), file, space, nil)
	if err != nil || res.Before || res.Resumed || res.Memories < 450 {
		t.Fatalf("copied %+v, %v", res, err)
	}
	same(t, space, file)
	if res, err = relocated(t.Context(), file, space, nil); err != nil || !res.Before {
		t.Errorf("copied again: %+v, %v", res, err)
	}
	interruptions, resumed := 0, false
	for at := 1; ; at++ { // each attempt gets one transaction further than the one before
		ctx, cancel := context.WithCancel(t.Context())
		res, err = relocated(ctx, space, back, func(done, total int) {
			if done > total {
				t.Errorf("%d of %d", done, total)
			}
			cancel()
		})
		cancel()
		resumed = resumed || res.Resumed
		if err == nil {
			break
		}
		if interruptions++; !errors.Is(err, context.Canceled) || at > 100 {
			t.Fatalf("interrupted: %v", err)
		}
	}
	if interruptions < 10 || !resumed {
		t.Errorf("%d interruptions, the last %+v", interruptions, res)
	}
	same(t, back, file)
}

// TestRelocateRefuses keeps a copy from mixing two states, or two stores.
func TestRelocateRefuses(t *testing.T) {
	server := postgrestest.Start(t)
	file, space := newFile(t), newSpace(t, server)
	furnish(t, file)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := relocated(ctx, file, space, func(int, int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	if _, err := engine.New(engine.Options{Store: file, NewID: func() engram.ID { return engram.IDPrefix + "00000000000000000000099999" }, Now: storetest.Day}).
		Save(t.Context(), remember.SaveInput{Project: "p1", Content: "It came in between."}); err != nil {
		t.Fatal(err)
	}
	_, err := relocated(t.Context(), file, space, nil)
	if _, changed := errors.AsType[*relocate.Changed](err); !changed {
		t.Errorf("a source that changed: %v", err)
	}
	for name, other := range map[string]engram.Store{"a file": newFile(t), "a space": newSpace(t, server)} {
		if err := other.Update(t.Context(), func(tx engram.Tx) error { return storetest.Fill(t.Context(), tx, "other") }); err != nil {
			t.Fatal(err)
		}
		if _, err := relocated(t.Context(), file, other, nil); engram.CodeOf(err) != engram.CodeConflict || engram.HintOf(err) == "" {
			t.Errorf("%s with something of its own: %v", name, err)
		}
	}
}
