package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

// eraseOf erases memories and returns the remaining copies of their texts.
func (w world) eraseOf(nums ...int64) (held []string) {
	w.Helper()
	var refs []engram.Ref
	for _, num := range nums {
		refs = append(refs, engram.ByNum(num))
	}
	d, err := w.Delete(w.Context(), true, refs...)
	if err != nil {
		w.Fatalf("erase %v: %v", nums, err)
	}
	return places(d.HeldBy)
}

func places(traces []engram.Trace) (all []string) {
	for _, t := range traces {
		all = append(all, fmt.Sprintf("%s %s", t.Kind, t.Where))
	}
	return all
}

func memory(nums ...int64) (all []string) {
	for _, num := range nums {
		all = append(all, fmt.Sprintf("memory #%d", num))
	}
	return all
}

func TestAnEraseNamesTheMemoriesThatHoldTheText(t *testing.T) {
	const text = "secret alpha text here"
	for _, tt := range []struct {
		name string
		run  func(w world) (got, want []string)
	}{
		{"what was merged further, and further", func(w world) (got, want []string) {
			a, b, c := w.note("Alpha", text), w.note("Beta", "beta says: "+text), w.note("Gamma", "Beta says: Secret alpha text here, gamma")
			w.link(b, engram.VerbDerivedFrom, a)
			w.link(c, engram.VerbDerivedFrom, b)
			return w.eraseOf(a), memory(b, c)
		}},
		{"further through one that holds it no more", func(w world) (got, want []string) {
			a, b, c := w.note("Alpha", text), w.note("Beta", "beta says nothing"), w.note("Gamma", "gamma: "+text)
			w.link(b, engram.VerbDerivedFrom, a)
			w.link(c, engram.VerbDerivedFrom, b)
			return w.eraseOf(a), memory(c)
		}},
		{"in a circle", func(w world) (got, want []string) {
			a, b := w.note("Alpha", text), w.note("Beta", "beta says: "+text)
			w.link(b, engram.VerbDerivedFrom, a)
			w.link(a, engram.VerbDerivedFrom, b)
			return w.eraseOf(a), memory(b)
		}},
		{"the tie was taken away", func(w world) (got, want []string) {
			a, b := w.note("Alpha", text), w.note("Beta", "beta says: "+text)
			w.link(b, engram.VerbDerivedFrom, a)
			w.unlink(a, b, "")
			return w.eraseOf(a), memory(b)
		}},
		{"in a revision alone", func(w world) (got, want []string) {
			a, b := w.note("Alpha", text), w.note("Beta", "beta says: "+text)
			w.link(b, engram.VerbRelatesTo, a)
			w.update(remember.UpdateInput{Ref: engram.ByNum(b), Content: new("beta says something else")})
			return w.eraseOf(a), memory(b)
		}},
		{"what it said before alone", func(w world) (got, want []string) {
			a, b := w.note("Alpha", text), w.note("Beta", "beta says: "+text)
			w.link(b, engram.VerbDerivedFrom, a)
			w.update(remember.UpdateInput{Ref: engram.ByNum(a), Content: new("alpha was misread")})
			return w.eraseOf(a), memory(b)
		}},
		{"what it was called, in what was made of it", func(w world) (got, want []string) {
			a, b := w.note("Token of alpha 4711", "it is kept"), w.note("Beta", "something\n\ntoken of alpha 4711")
			w.link(b, engram.VerbDerivedFrom, a)
			return w.eraseOf(a), memory(b)
		}},
		{"what is only called alike, or says otherwise", func(w world) (got, want []string) {
			a, b, c := w.note("Alpha", text), w.note("Alpha", "of the same name"), w.note("Gamma", "alpha text")
			w.link(b, engram.VerbRelatesTo, a)
			w.link(c, engram.VerbDerivedFrom, a)
			return w.eraseOf(a), nil
		}},
		{"what is erased with it", func(w world) (got, want []string) {
			a, b, c := w.note("Alpha", text), w.note("Beta", "beta says: "+text), w.note("Gamma", "gamma: "+text)
			w.link(b, engram.VerbDerivedFrom, a)
			w.link(c, engram.VerbDerivedFrom, b)
			return w.eraseOf(a, b), memory(c)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, want := tt.run(newWorld(t).unlinked())
			same(t, "held by", got, want)
		})
	}
}

// sleepOver makes two memories, lets sleep merge them, and returns the kept one, the other and the operation.
func (w world) sleepOver(title string, texts [2]string, before ...func(num int64)) (a, b, op int64) {
	w.Helper()
	a = w.save(remember.SaveInput{Title: title + " of tokens", Content: texts[0], Project: "demo"}).Memory.Num
	b = w.save(remember.SaveInput{Title: "The " + title + " of tokens", Content: texts[1], Project: "demo"}).Memory.Num
	for _, do := range before {
		do(a)
		do(b)
	}
	all := len(w.list(engram.Filter{}))
	w.Clock.Add(48 * time.Hour)
	res := w.sleep(consolidate.SleepInput{})
	live := w.list(engram.Filter{})
	if a == b || len(live) != all-1 || len(res.Ops) != 1 || slices.Contains(live, a) == slices.Contains(live, b) {
		w.Fatalf("#%d and #%d were not merged: %v live, ops %v", a, b, live, res.Ops)
	}
	if slices.Contains(live, b) {
		a, b = b, a
	}
	return a, b, res.Ops[0]
}

