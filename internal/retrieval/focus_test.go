package retrieval_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// told writes an answer as one line a memory: what was shown of it, or why not.
func told(f retrieval.Focused) string {
	var b strings.Builder
	for _, p := range f.Parts {
		how := "part"
		if p.Whole {
			how = "whole"
		}
		fmt.Fprintf(&b, "#%d %s\n", p.Num, how)
	}
	for _, l := range f.Left {
		fmt.Fprintf(&b, "#%d not: %s\n", l.Num, l.Reason)
	}
	return b.String()
}

// words are n different words that begin with a letter.
func words(letter string, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = letter + strings.Repeat("x", 2) + string(rune('a'+i/26)) + string(rune('a'+i%26))
	}
	return strings.Join(all, " ")
}

func TestFocus(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy retrieval.FocusPolicy
		cs     []retrieval.Candidate
		want   string
	}{
		{"nothing found is nothing shown", retrieval.FocusPolicy{Budget: 100}, nil, ""},
		{"what fits is shown whole", retrieval.FocusPolicy{Budget: 100},
			[]retrieval.Candidate{{Num: 1, Score: 2, Body: "cookies survive a reload"}, {Num: 2, Score: 1, Body: "logins fail on Mondays"}},
			"#1 whole\n#2 whole\n"},
		{"no budget shows nothing and says so", retrieval.FocusPolicy{},
			[]retrieval.Candidate{{Num: 1, Score: 2, Body: "cookies survive a reload"}}, "#1 not: over the budget\n"},
		{"a budget of one token too", retrieval.FocusPolicy{Budget: 1},
			[]retrieval.Candidate{{Num: 1, Score: 2, Body: "cookies survive a reload"}}, "#1 not: over the budget\n"},
		{"what the session saw is left out", retrieval.FocusPolicy{Budget: 100},
			[]retrieval.Candidate{{Num: 1, Score: 2, Body: "cookies survive a reload", Seen: true}, {Num: 2, Score: 1, Body: "logins fail on Mondays"}},
			"#2 whole\n#1 not: seen in this session\n"},
		{"nor is what only repeats it", retrieval.FocusPolicy{Budget: 100},
			[]retrieval.Candidate{{Num: 1, Score: 2, Body: "cookies survive a reload", Seen: true}, {Num: 2, Score: 1, Body: "a reload, survived by cookies"}},
			"#1 not: seen in this session\n#2 not: repeats what #1 says\n"},
		{"what is far behind the best is left out", retrieval.FocusPolicy{Budget: 100},
			[]retrieval.Candidate{{Num: 1, Score: 20, Body: "cookies survive a reload"}, {Num: 2, Score: 1, Body: "logins fail on Mondays"}},
			"#1 whole\n#2 not: below the relevance threshold\n"},
		{"what the search called weak is left out, however it scored", retrieval.FocusPolicy{Budget: 100},
			[]retrieval.Candidate{{Num: 1, Score: 20, Body: "cookies survive a reload", BelowThreshold: true}}, "#1 not: below the relevance threshold\n"},
		{"the same in other words' order repeats", retrieval.FocusPolicy{Budget: 100},
			[]retrieval.Candidate{{Num: 4, Score: 2, Body: "cookies survive a reload of the page"}, {Num: 2, Score: 1.9, Body: "the page: a reload, survived by cookies"}},
			"#4 whole\n#2 not: repeats what #4 says\n"},
		{"another number is news, not a repeat", retrieval.FocusPolicy{Budget: 100},
			[]retrieval.Candidate{{Num: 4, Score: 2, Body: words("a", 20) + " 15 minutes"}, {Num: 2, Score: 1.9, Body: words("a", 20) + " 5 minutes"}},
			"#4 whole\n#2 whole\n"},
		{"the opposite is news, not a repeat", retrieval.FocusPolicy{Budget: 100},
			[]retrieval.Candidate{{Num: 4, Score: 2, Body: words("a", 20) + " works"}, {Num: 2, Score: 1.9, Body: words("a", 20) + " does not work"}},
			"#4 whole\n#2 whole\n"},
		{"the best comes first, whatever it costs", retrieval.FocusPolicy{Budget: 50},
			[]retrieval.Candidate{{Num: 1, Score: 2, Body: words("a", 30)}, {Num: 2, Score: 1.9, Body: words("b", 5)}},
			"#1 whole\n#2 not: over the budget\n"},
		{"but not the whole budget when it is long", retrieval.FocusPolicy{Budget: 120, Small: 1},
			[]retrieval.Candidate{{Num: 1, Score: 2, Body: words("a", 70)}, {Num: 2, Score: 1.9, Body: words("b", 30)}},
			"#1 part\n#2 whole\n"},
		{"unless the others have room beside it", retrieval.FocusPolicy{Budget: 160, Small: 1},
			[]retrieval.Candidate{{Num: 1, Score: 2, Body: words("a", 70)}, {Num: 2, Score: 1.9, Body: words("b", 30)}},
			"#1 whole\n#2 whole\n"},
		{"more per token comes before more", retrieval.FocusPolicy{Budget: 110, Small: 1},
			[]retrieval.Candidate{{Num: 1, Score: 2, Body: words("a", 4)}, {Num: 2, Score: 1.9, Body: words("b", 60)}, {Num: 3, Score: 1.8, Body: words("c", 20)}, {Num: 4, Score: 1.8, Body: words("d", 20)}},
			"#1 whole\n#2 part\n#3 whole\n#4 whole\n"},
		{"a list without scores keeps its order", retrieval.FocusPolicy{Budget: 30, Small: 1},
			[]retrieval.Candidate{{Num: 3, Body: words("a", 8)}, {Num: 2, Body: words("b", 8)}, {Num: 1, Body: words("c", 8)}},
			"#3 whole\n#2 whole\n#1 not: over the budget\n"},
		{"scores that are no numbers are the places", retrieval.FocusPolicy{Budget: 100},
			[]retrieval.Candidate{{Num: 3, Score: math.Inf(1), Body: words("a", 8)}, {Num: 2, Score: math.NaN(), Body: words("b", 8)}, {Num: 1, Score: -4, Body: words("c", 8)}},
			"#3 whole\n#2 whole\n#1 whole\n"},
		{"a text without words is shown", retrieval.FocusPolicy{Budget: 100}, []retrieval.Candidate{{Num: 3, Score: 1, Body: "!!!"}, {Num: 2, Score: 1, Body: "???"}},
			"#3 whole\n#2 whole\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := told(retrieval.Focus(tt.cs, tt.policy)); got != tt.want {
				t.Errorf("Focus(%+v, %+v)\n got %q\nwant %q", tt.cs, tt.policy, got, tt.want)
			}
		})
	}
}

