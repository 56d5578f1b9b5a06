package exchange_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// story fills a store with one of every kind of thing.
func story(t testing.TB, e *engine.Engine) {
	t.Helper()
	ctx := t.Context()
	first, err := e.Save(ctx, remember.SaveInput{Title: "Auth model", Content: "Tokens live 15 minutes", Type: "decision", Project: "shop",
		SessionID: "s1", NewSession: true, Directory: "/src/shop", TopicKey: "architecture/auth", Tags: []string{"auth", "jwt"},
		Metadata: map[string]any{"ticket": "ENG-12", "n": 1.5}, Origin: engram.OriginHuman})
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Save(ctx, remember.SaveInput{Title: "Auth model", Content: "Tokens live 5 minutes", Type: "decision", Project: "shop",
		SessionID: "s1", TopicKey: "architecture/auth"})
	if err != nil || again.Memory.Num != first.Memory.Num {
		t.Fatalf("revise: %v", err)
	}
	other, err := e.Save(ctx, remember.SaveInput{Title: "Pool size", Content: "The pool has 20 connections", Project: "shop", Permanent: true})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := e.Save(ctx, remember.SaveInput{Title: "Old port", Content: "It listens on 8080", Project: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Forget(ctx, engram.ByNum(gone.Memory.Num)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Link(ctx, relate.LinkInput{Source: engram.ByNum(other.Memory.Num), Target: engram.ByNum(first.Memory.Num), Verb: "caused_by", Reason: "load"}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.SavePrompt(ctx, remember.PromptInput{Content: "Why does login fail?", SessionID: "s1", Project: "shop"}); err != nil {
		t.Fatal(err)
	}
}

func TestWhatWasExportedComesInWhole(t *testing.T) {
	t.Parallel()
	from, to := enginetest.New(t), enginetest.New(t)
	story(t, from)
	file := enginetest.Exported(t, from, exchange.ExportInput{})
	res := enginetest.Imported(t, to, file, exchange.ImportInput{})
	if all := res.All(); all.Rejected > 0 || all.Changed > 0 || res.Memories.Added != 3 || res.Relations.Added < 1 || res.Prompts.Added != 1 {
		t.Errorf("import\n got %+v", res)
	}
	got, want := bare(enginetest.Exported(t, to, exchange.ExportInput{})), bare(file)
	if got != want {
		t.Errorf("export after the import\n got %s\nwant %s", got, want)
	}
	again := enginetest.Imported(t, to, file, exchange.ImportInput{})
	if all := again.All(); all.Added+all.Changed+all.Rejected > 0 || again.Op != 0 {
		t.Errorf("the second import changed something: %+v", again)
	}
}

// bare is an export without its head and without the origin, which an import does not take over.
func bare(file string) string {
	_, file, _ = strings.Cut(file, `"projects"`)
	for _, origin := range []string{"human", "agent", "tool"} {
		file = strings.ReplaceAll(file, `"origin":"`+origin+`"`, `"origin":"import"`)
	}
	// Numbers are local to each store.
	return regexp.MustCompile(`\{"id":\d+,"sync_id"`).ReplaceAllString(file, `{"sync_id"`)
}

func TestAnImportIsToldItemByItem(t *testing.T) {
	t.Parallel()
	const good = `{"id":"` + enginetest.ID1 + `","title":"Good","content":"It is good","project":"shop"}`
	for _, tt := range []struct {
		name, file string
		want       string // of the reasons, in order
	}{
		{"a memory without content", enginetest.NativeFile(`"memories":[{"title":"x"}]`), "content is empty"},
		{"a memory that is no object", enginetest.NativeFile(`"memories":[7]`), "it is a number, not an object"},
		{"a field of another kind", enginetest.NativeFile(`"memories":[{"content":"x","tags":"a"}]`), "tags cannot be a string"},
		{"an invalid time", enginetest.NativeFile(`"memories":[{"content":"x","created_at":"soon"}]`), `"soon" is not a time`},
		{"an importance out of range", enginetest.NativeFile(`"memories":[{"content":"x","importance":7}]`), "importance 7 is out of range"},
		{"a strength out of range", enginetest.NativeFile(`"memories":[{"content":"x","strength":99}]`), "strength 99 is out of range"},
		{"a scope that does not exist", enginetest.NativeFile(`"memories":[{"content":"x","scope":"galaxy"}]`), `scope "galaxy" does not exist`},
		{"a scope in other letters", enginetest.NativeFile(`"memories":[{"content":"x","scope":" Global "}]`), ""},
		{"a project that leads out of a folder", enginetest.NativeFile(`"memories":[{"content":"x","project":"../../etc"}]`), "project has a part that is . or .."},
		{"a project of an owner", enginetest.NativeFile(`"memories":[{"content":"x","project":"me/app"}]`), ""},
		{"a field twice", enginetest.NativeFile(`"memories":[{"content":"one","content":"two"}]`), "content is there twice"},
		{"half of a letter", enginetest.NativeFile(`"memories":[{"content":"one \ud83d"}]`), "a text has a lone surrogate (half of a character)"},
		{"metadata too deep", enginetest.NativeFile(`"memories":[{"content":"x","metadata":{"k":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}}]`), "it is nested more than 1000 deep"},
		{"a NUL byte", enginetest.NativeFile(`"memories":[{"content":"x\u0000"}]`), "content contains a NUL byte"},
		{"a relation to nowhere", enginetest.NativeFile(`"memories":[` + good + `],"relations":[{"source":"` + enginetest.ID1 + `","relation":"caused_by","target":"` + enginetest.ID2 + `"}]`), "its target is not here"},
		{"a relation to itself", enginetest.NativeFile(`"memories":[` + good + `],"relations":[{"source":"` + enginetest.ID1 + `","relation":"caused_by","target":"` + enginetest.ID1 + `"}]`), "memory #1 cannot be related to itself"},
		{"a relation that does not exist", enginetest.NativeFile(`"relations":[{"source":"` + enginetest.ID1 + `","relation":"hates","target":"` + enginetest.ID1 + `"}]`), `relation "hates" does not exist`},
		{"what supersedes each other", enginetest.NativeFile(`"memories":[` + good + `,{"id":"` + enginetest.ID2 + `","content":"b","project":"shop"},{"id":"` + enginetest.ID3 + `","content":"c","project":"shop"}],
			"relations":[{"source":"` + enginetest.ID1 + `","relation":"supersedes","target":"` + enginetest.ID2 + `"},{"source":"` + enginetest.ID2 + `","relation":"supersedes","target":"` + enginetest.ID3 + `"},
			{"source":"` + enginetest.ID3 + `","relation":"supersedes","target":"` + enginetest.ID1 + `"}]`), "#3 cannot supersede #1, which supersedes it through others"},
		{"a prompt without text", enginetest.NativeFile(`"prompts":[{"content":" "}]`), "prompt is empty"},
		{"a session without an id", enginetest.NativeFile(`"sessions":[{"project":"shop"}]`), "session id is empty"},
		{"a project without a name", enginetest.NativeFile(`"projects":[{"name":" "}]`), "the project has no name"},
		{"a curve that does not exist", enginetest.NativeFile(`"projects":[{"name":"a","decay":{"curve":"cliff"}}]`), `there is no curve "cliff"`},
		{"what is erased and has no kind", enginetest.NativeFile(`"erased":[{"kind":"dream","id":"x"}]`), `cannot erase a "dream": only memories, prompts and sessions can be erased`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := enginetest.Imported(t, enginetest.New(t), tt.file, exchange.ImportInput{})
			var got []string
			for _, n := range res.Rejected {
				got = append(got, n.Reason)
			}
			if strings.Join(got, "; ") != tt.want {
				t.Errorf("import %s\n got %q\nwant %q", tt.file, got, tt.want)
			}
		})
	}
}

func TestAnImportThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	good := strings.Repeat(`{"content":"something to keep"},`, 50)
	for _, tt := range []struct {
		name, file string
		code       engram.Code
	}{
		{"it was cut off", `{"format":"engram","version":1,"memories":[` + good, engram.CodeInvalid},
		{"it is of a newer version", `{"format":"engram","version":2,"memories":[` + good + `{}]}`, engram.CodeConflict},
		{"something follows it", enginetest.NativeFile(`"memories":[`+good+`{"content":"x"}]`) + "x", engram.CodeInvalid},
		{"it is no UTF-8", enginetest.NativeFile(`"memories":[` + good + "{\"content\":\"\xff\"}]"), engram.CodeInvalid},
		{"it has memories twice", enginetest.NativeFile(`"memories":[{"content":"a"}],"memories":[{"content":"b"}]`), engram.CodeInvalid},
		{"it is no object", `"memories"`, engram.CodeInvalid},
		{"it is empty", "", engram.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := enginetest.New(t)
			res, err := e.Import(t.Context(), strings.NewReader(tt.file), exchange.ImportInput{})
			if engram.CodeOf(err) != tt.code || res.Op != 0 {
				t.Errorf("import\n got %+v, %v\nwant %s", res, err, tt.code)
			}
			st, err := e.Stats(t.Context(), "")
			if err != nil || st.Memories+st.Sessions != 0 {
				t.Errorf("afterwards there is %+v, %v; want nothing", st, err)
			}
		})
	}
}

func TestTheLaterEditHolds(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a, b := enginetest.New(t), enginetest.New(t)
	saved, err := a.Save(ctx, remember.SaveInput{Title: "Lifetime", Content: "15 minutes", Project: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Imported(t, b, enginetest.Exported(t, a, exchange.ExportInput{}), exchange.ImportInput{})
	change := func(e *engine.Engine, content string) {
		t.Helper()
		if _, err := e.Update(ctx, remember.UpdateInput{Ref: engram.ByID(saved.Memory.ID), Content: &content}); err != nil {
			t.Fatal(err)
		}
	}
	change(a, "10 minutes")
	for range 20 {
		b.Now() // each reading is a second later
	}
	change(b, "5 minutes")
	toB, toA := enginetest.Exported(t, a, exchange.ExportInput{}), enginetest.Exported(t, b, exchange.ExportInput{})
	enginetest.Imported(t, b, toB, exchange.ImportInput{})
	enginetest.Imported(t, a, toA, exchange.ImportInput{})
	for name, e := range map[string]*engine.Engine{"a": a, "b": b} {
		h, err := e.Get(ctx, engram.ByID(saved.Memory.ID))
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, r := range h.Revisions {
			texts = append(texts, r.Content)
		}
		if h.Memory.Content != "5 minutes" || !strings.Contains(strings.Join(texts, ","), "10 minutes") || !strings.Contains(strings.Join(texts, ","), "15 minutes") {
			t.Errorf("%s says %q and said %q; want 5 minutes, and both others kept", name, h.Memory.Content, texts)
		}
	}
	for name, tt := range map[string]struct {
		e    *engine.Engine
		file string
	}{"a": {a, toA}, "b": {b, toB}} {
		if res := enginetest.Imported(t, tt.e, tt.file, exchange.ImportInput{}); res.Op != 0 {
			t.Errorf("%s: the same file once more changed something: %+v", name, res)
		}
	}
}

func TestWhatIsGoneHereStaysAway(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	const memories = `"memories":[{"id":"` + enginetest.ID1 + `","content":"forgotten here","updated_at":"2026-01-01T00:00:00Z"},
		{"id":"` + enginetest.ID2 + `","content":"erased here","updated_at":"2026-01-01T00:00:00Z"},{"id":"` + enginetest.ID3 + `","content":"kept","updated_at":"2026-01-01T00:00:00Z"}]`
	e := enginetest.New(t)
	enginetest.Imported(t, e, enginetest.NativeFile(memories), exchange.ImportInput{})
	if _, err := e.Forget(ctx, engram.ByID(enginetest.ID1)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Delete(ctx, true, engram.ByID(enginetest.ID2)); err != nil {
		t.Fatal(err)
	}
	res := enginetest.Imported(t, e, enginetest.NativeFile(memories), exchange.ImportInput{})
	if len(res.Rejected) != 1 || res.Rejected[0].Reason != "it was erased here" || res.Op != 0 {
		t.Errorf("the same file once more\n got %+v\nwant the erased one rejected, and nothing changed", res)
	}
	if res.Memories.Forgotten != 1 {
		t.Errorf("got %+v, want that one was forgotten here", res.Memories)
	}
	edited := strings.Replace(enginetest.NativeFile(memories), `"forgotten here","updated_at":"2026-01-01`, `"edited later","updated_at":"2026-06-13`, 1)
	if res := enginetest.Imported(t, e, edited, exchange.ImportInput{}); res.Memories.Changed != 1 {
		t.Errorf("a later edit did not bring it back: %+v", res)
	}
	if m, err := e.Get(ctx, engram.ByID(enginetest.ID1)); err != nil || m.Memory.Content != "edited later" {
		t.Errorf("got %+v, %v; want the later edit", m, err)
	}
}

func TestWhatWasErasedElsewhereIsForgotten(t *testing.T) {
	t.Parallel()
	e, other := enginetest.New(t), enginetest.New(t)
	enginetest.Imported(t, e, enginetest.NativeFile(`"memories":[{"id":"`+enginetest.ID1+`","content":"a","updated_at":"2026-01-01T00:00:00Z"}]`), exchange.ImportInput{})
	enginetest.Imported(t, other, enginetest.Exported(t, e, exchange.ExportInput{}), exchange.ImportInput{})
	if _, err := e.Delete(t.Context(), true, engram.ByID(enginetest.ID1)); err != nil {
		t.Fatal(err)
	}
	out := enginetest.Exported(t, e, exchange.ExportInput{})
	if res := enginetest.Imported(t, other, out, exchange.ImportInput{}); res.Erased.Changed != 1 || res.Op == 0 {
		t.Errorf("import of an erasure: %+v, want one memory forgotten", res)
	}
	if _, err := other.Get(t.Context(), engram.ByID(enginetest.ID1)); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("the memory is there still: %v", err)
	}
	third := enginetest.New(t)
	enginetest.Imported(t, third, out, exchange.ImportInput{})
	if res := enginetest.Imported(t, third, enginetest.NativeFile(`"memories":[{"id":"`+enginetest.ID1+`","content":"a"}]`), exchange.ImportInput{}); res.Memories.Rejected != 1 {
		t.Errorf("what was erased elsewhere came in: %+v", res)
	}
}

func TestUndoTakesAnImportBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e, other := enginetest.New(t), enginetest.New(t)
	story(t, other)
	res := enginetest.Imported(t, e, enginetest.Exported(t, other, exchange.ExportInput{}), exchange.ImportInput{})
	if _, err := e.Undo(ctx, undo.UndoInput{Op: res.Op}); err != nil {
		t.Fatal(err)
	}
	st, err := e.Stats(ctx, "")
	if err != nil || st.Memories != 0 || st.Relations != 0 || st.Prompts != 0 {
		t.Errorf("after the undo there is %+v, %v; want nothing but what was forgotten", st, err)
	}
	again := enginetest.Imported(t, e, enginetest.Exported(t, other, exchange.ExportInput{}), exchange.ImportInput{})
	if all := again.All(); all.Rejected > 0 || again.Memories.Forgotten != 0 || again.Memories.Changed != 2 {
		t.Errorf("imported once more: %+v; want it all to be there again", again)
	}
}

func TestADryRunChangesNothing(t *testing.T) {
	t.Parallel()
	e, other := enginetest.New(t), enginetest.New(t)
	story(t, other)
	for _, mode := range []exchange.ImportMode{exchange.ImportMerge, exchange.ImportReplace} {
		res := enginetest.Imported(t, e, enginetest.Exported(t, other, exchange.ExportInput{}), exchange.ImportInput{Mode: mode, DryRun: true})
		if res.Memories.Added != 3 || res.Op != 0 || res.Backup != "" {
			t.Errorf("%s: got %+v, want three memories counted, no operation and no backup", mode, res)
		}
		if st, err := e.Stats(t.Context(), ""); err != nil || st.Memories+st.Forgotten+st.Sessions > 0 {
			t.Errorf("%s: afterwards there is %+v, %v; want nothing", mode, st, err)
		}
	}
}

func TestReplaceLeavesWhatIsInTheFile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e := enginetest.New(t)
	enginetest.Imported(t, e, enginetest.NativeFile(`"memories":[{"id":"`+enginetest.ID1+`","content":"old text","project":"shop","updated_at":"2026-05-01T00:00:00Z"},
		{"id":"`+enginetest.ID2+`","content":"goes","project":"shop"},{"id":"`+enginetest.ID3+`","content":"of another project","project":"web"}]`), exchange.ImportInput{})
	res := enginetest.Imported(t, e, enginetest.NativeFile(`"project":"shop","memories":[{"id":"`+enginetest.ID1+`","content":"text of the file","project":"shop","updated_at":"2026-01-01T00:00:00Z"}]`),
		exchange.ImportInput{Mode: exchange.ImportReplace})
	if (res.Backup == "") != enginetest.OnServer() || res.Memories.Changed != 1 || res.Memories.Removed != 1 {
		t.Errorf("replace: got %+v, want a backup, one changed, one gone", res)
	}
	ms, err := e.List(ctx, engram.Filter{}, engram.Page{})
	if err != nil || len(ms) != 2 {
		t.Fatalf("there are %d memories, %v; want that of the file and that of the other project", len(ms), err)
	}
	if m, err := e.Get(ctx, engram.ByID(enginetest.ID1)); err != nil || m.Memory.Content != "text of the file" {
		t.Errorf("got %q, %v; want the text of the file, although it is older", m.Memory.Content, err)
	}
	if _, err := e.Undo(ctx, undo.UndoInput{Op: res.Op}); err != nil {
		t.Fatal(err)
	}
	if m, err := e.Get(ctx, engram.ByID(enginetest.ID2)); err != nil || m.Memory.Content != "goes" {
		t.Errorf("after the undo: %+v, %v; want it back", m, err)
	}
}

// The mem form has no project. A replacement with it means its content.
func TestReplaceByAFileThatDoesNotSayOfWhatItIs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		gone       int
	}{
		{"a mem export", `{"version":"0.1.0","observations":[{"sync_id":"obs-00000000000000aa","project":"shop","content":"a"}]}`, 1},
		{"a file of which no project is told", enginetest.NativeFile(`"memories":[{"sync_id":"obs-00000000000000aa","project":"shop","content":"a"}]`), 1},
		{"an export of everything", enginetest.NativeFile(`"project":"","memories":[{"sync_id":"obs-00000000000000aa","project":"shop","content":"a"}]`), 3},
		{"a file that says that a project has nothing", enginetest.NativeFile(`"project":"shop","memories":[]`), 1},
		{"a file of nothing", enginetest.NativeFile(`"memories":[]`), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := enginetest.New(t)
			enginetest.Imported(t, e, enginetest.NativeFile(`"memories":[{"content":"b","project":"shop"},{"content":"c","project":"web"},{"content":"d"}]`), exchange.ImportInput{})
			if res := enginetest.Imported(t, e, tt.file, exchange.ImportInput{Mode: exchange.ImportReplace}); res.Memories.Removed != tt.gone {
				t.Errorf("replace by %s\n got %d gone, want %d", tt.file, res.Memories.Removed, tt.gone)
			}
			if res := enginetest.Imported(t, e, tt.file, exchange.ImportInput{Mode: exchange.ImportReplace}); res.Op != 0 {
				t.Errorf("a second time it changed something: %+v", res)
			}
		})
	}
}

