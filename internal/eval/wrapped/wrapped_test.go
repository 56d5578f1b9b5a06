package wrapped_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/eval/wrapped"
)

// workshop is a set of 60 documents in three groups, with titles, names, paths and long texts.
func workshop() eval.Set {
	chance := rand.New(rand.NewPCG(7, 7))
	invented := func() string {
		var b strings.Builder
		for range 4 {
			b.WriteByte("bdfgklmnprstvz"[chance.IntN(14)])
			b.WriteByte("aeiou"[chance.IntN(5)])
		}
		return b.String()
	}
	usual := make([]string, 180) // each is in about ten documents
	for i := range usual {
		usual[i] = invented()
	}
	word := func() string { return usual[chance.IntN(len(usual))] }
	s := eval.Set{Name: "workshop", Relevant: map[string]eval.Relevant{}}
	for _, g := range []string{"red", "green", "blue"} {
		s.Groups = append(s.Groups, g)
		for i := range 20 {
			name := invented()
			d := eval.Document{ID: fmt.Sprint(g, i), Group: g, Seq: i,
				Title: fmt.Sprintf("Let the %s of %s wait for %s before the %s", word(), name, invented(), word())}
			for range 30 {
				d.Text += fmt.Sprintf("The %s and the %s met %s while %d items passed. ", word(), invented(), invented(), chance.IntN(900))
			}
			d.Text += fmt.Sprintf("See %sHandler.Run in src/%s/%s.go, and/or not.", name, name, word())
			s.Documents = append(s.Documents, d)
			id := fmt.Sprint("q", g, i)
			s.Questions = append(s.Questions, eval.Question{ID: id, Group: g, Text: fmt.Sprintf("what does %s wait for?", name)})
			s.Relevant[id] = eval.Relevant{d.ID: true}
		}
	}
	return s
}

func byKind(questions []wrapped.Question) map[string][]wrapped.Question {
	kinds := map[string][]wrapped.Question{}
	for _, q := range questions {
		kinds[q.Kind] = append(kinds[q.Kind], q)
	}
	return kinds
}

// squeeze makes texts comparable whatever their case and spaces.
func squeeze(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

func TestEveryKindAsksForADocumentOfItsGroup(t *testing.T) {
	set := workshop()
	group := map[string]string{}
	for _, d := range set.Documents {
		group[d.ID] = d.Group
	}
	const each = 32
	kinds := byKind(wrapped.Questions(set, wrapped.Options{Seed: 1, Each: each}))
	for _, name := range wrapped.Kinds() {
		questions := kinds[name]
		if len(questions) != each {
			t.Errorf("%s: got %d questions, want %d", name, len(questions), each)
		}
		for _, q := range questions {
			mine := 0
			for id := range q.Answers {
				if group[id] == q.Group {
					mine++
				}
			}
			if mine == 0 || strings.ContainsAny(q.Text, "{}") && !strings.HasPrefix(q.Text, `{"level"`) {
				t.Errorf("%s: got %+v, want an answer of its group and every place filled", name, q)
			}
		}
	}
}

// TestQuestionsHaveTheWordsTheyPromise compares questions with the documents that answer them.
func TestQuestionsHaveTheWordsTheyPromise(t *testing.T) {
	set := workshop()
	texts, titles := map[string]string{}, map[string]string{}
	having := map[string]int{}
	for _, d := range set.Documents {
		for _, w := range different(lettersOf(d.Title + " " + d.Text)) {
			having[w]++
		}
		texts[d.ID], titles[d.ID] = squeeze(d.Title+"\n"+d.Text), d.Title
	}
	// shared counts the words that the question has of a document, and how many of them are rare.
	shared := func(q, d string) (all, rare int) {
		asked := lettersOf(q)
		for _, w := range different(lettersOf(d)) {
			if len(w) > 4 && slices.Contains(asked, w) {
				all++
				if having[w] <= 3 {
					rare++
				}
			}
		}
		return all, rare
	}
	words := func(least, rarest int) func(string, string, string) bool {
		return func(q, d, _ string) bool {
			all, rare := shared(q, d)
			return all >= least && rare >= rarest
		}
	}
	// run holds if n words of the document in a row are in the question.
	run := func(n int) func(string, string, string) bool {
		return func(q, d, _ string) bool {
			fields := strings.Fields(d)
			for i := range len(fields) - n + 1 {
				if strings.Contains(squeeze(q), strings.Join(fields[i:i+n], " ")) {
					return true
				}
			}
			return false
		}
	}
	promises := map[string]func(q, text, title string) bool{
		"title": func(q, _, title string) bool { return q == title },
		"title begun": func(q, _, title string) bool {
			return strings.HasPrefix(strings.ToLower(title), q+" ") && strings.Count(q, " ") == 4
		},
		"12 words":    func(q, d, _ string) bool { return strings.Contains(d, squeeze(q)) && strings.Count(q, " ") == 11 },
		"8 words":     func(q, d, _ string) bool { return strings.Contains(d, squeeze(q)) && strings.Count(q, " ") == 7 },
		"200 bytes":   func(q, d, _ string) bool { return strings.Contains(d, squeeze(q)) && len(q) > 170 && len(q) <= 210 },
		"1000 bytes":  func(q, d, _ string) bool { return strings.Contains(d, squeeze(q)) && len(q) > 970 && len(q) <= 1010 },
		"rare word":   words(1, 1),
		"three words": words(3, 0),
		"identifier":  func(q, d, _ string) bool { return strings.Contains(d, squeeze(q)) && strings.Contains(q, "Handler") },
		"path":        func(q, d, _ string) bool { return strings.Contains(d, q) && strings.HasPrefix(q, "src/") },
		"remember":    words(1, 1), "chatty": words(1, 1), "chatty two": words(2, 1), "two usual": words(3, 1), "three usual": words(4, 1),
		"natural": words(1, 1), "natural in chat": words(1, 1), "log line": run(8),
	}
	kinds := byKind(wrapped.Questions(set, wrapped.Options{Seed: 3, Each: 24}))
	for _, name := range wrapped.Kinds() {
		if promises[name] == nil {
			t.Errorf("%s: no promise is tested", name)
			continue
		}
		for _, q := range kinds[name] {
			for id := range q.Answers {
				if !promises[name](q.Text, texts[id], titles[id]) {
					t.Errorf("%s: %q does not have the words of its answer %s", name, q.Text, id)
				}
			}
		}
	}
}

// lettersOf returns the words of a text that are letters alone, in lower case.
func lettersOf(s string) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(s)) {
		if w = strings.Trim(w, `.,?!":;()`); w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" {
			out = append(out, w)
		}
	}
	return out
}

