package search_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestSearchAnswersWhatPeopleAsk(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	for _, tt := range []struct{ name, query, want string }{
		{"a question", "Why did we choose JWT instead of sessions?", "jwt"},
		{"a question in other forms of the words", "how was the exhausted pool of connections fixed", "pool"},
		{"one word of many is enough", "kubernetes ingress controllers and a mailer", "other"},
		{"part of a camel-case name", "user email lookup", "pool"},
		{"the whole of it", "getUserByEmail", "pool"},
		{"the whole of it in lower case", "getuserbyemail", "pool"},
		{"part of a snake-case name", "open conns", "pool"},
		{"the whole of it", "max_open_conns", "pool"},
		{"a path", "internal/store/user_query.go", "pool"},
		{"a file name", "user_query.go", "pool"},
		{"the beginning of a word", "authent", "jwt"},
		{"a shorter beginning", "expon", "other"},
		{"the beginning of a stem", "deplo", "deploy"},
		{"a topic key", "architecture/auth-model", "jwt"},
		{"a topic key in capitals", " Architecture/Auth-Model ", "jwt"},
		{"words of a topic key", "auth model", "jwt"},
		{"a tag", "auth", "jwt"},
		{"Chinese", "数据库", "cjk"},
		{"a sentence in Chinese", "数据库是怎么迁移的？", "cjk"},
		{"Japanese", "キャッシュはいつ切れますか", "ja"},
		{"a language that is a letter", "C++", "cpp"},
		{"an error code", "E0499", "other"},
		{"accents that were not written", "Réties of the máiler", "other"},
		{"quotes", `the "shared store"`, "jwt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hits := w.In(t).MustSearch(search.SearchInput{Query: tt.query}).Hits
			if len(hits) == 0 || hits[0].Memory.Num != num[tt.want] {
				t.Errorf("%q finds %v, want #%d (%s) first", tt.query, enginetest.HitNums(hits), num[tt.want], tt.want)
			}
		})
	}
}

func TestAHitSaysWhy(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	why := func(query string) (channels []engram.Channel) {
		found := w.MustSearch(search.SearchInput{Query: query})
		last := 2e9
		for i, h := range found.Hits {
			if len(h.Why.Channels) == 0 || h.State == "" {
				t.Errorf("%q: hit %d has no reason or state: %+v", query, i, h)
				continue
			}
			if h.Score > last {
				t.Errorf("%q: hit %d scores %v, the one before it %v", query, i, h.Score, last)
			}
			last = h.Score
			for _, c := range h.Why.Channels {
				if c.Rank < 1 || c.Rank > len(found.Hits)+len(found.BelowThreshold) {
					t.Errorf("%q: hit %d has rank %d in %s", query, i, c.Rank, c.Channel)
				}
			}
		}
		for _, c := range found.Hits[0].Why.Channels {
			channels = append(channels, c.Channel)
		}
		return channels
	}
	enginetest.Same(t, "words", why("mailer retries"), []engram.Channel{engram.ChannelLexical, engram.ChannelVector})
	enginetest.Same(t, "a topic key", why("architecture/auth-model"), []engram.Channel{engram.ChannelTopic, engram.ChannelLexical, engram.ChannelVector})
	enginetest.Same(t, "nothing", why(""), []engram.Channel{engram.ChannelRecent})
	if hits := w.MustSearch(search.SearchInput{Query: "jwt"}).Hits; hits[0].Memory.Num != num["jwt"] || hits[0].Memory.Content == "" {
		t.Errorf("a hit holds its whole memory: %+v", hits[0].Memory)
	}
}

func TestAQuestionWithoutWordsListsTheNewest(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	for _, q := range []string{"", "  \t\n", "?!…", `""`, "of the and", "🚀"} {
		found := w.MustSearch(search.SearchInput{Query: q, Limit: 3, Filter: engram.Filter{Project: "demo"}})
		if q == "of the and" && len(found.Hits) > 0 && found.Hits[0].Why.Channels[0].Channel == engram.ChannelLexical {
			continue // its words stand in titles
		}
		enginetest.Same(t, "question "+q, enginetest.HitNums(found.Hits), []int64{num["cpp"], num["deploy"], num["ja"]})
		if degraded := len(found.Degraded) > 0; degraded != (strings.TrimSpace(q) != "") {
			t.Errorf("question %q: %q", q, found.Degraded)
		}
	}
	if got := w.MustFind("xyzzy plugh"); len(got) > 0 {
		t.Errorf("words that nothing has find %v", got)
	}
}