func drawCandidates(t *rapid.T) []retrieval.Candidate {
	word := rapid.SampledFrom([]string{"cookie", "token", "login", "reload", "not", "15", "the", "schema", "docker", "cache", "flush", "日本", "a_b"})
	sentence := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 1, 12).Draw(t, "words"), " ") + rapid.SampledFrom([]string{". ", "\n", "\n\n", "! "}).Draw(t, "end")
	})
	n := rapid.IntRange(0, 12).Draw(t, "n")
	cs := make([]retrieval.Candidate, n)
	for i := range cs {
		cs[i] = retrieval.Candidate{Num: int64(i + 1), Score: rapid.Float64Range(0, 10).Draw(t, "score"), Head: rapid.StringN(0, 20, -1).Draw(t, "head"),
			Body: strings.Join(rapid.SliceOfN(sentence, 1, 12).Draw(t, "body"), ""), Seen: rapid.IntRange(0, 9).Draw(t, "seen") == 0,
			BelowThreshold: rapid.IntRange(0, 9).Draw(t, "weak") == 0}
		if rapid.Bool().Draw(t, "summarized") {
			cs[i].Summary = sentence.Draw(t, "summary")
		}
	}
	return cs
}

func drawPolicy(t *rapid.T) retrieval.FocusPolicy {
	return retrieval.FocusPolicy{Budget: rapid.IntRange(-5, 400).Draw(t, "budget"), Small: rapid.IntRange(1, 100).Draw(t, "small"),
		Fragment: rapid.IntRange(1, 100).Draw(t, "fragment"), Least: rapid.IntRange(1, 30).Draw(t, "least"), Asked: map[string]bool{"cooki": true, "15": true}}
}

func TestABudgetIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cs, p := drawCandidates(t), drawPolicy(t)
		f := retrieval.Focus(cs, p)
		var all strings.Builder
		sum, seen := 0, map[int64]bool{}
		first, _ := best(cs, p, f)
		for _, part := range f.Parts {
			all.WriteString(part.Text + "\n")
			sum += part.Tokens
			seen[part.Num] = true
			if !part.Whole && part.Num != first.Num && part.Tokens > p.Fragment {
				t.Fatalf("a fragment of %d tokens under %+v: %q", part.Tokens, p, part.Text)
			}
		}
		for _, l := range f.Left {
			if seen[l.Num] || l.Reason == "" {
				t.Fatalf("#%d is shown and left out, or left out for nothing: %+v", l.Num, f)
			}
			seen[l.Num] = true
		}
		if cost := text.Tokens(all.String()); sum != f.Tokens || cost > f.Tokens || f.Tokens > max(0, p.Budget) {
			t.Fatalf("the parts cost %d and say %d, the answer says %d, the budget is %d", cost, sum, f.Tokens, p.Budget)
		}
		if len(seen) != len(cs) || len(f.Parts)+len(f.Left) != len(cs) {
			t.Fatalf("of %d candidates %d were told of", len(cs), len(f.Parts)+len(f.Left))
		}
		if again := retrieval.Focus(cs, p); !reflect.DeepEqual(f, again) {
			t.Fatalf("twice the same\n got %+v\nthen %+v", f, again)
		}
	})
}

// best is what is shown of the best candidate, and the worth of the whole memories beside it. With room for all, the best
// one is the first that is shown.
func best(cs []retrieval.Candidate, p retrieval.FocusPolicy, f retrieval.Focused) (first retrieval.Part, rest float64) {
	p.Budget = 1 << 30
	var num int64
	if all := retrieval.Focus(cs, p); len(all.Parts) > 0 {
		num = all.Parts[0].Num
	}
	for _, p := range f.Parts {
		switch {
		case p.Num == num:
			first = p
		case p.Whole:
			rest += p.Value
		}
	}
	return first, rest
}

func TestAGreaterBudgetIsWorthNoLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cs, p := drawCandidates(t), drawPolicy(t)
		small := retrieval.Focus(cs, p)
		q := p
		q.Budget += rapid.IntRange(1, 200).Draw(t, "more")
		great := retrieval.Focus(cs, q)
		a, restA := best(cs, p, small)
		b, restB := best(cs, p, great)
		if a.Whole && !b.Whole {
			t.Fatalf("with %d tokens the best find is whole, with %d it is not", p.Budget, q.Budget)
		}
		// Where a passage of the best fits only once others are chosen, it is worth less than one that came first, and
		// others that say the same are worth more.
		if a.Text == b.Text && a.Value == b.Value && restB < restA-1e-9 {
			t.Fatalf("with %d tokens the rest is worth %v, with %d %v\n%s\n%s", p.Budget, restA, q.Budget, restB, told(small), told(great))
		}
	})
}

