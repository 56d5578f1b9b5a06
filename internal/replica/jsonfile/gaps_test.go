package jsonfile_test

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/alanbuscaglia/engram"
)

// blanks reads n blanks, in pieces as a packed file gives them.
func blanks(n int64) io.Reader { return io.LimitReader(pieces{}, n) }

type pieces struct{}

func (pieces) Read(p []byte) (int, error) {
	p = p[:min(len(p), 32<<10)]
	for i := range p {
		p[i] = " \n\t\r"[i%4]
	}
	return len(p), nil
}

// Long white space costs neither time nor memory, and does not count toward the length of an item.
func TestWhiteSpaceIsReadOver(t *testing.T) {
	const much = 64 << 20
	for _, tt := range []struct{ name, before, behind string }{
		{"before the file", ``, `{"format":"engram","version":1,"memories":[{"content":"a"}]}`},
		{"in a list", `{"format":"engram","version":1,"memories":[`, `{"content":"a"}]}`},
		{"in an item", `{"format":"engram","version":1,"memories":[{"content":`, `"a"}]}`},
		{"behind an item", `{"format":"engram","version":1,"memories":[{"content":"a"}`, `]}`},
		{"behind the file", `{"format":"engram","version":1,"memories":[{"content":"a"}]}`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, all, err := read(io.MultiReader(strings.NewReader(tt.before), blanks(much), strings.NewReader(tt.behind)))
			runtime.ReadMemStats(&after)
			if err != nil || len(all) != 1 || all[0].Memory.Memory.Content != "a" {
				t.Errorf("%d bytes of white space %s: got %d records, %v; want the one memory", much, tt.name, len(all), err)
			}
			// A reader that keeps it scans it again with every read.
			if took := after.TotalAlloc - before.TotalAlloc; took > much/8 {
				t.Errorf("%d bytes of white space %s took %d bytes; want little of it to be kept", much, tt.name, took)
			}
		})
	}
}

func BenchmarkWhiteSpace(b *testing.B) {
	const much = 1 << 20
	b.SetBytes(much)
	for b.Loop() {
		if _, _, err := read(io.MultiReader(strings.NewReader(`{"format":"engram","version":1,"memories":[`), blanks(much), strings.NewReader(`{"content":"a"}]}`))); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTheBlanksOfATextStay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat(" ", 20_000),
		`\"` + strings.Repeat(" ", 20_000) + `\\`,
		`\\\"` + strings.Repeat(" ", 10_000) + `\"`,
	} {
		file := `{"format":"engram","version":1,"memories":[{"title":"b","content":"` + text + `"}` + strings.Repeat(" ", 10_000) + `]}`
		want := strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(text)
		for _, r := range []io.Reader{strings.NewReader(file), iotest.OneByteReader(strings.NewReader(file)), iotest.HalfReader(strings.NewReader(file))} {
			_, all, err := read(r)
			if err != nil || len(all) != 1 || all[0].Memory.Memory.Content != want {
				t.Errorf("read a text of %d bytes: got %d records, %v; want one with each of its %d letters", len(text), len(all), err, len(want))
			}
		}
	}
}

func TestWhereItIsBrokenCountsWhatWasReadOver(t *testing.T) {
	t.Parallel()
	file := `{"format":"engram","version":1,` + strings.Repeat(" ", 10_000) + `"memories":[{"content":"` + "\xe9" + `"}]}`
	_, _, err := read(strings.NewReader(file))
	if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "not valid UTF-8 at byte 10055") {
		t.Errorf("got %v, want it told of byte 10055", err)
	}
}
