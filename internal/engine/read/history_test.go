package read_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// history is a random life of a store with its expected state.
type history struct {
	enginetest.World
	words  int              // how many words were made up
	texts  map[int64][]text // what was saved in each memory that was not erased
	rarest map[int64]string // a word that its current text alone has
	states map[int64][]engram.Memory
	last   int64 // the memory that was last changed
}

// text is a saved title and content.
type text struct{ title, content string }

// word makes up a unique word. Numbers keep it from being stemmed.
func (h *history) word() string {
	h.words++
	return fmt.Sprintf("w%05dx", h.words)
}

// memory draws a live memory; 0 without any.
func (h *history) memory(t *rapid.T) int64 {
	live := slices.Sorted(maps.Keys(h.rarest))
	if len(live) == 0 {
		t.Skip("there is no memory yet")
	}
	return rapid.SampledFrom(live).Draw(t, "memory")
}

func (h *history) project(t *rapid.T, name string) string {
	return rapid.SampledFrom([]string{"", "alpha", "beta", "gamma", "delta"}).Draw(t, name)
}

// kept records the expected state of a memory.
func (h *history) kept(t *rapid.T, m engram.Memory, word string) {
	if word != "" {
		h.texts[m.Num] = append(h.texts[m.Num], text{m.Title, m.Content})
		h.rarest[m.Num] = word
	}
	h.states[m.Num] = append(h.states[m.Num], m)
	h.last = m.Num
}

// Save saves a new text, often under a topic.
func (h *history) Save(t *rapid.T) {
	word := h.word()
	in := remember.SaveInput{Title: rapid.SampledFrom([]string{"Title", "", "Other title"}).Draw(t, "title"), Content: "the content is " + word,
		Project: h.project(t, "project"), TopicKey: rapid.SampledFrom([]string{"", "", "k", "family/key"}).Draw(t, "topic"),
		Type: rapid.SampledFrom([]engram.Type{"", "decision"}).Draw(t, "type"), Scope: rapid.SampledFrom([]engram.Scope{"", "", "personal"}).Draw(t, "scope"),
		Tags: rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2).Draw(t, "tags")}
	res, err := h.Engine.Save(h.Context(), in)
	if err != nil {
		t.Fatalf("save %+v: %v", in, err)
	}
	h.kept(t, res.Memory, word)
}

// Repeat saves a memory's text again.
func (h *history) Repeat(t *rapid.T) {
	m := h.MustGet(h.memory(t)).Memory
	if m.TopicKey == "" && h.Clock.Now().Sub(m.CreatedAt).Abs() > 14*time.Minute {
		t.Skip("it would be a new memory")
	}
	res, err := h.Engine.Save(h.Context(), remember.SaveInput{Title: m.Title, Content: " " + strings.ToUpper(m.Content), Type: m.Type, Scope: m.Scope, Project: m.Project, TopicKey: m.TopicKey})
	if err != nil || res.Action != ledger.ActionRepeated || res.Memory.Num != m.Num {
		t.Fatalf("repeat of #%d: %s of #%d, %v", m.Num, res.Action, res.Memory.Num, err)
	}
	h.kept(t, res.Memory, "")
}

// Update changes some fields of a memory.
func (h *history) Update(t *rapid.T) {
	in := remember.UpdateInput{Ref: engram.ByNum(h.memory(t))}
	word := ""
	if rapid.Bool().Draw(t, "content") {
		word = h.word()
		in.Content = new("now it is " + word)
	}
	if rapid.Bool().Draw(t, "title") {
		in.Title = new("Title of " + strconv.Itoa(h.words))
	}
	if rapid.Bool().Draw(t, "topic") {
		in.TopicKey = new(rapid.SampledFrom([]string{"", "k", "other"}).Draw(t, "key"))
	}
	if rapid.Bool().Draw(t, "move") {
		in.Project = new(h.project(t, "to"))
	}
	in.Tags, in.Importance = new(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3).Draw(t, "tags")), new(0.25)
	m, err := h.Engine.Update(h.Context(), in)
	if engram.CodeOf(err) == engram.CodeConflict {
		return // the topic is another's; the checks see that nothing changed
	}
	if err != nil {
		t.Fatalf("update %+v: %v", in, err)
	}
	if word == "" && in.Title != nil {
		word = h.rarest[m.Num]
	}
	h.kept(t, m.Memory, word)
}