func TestTheTopicOfAnotherProjectIsNotFirst(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	mine := w.MustSave(remember.SaveInput{Title: "Auth", Content: "passkeys", Project: "other", TopicKey: "architecture/auth-model"}).Memory.Num
	first := func(f engram.Filter) int64 {
		return w.MustSearch(search.SearchInput{Query: "architecture/auth-model", Filter: f}).Hits[0].Memory.Num
	}
	if got := first(engram.Filter{Project: "other"}); got != mine {
		t.Errorf("in other: #%d, want #%d", got, mine)
	}
	if got := first(engram.Filter{Project: "demo"}); got != num["jwt"] {
		t.Errorf("in demo: #%d, want #%d", got, num["jwt"])
	}
	if hits := w.MustSearch(search.SearchInput{Query: "architecture/auth-model", Filter: engram.Filter{Types: []engram.Type{"bugfix"}}}).Hits; len(hits) > 0 {
		t.Errorf("the topic's memory passed a filter that is not for it: %v", enginetest.HitNums(hits))
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for i := range 120 {
		w.MustSave(remember.SaveInput{Title: "walrus", Content: "walrus " + strings.Repeat("tusk ", i+1), Project: "demo"})
	}
	for limit, want := range map[int]int{0: 10, 1: 1, 100: 100} {
		for _, q := range []string{"walrus", "", "walrus tusk"} {
			if got := len(w.MustSearch(search.SearchInput{Query: q, Limit: limit}).Hits); got != want {
				t.Errorf("limit %d of %q gives %d hits, want %d", limit, q, got, want)
			}
		}
	}
	for _, limit := range []int{-1, 101, 1 << 40} {
		_, err := w.Search(t.Context(), search.SearchInput{Query: "walrus", Limit: limit})
		enginetest.WantCode(t, err, engram.CodeInvalid)
		if engram.HintOf(err) != "use a number from 1 to 100" {
			t.Errorf("the hint is %q", engram.HintOf(err))
		}
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	w.MustSession("s1", "demo")
	inSession := w.MustSave(remember.SaveInput{Title: "The pool again", Content: "the pool of connections, in a session", Project: "demo", SessionID: "s1"}).Memory
	for _, tt := range []struct {
		name, query string
		f           engram.Filter
		want        []int64
	}{
		{"project", "mailer jwt", engram.Filter{Project: "Demo"}, []int64{num["jwt"]}},
		{"another project", "mailer jwt", engram.Filter{Project: "other"}, []int64{num["other"]}},
		{"a project that is not", "mailer jwt", engram.Filter{Project: "nothing"}, nil},
		{"type", "list pool jwt", engram.Filter{Types: []engram.Type{"Bugfix"}}, []int64{num["pool"], num["nplus"]}},
		{"types", "list pool jwt", engram.Filter{Types: []engram.Type{"bugfix", "decision"}}, []int64{num["pool"], num["nplus"], num["jwt"]}},
		{"scope", "pipeline pool", engram.Filter{Scope: "Personal"}, []int64{num["deploy"]}},
		{"tag", "pool jwt", engram.Filter{Tags: []string{"AUTH"}}, []int64{num["jwt"]}},
		{"two tags", "pool jwt", engram.Filter{Tags: []string{"auth", "more"}}, nil},
		{"session", "pool", engram.Filter{SessionID: "s1"}, []int64{inSession.Num}},
		{"a session that is not", "pool", engram.Filter{SessionID: "s9"}, nil},
		{"since", "pool", engram.Filter{Since: inSession.CreatedAt}, []int64{inSession.Num}},
		{"until", "pool", engram.Filter{Until: inSession.CreatedAt}, []int64{num["pool"]}},
		{"metadata", "pool pipeline", engram.Filter{Metadata: map[string]any{"env": "prod", "n": 3}}, []int64{num["deploy"]}},
		{"other metadata", "pool pipeline", engram.Filter{Metadata: map[string]any{"env": "dev"}}, nil},
		{"several at once", "pool", engram.Filter{Project: "demo", Types: []engram.Type{"bugfix"}, Scope: "project", Until: inSession.CreatedAt}, []int64{num["pool"]}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := enginetest.HitNums(w.In(t).MustSearch(search.SearchInput{Query: tt.query, Filter: tt.f}).Hits)
			slices.Sort(got)
			slices.Sort(tt.want)
			enginetest.Same(t, "search", got, tt.want)
			listed := w.In(t).MustList(tt.f)
			for _, n := range tt.want {
				if !slices.Contains(listed, n) {
					t.Errorf("a list with this filter has %v, not #%d", listed, n)
				}
			}
			newest := enginetest.HitNums(w.In(t).MustSearch(search.SearchInput{Filter: tt.f, Limit: 100}).Hits)
			enginetest.Same(t, "an empty question lists", newest, listed)
		})
	}
}

func TestATimeThatEndsBeforeItBegins(t *testing.T) {
	t.Parallel()
	w, _ := enginetest.Library(t)
	at := w.Clock.Now()
	for _, until := range []time.Time{at, at.Add(-time.Hour)} {
		f := engram.Filter{Since: at, Until: until}
		_, err := w.Search(t.Context(), search.SearchInput{Query: "pool", Filter: f})
		enginetest.WantCode(t, err, engram.CodeInvalid)
		_, err = w.List(t.Context(), f, engram.Page{})
		enginetest.WantCode(t, err, engram.CodeInvalid)
	}
}

func TestAllAsksForEveryWord(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	for _, tt := range []struct {
		query string
		want  []int64
	}{
		{"connection pool", []int64{num["pool"]}}, {"connection mailer", nil}, {"why is the pool exhausted", []int64{num["pool"]}},
		{"getUserByEmail rows", []int64{num["pool"]}}, {"数据库 PostgreSQL", []int64{num["cjk"]}}, {"pool xyzzy", nil},
	} {
		enginetest.Same(t, tt.query, enginetest.HitNums(w.MustSearch(search.SearchInput{Query: tt.query, All: true}).Hits), tt.want)
	}
}

func TestRelationsStandBesideAHit(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	put := func(source, target int64, verb engram.Verb, status engram.RelationStatus) {
		t.Helper()
		err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
			now := w.Clock.Now().Truncate(time.Millisecond)
			return tx.InsertRelation(t.Context(), &engram.Relation{ID: "rel-" + string(verb) + string(status), Source: source, Target: target,
				Verb: verb, Status: status, CreatedAt: now, UpdatedAt: now})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put(num["pool"], num["nplus"], engram.VerbSupersedes, engram.RelationJudged)
	put(num["jwt"], num["pool"], engram.VerbContradicts, engram.RelationPending)
	put(num["pool"], num["deploy"], engram.VerbRelatesTo, engram.RelationJudged) // says nothing about how to read it
	put(num["deploy"], num["pool"], engram.VerbContradicts, engram.RelationJudged)
	hits := w.MustSearch(search.SearchInput{Query: "connection pool exhaustion"}).Hits
	var got []string
	for _, n := range hits[0].Relations {
		dir := "from "
		if n.Outgoing {
			dir = "to "
		}
		got = append(got, string(n.Relation.Verb)+" "+dir+n.Other.Title)
	}
	enginetest.Same(t, "notes", got, []string{"supersedes to N+1 in the order list", "contradicts from Chose JWT over server sessions", "contradicts from Deploys run from main"})
	if all := w.MustGet(num["pool"]).Relations; len(all) != 4 {
		t.Errorf("get shows %d relations, want all 4", len(all))
	}
	if hits := w.MustSearch(search.SearchInput{Query: "architecture/auth-model"}).Hits; len(hits[0].Relations) != 1 {
		t.Errorf("a hit by topic has the relations %+v", hits[0].Relations)
	}
	for _, h := range w.MustSearch(search.SearchInput{Limit: 100}).Hits {
		if want := map[int64]int{num["pool"]: 3, num["nplus"]: 1, num["jwt"]: 1, num["deploy"]: 1}[h.Memory.Num]; len(h.Relations) != want {
			t.Errorf("among the newest #%d has %d relations, want %d", h.Memory.Num, len(h.Relations), want)
		}
	}
}

func TestAMemoryDueForReviewSaysSo(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	w.Clock.Add(200 * 24 * time.Hour)
	for _, h := range w.MustSearch(search.SearchInput{Limit: 100}).Hits {
		want := engram.StateActive
		if h.Memory.Num == num["jwt"] {
			want = engram.StateNeedsReview
		}
		if h.State != want || w.StateOf(h.Memory) != want || w.MustGet(h.Memory.Num).State != want {
			t.Errorf("#%d (%s) is %s, want %s", h.Memory.Num, h.Memory.Type, h.State, want)
		}
	}
}
