package markdown

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
)

func TestNotesThatCannotBeReadSayWhere(t *testing.T) {
	deep := "a: " + strings.Repeat("[", 20000)
	for _, tt := range []struct {
		name, note string
		line       int
		says       string
	}{
		{"an alias", "---\nid: x\na: &a [1]\nb: *a\n---\n", 3, "YAML anchors, aliases, tags or merges"},
		{"a tag", "---\ntitle: !!binary aGk=\n---\n", 2, "YAML anchors, aliases, tags or merges"},
		{"a merge", "---\n<<: {a: 1}\n---\n", 2, "YAML anchors, aliases, tags or merges"},
		{"a bomb", "---\na: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n---\n", 2, "anchors"},
		{"a key that stands twice", "---\ntitle: a\ntype: b\ntitle: c\n---\n", 4, `"title" is there twice`},
		{"a key of the person's that stands twice", "---\nmood: a\nmood: c\n---\n", 3, `"mood" is there twice`},
		{"a title that is a list", "---\ntitle: [a, b]\n---\n", 2, "title must be one value"},
		{"tags that are a map", "---\ntype: x\ntags: {a: b}\n---\n", 3, "tags must be a list"},
		{"a tag that is a list", "---\ntags:\n  - a\n  - [b]\n---\n", 4, "tags must be one value"},
		{"an importance that is a word", "---\nimportance: high\n---\n", 2, "importance must be a number from 0 to 1"},
		{"an importance that is no number", "---\nimportance: .nan\n---\n", 2, "importance must be a number from 0 to 1"},
		{"an importance out of range", "---\nimportance: 7\n---\n", 2, "importance must be a number from 0 to 1"},
		{"permanent that is a word", "---\npermanent: maybe\n---\n", 2, "permanent must be true or false"},
		{"an invalid scope", "---\nscope: galaxy\n---\n", 2, "scope must be project, personal or global"},
		{"what is no YAML", "---\ntitle: a\nb: [1\n---\n", 0, "the front matter is not YAML"},
		{"a list", "---\n- a\n---\n", 2, "not a list of keys and values"},
		{"a key that is a list", "---\n? [a]\n: b\n---\n", 2, "a key of the front matter is not a word"},
		{"too much of it", "---\ntitle: " + strings.Repeat("x", maxFront) + "\n---\n", 1, "the limit is"},
		{"too deep", "---\n" + deep + "\n---\n", 0, "the front matter is not YAML"},
		{"a NUL", "---\ntitle: a\n---\nb\x00", 0, "NUL"},
		{"bytes that are no text", "---\ntitle: a\n---\n\xff\xfe", 0, "UTF-8"},
		{"too long", strings.Repeat("x", maxNote+1), 0, "the limit is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, bad := readNote([]byte(tt.note))
			if bad == nil {
				t.Fatalf("%.80q was read", tt.note)
			}
			if engram.CodeOf(bad.err) != engram.CodeInvalid || !strings.Contains(bad.err.Error(), tt.says) || tt.line > 0 && bad.line != tt.line {
				t.Errorf("%.80q: got line %d: %v (%s), want line %d: …%s…", tt.note, bad.line, bad.err, engram.CodeOf(bad.err), tt.line, tt.says)
			}
		})
	}
}

