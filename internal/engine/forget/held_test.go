package forget_test

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
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// eraseOf erases memories and returns the remaining copies of their texts.
func eraseOf(w enginetest.World, nums ...int64) (held []string) {
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
	t.Parallel()
	const text = "secret alpha text here"
	for _, tt := range []struct {
		name string
		run  func(w enginetest.World) (got, want []string)
	}{
		{"what was merged further, and further", func(w enginetest.World) (got, want []string) {
			a, b, c := w.Note("Alpha", text), w.Note("Beta", "beta says: "+text), w.Note("Gamma", "Beta says: Secret alpha text here, gamma")
			w.MustLink(b, engram.VerbDerivedFrom, a)
			w.MustLink(c, engram.VerbDerivedFrom, b)
			return eraseOf(w, a), memory(b, c)
		}},
		{"further through one that holds it no more", func(w enginetest.World) (got, want []string) {
			a, b, c := w.Note("Alpha", text), w.Note("Beta", "beta says nothing"), w.Note("Gamma", "gamma: "+text)
			w.MustLink(b, engram.VerbDerivedFrom, a)
			w.MustLink(c, engram.VerbDerivedFrom, b)
			return eraseOf(w, a), memory(c)
		}},
		{"in a circle", func(w enginetest.World) (got, want []string) {
			a, b := w.Note("Alpha", text), w.Note("Beta", "beta says: "+text)
			w.MustLink(b, engram.VerbDerivedFrom, a)
			w.MustLink(a, engram.VerbDerivedFrom, b)
			return eraseOf(w, a), memory(b)
		}},
		{"the relation was taken away", func(w enginetest.World) (got, want []string) {
			a, b := w.Note("Alpha", text), w.Note("Beta", "beta says: "+text)
			w.MustLink(b, engram.VerbDerivedFrom, a)
			w.MustUnlink(a, b, "")
			return eraseOf(w, a), memory(b)
		}},
		{"in a revision alone", func(w enginetest.World) (got, want []string) {
			a, b := w.Note("Alpha", text), w.Note("Beta", "beta says: "+text)
			w.MustLink(b, engram.VerbRelatesTo, a)
			w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(b), Content: new("beta says something else")})
			return eraseOf(w, a), memory(b)
		}},
		{"what it said before alone", func(w enginetest.World) (got, want []string) {
			a, b := w.Note("Alpha", text), w.Note("Beta", "beta says: "+text)
			w.MustLink(b, engram.VerbDerivedFrom, a)
			w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(a), Content: new("alpha was misread")})
			return eraseOf(w, a), memory(b)
		}},
		{"what it was called, in what was made of it", func(w enginetest.World) (got, want []string) {
			a, b := w.Note("Token of alpha 4711", "it is kept"), w.Note("Beta", "something\n\ntoken of alpha 4711")
			w.MustLink(b, engram.VerbDerivedFrom, a)
			return eraseOf(w, a), memory(b)
		}},
		{"what is only called alike, or says otherwise", func(w enginetest.World) (got, want []string) {
			a, b, c := w.Note("Alpha", text), w.Note("Alpha", "of the same name"), w.Note("Gamma", "alpha text")
			w.MustLink(b, engram.VerbRelatesTo, a)
			w.MustLink(c, engram.VerbDerivedFrom, a)
			return eraseOf(w, a), nil
		}},
		{"what is erased with it", func(w enginetest.World) (got, want []string) {
			a, b, c := w.Note("Alpha", text), w.Note("Beta", "beta says: "+text), w.Note("Gamma", "gamma: "+text)
			w.MustLink(b, engram.VerbDerivedFrom, a)
			w.MustLink(c, engram.VerbDerivedFrom, b)
			return eraseOf(w, a, b), memory(c)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, want := tt.run(enginetest.NewWorld(t).Unlinked())
			enginetest.Same(t, "held by", got, want)
		})
	}
}

// sleepOver makes two memories, lets sleep merge them, and returns the kept one, the other and the operation.
func sleepOver(w enginetest.World, title string, texts [2]string, before ...func(num int64)) (a, b, op int64) {
	w.Helper()
	a = w.MustSave(remember.SaveInput{Title: title + " of tokens", Content: texts[0], Project: "demo"}).Memory.Num
	b = w.MustSave(remember.SaveInput{Title: "The " + title + " of tokens", Content: texts[1], Project: "demo"}).Memory.Num
	for _, do := range before {
		do(a)
		do(b)
	}
	all := len(w.MustList(engram.Filter{}))
	w.Clock.Add(48 * time.Hour)
	res := w.MustSleep(consolidate.SleepInput{})
	live := w.MustList(engram.Filter{})
	if a == b || len(live) != all-1 || len(res.Ops) != 1 || slices.Contains(live, a) == slices.Contains(live, b) {
		w.Fatalf("#%d and #%d were not merged: %v live, ops %v", a, b, live, res.Ops)
	}
	if slices.Contains(live, b) {
		a, b = b, a
	}
	return a, b, res.Ops[0]
}

