package lifecycle_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func TestAdmitMerging(t *testing.T) {
	old := func(num int64, title, content string, change ...func(*engram.Memory)) engram.Memory {
		m := engram.Memory{Num: num, Project: "demo", Scope: "project", Type: "decision", Title: title, Content: content}
		for _, c := range change {
			c(&m)
		}
		return m
	}
	pool := old(7, "Pool size", "The pool has 20 connections.")
	near := func(cosine float64, m engram.Memory, differs ...string) lifecycle.Near {
		return lifecycle.Near{Memory: m, Cosine: cosine, Differs: strings.Join(differs, "")}
	}
	titled := func(n lifecycle.Near) *lifecycle.Near { return &n }
	of := func(typ engram.Type) func(*engram.Memory) { return func(m *engram.Memory) { m.Type = typ } }
	long := strings.Repeat("Words of a long memory. ", engram.MaxContent/2/24)
	var tags []string
	for i := range engram.MaxTags {
		tags = append(tags, fmt.Sprint("tag", i))
	}
	for _, tt := range []struct {
		name   string
		m      engram.Memory
		known  lifecycle.Known
		mode   lifecycle.AdmitMode
		want   lifecycle.Action
		target int64
		reason string
	}{
		{"the same title, and nothing is merged unasked", old(0, "Pool size", "It is of the primary alone."),
			lifecycle.Known{Titled: titled(near(0, pool)), Near: []lifecycle.Near{near(.99, pool)}, Duplicate: .9}, lifecycle.AdmitSeparately,
			lifecycle.Insert, 0, "new"},
		{"the same type and title says more", old(0, "Pool size", "The pool has 20 connections. It is of the primary alone."), lifecycle.Known{Titled: titled(near(0, pool))},
			lifecycle.AdmitMerging, lifecycle.Absorb, 7, "same type and title as #7"},
		{"the same type and title says something else", old(0, "Pool size", "It is of the primary alone."), lifecycle.Known{Titled: titled(near(0, pool))},
			lifecycle.AdmitMerging, lifecycle.Insert, 0, "same type and title as #7, but each says what the other does not"},
		{"other words for the same, below the mark", old(0, "Pool size", "Pool has 20 connections"), lifecycle.Known{Near: []lifecycle.Near{near(.7, pool)}, Duplicate: .93},
			lifecycle.AdmitMerging, lifecycle.Repeat, 7, "#7 says this already, in other words"},
		{"a near-duplicate that says something else", old(0, "Pool size", "Twenty connections are in the pool."), lifecycle.Known{Near: []lifecycle.Near{near(.95, pool)}, Duplicate: .93},
			lifecycle.AdmitMerging, lifecycle.Insert, 0, "near-duplicate of #7, cosine 0.95, but each says what the other does not"},
		{"the same type and title says nothing new", old(0, "Pool size", "the pool  has 20 CONNECTIONS"), lifecycle.Known{Titled: titled(near(0, pool))},
			lifecycle.AdmitMerging, lifecycle.Repeat, 7, "#7 has this text already"},
		{"the same type and title says the contrary", old(0, "Pool size", "The pool has 5 connections."),
			lifecycle.Known{Titled: titled(near(0, pool, "20 against 5"))}, lifecycle.AdmitMerging,
			lifecycle.Insert, 0, "same type and title as #7, which it may contradict"},
		{"a near-duplicate", old(0, "Pool size", "The pool has 20 connections, all of the primary."), lifecycle.Known{Near: []lifecycle.Near{near(.95, pool)}, Duplicate: .93},
			lifecycle.AdmitMerging, lifecycle.Absorb, 7, "near-duplicate of #7, cosine 0.95"},
		{"at the mark", old(0, "Pool size", "The pool has 20 connections, all of the primary."), lifecycle.Known{Near: []lifecycle.Near{near(.93, pool)}, Duplicate: .93},
			lifecycle.AdmitMerging, lifecycle.Absorb, 7, "near-duplicate of #7, cosine 0.93"},
		{"below the mark", old(0, "Pool size", "The pool has 20 connections, all of the primary."), lifecycle.Known{Near: []lifecycle.Near{near(.92, pool)}, Duplicate: .93},
			lifecycle.AdmitMerging, lifecycle.Insert, 0, "new"},
		{"of a model without marks", old(0, "Pool size", "The pool has 20 connections, all of the primary."), lifecycle.Known{Near: []lifecycle.Near{near(.99, pool)}},
			lifecycle.AdmitMerging, lifecycle.Insert, 0, "new"},
		{"what a near memory has already, below the mark", old(0, "Pool size", "The pool has 20 connections"),
			lifecycle.Known{Near: []lifecycle.Near{near(.8, old(7, "Database", "# Pool size\n- The pool has 20 connections\n- It is slow."))}, Duplicate: .93},
			lifecycle.AdmitMerging, lifecycle.Repeat, 7, "#7 has this text already"},
		{"a part of a sentence is not what it says", old(0, "Redis", "use Redis"),
			lifecycle.Known{Near: []lifecycle.Near{near(.8, old(7, "Redis", "Never use Redis."))}, Duplicate: .93},
			lifecycle.AdmitMerging, lifecycle.Insert, 0, "new"},
		{"a near-duplicate that contradicts", old(0, "Pool", "The pool has 5 connections."), lifecycle.Known{Near: []lifecycle.Near{near(.97, pool, "20 against 5")}, Duplicate: .93},
			lifecycle.AdmitMerging, lifecycle.Insert, 0, "near-duplicate of #7, cosine 0.97, which it may contradict"},
		{"past one that contradicts, the next takes it up", old(0, "Pool", "The pool has 5 connections. It is small."),
			lifecycle.Known{Near: []lifecycle.Near{near(.97, pool, "20 against 5"), near(.95, old(8, "Pool", "The pool has 5 connections."))}, Duplicate: .93},
			lifecycle.AdmitMerging, lifecycle.Absorb, 8, "near-duplicate of #8, cosine 0.95"},
		{"a near-duplicate of another type", old(0, "Size of the pool", "Twenty connections.", of("bugfix")),
			lifecycle.Known{Near: []lifecycle.Near{near(.97, pool)}, Duplicate: .93}, lifecycle.AdmitMerging,
			lifecycle.Insert, 0, "near-duplicate of #7, cosine 0.97, but not of one type"},
		{"the same words under another type", old(0, "Pool size", "The pool has 20 connections.", of("insight")), lifecycle.Known{Said: &pool},
			lifecycle.AdmitMerging, lifecycle.Repeat, 7, "#7 has this text already"},
		{"the same words, and nothing is merged unasked", old(0, "Pool size", "The pool has 20 connections.", of("insight")), lifecycle.Known{Said: &pool},
			lifecycle.AdmitSeparately, lifecycle.Insert, 0, "new"},
		{"the same words, of which nobody had said what they are", pool, lifecycle.Known{Said: new(old(8, "Pool size", "The pool has 20 connections.", of(engram.TypeManual)))},
			lifecycle.AdmitMerging, lifecycle.Absorb, 8, "#8 has this text already, and is of type decision now"},
		{"the same words in the summary of a session", old(0, "Pool size", "The pool has 20 connections.", of(engram.TypeSessionSummary)), lifecycle.Known{Said: &pool},
			lifecycle.AdmitMerging, lifecycle.Insert, 0, "new"},
		{"a near-duplicate of which nobody says what it is", old(0, "Pool size", "The pool has 20 connections, all of the primary.", of(engram.TypeManual)),
			lifecycle.Known{Near: []lifecycle.Near{near(.97, pool)}, Duplicate: .93}, lifecycle.AdmitMerging,
			lifecycle.Absorb, 7, "near-duplicate of #7, cosine 0.97"},
		{"a near-duplicate of a learning that was taken out of a text", old(0, "Size of the pool", "Twenty connections.", of(engram.TypeManual)),
			lifecycle.Known{Near: []lifecycle.Near{near(.97, old(7, "Pool size", "The pool has 20 connections.", of(engram.TypePassive)))}, Duplicate: .93}, lifecycle.AdmitMerging,
			lifecycle.Insert, 0, "near-duplicate of #7, cosine 0.97, but not of one type"},
		{"summaries of sessions stay apart", old(0, "Session summary: demo", "We wrote tests.", of(engram.TypeSessionSummary)),
			lifecycle.Known{Titled: titled(near(0, old(7, "Session summary: demo", "We wrote code.", of(engram.TypeSessionSummary))))}, lifecycle.AdmitMerging,
			lifecycle.Insert, 0, "same type and title as #7, but each is about its own session"},
		{"a topic of its own stays apart", old(0, "Pool size", "More.", func(m *engram.Memory) { m.TopicKey = "pool" }),
			lifecycle.Known{Titled: titled(near(0, pool)), Near: []lifecycle.Near{near(.99, pool)}, Duplicate: .93}, lifecycle.AdmitMerging,
			lifecycle.Insert, 0, "first of its topic"},
		{"an exact repeat goes before a merge", pool, lifecycle.Known{Repeat: &pool, Titled: titled(near(0, old(8, "Pool size", "Other.")))},
			lifecycle.AdmitMerging, lifecycle.Repeat, 7, "exact repeat"},
		{"the same title goes before what is nearer", old(0, "Pool size", "The pool has 20 connections. It is of the primary."),
			lifecycle.Known{Titled: titled(near(0, pool)), Near: []lifecycle.Near{near(.99, old(8, "Pool", "It is of the primary."))}, Duplicate: .93},
			lifecycle.AdmitMerging, lifecycle.Absorb, 7, "same type and title as #7"},
		{"too much for one memory", old(0, "Pool size", "Other "+long), lifecycle.Known{Titled: titled(near(0, old(7, "Pool size", long)))},
			lifecycle.AdmitMerging, lifecycle.Insert, 0, "same type and title as #7, but too long together"},
		{"more tags than a memory may have", old(0, "Pool size", "Less. More.", func(m *engram.Memory) { m.Tags = []string{"one", "more"} }),
			lifecycle.Known{Titled: titled(near(0, old(7, "Pool size", "Less.", func(m *engram.Memory) { m.Tags = tags })))},
			lifecycle.AdmitMerging, lifecycle.Insert, 0, "same type and title as #7, but too long together"},
		{"more metadata than a memory may have", old(0, "Pool size", "Less. More.", func(m *engram.Memory) { m.Metadata = map[string]any{"b": strings.Repeat("b", engram.MaxMetadata/2)} }),
			lifecycle.Known{Titled: titled(near(0, old(7, "Pool size", "Less.", func(m *engram.Memory) { m.Metadata = map[string]any{"a": strings.Repeat("a", engram.MaxMetadata/2)} })))},
			lifecycle.AdmitMerging, lifecycle.Insert, 0, "same type and title as #7, but too long together"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := lifecycle.Admit(tt.m, tt.known, tt.mode, lifecycle.DefaultPolicy())
			if got.Action != tt.want || got.Target.Num != tt.target || got.Reason != tt.reason {
				t.Errorf("Admit(%.200v)\n got %s of #%d, %q\nwant %s of #%d, %q", tt.m, got.Action, got.Target.Num, got.Reason, tt.want, tt.target, tt.reason)
			}
		})
	}
}

