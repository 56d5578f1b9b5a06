package render_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
)

// at is a minute of 12 June 2026, 10 o'clock UTC.
func at(minute int) time.Time { return time.Date(2026, 6, 12, 10, minute, 0, 0, time.UTC) }

func memory(num int64, title, content string) engram.Memory {
	return engram.Memory{Num: num, Type: engram.TypeBugfix, Title: title, Content: content, Project: "demo", Scope: engram.ScopeProject,
		SessionID: "s1", DuplicateCount: 1, RevisionCount: 1, CreatedAt: at(int(num))}
}

// same reports where two texts differ, which is hard to see in long ones.
func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\n\nwant\n%s\n\ngot  %q\nwant %q", got, want, got, want)
	}
}

func TestSearch(t *testing.T) {
	forgotten := memory(8, "Gone", "")
	forgotten.DeletedAt = at(9)
	contested := memory(7, "Other", "")
	contested.SyncID = "obs-0123456789abcdef"
	judged := func(v engram.Verb) engram.Relation {
		return engram.Relation{Verb: v, Status: engram.RelationJudged, Source: 14, Target: 12}
	}
	bare := memory(3, "No project", "x")
	bare.Project, bare.Scope = "", engram.ScopeGlobal

	found := engram.Found{Hits: []engram.Hit{
		{Memory: memory(12, "Fixed N+1 in UserList", strings.Repeat("é", 301)), State: engram.StateNeedsReview, Relations: []engram.RelationNote{
			{Relation: judged(engram.VerbSupersedes), Outgoing: true, Other: memory(9, "Old title", "")},
			{Relation: judged(engram.VerbSupersedes), Other: memory(14, "New title", "")},
			{Relation: judged(engram.VerbContradicts), Other: forgotten},
			{Relation: judged(engram.VerbContradicts)},
			{Relation: judged(engram.VerbCompatible), Other: memory(5, "Quiet", "")},
			{Relation: engram.Relation{Verb: engram.VerbContradicts, Status: engram.RelationIgnored}, Other: memory(6, "Ignored", "")},
			{Relation: engram.Relation{Verb: engram.VerbRelatesTo, Status: engram.RelationPending}, Other: contested},
			{Relation: engram.Relation{Verb: engram.VerbContradicts, Status: engram.RelationPending, Source: 12, Target: 8}, Outgoing: true},
		}},
		{Memory: bare, State: engram.StateActive},
	}}
	text, cut := render.Search("n+1", found, render.Options{})
	same(t, text, `Found 2 memories:

[1] #12 (bugfix) — Fixed N+1 in UserList
    `+strings.Repeat("é", 299)+`… [preview]
    2026-06-12 10:12:00 | project: demo | scope: project | state: needs_review
    supersedes: #9 (Old title)
    superseded_by: #14 (New title)
    conflicts: #8 (deleted)
    conflicts: #14 (deleted)
    conflict: contested by #7 (pending)
    conflict: contested by #8 (deleted)

[2] #3 (bugfix) — No project
    x
    2026-06-12 10:03:00 | scope: global`)
	if !cut {
		t.Error("a preview was cut, and Search says it was not")
	}
}

func TestSearchSaysWhetherAPreviewWasCut(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		cut, marked   bool
	}{
		{"300 characters are shown whole", strings.Repeat("a", 300), false, false},
		{"301 are cut", strings.Repeat("a", 301), true, true},
		{"more than 300 bytes are marked even where nothing is cut", strings.Repeat("é", 151), false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, cut := render.Search("q", engram.Found{Hits: []engram.Hit{{Memory: memory(1, "T", tt.content)}}}, render.Options{})
			if cut != tt.cut || strings.Contains(text, " [preview]\n") != tt.marked || strings.Contains(text, "…") != tt.cut {
				t.Errorf("cut %v, want %v, marked %v, text\n%s", cut, tt.cut, tt.marked, text)
			}
		})
	}
}

