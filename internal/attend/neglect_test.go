package attend_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/attend"
)

func times(n int, note attend.Note) []attend.Note { return slices.Repeat([]attend.Note{note}, n) }

// remade is a command that fails, and passes once another one was run.
func remade(command string) []attend.Note {
	return []attend.Note{failed(command, "error: "+command), ran("npm install"), ran(command)}
}

func TestNeglect(t *testing.T) {
	saved := attend.Note{Kind: attend.KindTool, Tool: "mcp__engram__mem_save"}
	asked := attend.Note{Kind: attend.KindAsked}
	fixed := []attend.Note{failed("make", "error: x"), edited("b.go"), ran("make")}
	for _, tt := range []struct {
		name  string
		notes []attend.Note
		saved int
		want  string // in what is asked; "": nothing is
	}{
		{"nothing was done", nil, 0, ""},
		{"little was done", times(5, edited("a.go")), 0, ""},
		{"much was done", times(6, edited("a.go")), 0, "In this session you made 6 edits in 1 file."},
		{"edits and a command that was mended", append(times(2, edited("a.go")), fixed...), 0, "In this session you made 3 edits in 2 files and got 1 failing command to pass."},
		{"commands that were mended elsewhere than in files", slices.Concat(remade("make"), remade("cargo test")), 0, "In this session you got 2 failing commands to pass."},
		{"reading is no work", times(50, attend.Note{Kind: attend.KindTool, Tool: "Read", Path: "a.go"}), 0, ""},
		{"what failed is none", times(20, attend.Note{Kind: attend.KindTool, Path: "a.go", Writes: true, Failed: true}), 0, ""},
		{"it was saved", append(times(8, edited("a.go")), saved), 1, ""},
		{"much was done since it was saved", append([]attend.Note{saved}, times(8, edited("a.go"))...), 1, "Since the last memory was saved you made 8 edits in 1 file."},
		{"it was saved otherwise", times(8, edited("a.go")), 2, ""},
		{"it was asked and little was done since", slices.Concat(times(8, edited("a.go")), []attend.Note{asked}, times(7, edited("a.go"))), 0, ""},
		{"it was asked and twice as much was done since", slices.Concat(times(8, edited("a.go")), []attend.Note{asked}, times(12, edited("a.go"))), 0, "Since you were asked last you made 12 edits in 1 file."},
		{"it was asked twice", slices.Concat([]attend.Note{asked, asked}, times(99, edited("a.go"))), 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := attend.Neglect(tt.notes, tt.saved)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("Neglect of %d notes, %d saved\n got %q\nwant %q in it", len(tt.notes), tt.saved, got, tt.want)
			}
		})
	}
}

// There is no asking after the last stop, so what is asked at one names the summary, until there is one.
func TestNeglectAsksForASummaryToo(t *testing.T) {
	work := times(8, edited("a.go"))
	summed := attend.Note{Kind: attend.KindTool, Tool: "mcp__engram__mem_session_summary"}
	failed := summed
	failed.Failed = true
	for _, tt := range []struct {
		name  string
		notes []attend.Note
		want  bool
	}{
		{"there is none", work, true},
		{"one memory was saved and no summary", append([]attend.Note{{Kind: attend.KindTool, Tool: "mem_save"}}, work...), true},
		{"there is one", append([]attend.Note{summed}, work...), false},
		{"it could not be kept", append([]attend.Note{failed}, work...), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := attend.Neglect(tt.notes, 0)
			if !strings.Contains(got, "mem_save") || strings.Contains(got, "mem_session_summary") != tt.want {
				t.Errorf("Neglect\n got %q\nwant mem_save in it, and mem_session_summary: %v", got, tt.want)
			}
		})
	}
}

func TestSaves(t *testing.T) {
	for tool, want := range map[string]bool{"mem_save": true, "mcp__engram__mem_save": true, "engram_mem_session_summary": true, "MCP_engram_remember": true,
		"mem_search": false, "Write": false, "": false} {
		if got := attend.Saves(tool); got != want {
			t.Errorf("Saves(%q) = %v, want %v", tool, got, want)
		}
	}
}