func TestAdds(t *testing.T) {
	for _, tt := range []struct {
		name                     string
		oldTitle, old, title, in string
		want                     string // the text of the two, where they may become one
		adds                     lifecycle.Addition
	}{
		{"the same words", "Auth", "JWT, 15 minutes.", "Auth", "jwt, 15  minutes", "JWT, 15 minutes.", lifecycle.AddsNothing},
		{"one of its lines", "Auth", "- JWT\n- 15 minutes", "Auth", "* 15 minutes", "- JWT\n- 15 minutes", lifecycle.AddsNothing},
		{"one of its sentences", "Auth", "We use JWT. It lives 15 minutes! All is well", "Auth", "It lives 15 minutes.", "We use JWT. It lives 15 minutes! All is well", lifecycle.AddsNothing},
		{"in other words", "Theme", "The user prefers dark mode.", "Theme", "User likes the dark mode", "The user prefers dark mode.", lifecycle.AddsWording},
		{"less, in other words", "Theme", "The user prefers dark mode in the editor.", "Theme", "User likes the dark mode", "The user prefers dark mode in the editor.", lifecycle.AddsLess},
		{"a question is not its answer", "Auth", "Use JWT?", "Auth", "Use JWT.", "", lifecycle.AddsBeside},
		{"part of a sentence", "Auth", "Never use JWT.", "Auth", "use JWT", "", lifecycle.AddsBeside},
		{"part of a number", "Port", "8080", "Port", "80", "", lifecycle.AddsBeside},
		{"a sign is no mark of a list", "Offset", "-5", "Offset", "5", "", lifecycle.AddsBeside},
		{"sentences that do not follow each other", "T", "One. Two. Three.", "T", "One. Three.", "One. Two. Three.", lifecycle.AddsLess},
		{"more around it", "Auth", "JWT.", "Auth", "We said:\n- JWT\n- for 15 minutes", "We said:\n- JWT\n- for 15 minutes", lifecycle.AddsAround},
		{"more around it under another title", "Auth", "JWT.", "Tokens", "JWT. For 15 minutes.", "", lifecycle.AddsBeside},
		{"the same under another title", "Auth", "JWT.", "Tokens", "JWT.", "", lifecycle.AddsBeside},
		{"the same under a longer title", "Auth", "JWT.", "Auth of the API", "JWT.", "JWT.", lifecycle.AddsWording},
		{"other words", "Auth", "JWT.", "Auth", "For 15 minutes.", "", lifecycle.AddsBeside},
		{"a title that its content has", "Auth", "JWT.", "For 15…", "JWT. For 15 minutes.", "JWT. For 15 minutes.", lifecycle.AddsAround},
		{"turned round", "Cache", "Prefer SQLite over Postgres.", "Cache", "Prefer Postgres over SQLite.", "", lifecycle.AddsBeside},
		{"Chinese sentences", "端口", "端口是八千。不要改。", "端口", "不要改。", "端口是八千。不要改。", lifecycle.AddsNothing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old, m := engram.Memory{Title: tt.oldTitle, Content: tt.old}, engram.Memory{Title: tt.title, Content: tt.in}
			if adds := lifecycle.Adds(old, m); adds != tt.adds {
				t.Errorf("%q %q with %q %q\n got %s\nwant %s", tt.oldTitle, tt.old, tt.title, tt.in, adds, tt.adds)
			}
			if got := lifecycle.Merged(old, m, noon(), lifecycle.DefaultPolicy()).Content; tt.want != "" && got != tt.want {
				t.Errorf("%q %q with %q %q\n got %q\nwant %q", tt.oldTitle, tt.old, tt.title, tt.in, got, tt.want)
			}
		})
	}
}

