package markdown

import (
	"path"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
)

const someID = engram.ID("mem_01m806jkpqhmcmj478e3cqpkg0")

// awkward are titles that broke other exporters, and the names of their notes. Titles come from
// agents and others: none may leave the folder, name a device or hide.
func awkward() []struct{ what, title, stem string } {
	return []struct{ what, title, stem string }{
		{"a path upwards", "../../etc/passwd", "etc-passwd"},
		{"an absolute path", "/root/.ssh/id_rsa", "root-ssh-id-rsa"},
		{"a path of Windows", `C:\Windows\System32`, "c-windows-system32"},
		{"a share of Windows", `\\server\share`, "server-share"},
		{"a device of Windows", "CON", "con"},
		{"a device of Windows with an ending", "nul.txt", "nul-txt"},
		{"a port of Windows", "COM1", "com1"},
		{"characters that Windows forbids", `a<b>c:d"e|f?g*h`, "a-b-c-d-e-f-g-h"},
		{"dots and blanks at the end", "the end. . .", "the-end"},
		{"a dot at the beginning", ".obsidian", "obsidian"},
		{"a dash at the beginning", "-rf --no-preserve-root", "rf-no-preserve-root"},
		{"only dots", "..", "memory"},
		{"only blanks and signs", " \t?!… ", "memory"},
		{"signs of Markdown and wiki links", "[[x]] | #tag ^block %%hidden%%", "x-tag-block-hidden"},
		{"front matter", "---\nid: other\n---", "id-other"},
		{"an alias of YAML", "@home: *x &y !z", "home-x-y-z"},
		{"control characters", "a\x00b\x1b[31mc\x7fd\r\ne", "a-b-31mc-d-e"},
		{"letters that turn the direction", "invoice\u202egnp.exe", "invoice-gnp-exe"},
		{"letters without width", "zero\u200bwidth\ufeff", "zero-width"},
		{"pictures", "🎉 Ship it 🚀", "ship-it"},
		{"only pictures", "👩‍👩‍👧‍👦", "memory"},
		{"decomposed letters", "Cafe\u0301", "café"},
		{"composed letters", "Café", "café"},
		{"a capital with a mark of its own", "İstanbul", "istanbul"},
		{"other scripts", "数据库 连接池 Пул", "数据库-连接池-пул"},
		{"a mark that stands on nothing", "\u0301\u0301acute", "acute"},
		{"bytes that are no text", "a\xff\xfeb", "ab"},
		{"a title without end", strings.Repeat("long ", 800), strings.TrimSuffix(strings.Repeat("long-", 16), "-")},
		{"a word without end", strings.Repeat("ж", 2000), strings.Repeat("ж", 40)},
		{"an ending of ours", "notes.md", "notes-md"},
		{"what is put aside", "a.conflict.md", "a-conflict-md"},
	}
}

func TestAwkwardTitlesMakeSafeNames(t *testing.T) {
	for _, tt := range awkward() {
		t.Run(tt.what, func(t *testing.T) {
			got := noteName(engram.NotePlace{ID: someID, Project: "shop", Type: "fact", Title: tt.title}, 6)
			if want := "shop/fact/" + tt.stem + "-cqpkg0.md"; got != want {
				t.Errorf("the note of %q is called\n got %s\nwant %s", tt.title, got, want)
			}
			checkName(t, got)
		})
	}
}

func TestAwkwardFolders(t *testing.T) {
	for _, tt := range []struct{ what, name, begins string }{
		{"a plain name stays", "shop", "shop"},
		{"dots and underscores inside stay", "my_app.web", "my_app.web"},
		{"a device", "con", "con-"},
		{"a device with an ending", "aux.go", "aux-go-"},
		{"a port with a raised number", "com¹", "com¹-"},
		{"a path", "a/b", "a-b-"},
		{"a way upwards", "..", ""},
		{"a folder of ours", "_topics", "topics-"},
		{"a hidden one", ".obsidian", "obsidian-"},
		{"a dot at the end", "shop.", "shop-"},
		{"too long", strings.Repeat("x", 300), strings.Repeat("x", projectBytes) + "-"},
		{"nothing that can stand", "///", ""},
	} {
		t.Run(tt.what, func(t *testing.T) {
			got := folder(tt.name, projectBytes)
			if !strings.HasPrefix(got, tt.begins) || strings.HasSuffix(tt.begins, "-") && len(got) != len(tt.begins)+6 {
				t.Errorf("the folder of %q: got %s, want %s…", tt.name, got, tt.begins)
			}
			checkName(t, got+"/x.md")
		})
	}
	if a, b := folder("a/b", 60), folder(`a\b`, 60); a == b {
		t.Errorf("two projects have one folder: %s", a)
	}
}

// Any title gives a note that every file system accepts, and no two memories share a note.
func TestNamesAreSafeWhateverTheTitle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[\pL\pM. _/\\-]{0,200}`), rapid.SampledFrom([]string{"con", "..", "_topics", "LPT9.md"}))
		place := engram.NotePlace{ID: someID, Project: text.Draw(t, "project"), Type: engram.Type(text.Draw(t, "type")), Title: text.Draw(t, "title")}
		name := noteName(place, 6)
		checkName(t, name)
		other := place
		other.ID = "mem_01m806jkpqhmcmj478e3cqpkg1"
		if sameFile(noteName(other, 6)) == sameFile(name) {
			t.Fatalf("%+v and its neighbour are both called %s", place, name)
		}
		checkName(t, hubName(engram.Hub{Kind: engram.HubSession, Key: place.Title}))
	})
}

// checkName checks the name of a note against the rules of file systems.
func checkName(t interface {
	Helper()
	Errorf(string, ...any)
}, name string) {
	t.Helper()
	if !local(name) || len(name) > 230 || !utf8.ValidString(name) {
		t.Errorf("%q (%d bytes) cannot be in a vault", name, len(name))
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || reserved(part) || strings.ContainsAny(part, `<>:"|?*`) || strings.ContainsFunc(part, unicode.IsControl) ||
			strings.HasPrefix(part, ".") || strings.HasPrefix(part, "-") || strings.TrimRight(part, ". ") != part || sameFile(part) != part {
			t.Errorf("%q of %q is no name on some file system", part, name)
		}
	}
	if path.Clean(name) != name {
		t.Errorf("%q is not the shortest way", name)
	}
}
