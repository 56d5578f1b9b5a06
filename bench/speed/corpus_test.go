package main

import (
	"strings"
	"testing"
)

func TestDocumentsAreMadeByNumber(t *testing.T) {
	sum, known := 0, map[string]int{}
	for n := range 2_000 {
		d := documentOf(n)
		if d != documentOf(n) {
			t.Fatalf("document %d is another at the second call", n)
		}
		if other, ok := known[d.content]; ok {
			t.Fatalf("documents %d and %d have the same content", n, other)
		}
		known[d.content] = n
		sum += len(d.title) + len(d.content)
	}
	if mean := sum / 2_000; mean < 600 || mean > 700 {
		t.Errorf("documents have %d bytes in the mean, want 600 to 700", mean)
	}
	if a, b, c := documentOf(0), documentOf(99*projects), documentOf(100*projects); a.session != b.session || b.session == c.session || a.project != c.project {
		t.Errorf("sessions %s, %s, %s; want a hundred memories of a project in each", a.session, b.session, c.session)
	}
}

func TestQuestionsAskForWhatIsThere(t *testing.T) {
	for i := range 100 {
		d, q := asked(i, 50), question(i, 50)
		if d.number >= 50 {
			t.Fatalf("question %d asks for document %d of 50", i, d.number)
		}
		for _, word := range d.subject {
			if !strings.Contains(q, word) || !strings.Contains(d.title+d.content, word) {
				t.Errorf("%q does not ask with the words of %q, %q", q, d.title, d.content)
			}
		}
		if n := len(strings.Fields(q)); n < 10 || n > 15 {
			t.Errorf("%q has %d words", q, n)
		}
	}
}

func TestQuestionsInARowAreOfOneProject(t *testing.T) {
	for i := range 2 * inARow * projects {
		d := askedInARow(i, 40*projects)
		if d.project != projectOf(i/inARow) || d.number >= 40*projects {
			t.Fatalf("question %d is for document %d of %s, want one of %s", i, d.number, d.project, projectOf(i/inARow))
		}
	}
}

func TestMistyped(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"a question", "how did we deal with the stale timeout?"},
		{"a name is left alone", "Who is O'Brien of the parser team"},
		{"the shortest that is mistyped", "word"},
	} {
		for i := range 200 {
			got := mistyped(i, tt.text)
			if got != mistyped(i, tt.text) {
				t.Fatalf("%s: question %d is mistyped otherwise at the second call", tt.name, i)
			}
			a, b := strings.Fields(tt.text), strings.Fields(got)
			if len(a) != len(b) {
				t.Fatalf("%s: %q became %q", tt.name, tt.text, got)
			}
			changed := 0
			for k := range a {
				if a[k] == b[k] {
					continue
				}
				if changed++; a[k][0] != b[k][0] || letters(a[k]) == 0 || len(b[k]) < len(a[k])-1 || len(b[k]) > len(a[k])+1 {
					t.Errorf("%s: %q became %q", tt.name, a[k], b[k])
				}
			}
			// Two equal letters may change places.
			if changed > 1 || changed == 0 && i%4 != 0 {
				t.Errorf("%s: question %d has %d words changed: %q", tt.name, i, changed, got)
			}
		}
	}
	for _, text := range []string{"", "the a of", "CPU 42", "we've don't"} {
		if got := mistyped(1, text); got != text {
			t.Errorf("%q became %q, want it as it was: no word has four letters", text, got)
		}
	}
}