// Forget forgets a memory.
func (h *history) Forget(t *rapid.T) {
	gone, err := h.Engine.Forget(h.Context(), engram.ByNum(h.memory(t)))
	if err != nil {
		t.Fatal(err)
	}
	delete(h.rarest, gone[0].Num)
	h.kept(t, gone[0], "")
}

// Erase erases a memory, live or forgotten.
func (h *history) Erase(t *rapid.T) {
	all := slices.Sorted(maps.Keys(h.texts))
	if len(all) == 0 || rapid.IntRange(0, 2).Draw(t, "seldom") > 0 {
		t.Skip("not now")
	}
	num := rapid.SampledFrom(all).Draw(t, "erased")
	if _, err := h.Engine.Delete(h.Context(), true, engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	delete(h.texts, num)
	delete(h.rarest, num)
	delete(h.states, num)
}

// Merge merges projects.
func (h *history) Merge(t *rapid.T) {
	if rapid.IntRange(0, 2).Draw(t, "seldom") > 0 {
		t.Skip("not now")
	}
	from, to := h.project(t, "from"), h.project(t, "to")
	if to == "" {
		to = "epsilon"
	}
	if _, err := h.MergeProjects(h.Context(), []string{from}, to); err != nil {
		t.Fatalf("merge %q into %q: %v", from, to, err)
	}
	// A merge of projects adds no version to its memories.
	for num := range h.states {
		if m, found := h.raw(t, num); found {
			h.states[num] = append(h.states[num], m)
		}
	}
}

// Wait passes the repeat window, or sets the clock back.
func (h *history) Wait(t *rapid.T) {
	h.Clock.Add(time.Duration(rapid.IntRange(-20, 40).Draw(t, "minutes")) * time.Minute)
}

// raw reads a memory, forgotten or not.
func (h *history) raw(t *rapid.T, num int64) (m engram.Memory, found bool) {
	err := h.Store.View(h.Context(), func(r engram.Reader) (err error) {
		m, err = r.Memory(h.Context(), engram.ByNum(num))
		return err
	})
	if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
		t.Fatal(err)
	}
	return m, err == nil
}

// Check verifies the invariants after every step.
func (h *history) Check(t *rapid.T) {
	st := h.MustStats()
	if st.Memories != len(h.rarest) || st.Memories+st.Forgotten != len(h.texts) {
		t.Fatalf("%d memories and %d forgotten ones; want %d and %d", st.Memories, st.Forgotten, len(h.rarest), len(h.texts)-len(h.rarest))
	}
	h.checkFound(t, h.last)
}

// checkFound searches for a live memory by its unique word.
func (h *history) checkFound(t *rapid.T, num int64) {
	word, live := h.rarest[num]
	if !live {
		return
	}
	if got := h.MustFind(word); len(got) == 0 || got[0] != num {
		t.Fatalf("#%d has the word %s alone, and a search for it finds %v", num, word, got)
	}
}

func TestNoHistoryLosesAText(t *testing.T) {
	t.Parallel()
	n := 0
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		n++
		h := &history{World: enginetest.NewWorldIn(t, filepath.Join(dir, strconv.Itoa(n))), texts: map[int64][]text{}, rarest: map[int64]string{}, states: map[int64][]engram.Memory{}}
		defer h.Close(t)
		rt.Repeat(rapid.StateMachineActions(h))
		for num := range h.rarest {
			h.checkFound(rt, num)
		}
		h.checkTexts(rt)
		h.checkIndex(rt)
		h.checkJournal(rt)
	})
}