func different(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

func TestTheSeedDecides(t *testing.T) {
	ask := func(seed uint64) []wrapped.Question {
		return wrapped.Questions(workshop(), wrapped.Options{Seed: seed, Each: 9})
	}
	if one, again := ask(5), ask(5); !reflect.DeepEqual(one, again) {
		t.Error("the same seed gave other questions")
	}
	if reflect.DeepEqual(ask(5), ask(6)) {
		t.Error("another seed gave the same questions")
	}
	// A kind asked alone has the questions it has among all.
	alone := wrapped.Questions(workshop(), wrapped.Options{Seed: 5, Each: 9, Kinds: []string{"chatty"}})
	if all := byKind(ask(5))["chatty"]; !reflect.DeepEqual(alone, all) {
		t.Errorf("one kind\n got: %+v\nwant: %+v", alone, all)
	}
}

func TestTemplatesForCheckingAreNotForFitting(t *testing.T) {
	heldOf := func(seed uint64) (held []string, count map[string][2]int) {
		count = map[string][2]int{}
		for _, q := range wrapped.Questions(workshop(), wrapped.Options{Seed: seed, Each: 16}) {
			n := count[q.Kind]
			if q.Held {
				n[1]++
				held = append(held, strings.Join(strings.Fields(q.Text)[:2], " "))
			} else {
				n[0]++
			}
			count[q.Kind] = n
		}
		return held, count
	}
	one, count := heldOf(1)
	for _, name := range wrapped.Kinds() {
		wants := [2]int{16, 0}
		if slices.Contains([]string{"remember", "chatty", "chatty two", "two usual", "three usual", "natural in chat", "log line"}, name) {
			wants = [2]int{8, 8}
		}
		if count[name] != wants {
			t.Errorf("%s: got %v for fitting and for checking, want %v", name, count[name], wants)
		}
	}
	if other, _ := heldOf(2); slices.Equal(one, other) {
		t.Error("another seed held the same templates back")
	}
}

func TestQuestionsFromSomeGroupsHaveNoAnswersElsewhere(t *testing.T) {
	set := workshop()
	copied := set.Documents[0] // of red
	copied.ID, copied.Group = "copy", "green"
	set.Documents = append(set.Documents, copied)
	for _, q := range wrapped.Questions(set, wrapped.Options{Seed: 1, Each: 60, From: map[string]bool{"red": true}}) {
		if q.Group != "red" || q.Answers["copy"] {
			t.Errorf("got %+v, want only what red alone answers", q)
		}
	}
	both := 0
	for _, q := range wrapped.Questions(set, wrapped.Options{Seed: 1, Each: 60}) {
		if q.Answers["copy"] && q.Answers[set.Documents[0].ID] {
			both++
		}
	}
	if both == 0 {
		t.Error("no question of all groups is answered by a document and its copy")
	}
}

func TestWhatACorpusLacksIsNotAsked(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  eval.Set
	}{
		{"nothing", eval.Set{}},
		{"one word", eval.Set{Documents: []eval.Document{{ID: "a", Text: "if"}}}},
		{"without spaces", eval.Set{Documents: []eval.Document{{ID: "a", Text: strings.Repeat("数据库连接池", 400)}}}},
		{"broken letters", eval.Set{Documents: []eval.Document{{ID: "a", Text: strings.Repeat("\xff\xfe ", 900)}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, q := range wrapped.Questions(tt.set, wrapped.Options{}) {
				if strings.TrimSpace(q.Text) == "" || !q.Answers["a"] {
					t.Errorf("got %+v, want a text and its answer", q)
				}
			}
		})
	}
}
