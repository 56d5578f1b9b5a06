package tui_test

import (
	"context"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/tui"
	"github.com/alanbuscaglia/engram/internal/tui/keymap"
	"github.com/alanbuscaglia/engram/internal/tui/screen"
)

func start(t *testing.T) (*desk, func() engram.Stats) {
	t.Helper()
	w := world(t)
	d := open(t, w.Engine, 120, 40, tui.Options{Project: "shop", Outside: outside()})
	return d, w.MustStats
}

// shows fails unless the frame has a text.
func (d *desk) shows(text string) {
	d.t.Helper()
	if f := d.frame(120, 40); !strings.Contains(f.String(), text) {
		d.t.Errorf("the screen does not show %q:\n%s", text, f)
	}
}

func TestForgettingIsUndoneInTheSameBreath(t *testing.T) {
	d, stats := start(t)
	before := stats().Memories
	d.keys(":", "'recent", "enter", "j", "d")
	d.shows("Forgot “Finding 11 on the checkout” · u undoes it")
	if got := stats().Memories; got != before-1 {
		t.Errorf("memories after forgetting one: %d, want %d", got, before-1)
	}
	d.keys("u")
	d.shows("Undid operation")
	d.shows("Finding 11 on the checkout")
	if got := stats().Memories; got != before {
		t.Errorf("memories after undo: %d, want %d", got, before)
	}
}

func TestSeveralAreForgottenAtOnce(t *testing.T) {
	d, stats := start(t)
	before := stats().Memories
	d.keys(":", "'recent", "enter", "space", "space", "space", "d")
	d.shows("Forgot 3 memories · u undoes it")
	if got := stats().Memories; got != before-3 {
		t.Errorf("memories after forgetting three: %d, want %d", got, before-3)
	}
	d.keys("u")
	if got := stats().Memories; got != before {
		t.Errorf("memories after undo: %d, want %d", got, before)
	}
}

func TestAVerdictIsOneKeyAndCanBeUndone(t *testing.T) {
	for key, verb := range map[string]engram.Verb{"1": engram.VerbSupersedes, "2": engram.VerbSupersedes, "3": engram.VerbContradicts, "4": engram.VerbCompatible, "5": engram.VerbScoped, "6": engram.VerbNotConflict} {
		t.Run(key, func(t *testing.T) {
			w := world(t)
			d := open(t, w.Engine, 120, 40, tui.Options{Project: "shop", Outside: outside()})
			d.keys(":", "'conflicts", "enter", key)
			d.shows("No conflict is open.")
			judged, _, err := w.Conflicts(t.Context(), relate.ConflictFilter{Status: engram.RelationJudged})
			if err != nil || len(judged) != 1 || judged[0].Relation.Verb != verb || judged[0].Relation.ActorKind != relate.KindHuman {
				t.Fatalf("judged: %+v, %v; want one %s by a person", judged, err, verb)
			}
			if left := judged[0].Source.Num == 5; left == (key == "2") {
				t.Errorf("key %s made #%d the source", key, judged[0].Source.Num)
			}
			d.keys("u")
			d.shows("The cache expires after 60 seconds")
		})
	}
}

// typist is an editor that writes a text, or fails.
type typist struct {
	change func(string) string
	text   string
	err    error
	closed bool
}

func (e *typist) Run() error {
	e.text = e.change(e.text)
	return e.err
}
func (*typist) SetStdin(io.Reader)      {}
func (*typist) SetStdout(io.Writer)     {}
func (*typist) SetStderr(io.Writer)     {}
func (e *typist) Text() (string, error) { return e.text, nil }
func (e *typist) Close() error          { e.closed = true; return nil }

// openWith opens the project shop with an editor.
func openWith(t *testing.T, w enginetest.World, editor *typist) *desk {
	t.Helper()
	o := outside()
	o.Edit = func(text string) (screen.Editing, error) {
		editor.text = text
		return editor, nil
	}
	return open(t, w.Engine, 120, 40, tui.Options{Project: "shop", Outside: o})
}