func TestWhatComesInIsCleaned(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	enginetest.Imported(t, e, enginetest.NativeFile(`"sessions":[{"id":"s1","project":"Shop","summary":"a <private>s1</private>"}],"prompts":[{"content":"b <private>s2</private>","project":"shop"}],
		"memories":[{"id":"`+enginetest.ID1+`","title":"c <private>s3</private>","content":"d <private>s4</private>","tags":["B","a","b"],"metadata":{"k":"<private>s5</private>"},
		"origin":"human","project":" SHOP ","created_at":"2126-01-01T00:00:00Z","revisions":[{"number":1,"title":"e","content":"f <private>s6</private>"}]},
		{"id":"`+enginetest.ID2+`","content":"g","project":"shop"}],
		"relations":[{"source":"`+enginetest.ID1+`","relation":"caused_by","target":"`+enginetest.ID2+`","reason":"h <private>s7</private>"}]`), exchange.ImportInput{})
	out := enginetest.Exported(t, e, exchange.ExportInput{})
	for _, secret := range []string{"s1</", "s2", "s3", "s4", "s5", "s6", "s7", "private>"} {
		if strings.Contains(out, secret) {
			t.Errorf("%q came in: %s", secret, out)
		}
	}
	m, err := e.Get(t.Context(), engram.ByID(enginetest.ID1))
	if err != nil {
		t.Fatal(err)
	}
	if m.Memory.Origin != engram.OriginImport || m.Memory.Project != "shop" || strings.Join(m.Memory.Tags, ",") != "a,b" || m.Memory.CreatedAt.After(e.Now()) {
		t.Errorf("got origin %s, project %q, tags %v, made %s; want import, shop, a and b, and not in the future", m.Memory.Origin, m.Memory.Project, m.Memory.Tags, m.Memory.CreatedAt)
	}
}