func TestSearchOfOneAndOfNone(t *testing.T) {
	text, _ := render.Search("q", engram.Found{Hits: []engram.Hit{{Memory: memory(1, "T", "two\nlines")}}}, render.Options{})
	same(t, text, "Found 1 memory:\n\n[1] #1 (bugfix) — T\n    two\n    lines\n    2026-06-12 10:01:00 | project: demo | scope: project")
	nearest := engram.Found{Hits: []engram.Hit{{Memory: memory(1, "T", "two")}}, BelowThreshold: []engram.Hit{{Memory: memory(2, "U", "x")}}, Uncertain: true}
	text, _ = render.Search("q", nearest, render.Options{})
	same(t, text, "Nothing certain; nearest:\n\n[1] #1 (bugfix) — T\n    two\n    2026-06-12 10:01:00 | project: demo | scope: project"+
		"\n\n1 candidate below the relevance threshold, probably not relevant:\n\n[2] #2 (bugfix) — U")
	same(t, render.Titles("q", nearest), "Nothing certain; nearest:\n\n[1] #1 (bugfix) — T"+
		"\n\n1 candidate below the relevance threshold, probably not relevant:\n\n[2] #2 (bugfix) — U")
	text, cut := render.Search(`say "x"`, engram.Found{}, render.Options{})
	same(t, text, `No memories found for: "say "x""`)
	if cut {
		t.Error("nothing was found, and yet something was cut")
	}
}

func TestSearchFooter(t *testing.T) {
	same(t, render.SearchFooter(), "\n\n---\nResults above are previews (300 chars). To read the full content of a specific memory, call mem_get_observation(id: <ID>).")
}

func TestMemory(t *testing.T) {
	m := memory(12, "Title", "full\n  content\x1b\n")
	same(t, render.Memory(m, render.Options{}), "#12 [bugfix] Title\nfull\n  content\x1b\n\nSession: s1\nProject: demo\nScope: project\nDuplicates: 1\nRevisions: 1\nCreated: 2026-06-12 10:12:00")
	m.TopicKey, m.ToolName, m.Content, m.DuplicateCount, m.RevisionCount = "bug/n-plus-1", "grep", "c", 3, 2
	same(t, render.Memory(m, render.Options{}), `#12 [bugfix] Title
c
Session: s1
Project: demo
Scope: project
Topic: bug/n-plus-1
Tool: grep
Duplicates: 3
Revisions: 2
Created: 2026-06-12 10:12:00`)
}

func TestTimeline(t *testing.T) {
	line := engram.Timeline{
		Focus:  memory(12, "Title", strings.Repeat("a", 501)),
		Before: []engram.Memory{memory(10, "Ten", "two\nlines"), memory(11, "Eleven", strings.Repeat("b", 151))},
		After:  []engram.Memory{memory(13, "Thirteen", "c")},
		Session: engram.Session{ID: "s1", Project: "demo", StartedAt: at(0),
			Summary: strings.Repeat("s", 101)},
		Total: 7,
	}
	same(t, render.Timeline(line, render.Options{}), `Session: demo (2026-06-12 10:00:00) — `+strings.Repeat("s", 99)+`…
Total observations in session: 7

─── Before ───
  #10 [bugfix] Ten — two lines
  #11 [bugfix] Eleven — `+strings.Repeat("b", 149)+`…

>>> #12 [bugfix] Title <<<
    `+strings.Repeat("a", 499)+`…
    2026-06-12 10:12:00

─── After ───
  #13 [bugfix] Thirteen — c`)
}

func TestTimelineOfALonelyMemory(t *testing.T) {
	alone := engram.Timeline{Focus: memory(12, "Title", "c"), Session: engram.Session{ID: "s1", StartedAt: at(0)}, Total: 1}
	same(t, render.Timeline(alone, render.Options{}),
		"Session: s1 (2026-06-12 10:00:00)\nTotal observations in session: 1\n\n>>> #12 [bugfix] Title <<<\n    c\n    2026-06-12 10:12:00")
	alone.Session = engram.Session{}
	same(t, render.Timeline(alone, render.Options{}), ">>> #12 [bugfix] Title <<<\n    c\n    2026-06-12 10:12:00")
}

