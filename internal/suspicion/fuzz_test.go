package suspicion_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/suspicion"
)

func FuzzOf(f *testing.F) {
	for _, l := range labels(f, "labelled") {
		f.Add(l.Text)
	}
	f.Add("’")
	f.Add("a’’＇b\xff\xe2\x80")
	f.Fuzz(func(t *testing.T, text string) {
		reasons := suspicion.Of(text)
		for _, r := range reasons {
			if r.Code == "" || r.Why == "" || len(r.Excerpt) > maxExcerpt || !utf8.ValidString(r.Excerpt) || strings.ContainsAny(r.Excerpt, "\n\x1b\x00") {
				t.Errorf("%q\n got %+v\nwant a bounded excerpt in which everything can be seen", text, r)
			}
		}
		if again := suspicion.Of(text); !slices.Equal(again, reasons) {
			t.Errorf("%q\n got %+v, then %+v\nwant the same twice", text, reasons, again)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	all := labels(b, "labelled")
	memory := strings.Repeat("We chose one writer and many readers: the database locks whole files, and waits of 5 s were seen under load. ", 5)
	for _, bm := range []struct {
		name string
		text string
	}{
		{"memory of 550 bytes", memory},
		{"order", all[0].Text},
		{"document of 110 kB", strings.Repeat(memory, 200)},
		{"not ASCII", strings.Repeat("Die Größe des Puffers wächst mit jeder Übertragung. ", 10)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			for b.Loop() {
				suspicion.Of(bm.text)
			}
		})
	}
}
