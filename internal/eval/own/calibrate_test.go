package own_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/eval/own"
)

// leaning embeds words by their hashes, and leans every vector to one side: by how much is what its marks must tell.
type leaning struct{ by float64 }

func (l leaning) Model() engram.Model {
	return engram.Model{Name: "leaning", Fingerprint: "leaning", Dimensions: 64}
}

func (l leaning) Embed(_ context.Context, texts []string, _ engram.Role) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float64, 64)
		for w := range strings.FieldsSeq(strings.ToLower(text)) {
			h := fnv.New64a()
			h.Write([]byte(strings.Trim(w, ".,:?")))
			for d := range 63 {
				if h.Sum64()>>d&1 == 1 {
					v[d]++
				} else {
					v[d]--
				}
			}
		}
		scale(v, math.Sqrt(1-l.by))
		v[63] = math.Sqrt(l.by)
		out[i] = make([]float32, 64)
		for d, x := range v {
			out[i][d] = float32(x)
		}
	}
	return out, nil
}

// scale gives a vector a length.
func scale(v []float64, length float64) {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	for d := range v {
		v[d] *= length / math.Sqrt(sum)
	}
}

// remembered saves n memories of one project, about as many matters as there are words for them.
func remembered(t *testing.T, p enginetest.Parts, n int) {
	t.Helper()
	things := []string{"billing", "search", "login", "export", "cache", "queue", "mailer", "worker", "gateway", "scheduler"}
	for i := range n {
		a, b := things[i%len(things)], things[i/len(things)%len(things)]
		save(t, p, remember.SaveInput{Project: "shop", Title: fmt.Sprintf("%s lost orders%d: job%d", a, i*3, i*7),
			Content: fmt.Sprintf("We decided that %s retries job%d with %s, as orders%d were lost near rack%d on host%d.", a, i*7, b, i*3, i*11, i*13)})
	}
}

func TestMarksFollowTheSpace(t *testing.T) {
	p := enginetest.NewParts(t)
	remembered(t, p, 90)
	var last own.Calibration
	for _, by := range []float64{0, 0.3, 0.6} {
		var done, total int
		c, err := own.Calibrate(t.Context(), p.Store, leaning{by}, func(d, n int) { done, total = d, n })
		if err != nil {
			t.Fatal(err)
		}
		if done != total || total < 4*90 {
			t.Errorf("it reported %d of %d", done, total)
		}
		if c.Memories != 90 || c.Pairs != 90*89/2 || c.Questions != 90 {
			t.Errorf("leaning by %g: %+v", by, c)
		}
		if !(c.Noise < c.Answer && 0 < c.Related && c.Related <= c.Duplicate && c.Duplicate <= 1 && c.Noise < c.Related) {
			t.Errorf("leaning by %g: the marks are out of order: %+v", by, c)
		}
		if by > 0 && !(c.Related > last.Related && c.Noise > last.Noise+0.1 && c.Answer > last.Answer) {
			t.Errorf("leaning by %g: %+v is not above %+v", by, c, last)
		}
		again, err := own.Calibrate(t.Context(), p.Store, leaning{by}, nil)
		if err != nil || again != c {
			t.Errorf("leaning by %g: once %+v, once %+v, %v", by, c, again, err)
		}
		last = c
	}
}

func TestFewMemoriesAreNotCalibratedWith(t *testing.T) {
	p := enginetest.NewParts(t)
	remembered(t, p, 49)
	_, err := own.Calibrate(t.Context(), p.Store, leaning{}, nil)
	if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "49 memories") || !strings.Contains(err.Error(), "50 are needed") {
		t.Errorf("49 memories: %v", err)
	}
	// As many projects have no pairs.
	for i := range 60 {
		save(t, p, remember.SaveInput{Project: fmt.Sprint("p", i), Title: "One of its own", Content: fmt.Sprint("It has nothing beside it in the project that it was saved for ", i)})
	}
	if c, err := own.Calibrate(t.Context(), p.Store, leaning{}, nil); err != nil || c.Pairs != 49*48/2 {
		t.Errorf("pairs of other projects: %+v, %v", c, err)
	}
}

// Without questions, those marks that need some are not made up.
func TestWithoutQuestionsThresholdsStay(t *testing.T) {
	p := enginetest.NewParts(t)
	for i := range 60 {
		save(t, p, remember.SaveInput{Project: "shop", Title: fmt.Sprint("Notice", i), Content: fmt.Sprintf("Notice%d says that thing%d and thing%d were seen by person%d at place%d on the day%d.", i, i*3, i*5, i*7, i*11, i*13)})
	}
	c, err := own.Calibrate(t.Context(), p.Store, leaning{0.2}, nil)
	if err != nil || c.Questions != 0 || c.Noise != 0 || c.Answer != 0 || c.Related <= 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

// failing fails after some texts.
type failing struct{ leaning }

func (failing) Embed(context.Context, []string, engram.Role) ([][]float32, error) {
	return nil, engram.Errorf(engram.CodeUnavailable, "asleep")
}

func TestAModelThatFailsIsNotCalibrated(t *testing.T) {
	p := enginetest.NewParts(t)
	remembered(t, p, 60)
	if _, err := own.Calibrate(t.Context(), p.Store, failing{}, nil); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Error(err)
	}
}
