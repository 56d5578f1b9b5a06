package read_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestRecollectLeavesOutWhatHasFadedUnlessToldOtherwise(t *testing.T) {
	t.Parallel()
	p := enginetest.NewParts(t)
	save := func(content string) remember.SaveResult {
		res, err := p.Engine.Save(t.Context(), remember.SaveInput{Content: content, Project: "demo", Admit: remember.AdmitMerging})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if res := save("The queue drops mails over 10 MB."); res.Known() || res.Contested() != nil {
		t.Errorf("the first: known %t, contested %v, want neither", res.Known(), res.Contested())
	}
	if res := save("The queue drops mails over 10 MB."); !res.Known() {
		t.Error("a repeat: got new, want known")
	}
	p.Clock.Add(20 * 365 * 24 * time.Hour)
	for _, tt := range []struct {
		name  string
		least *float64
		want  int
	}{
		{"the default, which what is left of a memory still has", nil, 1},
		{"the default, told", new(read.LeastStrength), 1},
		{"more than it has", new(0.9), 0},
		{"however faded", new(0.0), 1},
	} {
		for _, query := range []string{"queue", ""} {
			found, err := p.Engine.Recollect(t.Context(), read.RecollectInput{Query: query, MinStrength: tt.least})
			if err != nil || len(found.Hits) != tt.want {
				t.Errorf("%s, asked %q: got %d, error %v, want %d", tt.name, query, len(found.Hits), err, tt.want)
			}
		}
	}
}