func TestAnEditorChangesAndWritesMemories(t *testing.T) {
	w := world(t)
	editor := &typist{}
	d := openWith(t, w, editor)

	editor.change = func(s string) string {
		if !strings.HasPrefix(s, "Title: Access tokens live 5 minutes\nType: decision\nScope: project\nTopic: auth/tokens\nTags: auth\n\nAccess tokens") {
			t.Errorf("the editor got\n%s", s)
		}
		return strings.Replace(s, "live 5 minutes; ", "live 10 minutes; ", 1)
	}
	d.keys(":", "'open 1", "enter", "e")
	d.shows("Saved “Access tokens live 5 minutes” · u undoes it")
	if m := w.MustGet(1).Memory; !strings.Contains(m.Content, "live 10 minutes") {
		t.Errorf("after the edit: %+v", m)
	}
	d.keys("u")
	if m := w.MustGet(1).Memory; !strings.Contains(m.Content, "live 5 minutes") {
		t.Errorf("after undo: %s", m.Content)
	}

	editor.change = func(string) string { return "no field here\n\ntext" }
	d.keys("n")
	d.shows("the text of a memory begins after the first empty line")
	editor.change = func(s string) string {
		if s != "no field here\n\ntext" {
			t.Errorf("the text that could not be saved was not offered again: %q", s)
		}
		return "Title: Written by hand\nType: fact\n\nFrom the editor."
	}
	d.keys("n")
	d.shows("Saved “Written by hand” · u undoes it")

	editor.change, editor.err = func(s string) string { return s + "lost" }, fmt.Errorf("exit status 1")
	d.keys(":", "'open 1", "enter", "e")
	d.shows("nothing was changed: the editor failed: exit status 1")
	if !editor.closed {
		t.Error("the editor's file was not removed")
	}
}

func TestAnEditDoesNotOverwriteWhatOthersWrote(t *testing.T) {
	w := world(t)
	editor := &typist{}
	d := openWith(t, w, editor)
	editor.change = func(s string) string {
		content := "Changed by an agent meanwhile."
		if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(2), Content: &content}); err != nil {
			t.Fatal(err)
		}
		return s + "\nmine"
	}
	d.keys(":", "'open 2", "enter", "e")
	d.shows("#2 was changed by another program meanwhile")
	if got := w.MustGet(2).Memory.Content; got != "Changed by an agent meanwhile." {
		t.Errorf("content: %q", got)
	}
	editor.change = func(s string) string { return s }
	d.keys("e")
	if got := w.MustGet(2).Memory.Content; !strings.HasSuffix(got, "\nmine") {
		t.Errorf("the kept text was not saved over it: %q", got)
	}
}

func TestWhatOthersSaveDoesNotMoveTheSelection(t *testing.T) {
	w := world(t)
	d := open(t, w.Engine, 120, 40, tui.Options{Project: "shop", Outside: outside()})
	d.keys(":", "'recent", "enter", "j", "j", "j")
	for i := range 3 {
		w.MustSave(remember.SaveInput{Project: "shop", Content: fmt.Sprintf("Saved by an agent, %d", i)})
	}
	d.send(tui.Changed())
	d.shows("Saved by an agent, 2")
	d.shows("▌ #17 Finding 9 on the checkout")
	d.keys("G")
	d.shows("▌ #1 ")
	w.MustSave(remember.SaveInput{Project: "shop", Content: "Saved while the end is shown"})
	row := d.rowOf("▌ #1 ")
	d.send(tui.Changed())
	if now := d.rowOf("▌ #1 "); now != row {
		t.Errorf("the selected line moved from %d to %d", row, now)
	}
	d.shows("↑ 1 new")
}

func (d *desk) rowOf(text string) int {
	for y, line := range d.frame(120, 40).text {
		if strings.HasPrefix(line, text) {
			return y
		}
	}
	return -1
}