func TestAFragmentIsOnlyWhatDoesNotFitWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cs, p := drawCandidates(t), drawPolicy(t)
		f := retrieval.Focus(cs, p)
		whole := 0
		for _, part := range f.Parts {
			if part.Whole {
				whole += part.Tokens
			}
		}
		first, _ := best(cs, p, f)
		for _, part := range f.Parts {
			if part.Whole || part.Num == first.Num {
				continue
			}
			c := cs[part.Num-1]
			led := 0
			if !first.Whole {
				led = first.Tokens
			}
			if cost := text.Tokens(c.Head + "\n" + c.Body + "\n\n"); cost <= p.Budget-whole-led {
				t.Fatalf("#%d would have fitted: it costs %d, %d of %d are spent on whole memories and the best", part.Num, cost, whole+led, p.Budget)
			}
		}
	})
}

func TestFragment(t *testing.T) {
	const story = "The shop was slow. Nobody knew why.\n\nTokens live in cookies now. They expire after a day. Then one signs in again.\n\nThe cache is warm."
	for _, tt := range []struct {
		name   string
		c      retrieval.Candidate
		tokens int
		want   string
	}{
		{"the paragraph that was asked for, where it fits", retrieval.Candidate{Body: story}, 24, "… Tokens live in cookies now. They expire after a day. Then one signs in again. …"},
		{"its sentence, where it does not", retrieval.Candidate{Body: story}, 10, "… Tokens live in cookies now. …"},
		{"the beginning of it, where that does not", retrieval.Candidate{Body: story}, 6, "Tokens live in …"},
		{"as much around it as fits", retrieval.Candidate{Body: story}, 28, "… Tokens live in cookies now. They expire after a day. Then one signs in again.\n\nThe cache is warm."},
		{"the summary when it says as much", retrieval.Candidate{Body: story, Summary: "Tokens in cookies"}, 24, "Tokens in cookies"},
		{"the passage when the summary says less", retrieval.Candidate{Body: story, Summary: "The shop is fast"}, 10, "… Tokens live in cookies now. …"},
		{"a word without end is cut anyhow", retrieval.Candidate{Body: strings.Repeat("x", 200)}, 5, strings.Repeat("x", 16) + " …"},
		{"nothing in no room", retrieval.Candidate{Body: story}, 1, ""},
		{"nothing of nothing", retrieval.Candidate{Body: " \n "}, 100, ""},
		{"bytes that are no text do no harm", retrieval.Candidate{Body: "\xff\xfe. \xff tokens"}, 100, "\xff\xfe. \xff tokens"},
		{"sentences of other scripts", retrieval.Candidate{Body: "これは遅い。トークンはクッキーにある。キャッシュは暖かい。"}, 8, "これは遅い。 …"},
		{"a sentence of another script, where it does not fit", retrieval.Candidate{Body: "これは遅い。トークンはクッキーにある。キャッシュは暖かい。"}, 5, "これは …"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := retrieval.Fragment(tt.c, map[string]bool{"token": true, "cooki": true}, tt.tokens)
			if got != tt.want || text.Tokens(got) > tt.tokens {
				t.Errorf("Fragment(%q, %d)\n got %q\nwant %q", tt.c.Body, tt.tokens, got, tt.want)
			}
		})
	}
}

func TestAFragmentKeepsItsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := retrieval.Candidate{Body: rapid.String().Draw(t, "body"), Summary: rapid.String().Draw(t, "summary")}
		room := rapid.IntRange(-3, 40).Draw(t, "room")
		if got := retrieval.Fragment(c, map[string]bool{"a": true}, room); text.Tokens(got) > max(0, room) {
			t.Fatalf("Fragment(%q, %d)\n got %q of %d tokens", c.Body, room, got, text.Tokens(got))
		}
	})
}

func BenchmarkFocus(b *testing.B) {
	var cs []retrieval.Candidate
	for i := range 100 {
		cs = append(cs, retrieval.Candidate{Num: int64(i), Score: 100 - float64(i), Head: "a head", Body: words(string(rune('a'+i%26)), 20+i*2)})
	}
	for b.Loop() {
		if f := retrieval.Focus(cs, retrieval.FocusPolicy{Budget: 4000, Asked: map[string]bool{"a": true}}); len(f.Parts) == 0 {
			b.Fatal("nothing is shown")
		}
	}
}