func TestMerged(t *testing.T) {
	old := engram.Memory{ID: "mem_1", Num: 7, SyncID: "obs-1", Project: "demo", Scope: "project", Type: "decision", Title: "Auth", Content: "JWT.", Summary: "o",
		Tags: []string{"a", "c"}, Metadata: map[string]any{"k": 1.0, "l": "x"}, TopicKey: "key", SessionID: "s1", ToolName: "bash", Origin: "human", Importance: 0.4,
		Strength: 0.2, TouchedAt: noon(), AccessCount: 5, LastAccessedAt: noon(), CreatedAt: noon(), UpdatedAt: noon(),
		RevisionCount: 3, DuplicateCount: 2, LastSeenAt: noon(), NormalizedHash: "aa"}
	m := engram.Memory{Type: "decision", Title: "Auth", Content: "JWT. For 15 minutes.", Tags: []string{"b", "a"}, Metadata: map[string]any{"k": 2.0}, SessionID: "s2", Origin: "tool",
		Importance: 0.9, Permanent: true, NormalizedHash: "bb"}
	now := noon().Add(time.Hour)
	want := old
	want.Content, want.Summary, want.NormalizedHash = "JWT. For 15 minutes.", "", lifecycle.Hash("jwt. for 15 minutes.")
	want.Tags, want.Metadata = []string{"a", "b", "c"}, map[string]any{"k": 2.0, "l": "x"}
	want.Origin, want.Importance, want.Permanent = "tool", 0.9, true
	want.Strength, want.TouchedAt = 0.3, now
	want.RevisionCount, want.DuplicateCount, want.UpdatedAt, want.LastSeenAt = 4, 3, now, now
	want.ReviewAfter = now.AddDate(0, 3, 0) // half the time: it is important
	got := lifecycle.Merged(old, m, now, lifecycle.DefaultPolicy())
	got.Strength = float64(int(got.Strength*1000+0.5)) / 1000
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if !reflect.DeepEqual(old.Metadata, map[string]any{"k": 1.0, "l": "x"}) || !reflect.DeepEqual(old.Tags, []string{"a", "c"}) {
		t.Errorf("the old memory was changed: %+v", old)
	}
	strong := old
	strong.Strength = 0.95
	if got := lifecycle.Merged(strong, m, now, lifecycle.DefaultPolicy()).Strength; got != 1 {
		t.Errorf("0.95 and the boost is %v, want 1", got)
	}
	m.Origin = "human"
	old.Origin = "import"
	if got := lifecycle.Merged(old, m, now, lifecycle.DefaultPolicy()).Origin; got != "import" {
		t.Errorf("a person's words in an imported memory are %s, want import", got)
	}
}