// checkTexts looks for every text ever saved.
func (h *history) checkTexts(t *rapid.T) {
	for num, all := range h.texts {
		m, found := h.raw(t, num)
		if !found {
			t.Fatalf("#%d is gone and nobody erased it", num)
		}
		have := map[text]bool{{m.Title, m.Content}: true}
		for _, r := range h.revisions(t, num) {
			have[text{r.Title, r.Content}] = true
		}
		for _, want := range all {
			if !have[want] {
				t.Fatalf("#%d no longer holds %+v, neither now nor in a revision: %v", num, want, have)
			}
		}
	}
}

func (h *history) revisions(t *rapid.T, num int64) (rs []engram.Revision) {
	err := h.Store.View(h.Context(), func(r engram.Reader) (err error) {
		rs, err = r.Revisions(h.Context(), num)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// checkIndex counts the memories in the word index.
func (h *history) checkIndex(t *rapid.T) {
	if enginetest.OnServer() {
		return // its tables are looked at by the tests of that store
	}
	db, err := sql.Open("sqlite", "file:"+h.Path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var indexed int
	const query = `SELECT (SELECT count(*) FROM unsealed) + (SELECT coalesce(sum(live), 0) FROM segments)`
	if err := db.QueryRow(query).Scan(&indexed); err != nil {
		t.Fatal(err)
	}
	if indexed != len(h.rarest) {
		t.Fatalf("the index has %d memories, the table has %d live ones", indexed, len(h.rarest))
	}
}

// checkJournal reverts each memory entry by entry, and expects every recorded state on the way.
func (h *history) checkJournal(t *rapid.T) {
	journal := h.Journal()
	for num, states := range h.states {
		m, _ := h.raw(t, num)
		now := fields(t, m)
		revisions := map[int]engram.Revision{}
		for _, r := range h.revisions(t, num) {
			revisions[r.Number] = r
		}
		left := slices.Clone(states)
		match := func() {
			for len(left) > 0 && reflect.DeepEqual(now, fields(t, left[len(left)-1])) {
				left = left[:len(left)-1]
			}
		}
		match()
		for _, e := range slices.Backward(journal) {
			old := enginetest.Was(t, e)
			switch {
			case e.Entity == engram.EntityMemory && e.Key == strconv.FormatInt(num, 10):
				if n, ok := old["revision"].(float64); ok {
					r, found := revisions[int(n)]
					if !found {
						t.Fatalf("entry %d of #%d names revision %v, which is not there", e.Seq, num, n)
					}
					now["title"], now["content"] = r.Title, r.Content
					delete(old, "revision")
				}
				maps.Copy(now, old)
			case e.Entity == engram.EntityProject && old["from"] != nil:
				moved, _ := old["memories"].([]any)
				if slices.Contains(moved, any(float64(num))) {
					now["project"] = old["from"]
					topics, _ := old["topics"].(map[string]any)
					if key, ok := topics[strconv.FormatInt(num, 10)]; ok {
						now["topic_key"] = key
					}
				}
			default:
				continue
			}
			match()
		}
		if len(left) > 0 {
			t.Fatalf("#%d: going back through the journal never gives the state\n%v\nthe first there was is\n%v", num, fields(t, left[len(left)-1]), now)
		}
	}
}

// fields returns a memory's fields by their journal names, as decoded JSON.
func fields(t *rapid.T, m engram.Memory) map[string]any {
	b, err := json.Marshal(map[string]any{"title": m.Title, "content": m.Content, "project": m.Project, "scope": m.Scope, "type": m.Type, "tags": m.Tags,
		"metadata": m.Metadata, "topic_key": m.TopicKey, "importance": m.Importance, "permanent": m.Permanent, "updated_at": m.UpdatedAt,
		"review_after": m.ReviewAfter, "revision_count": m.RevisionCount, "duplicate_count": m.DuplicateCount, "last_seen_at": m.LastSeenAt, "deleted_at": m.DeletedAt,
		"tool_name": m.ToolName, "origin": m.Origin, "strength": m.Strength, "touched_at": m.TouchedAt, "session_id": m.SessionID})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}
