package consolidate_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// How far the vectors are is told while a process makes them, with the time that it will take.
func TestHowFarVectorsAreIsTold(t *testing.T) {
	t.Parallel()
	const total = 200
	w := crowd(t, total)
	told := func(e *engine.Engine) engram.Embedded {
		t.Helper()
		got, err := e.Embedded(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := func(when string, got, want engram.Embedded) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %+v, want %+v", when, got, want)
		}
		if got.Complete() != (want.Memories == want.Total) {
			t.Errorf("%s: complete %t", when, got.Complete())
		}
	}
	want("without a model", told(w.With(engine.Options{})), engram.Embedded{})
	builtin := enginetest.Embedder().Model().Name
	want("of the built-in model", told(w.With(engine.Options{Embedder: enginetest.Embedder()})), engram.Embedded{Model: builtin, Memories: total, Total: total})

	far := newRemote("far", "1")
	e := beside(w, far)
	want("before", told(e), engram.Embedded{Model: "far", Total: total})
	steps, begun := 0, w.Clock.Now()
	_, err := e.Reembed(t.Context(), consolidate.ReembedInput{Background: true, Progress: func(done, _ int) {
		got := told(e)
		if steps++; done == 0 {
			want("at the beginning", got, engram.Embedded{Model: "far", Total: total})
			return
		}
		if done < total {
			want("meanwhile", got, engram.Embedded{Model: "far", Memories: done, Total: total, Running: true, Left: got.Left})
			most := w.Clock.Now().Sub(begun) * time.Duration(total-done) / time.Duration(done)
			if got.Left > most || got.Left < most/3 {
				t.Errorf("after %d: %v left, want about %v", done, got.Left, most)
			}
			other := newRemote("far", "1") // has not answered yet
			if named := told(beside(w, other)); named.Memories != done || !named.Running {
				t.Errorf("to a process that has asked nothing: %+v", named)
			}
		}
		w.Clock.Add(10 * time.Second)
	}})
	if err != nil || steps < 4 {
		t.Fatalf("%d steps, %v", steps, err)
	}
	want("afterwards", told(e), engram.Embedded{Model: "far", Memories: total, Total: total})
	w.Note("Valve", "Another valve of the boiler was greased.")
	want("after a save", told(e), engram.Embedded{Model: "far", Memories: total, Total: total + 1})
}