// phrases are texts with common parts.
func phrases() *rapid.Generator[string] {
	part := rapid.SampledFrom([]string{"use jwt", "JWT", "never use JWT", "15 minutes", "- 15 minutes", "Why?", "!!", "🚀", "端口。", "e.g. this", "3.5"})
	between := rapid.SampledFrom([]string{" ", ". ", "\n", "\n\n", "; ", "  "})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for i := range rapid.IntRange(1, 5).Draw(t, "parts") {
			if i > 0 {
				b.WriteString(between.Draw(t, "between"))
			}
			b.WriteString(part.Draw(t, "part"))
		}
		return b.String()
	})
}

func TestMergingTwiceIsMergingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := phrases()
		old := engram.Memory{Num: 7, Title: "Auth", Content: text.Draw(t, "old")}
		m := engram.Memory{Title: "Auth", Content: text.Draw(t, "content")}
		if lifecycle.Adds(old, m) == lifecycle.AddsBeside {
			return
		}
		once := lifecycle.Merged(old, m, noon(), lifecycle.DefaultPolicy())
		for _, one := range []engram.Memory{old, m} {
			if adds := lifecycle.Adds(once, one); adds == lifecycle.AddsBeside || adds == lifecycle.AddsAround {
				t.Fatalf("%q with %q gives %q, to which %q adds %s", old.Content, m.Content, once.Content, one.Content, adds)
			}
		}
		if once.Content != old.Content && once.Content != m.Content {
			t.Fatalf("%q with %q gives %q, which nobody said", old.Content, m.Content, once.Content)
		}
	})
}

func TestComparingLongTextsTakesNoLongTime(t *testing.T) {
	same := strings.Repeat("a. ", engram.MaxContent/3)
	begun := time.Now()
	lifecycle.Adds(engram.Memory{Title: "t", Content: same}, engram.Memory{Title: "t", Content: strings.Repeat("a. ", engram.MaxContent/6) + "b."})
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("two megabytes of one word take %v", took)
	}
}