// TestEveryScreenFitsEverySize draws each screen in terminals of all sizes, and after growing again.
func TestEveryScreenFitsEverySize(t *testing.T) {
	w := world(t)
	for _, name := range sortedNames(views()) {
		d := open(t, w.Engine, 80, 24, tui.Options{Project: "shop", Outside: outside()})
		d.keys(views()[name]...)
		for _, size := range [][2]int{{10, 3}, {1, 1}, {2, 40}, {200, 1}, {23, 7}, {59, 9}, {99, 5}, {300, 100}, {80, 24}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			for y, line := range strings.Split(d.model.View().Content, "\n") {
				if got := widthOf(line); got != size[0] {
					t.Fatalf("%s at %v: line %d has %d cells: %q", name, size, y, got, line)
				}
			}
			d.frame(size[0], size[1])
			d.keys("j", "k")
		}
		if name == "forgotten" {
			d.keys("u")
		}
	}
}

// TestTextsCannotReachTheTerminal looks for control characters in all frames.
func TestTextsCannotReachTheTerminal(t *testing.T) {
	w := world(t)
	for _, name := range sortedNames(views()) {
		d := open(t, w.Engine, 120, 40, tui.Options{Project: "shop", Outside: outside()})
		d.keys(views()[name]...)
		content := d.model.View().Content
		if strings.Contains(content, "\x1b[2J") || strings.Contains(content, "\x07") || strings.Contains(content, "\u202e") {
			t.Errorf("%s lets a memory act on the terminal", name)
		}
		if name == "forgotten" {
			d.keys("u")
		}
	}
	d := open(t, w.Engine, 120, 40, tui.Options{Project: "shop", Outside: outside()})
	d.keys(":", "'open 7", "enter")
	d.shows(`They \x1b[2Jmust never reach the terminal.\u202e`)
}

func TestAPastedMegabyteIsCut(t *testing.T) {
	d, _ := start(t)
	d.keys("/")
	d.send(tea.PasteMsg{Content: strings.Repeat("tokens \x1b[31m\xff\n", 200_000)})
	d.shows("the pasted text is longer than a question may be")
	d.keys("esc", ":")
	d.send(tea.PasteMsg{Content: "recent\n"})
	d.keys("enter")
	d.shows("Engram › Recent")
}

func TestKeysDoWhatTheySay(t *testing.T) {
	d, _ := start(t)
	d.keys("q")
	if !d.quit {
		t.Error("q does not quit on the first screen")
	}
	for _, tt := range []struct {
		name string
		keys []string
		want string
	}{
		{"back is one screen", []string{":", "'recent", "enter", "enter", "esc"}, "Engram › Recent"},
		{"a mistyped command is corrected", []string{":", "'recnt", "enter"}, "did you mean recent?"},
		{"a number opens a memory", []string{":", "'2", "enter"}, "Checkout retried payments twice"},
		{"a beginning is enough", []string{":", "'jou", "enter"}, "Engram › Journal"},
		{"tab completes", []string{":", "'proje", "tab", "tab", "enter"}, "Engram › Projects"},
		{"an unknown project is refused", []string{":", "'project shp", "enter"}, "did you mean shop?"},
		{"all projects", []string{":", "'recent", "enter", "P"}, "The old blog ran on Jekyll"},
		{"a theme", []string{":", "'theme nigth", "enter"}, "theme \"nigth\" does not exist"},
		{"nothing to undo", []string{"u"}, "you have changed nothing here"},
		{"a project is opened", []string{":", "'projects", "enter", "j", "enter"}, "Prefer short posts"},
		{"the journal undoes", []string{":", "'journal", "enter", "u"}, "Undid operation"},
		{"the queue approves", []string{":", "'queue", "enter", "a"}, "Approved"},
		{"links", []string{":", "'open 2", "enter", "m", "'1 derived_from", "enter"}, "#2 derived from #1: linked"},
		{"a wrong link", []string{":", "'open 2", "enter", "m", "'1 likes", "enter"}, "relation \"likes\" does not exist"},
		{"a filter that is no time", []string{"/", "'since:soon ", "'x"}, "is not a time"},
		{"backspace removes a chip", []string{"/", "'type:decision ", "backspace"}, "newest first"},
		{"unknown memories", []string{":", "'open 999", "enter"}, "does not exist"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := start(t)
			d.keys(tt.keys...)
			d.shows(tt.want)
		})
	}
}