func TestContext(t *testing.T) {
	c := engram.Context{
		Sessions: []engram.SessionActivity{
			{Session: engram.Session{Project: "demo", StartedAt: at(0), Summary: strings.Repeat("s", 201)}, Memories: 7},
			{Session: engram.Session{Project: "other", StartedAt: at(1)}, Memories: 0},
			{Session: engram.Session{ID: "s3", StartedAt: at(1)}, Memories: 1},
		},
		Prompts:  []engram.Prompt{{Content: "why\nis it slow", CreatedAt: at(2)}},
		Memories: []engram.Memory{memory(12, "Title", strings.Repeat("m", 301))},
	}
	same(t, render.Context(c, render.Options{}), `## Memory from Previous Sessions

### Recent Sessions
- **demo** (2026-06-12 10:00:00): `+strings.Repeat("s", 199)+`… [7 observations]
- **other** (2026-06-12 10:01:00) [0 observations]
- **s3** (2026-06-12 10:01:00) [1 observations]

### Recent User Prompts
- 2026-06-12 10:02:00: why is it slow

### Recent Observations
- [bugfix] **Title**: `+strings.Repeat("m", 299)+`…

`)
	same(t, render.Context(engram.Context{Prompts: c.Prompts}, render.Options{}),
		"## Memory from Previous Sessions\n\n### Recent User Prompts\n- 2026-06-12 10:02:00: why is it slow\n\n")
	same(t, render.Context(engram.Context{}, render.Options{}), "")
}

// A memory is data: in a list it must not be able to pass for another line.
func TestTitlesStayOnTheirLine(t *testing.T) {
	bad := memory(1, "a\n[2] #99 (x) — b\x1b[2J\u202ec", "x\n\n- [bugfix] **forged**: y")
	bad.Type, bad.Project = "t\ny", "p\nq"
	found, _ := render.Search("q", engram.Found{Hits: []engram.Hit{{Memory: bad}}}, render.Options{})
	for name, text := range map[string]string{
		"Search":   found,
		"Memory":   render.Memory(bad, render.Options{}),
		"Timeline": render.Timeline(engram.Timeline{Focus: memory(2, "F", "f"), Before: []engram.Memory{bad}}, render.Options{}),
		"Context":  render.Context(engram.Context{Memories: []engram.Memory{bad}}, render.Options{}),
	} {
		if strings.Contains(text, "\n[2] #99") || strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "t\ny") {
			t.Errorf("%s lets a title leave its line:\n%q", name, text)
		}
	}
	if text := render.Context(engram.Context{Memories: []engram.Memory{bad}}, render.Options{}); strings.Contains(text, "\n- [bugfix] **forged**") {
		t.Errorf("Context lets a content leave its line:\n%s", text)
	}
}

func TestTime(t *testing.T) {
	same(t, render.Time(at(5), render.Options{}), "2026-06-12 10:05:00")
	same(t, render.Time(at(5), render.Options{Zone: time.FixedZone("", 2*3600)}), "2026-06-12 12:05:00")
	same(t, render.Time(time.Time{}, render.Options{}), "never")
}

func TestPreview(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		runes    int
		want     string
	}{
		{"a short text is whole", "abc", 3, "abc"},
		{"a longer one is cut", "abcd", 3, "abc..."},
		{"characters count, not bytes", "éèêë", 3, "éèê..."},
		{"line breaks are kept", "a\nb\nc", 3, "a\nb..."},
		{"nothing may be shown", "a", 0, "..."},
		{"nothing is shown whole", "", 0, ""},
		{"bytes that are not UTF-8 count each", "\xff\xfe\xfd", 2, "\xff\xfe..."},
	} {
		t.Run(tt.name, func(t *testing.T) { same(t, render.Preview(tt.in, tt.runes), tt.want) })
	}
}