func TestAProjectOfSeveralLinesDoesNotComeIn(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	res := enginetest.Imported(t, e, enginetest.NativeFile(`"memories":[{"id":"`+enginetest.ID1+`","content":"c","project":"a\nb"},{"id":"`+enginetest.ID2+`","content":"d","project":"shop"}]`), exchange.ImportInput{})
	ps, err := e.Projects(t.Context())
	if err != nil || len(ps) != 1 || ps[0].Name != "shop" || len(res.Rejected) != 1 || !strings.Contains(res.Rejected[0].Reason, "control characters") {
		t.Errorf("got %v (%v), told %+v; want shop alone, and why not the other", ps, err, res.Rejected)
	}
}

// A clock in 2126 must not win over every edit of the next hundred years.
func TestWhatIsOfTheFutureDoesNotWin(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	enginetest.Imported(t, e, enginetest.NativeFile(`"memories":[{"id":"`+enginetest.ID1+`","content":"ours","updated_at":"2026-01-01T00:00:00Z"}]`), exchange.ImportInput{})
	future := enginetest.NativeFile(`"memories":[{"id":"` + enginetest.ID1 + `","content":"theirs","updated_at":"2126-01-01T00:00:00Z"}]`)
	enginetest.Imported(t, e, future, exchange.ImportInput{})
	h, err := e.Get(t.Context(), engram.ByID(enginetest.ID1))
	if err != nil || h.Memory.Content != "ours" || len(h.Revisions) != 1 || h.Revisions[0].Content != "theirs" {
		t.Errorf("got %+v, %v; want ours, and theirs kept", h, err)
	}
	if res := enginetest.Imported(t, e, future, exchange.ImportInput{}); res.Op != 0 {
		t.Errorf("a second time it changed something: %+v", res)
	}
}