func TestNotesAreReadAsPeopleWriteThem(t *testing.T) {
	for _, tt := range []struct {
		name, note string
		want       engram.NoteFields
		id         engram.ID
		project    string
	}{
		{"text alone", "Just a thought.\n", engram.NoteFields{Content: "Just a thought."}, "", ""},
		{"a line across the page is no front matter", "---\nJust a thought.", engram.NoteFields{Content: "---\nJust a thought."}, "", ""},
		{"empty front matter", "---\n---\nJust a thought.", engram.NoteFields{Content: "Just a thought."}, "", ""},
		{"comments alone", "---\n# mine\n---\nA thought.", engram.NoteFields{Content: "A thought."}, "", ""},
		{"numbers and dates are words", "---\ntitle: 2026-01-31\ntype: 12\ntags: [1, 2.50]\n---\nx",
			engram.NoteFields{Title: "2026-01-31", Type: "12", Tags: []string{"1", "2.50"}, Content: "x"}, "", ""},
		{"words between commas are tags", "---\ntags: a, b ,\n---\nx", engram.NoteFields{Tags: []string{"a", "b"}, Content: "x"}, "", ""},
		{"nothing is nothing", "---\ntitle:\ntags:\npermanent:\ntopic: ~\n---\nx", engram.NoteFields{Content: "x"}, "", ""},
		{"all of it", "---\nid: " + string(someID) + "\nproject: shop\ntitle: 'a: b'\nscope: GLOBAL\ntopic_key: a/b\nimportance: 0.25\npermanent: true\n---\n\nx",
			engram.NoteFields{Title: "a: b", Scope: engram.ScopeGlobal, TopicKey: "a/b", Importance: 0.25, Permanent: true, Content: "x"}, someID, "shop"},
		{"a mark of the byte order, and ends of lines as on Windows", "\ufeff---\r\ntitle: a\r\n---\r\n\r\none\r\ntwo\r\n\r\n" + marker + "\r\n",
			engram.NoteFields{Title: "a", Content: "one\ntwo"}, "", ""},
		{"a memory that speaks of the marker", "---\ntitle: a\n---\n\n" + marker + "\nstill text\n\n" + marker + "\n",
			engram.NoteFields{Title: "a", Content: marker + "\nstill text"}, "", ""},
		{"no marker", "---\ntitle: a\n---\n\n\nx\n\n", engram.NoteFields{Title: "a", Content: "x"}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, bad := readNote([]byte(tt.note))
			if bad != nil {
				t.Fatalf("%q cannot be read: line %d: %v", tt.note, bad.line, bad.err)
			}
			if r.fields.Digest() != tt.want.Digest() || r.id != tt.id || r.project != tt.project {
				t.Errorf("%q\n got %+v, id %q, project %q\nwant %+v, id %q, project %q", tt.note, r.fields, r.id, r.project, tt.want, tt.id, tt.project)
			}
		})
	}
}

// anyMemory is a memory with any valid texts.
func anyMemory(t *rapid.T) engram.Memory {
	odd := rapid.SampledFrom([]string{"---", "a: b", "- x", "@x", "*x", "&x", "!x", "%x", "`x", "'", `"`, "null", "true", "1.0", "0x1", "~", "#x", " x ",
		"x #y", "a\nb", "\u2028", "\u0085", "\ufeffx", "👩‍👧", "{a}", "[a]", "?", "|", ">", "...", "2026-01-31", "\\x", "<!-- x -->", marker})
	text := rapid.OneOf(rapid.String(), odd).Filter(func(s string) bool { return engram.CheckText("", s, 1<<16) == nil })
	line := text.Filter(func(s string) bool { return len(s) <= 100 })
	m := engram.Memory{ID: someID, SyncID: "obs-0123456789abcdef", Title: line.Draw(t, "title"), Type: engram.Type(line.Draw(t, "type")),
		Content: strings.Join(rapid.SliceOf(text).Draw(t, "content"), rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", " "}).Draw(t, "between")),
		Scope:   rapid.SampledFrom([]engram.Scope{engram.ScopeProject, engram.ScopePersonal, engram.ScopeGlobal}).Draw(t, "scope"),
		Project: line.Draw(t, "project"), TopicKey: line.Draw(t, "topic"), SessionID: line.Draw(t, "session"),
		Tags:       rapid.SliceOf(line.Filter(func(s string) bool { return strings.TrimSpace(s) != "" })).Draw(t, "tags"),
		Importance: rapid.Float64Range(0, 1).Draw(t, "importance"), Permanent: rapid.Bool().Draw(t, "permanent"),
		CreatedAt: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "created"), 0)}
	return m
}

// A note is read back to the byte.
func TestNotesAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMemory(t)
		n := &notes{state: newState()}
		tail := n.tail(engram.VaultNote{Memory: m, Links: []engram.NoteLink{{Verb: engram.VerbSupersedes, ID: "mem_x", Title: m.Title, Reason: m.Content}},
			Hubs: []engram.Hub{{Kind: engram.HubSession, Key: m.SessionID, Title: m.SessionID}}})
		text := noteText(m, kept{}) + tail
		r, bad := readNote([]byte(text))
		if bad != nil {
			t.Fatalf("line %d: %v\n%s", bad.line, bad.err, text)
		}
		if d := r.fields.Digest().Differs(engram.NoteFieldsOf(m).Digest()); len(d) > 0 || r.fields.Content != m.Content || len(r.lacks) > 0 ||
			r.id != m.ID || r.project != m.Project || r.tail != tail || r.kept.extra != "" || len(r.kept.aliases) > 0 {
			t.Fatalf("%v differ, %v lack\n got %+v, %q, %q\nwant %+v\n%s", d, r.lacks, r.fields, r.project, r.tail, m, text)
		}
	})
}

