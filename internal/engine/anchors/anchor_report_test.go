package anchors_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestABriefSaysHowTheCodeStands(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	w.Code.Write("a.go", "package a")
	w.MustSave(remember.SaveInput{Title: "Retry policy", Content: "Three times", Type: engram.TypeDecision, Project: "shop", Files: []string{"a.go"}})
	in := brief.SessionBriefInput{SessionID: "s", Directory: enginetest.CodeFolder, Again: true}
	if b := enginetest.BriefOf(t, w.Engine, in); !strings.Contains(b.Text, "Retry policy") || strings.Contains(b.Text, "(changed)") {
		t.Errorf("before the code changed: %s", b.Text)
	}
	w.Code.Write("a.go", "package other")
	if b := enginetest.BriefOf(t, w.Engine, in); !strings.Contains(b.Text, "code: a.go (changed)") {
		t.Errorf("after the code changed: %s", b.Text)
	}
	in.Directory = "/elsewhere"
	if b := enginetest.BriefOf(t, w.Engine, in); !strings.Contains(b.Text, "Retry policy") || strings.Contains(b.Text, "(changed)") {
		t.Errorf("in another folder: %s", b.Text)
	}
}

// asleep is code on a disk that does not answer and ignores deadlines.
type asleep struct {
	*enginetest.Code
	wake chan struct{}
}

func (a asleep) States(ctx context.Context, dir string, all []engram.Anchor) []engram.Anchored {
	<-a.wake
	return a.Code.States(ctx, dir, all)
}

func TestADiskThatIsAsleepKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	w.Code.Write("a.go", "package a")
	num := w.MustSave(remember.SaveInput{Title: "Retry policy", Content: "Three times", Project: "shop", Files: []string{"a.go"}}).Memory.Num
	code := asleep{w.Code, make(chan struct{})}
	defer close(code.wake)
	e := engine.New(engine.Options{Store: w.Store, Now: w.Clock.Now, NewID: func() engram.ID { return "id" }, Code: code, Caller: ledger.Caller{Dir: enginetest.CodeFolder}, Patience: time.Millisecond})
	done := make(chan read.Detail, 1)
	go func() {
		var d read.Detail
		for range 40 { // more than may look at once
			d, _ = e.Get(context.Background(), engram.ByNum(num))
		}
		done <- d
	}()
	select {
	case d := <-done:
		if len(d.Anchors) != 1 || d.Anchors[0].State != engram.AnchorUnknown || d.Memory.Num != num {
			t.Errorf("got %+v, want the memory with an anchor that nobody knows about", d)
		}
	case <-time.After(30 * time.Second):
		t.Error("the answer waits for the disk")
	}
}

// sleepy is asleep, and signals each check.
type sleepy struct {
	asleep
	asked chan struct{}
}

func (s sleepy) States(ctx context.Context, dir string, all []engram.Anchor) []engram.Anchored {
	close(s.asked)
	return s.asleep.States(ctx, dir, all)
}

// Finish waits for running checks of code, but not for a sleeping disk.
func TestFinishWaitsForLooks(t *testing.T) {
	t.Parallel()
	for name, patience := range map[string]time.Duration{"the disk wakes up": time.Minute, "it goes on sleeping": time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewWorld(t).Unlinked()
			w.Code.Write("a.go", "package a")
			num := w.MustSave(remember.SaveInput{Title: "Retry policy", Content: "Three times", Project: "shop", Files: []string{"a.go"}}).Memory.Num
			code := sleepy{asleep{w.Code, make(chan struct{})}, make(chan struct{})}
			e := engine.New(engine.Options{Store: w.Store, Now: w.Clock.Now, NewID: func() engram.ID { return "id" }, Code: code, Caller: ledger.Caller{Dir: enginetest.CodeFolder}, Patience: patience})
			ctx, leave := context.WithCancel(t.Context())
			answered, finished := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(answered)
				_, _ = e.Get(ctx, engram.ByNum(num))
			}()
			<-code.asked
			leave()
			<-answered
			go func() {
				defer close(finished)
				e.Finish()
			}()
			if patience < time.Second {
				<-finished
				close(code.wake)
				return
			}
			select {
			case <-finished:
				t.Error("it did not wait for who looks at code")
			case <-time.After(20 * time.Millisecond):
			}
			close(code.wake)
			<-finished
		})
	}
}