func TestAFolderWithoutMemoriesShowsAllProjects(t *testing.T) {
	d := open(t, world(t).Engine, 120, 40, tui.Options{Project: "new-folder", Outside: outside()})
	d.shows("Nothing is stored for project new-folder yet: all projects are shown")
	d.shows("22        4         0        3")
}

func TestAnEmptyStoreSaysHowItIsFilled(t *testing.T) {
	d := open(t, enginetest.New(t), 120, 40, tui.Options{Project: "new-folder", Outside: outside()})
	d.shows("Nothing is stored yet: n writes a memory")
	if f := d.frame(120, 40).String(); strings.Contains(f, "new-folder") {
		t.Errorf("it speaks of other projects:\n%s", f)
	}
}

func TestTheStoreCanDisappearAndComeBack(t *testing.T) {
	d, _ := start(t)
	d.send(tui.Unreadable(engram.Errorf(engram.CodeUnavailable, "the database has disappeared").WithHint("restore it")))
	d.shows("the database has disappeared; restore it")
	d.keys(":", "'recent", "enter")
	d.shows("the database has disappeared; restore it")
	d.send(tui.Unreadable(nil))
	d.shows("The database can be read again")
}

func TestColoursFollowTheTerminal(t *testing.T) {
	for _, tt := range []struct{ name, env, want string }{
		{"dark by default", "", "mocha"}, {"light background", "COLORFGBG=0;15", "latte"}, {"dark background", "COLORFGBG=15;0", "mocha"},
	} {
		m := tui.New(context.Background(), tui.Options{Engine: world(t).Engine, Env: []string{tt.env}})
		if got := m.Theme(); got != tt.want {
			t.Errorf("%s: theme %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestEnterNeverOpensAResultOfAnEarlierQuestion presses enter twice before the search has begun.
func TestEnterNeverOpensAResultOfAnEarlierQuestion(t *testing.T) {
	d, _ := start(t)
	d.keys("/")
	var held []tea.Cmd
	for _, k := range []string{"t", "o", "k", "e", "n", "s", "enter", "enter"} {
		_, cmd := d.model.Update(press(k))
		held = append(held, cmd)
	}
	d.shows("Search results")
	for _, cmd := range held {
		d.run(cmd)
	}
	d.shows("Engram › Search results › #1")
}

// TestALateAnswerIsIgnored lets the search for the beginning of a question end after that for the whole question.
func TestALateAnswerIsIgnored(t *testing.T) {
	d, _ := start(t)
	d.keys("/")
	// rested returns the search that begins when the question has rested.
	rested := func(k string) tea.Cmd {
		_, wait := d.model.Update(press(k))
		_, search := d.model.Update(wait())
		return search
	}
	first := rested("x")
	d.model.Update(press("backspace"))
	for _, k := range []string{"t", "o", "k", "e", "n"} {
		d.model.Update(press(k))
	}
	d.run(rested("s"))
	d.shows("Access tokens live 5 minutes")
	d.run(first)
	d.shows("Access tokens live 5 minutes")
	d.shows("❯ tokens")
}

func TestTheMouseSelectsOpensAndScrolls(t *testing.T) {
	d, _ := start(t)
	d.keys(":", "'recent", "enter")
	click := func(x, y int) { d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(5, 6)
	d.shows("▌ #18 ")
	d.send(tea.MouseWheelMsg{X: 5, Y: 6, Button: tea.MouseWheelDown})
	d.shows("▌ #15 ")
	for _, at := range [][2]int{{0, 0}, {119, 39}, {500, 500}, {-1, -1}} {
		click(at[0], at[1])
	}
	d.keys("esc")
	click(3, 6) // the menu
	d.shows("Engram › Recent")
}

func TestThemesFollowWhatTheTerminalSays(t *testing.T) {
	for _, tt := range []struct {
		theme string
		msg   tea.Msg
		want  string
	}{
		{"auto", tea.BackgroundColorMsg{Color: color.White}, "latte"},
		{"auto", tea.BackgroundColorMsg{Color: color.Black}, "mocha"},
		{"auto", tea.ColorProfileMsg{Profile: colorprofile.ANSI}, "ansi"},
		{"auto", tea.ColorProfileMsg{Profile: colorprofile.ASCII}, "mono"},
		{"contrast", tea.BackgroundColorMsg{Color: color.White}, "contrast"},
		{"contrast", tea.ColorProfileMsg{Profile: colorprofile.ASCII}, "mono"},
	} {
		m := tui.New(t.Context(), tui.Options{Engine: enginetest.New(t), Theme: tt.theme})
		m.Update(tt.msg)
		if got := m.Theme(); got != tt.want {
			t.Errorf("%s after %T %v: theme %s, want %s", tt.theme, tt.msg, tt.msg, got, tt.want)
		}
	}
}

// TestSearchesAreKept saves a search, and finds it and a past one again.
func TestSearchesAreKept(t *testing.T) {
	w := world(t)
	var kept screen.Kept
	o := outside()
	o.Load = func() (screen.Kept, error) { return kept, nil }
	o.Store = func(k screen.Kept) error { kept = k; return nil }
	d := open(t, w.Engine, 120, 40, tui.Options{Project: "shop", Outside: o})
	d.keys("/", "'type:decision tokens", "enter", "b")
	d.shows("Saved the search “type:decision tokens”")
	secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	d.keys("/", "ctrl+u", "'"+secret, "enter")
	if len(kept.Saved) != 1 || len(kept.History) != 2 || strings.Contains(fmt.Sprint(kept), secret) {
		t.Errorf("kept: %+v", kept)
	}
	d = open(t, w.Engine, 120, 40, tui.Options{Project: "shop", Outside: o})
	d.keys("/", "enter", "H", "enter")
	d.shows("type:decision")
	d.shows("Access tokens live 5 minutes")
}

// TestOneKeyUndoesAnActOnSeveral acts on three selected memories, and undoes all of it at once.
func TestOneKeyUndoesAnActOnSeveral(t *testing.T) {
	for _, tt := range []struct {
		name, did string
		keys      []string
		done      func(m read.Detail) bool
	}{
		{"pin", "3 memories: each is pinned and does not fade", []string{"p"}, func(m read.Detail) bool { return m.Memory.Permanent }},
		{"link", "3 memories: each relates to #1", []string{"m", "'1", "enter"}, func(m read.Detail) bool {
			return slices.ContainsFunc(m.Relations, func(r engram.RelationNote) bool { return r.Other.Num == 1 && r.Outgoing })
		}},
		{"forget", "Forgot 3 memories", []string{"d"}, func(m read.Detail) bool { return m.Memory.Forgotten() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := world(t)
			d := open(t, w.Engine, 120, 40, tui.Options{Project: "shop", Outside: outside()})
			nums := w.MustList(engram.Filter{Project: "shop"})[:3]
			count := func() (n int) {
				for _, num := range nums {
					m, err := w.Get(t.Context(), engram.ByNum(num))
					if engram.CodeOf(err) == engram.CodeNotFound {
						m.Memory.DeletedAt = w.Clock.Now()
					}
					if tt.done(m) {
						n++
					}
				}
				return n
			}
			d.keys(":", "'recent", "enter", "space", "space", "space")
			d.shows("3 selected")
			d.keys(tt.keys...)
			d.shows(tt.did + " · u undoes it")
			if got := count(); got != 3 {
				t.Fatalf("%d of 3 are done", got)
			}
			d.keys("u")
			if got := count(); got != 0 {
				t.Errorf("after undo %d of 3 are still done", got)
			}
			d.keys("u")
			d.shows("you have changed nothing here")
		})
	}
}

func TestExposuresFollowWhatAgentsAreShown(t *testing.T) {
	w := world(t)
	d := open(t, w.Engine, 120, 40, tui.Options{Project: "shop", Outside: outside()})
	d.keys(":", "'exposures", "enter")
	d.shows("asked “how long do access tokens live”")
	ask := func(question string) {
		if _, err := w.SearchIn(t.Context(), "codex-7", searchFor(question, "shop")); err != nil {
			t.Fatal(err)
		}
	}
	ask("which retry charged twice")
	d.tick()
	d.shows("asked “which retry charged twice”")
	d.keys("enter")
	ask("does the cache expire")
	d.tick()
	d.shows("rank 1 for “does the cache expire”")
	d.keys("esc", "esc")
	d.tick()
	if d.tick(); len(d.later) > 1 { // the ages of the dashboard alone
		t.Errorf("closed screens are still read: %T", d.later)
	}
}

// TestGoingBackOnceTooOftenEndsNothing presses esc on the first screen, and with selected memories.
func TestGoingBackOnceTooOftenEndsNothing(t *testing.T) {
	d, _ := start(t)
	d.keys("esc", "h", "left")
	if d.shows("Q quits"); d.quit {
		t.Error("the program has ended")
	}
	d.keys(":", "'recent", "enter", "space", "esc")
	if f := d.frame(120, 40); !strings.Contains(f.String(), "Engram › Recent") || strings.Contains(f.String(), "selected") {
		t.Errorf("esc does not drop the selection, and that alone:\n%s", f)
	}
}

// TestReadingGoesOnWithTheNextMemory turns the page of a memory to the next one of the list, and back.
func TestReadingGoesOnWithTheNextMemory(t *testing.T) {
	d, _ := start(t)
	d.keys(":", "'recent", "enter", "enter")
	d.shows("Engram › Recent › #20")
	d.keys("J", "J", "K", "J")
	d.shows("Engram › Recent › #18")
	d.shows("Finding 10 on the checkout")
	d.keys("esc")
	d.shows("▌ #18 ")
	d.keys("tab", "J")
	d.shows("▌ #17 ")
}

// TestKeysOfTheSettingsAreUsedAndShown changes two keys.
func TestKeysOfTheSettingsAreUsedAndShown(t *testing.T) {
	keys, err := keymap.Parse("forget=x, down=ctrl+j")
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, world(t).Engine, 120, 40, tui.Options{Project: "shop", Outside: outside(), Keys: keys})
	d.keys(":", "'recent", "enter")
	d.shows("x forget")
	d.keys("j", "d", "ctrl+j")
	d.shows("▌ #19 ")
	d.keys("x")
	d.shows("Forgot “Finding 11 on the checkout”")
	d.keys("?")
	d.shows("ctrl+j                next line")
}

// TestWhatIsKnownOfAMemoryScrollsWithItsText shows the end of the longer side in a low, wide terminal.
func TestWhatIsKnownOfAMemoryScrollsWithItsText(t *testing.T) {
	w := world(t)
	for i := range 3 {
		w.Clock.Add(time.Hour)
		w.MustSave(remember.SaveInput{Project: "shop", Type: engram.TypeDecision, Title: "Access tokens live", TopicKey: "auth/tokens", Content: fmt.Sprintf("Access tokens live %d minutes.", i+20)})
	}
	d := open(t, w.Engine, 200, 16, tui.Options{Project: "shop", Outside: outside()})
	d.keys(":", "'open 1", "enter")
	first := "Access tokens live 15 minutes; refresh tokens rotate."
	if f := d.frame(200, 16).String(); strings.Contains(f, first) {
		t.Fatalf("all of it is visible at once:\n%s", f)
	}
	d.keys("G")
	if f := d.frame(200, 16).String(); !strings.Contains(f, first) {
		t.Errorf("the end is not visible:\n%s", f)
	}
}

func TestAnEarlierVersionIsRestored(t *testing.T) {
	w := world(t)
	d := open(t, w.Engine, 120, 40, tui.Options{Project: "shop", Outside: outside()})
	content := func() string { return w.MustGet(1).Memory.Content }
	was := content()
	d.keys(":", "'open 1", "enter", "R")
	d.shows("Restore:")
	d.keys("enter")
	d.shows("Restored version 1 of #1 · u undoes it")
	if got := content(); got != "Access tokens live 15 minutes; refresh tokens rotate." {
		t.Errorf("restored: %q", got)
	}
	d.keys("u")
	if got := content(); got != was {
		t.Errorf("after undo: %q, want %q", got, was)
	}
	d.keys(":", "'open 2", "enter", "R")
	d.shows("#2 has no earlier version")
}
