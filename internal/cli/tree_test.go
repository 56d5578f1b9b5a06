package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/cli/command"
)

// A wrong name in a Maker would send its command to the whole tree: the answer would be right, and slow.
func TestMakersKnowTheNamesOfTheirCommands(t *testing.T) {
	for _, m := range families() {
		cmd := m.Make(&command.Program{})
		if got, want := strings.Fields(m.Names), append([]string{cmd.Name()}, cmd.Aliases...); !slices.Equal(got, want) {
			t.Errorf("maker of %q: got names %q, want %q", cmd.Name(), got, want)
		}
	}
}

func TestOneCommandIsBuiltForALineThatNamesIt(t *testing.T) {
	whole := len(tree().Commands())
	for _, c := range []struct {
		line string
		want int // commands; 0: all
	}{
		{"version", 1}, {"search save", 2}, {"--json remember x", 1}, {"--project search list", 2}, {"sync deferred --help", 1},
		{"", 0}, {"--help", 0}, {"help search", 0}, {"man search", 0}, {"completion bash", 0}, {"serach x", 0}, {"serach save", 0}, {"--project search", 0},
		{"__complete save x", 0},
	} {
		want := c.want
		if want == 0 {
			want = whole
		}
		if got := len(treeFor(&command.Program{}, strings.Fields(c.line)).Commands()); got != want {
			t.Errorf("engram %s: got %d commands, want %d", c.line, got, want)
		}
	}
}

// --help is written from the tree of one command, help from the whole one.
func TestHelpIsTheSameFromEitherTree(t *testing.T) {
	for _, c := range commands() {
		path := strings.Fields(c.CommandPath())[1:]
		alone, _, _ := run(append(slices.Clone(path), "--help")...)
		among, _, _ := run(append([]string{"help"}, path...)...)
		if alone != among {
			t.Errorf("%s --help:\n%s\nwant that of help:\n%s", c.CommandPath(), alone, among)
		}
	}
}

func BenchmarkTree(b *testing.B) {
	for _, line := range []string{"version", "search how long", "mcp", "help all"} {
		b.Run(strings.Fields(line)[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				treeFor(&command.Program{}, strings.Fields(line))
			}
		})
	}
}
