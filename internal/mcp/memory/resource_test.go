package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp/memory"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// newDialect is the dialect over a store with one memory, of project demo.
func newDialect(t testing.TB) *memory.Dialect {
	t.Helper()
	e := enginetest.New(t)
	_, err := e.Save(t.Context(), remember.SaveInput{Title: "Auth model", Content: "Tokens live 15 minutes.", TopicKey: "auth/model", Project: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	return memory.New(tool.Options{Engine: e, Project: "demo"})
}

func TestWhatURIsName(t *testing.T) {
	t.Parallel()
	d := newDialect(t)
	const one, list = "Auth model", "# Memories of demo"
	for _, tt := range []struct {
		name, uri, want string // in the Markdown; "" for not found
	}{
		{"an id", "engram://memories/mem_00000000000000000000000001", one},
		{"the beginning of an id", "engram://memories/mem_0000", one},
		{"a number", "engram://memories/1", one},
		{"a number with its sign, escaped", "engram://memories/%231", one},
		{"a topic", "engram://memories/topic:auth/model", one},
		{"a topic, escaped", "engram://memories/topic%3Aauth%2Fmodel", one},
		{"a path", "/memories/1", one},
		{"a list", "engram://projects/demo/memories", list},
		{"a list by the project's name in capitals", "engram://projects/Demo/memories", list},
		{"the list of the project in force", "engram://memories", list},
		{"the same as a path", "/memories/*", list},
		{"a list of a type", "engram://projects/demo/memories?type=manual", one},
		{"a list of a topic", "engram://projects/demo/memories?topic=auth", one},
		{"a list with an argument that nobody knows", "engram://projects/demo/memories?colour=red", one},
		{"nothing", "", ""},
		{"another scheme", "http://memories/1", ""},
		{"a memory without a name", "engram://memories/", ""},
		{"a project without a name", "engram://projects//memories", ""},
		{"a project that does not exist", "engram://projects/nowhere/memories", ""},
		{"a project and no list", "engram://projects/demo", ""},
		{"a path upwards", "engram://memories/../1", ""},
		{"a broken escape", "engram://memories/%", ""},
		{"half a character", "engram://memories/%ff", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := d.Read(t.Context(), tool.Caller{}, tt.uri)
			if tt.want == "" {
				if engram.CodeOf(err) != engram.CodeNotFound {
					t.Errorf("%s: got %v, error %v, want not found", tt.uri, got, err)
				}
				return
			}
			if err != nil || len(got) != 2 || !strings.Contains(got[1].Text, tt.want) {
				t.Errorf("%s: got %v, error %v, want %q", tt.uri, got, err, tt.want)
			}
		})
	}
}

func TestAListLeadsToItsNextPage(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	for i := range 120 {
		_, err := e.Save(t.Context(), remember.SaveInput{Content: fmt.Sprintf("about %d", i), Type: []engram.Type{"fact", "tip & trick"}[i%2], Project: "a b"})
		if err != nil {
			t.Fatal(err)
		}
	}
	d := memory.New(tool.Options{Engine: e, Project: "a b"})
	uri, pages, found := "engram://projects/a%20b/memories?type=tip+%26+trick", 0, 0
	for ; uri != ""; pages++ {
		got, err := d.Read(t.Context(), tool.Caller{}, uri)
		if err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
		found += strings.Count(got[1].Text, "- [tip & trick]")
		_, uri, _ = strings.Cut(got[1].Text, "\nMore: ")
		uri = strings.TrimSpace(uri)
	}
	if pages != 2 || found != 60 {
		t.Errorf("got %d memories on %d pages, want 60 on 2", found, pages)
	}
}

func TestAProjectThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	d := memory.New(tool.Options{Engine: e, Project: "no/such/../name"})
	if _, _, err := d.Resources(t.Context(), ""); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("an invalid project: got %v, want invalid", err)
	}
}

// No URI and no cursor is anybody's fault but its writer's.
func FuzzRead(f *testing.F) {
	for _, uri := range []string{"engram://memories/1", "/memories/*", "engram://projects/demo/memories?type=x&topic=y&cursor=MS4x",
		"engram://projects/demo/memories?cursor=////", "engram://memories/topic:auth/model", "engram://memories/%00", "engram://projects/%2e%2e/memories"} {
		f.Add(uri)
	}
	d := newDialect(f)
	f.Fuzz(func(t *testing.T, uri string) {
		got, err := d.Read(t.Context(), tool.Caller{}, uri)
		switch engram.CodeOf(err) {
		case "", engram.CodeNotFound, engram.CodeInvalid, engram.CodeConflict:
		default:
			t.Errorf("%q: %v", uri, err)
		}
		if err == nil && len(got) != 2 {
			t.Errorf("%q: %d contents", uri, len(got))
		}
	})
}