func TestAnEraseNamesWhatSleepMergedInOtherDress(t *testing.T) {
	for name, texts := range map[string][2]string{
		"marks of lists": {"- The parser keeps a cache of tokens.\n- It is written at night.", "The parser keeps a cache of tokens.\nIt is written at night."},
		"case":           {"The parser keeps a cache of tokens for the night shift.", "the parser keeps a cache of tokens for the night shift"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).unlinked()
			a, b, _ := w.sleepOver("Parser cache", texts)
			same(t, "held by", w.eraseOf(b), memory(a))
		})
	}
}

func TestAnEraseNamesTheRevisionThatAnUndoneMergeLeft(t *testing.T) {
	w := newWorld(t).unlinked()
	a, b, op := w.sleepOver("Parser cache", [2]string{"The parser keeps a cache of tokens for the night shift.",
		"The parser keeps a cache of tokens for the night shift, quokka."})
	w.takeBack(op)
	for _, num := range []int64{a, b} {
		if strings.Contains(w.get(num).Memory.Content, "quokka") {
			b = num
		} else {
			a = num
		}
	}
	same(t, "held by", w.eraseOf(b), memory(a))
	same(t, "the other, once more", w.eraseOf(a), nil)
	if names := w.holds("quokka"); len(names) > 0 {
		t.Errorf("after both were erased the word is in %v", names)
	}
}

// The reason of a relation may quote a memory: sleep does not copy it.
func TestARelationThatWasInheritedQuotesNobody(t *testing.T) {
	for _, undone := range []bool{false, true} {
		t.Run(fmt.Sprintf("the sleep was undone: %v", undone), func(t *testing.T) {
			w := newWorld(t).unlinked()
			words, ties := map[int64]string{}, map[int64]int64{}
			const text = "The parser keeps a cache of tokens for the night shift"
			a, b, op := w.sleepOver("Parser cache", [2]string{text + ".", text + ", always."}, func(num int64) {
				words[num] = fmt.Sprintf("wombat%d", num)
				ties[num] = w.note(fmt.Sprint("Lighthouse ", num), fmt.Sprint("Something else entirely, of ship ", num*7919))
				_, err := w.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(num), Verb: engram.VerbCausedBy,
					Target: engram.ByNum(ties[num]), Reason: "because " + words[num]})
				if err != nil {
					t.Fatal(err)
				}
			})
			if got, want := w.liveRelations(a), fmt.Sprintf("%d caused_by %d", a, ties[b]); !strings.Contains(got, want) {
				t.Fatalf("relations of the kept one: got %q, want %q among them", got, want)
			}
			if undone {
				w.takeBack(op)
			}
			w.eraseOf(b)
			if names := w.holds(words[b]); len(names) > 0 {
				t.Errorf("the reason of the erased one's relation is in %v", names)
			}
			if names := w.holds(words[a]); len(names) == 0 {
				t.Error("the reason of the kept one's relation is gone")
			}
		})
	}
}

func TestErasingAProjectNamesTheMemoriesOfOthersThatHoldItsTexts(t *testing.T) {
	w := newWorld(t).unlinked()
	in := func(project, title, content string) int64 {
		return w.save(remember.SaveInput{Title: title, Content: content, Project: project}).Memory.Num
	}
	a, forgotten, b := in("doomed", "Alpha", "secret alpha text"), in("doomed", "Beta", "secret beta text"), in("doomed", "Gamma", "it has the secret alpha text")
	one, two := in("doomed", "Delta", "the Secret alpha text is here"), in("doomed", "Epsilon", "the secret beta text is here")
	in("demo", "Zeta", "of this the secret alpha text is no part")
	for source, target := range map[int64]int64{b: a, one: b, two: forgotten} {
		w.link(source, engram.VerbDerivedFrom, target)
	}
	for _, num := range []int64{one, two} {
		w.update(remember.UpdateInput{Ref: engram.ByNum(num), Project: new("demo")})
	}
	w.forget(forgotten)
	soft, err := w.DeleteProject(t.Context(), "doomed", false)
	if err != nil || soft.HeldBy != nil {
		t.Errorf("forgotten alone: held by %v, %v; want nobody", soft.HeldBy, err)
	}
	w.takeBack(w.op())
	d, err := w.DeleteProject(t.Context(), "doomed", true)
	if err != nil || d.Memories != 3 {
		t.Fatalf("got %+v, %v", d, err)
	}
	held := places(d.HeldBy)
	slices.Sort(held)
	same(t, "held by", held, memory(one, two))
}