func TestAnEraseNamesWhatSleepMergedInOtherDress(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][2]string{
		"marks of lists": {"- The parser keeps a cache of tokens.\n- It is written at night.", "The parser keeps a cache of tokens.\nIt is written at night."},
		"case":           {"The parser keeps a cache of tokens for the night shift.", "the parser keeps a cache of tokens for the night shift"},
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewWorld(t).Unlinked()
			a, b, _ := sleepOver(w, "Parser cache", texts)
			enginetest.Same(t, "held by", eraseOf(w, b), memory(a))
		})
	}
}

func TestAnEraseNamesTheRevisionThatAnUndoneMergeLeft(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	a, b, op := sleepOver(w, "Parser cache", [2]string{"The parser keeps a cache of tokens for the night shift.",
		"The parser keeps a cache of tokens for the night shift, quokka."})
	w.TakeBack(op)
	for _, num := range []int64{a, b} {
		if strings.Contains(w.MustGet(num).Memory.Content, "quokka") {
			b = num
		} else {
			a = num
		}
	}
	enginetest.Same(t, "held by", eraseOf(w, b), memory(a))
	enginetest.Same(t, "the other, once more", eraseOf(w, a), nil)
	if names := w.Holds("quokka"); len(names) > 0 {
		t.Errorf("after both were erased the word is in %v", names)
	}
}

// The reason of a relation may quote a memory: sleep does not copy it.
func TestARelationThatWasInheritedQuotesNobody(t *testing.T) {
	enginetest.OfFile(t)
	t.Parallel()
	for _, undone := range []bool{false, true} {
		t.Run(fmt.Sprintf("the sleep was undone: %v", undone), func(t *testing.T) {
			w := enginetest.NewWorld(t).Unlinked()
			words, targets := map[int64]string{}, map[int64]int64{}
			const text = "The parser keeps a cache of tokens for the night shift"
			a, b, op := sleepOver(w, "Parser cache", [2]string{text + ".", text + ", always."}, func(num int64) {
				words[num] = fmt.Sprintf("wombat%d", num)
				targets[num] = w.Note(fmt.Sprint("Lighthouse ", num), fmt.Sprint("Something else entirely, of ship ", num*7919))
				_, err := w.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(num), Verb: engram.VerbCausedBy,
					Target: engram.ByNum(targets[num]), Reason: "because " + words[num]})
				if err != nil {
					t.Fatal(err)
				}
			})
			if got, want := w.LiveRelations(a), fmt.Sprintf("%d caused_by %d", a, targets[b]); !strings.Contains(got, want) {
				t.Fatalf("relations of the kept one: got %q, want %q among them", got, want)
			}
			if undone {
				w.TakeBack(op)
			}
			eraseOf(w, b)
			if names := w.Holds(words[b]); len(names) > 0 {
				t.Errorf("the reason of the erased one's relation is in %v", names)
			}
			if names := w.Holds(words[a]); len(names) == 0 {
				t.Error("the reason of the kept one's relation is gone")
			}
		})
	}
}

func TestErasingAProjectNamesTheMemoriesOfOthersThatHoldItsTexts(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	in := func(project, title, content string) int64 {
		return w.MustSave(remember.SaveInput{Title: title, Content: content, Project: project}).Memory.Num
	}
	a, forgotten, b := in("doomed", "Alpha", "secret alpha text"), in("doomed", "Beta", "secret beta text"), in("doomed", "Gamma", "it has the secret alpha text")
	one, two := in("doomed", "Delta", "the Secret alpha text is here"), in("doomed", "Epsilon", "the secret beta text is here")
	in("demo", "Zeta", "of this the secret alpha text is no part")
	for source, target := range map[int64]int64{b: a, one: b, two: forgotten} {
		w.MustLink(source, engram.VerbDerivedFrom, target)
	}
	for _, num := range []int64{one, two} {
		w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Project: new("demo")})
	}
	w.MustForget(forgotten)
	soft, err := w.DeleteProject(t.Context(), "doomed", false)
	if err != nil || soft.HeldBy != nil {
		t.Errorf("forgotten alone: held by %v, %v; want nobody", soft.HeldBy, err)
	}
	w.TakeBack(w.LastOp())
	d, err := w.DeleteProject(t.Context(), "doomed", true)
	if err != nil || d.Memories != 3 {
		t.Fatalf("got %+v, %v", d, err)
	}
	held := places(d.HeldBy)
	slices.Sort(held)
	enginetest.Same(t, "held by", held, memory(one, two))
}