// The person's part of a note survives a write of Engram's.
func TestWhatAPersonKeepsStays(t *testing.T) {
	for _, extra := range []string{"mood: good\n", "status: [draft, mine]\n", "nested:\n  a:\n    - b\n    - c: d\n", "text: |\n  one\n  two\n",
		"date: 2026-01-31\nn: 0x10\nyes: no\n", "quoted: \"a: b\"\n", "# why\nmood: good # because\n", "- : x\n", "empty:\n"} {
		note := "---\nid: " + string(someID) + "\ntitle: T\naliases: [T, Other]\n" + extra + "---\n\nx\n\n" + marker + "\n"
		r, bad := readNote([]byte(note))
		if bad != nil {
			if extra == "- : x\n" {
				continue // no key
			}
			t.Fatalf("%q: %v", extra, bad.err)
		}
		m := engram.Memory{ID: someID, Title: "New", Content: "y", Scope: engram.ScopeProject}
		again, bad := readNote([]byte(noteText(m, r.kept)))
		if bad != nil || again.kept.extra != r.kept.extra || r.kept.extra == "" || len(again.kept.aliases) != 1 || again.kept.aliases[0] != "Other" {
			t.Errorf("%q: kept %q and %v, then %q and %v (%v)", extra, r.kept.extra, r.kept.aliases, again.kept.extra, again.kept.aliases, bad)
		}
	}
}

func FuzzReadNote(f *testing.F) {
	m := engram.Memory{ID: someID, Title: `a: "b"`, Content: "x", Scope: engram.ScopeProject, Type: "fact", Tags: []string{"a", "b"}}
	for _, s := range []string{"", "---\n", "---\n---\n", "---\na: &a [*a]\n---\n", "---\ntitle: a\nb: {c: [d]}\n...\nx", "---\r\na: b\r\n---\r\n", noteText(m, kept{}) + "\n## Relations\n",
		"---\n\"\\u2028\": |-\n x\n---\n" + marker, "---\n? a\n: b\n---\n", "---\na: 'b\n\n c'\n---\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, bad := readNote([]byte(s))
		if bad != nil {
			if engram.CodeOf(bad.err) != engram.CodeInvalid || bad.line < 0 || bad.line > strings.Count(s, "\n")+2 {
				t.Errorf("%q: line %d, %v", s, bad.line, bad.err)
			}
			return
		}
		// What was kept can be written, and is read again as it was.
		m := engram.Memory{ID: someID, Title: "T", Content: r.fields.Content, Scope: engram.ScopeProject}
		if m.Content == "" {
			m.Content = "x"
		}
		again, bad := readNote([]byte(noteText(m, r.kept)))
		if bad != nil || again.fields.Content != m.Content || valuesOf(t, again.kept.extra) != valuesOf(t, r.kept.extra) {
			t.Errorf("%q: kept %q, written and read again: %v, content %q, kept %q", s, r.kept.extra, bad, again.fields.Content, again.kept.extra)
		}
	})
}

// valuesOf returns the values of front matter, without comments and styles.
func valuesOf(t *testing.T, extra string) string {
	nodes, bad := parseYAML(extra)
	if bad != nil {
		t.Fatalf("%q: %v", extra, bad.err)
	}
	var b strings.Builder
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		fmt.Fprintf(&b, "(%d %s %q", n.Kind, n.ShortTag(), n.Value)
		for _, c := range n.Content {
			walk(c)
		}
		b.WriteByte(')')
	}
	for _, n := range nodes {
		walk(n)
	}
	return b.String()
}

// A megabyte of possible note ends is scanned once: vaults are often shared.
func TestWhereANoteEndsIsFoundInOneLook(t *testing.T) {
	for _, tt := range []struct{ name, body string }{
		{"headings of relations", strings.Repeat("## Relations\n", 80_000)},
		{"headings in one line", strings.Repeat("## Relations", 80_000)},
		{"a heading, and what looks like a list", "## Relations\n" + strings.Repeat("- x\n", 250_000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, bad := readNote([]byte("---\nid: " + string(someID) + "\n---\n\n" + tt.body))
			if bad != nil || !r.unmarked {
				t.Fatalf("got %v, unmarked %v; want a note without a marker", bad, r.unmarked)
			}
			if flaw := r.end(digest([]byte("\n## Relations\n\n- supersedes [[a]]\n"))); flaw == nil {
				t.Errorf("got %d bytes of text, want a conflict: its relations are gone", len(r.fields.Content))
			}
			if flaw := r.end(""); flaw != nil || r.fields.Content != strings.TrimSpace(tt.body) {
				t.Errorf("got %+v and %d bytes, want all of it to be the memory's text", flaw, len(r.fields.Content))
			}
		})
	}
}