func TestATopicHasOneMemory(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, dated := range []string{"", `,"updated_at":"2026-01-01T00:00:00Z"`} {
		e := enginetest.New(t)
		if _, err := e.Save(ctx, remember.SaveInput{Content: "ours", TopicKey: "a/b", Project: "shop"}); err != nil {
			t.Fatal(err)
		}
		theirs := enginetest.NativeFile(`"memories":[{"id":"` + enginetest.ID3 + `","content":"theirs","topic_key":"a/b","project":"shop"` + dated + `}]`)
		res := enginetest.Imported(t, e, theirs, exchange.ImportInput{})
		if res.Memories.Added != 1 || len(res.Notes) != 1 || !strings.Contains(res.Notes[0].Reason, "topic a/b belongs to memory #1") {
			t.Errorf("got %+v, want it added, with a note on its topic", res)
		}
		if res := enginetest.Imported(t, e, theirs, exchange.ImportInput{}); res.Op != 0 {
			t.Errorf("a second time it changed something: %+v", res)
		}
	}
}

func TestTopicsThatChangedPlacesComeInInOneGo(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e := enginetest.New(t)
	for _, topic := range []string{"x/one", "x/two", "x/three"} {
		if _, err := e.Save(ctx, remember.SaveInput{Title: topic, Content: "about " + topic, Project: "p", TopicKey: topic}); err != nil {
			t.Fatal(err)
		}
	}
	file := enginetest.Exported(t, e, exchange.ExportInput{})
	if _, err := e.Forget(ctx, engram.ByNum(3)); err != nil {
		t.Fatal(err)
	}
	for _, turn := range []struct {
		num   int64
		topic string
	}{{1, "x/spare"}, {2, "x/one"}, {1, "x/two"}} {
		if _, err := e.Update(ctx, remember.UpdateInput{Ref: engram.ByNum(turn.num), TopicKey: &turn.topic}); err != nil {
			t.Fatal(err)
		}
	}
	// The last topic belongs to a memory that is forgotten.
	if _, err := e.Save(ctx, remember.SaveInput{Content: "not in the file", Project: "p", TopicKey: "x/three"}); err != nil {
		t.Fatal(err)
	}
	res := enginetest.Imported(t, e, file, exchange.ImportInput{Mode: exchange.ImportReplace})
	if len(res.Notes) > 0 || res.Memories.Changed != 3 || res.Memories.Unchanged != 0 {
		t.Errorf("import: got %+v, want three changed and no note", res)
	}
	for num, want := range map[int64]string{1: "x/one", 2: "x/two", 3: "x/three"} {
		if m, err := e.Get(ctx, engram.ByNum(num)); err != nil || m.Memory.TopicKey != want {
			t.Errorf("topic of #%d: got %q, %v; want %q", num, m.Memory.TopicKey, err, want)
		}
	}
	if again := enginetest.Imported(t, e, file, exchange.ImportInput{Mode: exchange.ImportReplace}); again.Op != 0 {
		t.Errorf("a second time it changed something: %+v", again)
	}
	if _, err := e.Undo(ctx, undo.UndoInput{Op: res.Op}); err != nil {
		t.Fatal(err)
	}
	if m, err := e.Get(ctx, engram.ByNum(1)); err != nil || m.Memory.TopicKey != "x/two" {
		t.Errorf("after the undo #1 has %q, %v; want x/two", m.Memory.TopicKey, err)
	}
}

func TestEverythingGoesIntoTheProjectThatIsNamed(t *testing.T) {
	t.Parallel()
	from, to := enginetest.New(t), enginetest.New(t)
	story(t, from)
	enginetest.Imported(t, to, enginetest.Exported(t, from, exchange.ExportInput{}), exchange.ImportInput{Project: "Mine"})
	ps, err := to.Projects(t.Context())
	if err != nil || len(ps) != 1 || ps[0].Name != "mine" || ps[0].Memories != 2 || ps[0].Sessions == 0 {
		t.Errorf("projects are %+v, %v; want mine alone, with everything", ps, err)
	}
}
