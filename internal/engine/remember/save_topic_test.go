package remember_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestATopicKeyRevisesInPlace(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	first := w.MustSave(remember.SaveInput{Title: "Auth model", Content: "JWT, 15 minutes", Type: "decision", TopicKey: " Architecture/Auth  Model ", Project: "demo",
		Tags: []string{"auth", "jwt"}, Metadata: map[string]any{"pr": 1, "by": "ann"}, ToolName: "bash", Importance: new(0.9), Permanent: true})
	if first.Memory.TopicKey != "architecture/auth-model" || first.Reason != "first of its topic" || first.SuggestedTopic() != "" {
		t.Errorf("got %+v", first)
	}
	w.Clock.Add(240 * time.Hour)
	res := w.MustSave(remember.SaveInput{Title: "Auth model 2", Content: "JWT, 5 minutes", Type: "decision", TopicKey: "architecture/auth-model", Project: "demo",
		Tags: []string{"tokens", "auth"}, Metadata: map[string]any{"pr": 2}})
	if res.Action != ledger.ActionRevised || res.Reason != "same topic key" || res.Memory.Num != first.Memory.Num || res.Memory.ID != first.Memory.ID {
		t.Fatalf("got %+v", res)
	}
	d := w.MustGet(first.Memory.Num)
	m := d.Memory
	if !reflect.DeepEqual(m, res.Memory) {
		t.Errorf("what was answered is not what is kept\n got %+v\nwant %+v", m, res.Memory)
	}
	if m.Title != "Auth model 2" || m.Content != "JWT, 5 minutes" || m.RevisionCount != 2 || m.DuplicateCount != 1 || m.ToolName != "" {
		t.Errorf("got %+v", m)
	}
	if m.CreatedAt != first.Memory.CreatedAt || !m.UpdatedAt.After(m.CreatedAt) || m.ReviewAfter != m.UpdatedAt.AddDate(0, 6, 0) {
		t.Errorf("made %v, written %v, due %v", m.CreatedAt, m.UpdatedAt, m.ReviewAfter)
	}
	enginetest.Same(t, "tags are united", m.Tags, []string{"auth", "jwt", "permanent", "tokens"})
	if want := map[string]any{"pr": 2.0, "by": "ann"}; !reflect.DeepEqual(m.Metadata, want) {
		t.Errorf("metadata %v, want %v", m.Metadata, want)
	}
	if m.Importance != 0.9 || !m.Permanent {
		t.Errorf("what the second save left open changed: importance %v, permanent %v", m.Importance, m.Permanent)
	}
	want := engram.Revision{Memory: m.Num, Number: 1, Type: "decision", Title: "Auth model", Content: "JWT, 15 minutes",
		WrittenAt: first.Memory.CreatedAt, ReplacedAt: m.UpdatedAt, Reason: "same topic key"}
	if len(d.Revisions) == 1 {
		if d.Revisions[0].Stamp.At.Time() != first.Memory.CreatedAt {
			t.Errorf("the old text is of %v, want of when it was saved", d.Revisions[0].Stamp)
		}
		d.Revisions[0].Stamp = engram.VersionStamp{}
	}
	if len(d.Revisions) != 1 || !reflect.DeepEqual(d.Revisions[0], want) {
		t.Errorf("the old text\n got %+v\nwant %+v", d.Revisions, want)
	}
}

func TestEveryRevisionStays(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	texts := []string{"one", "two", "three", "two", "four"}
	for _, s := range texts {
		w.MustSave(remember.SaveInput{Title: "T", Content: s, TopicKey: "k", Project: "demo"})
	}
	d := w.MustGet(1)
	var got []string
	for i, r := range d.Revisions {
		if r.Number != i+1 {
			t.Errorf("revision %d has number %d", i, r.Number)
		}
		got = append(got, r.Content)
	}
	enginetest.Same(t, "revisions", append(got, d.Memory.Content), texts)
	if d.Memory.RevisionCount != len(texts) {
		t.Errorf("revision count %d, want %d", d.Memory.RevisionCount, len(texts))
	}
}

func TestATopicThatSaysThisAlreadyIsARepeat(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	in := remember.SaveInput{Title: "Auth", Content: "JWT", TopicKey: "auth", Project: "demo"}
	w.MustSave(in)
	w.Clock.Add(1000 * time.Hour)
	in.Content = " jwt "
	res := w.MustSave(in)
	if res.Action != ledger.ActionRepeated || res.Reason != "the topic says this already" || res.Memory.DuplicateCount != 2 ||
		res.Memory.RevisionCount != 1 || len(w.MustGet(1).Revisions) != 0 {
		t.Errorf("got %+v", res)
	}
	in.Title = "Auth model"
	if res := w.MustSave(in); res.Action != ledger.ActionRevised {
		t.Errorf("another title gives %s, want a revision", res.Action)
	}
	in.Type = "decision"
	if res := w.MustSave(in); res.Action != ledger.ActionRevised || res.Memory.RevisionCount != 3 || res.Memory.ReviewAfter.IsZero() {
		t.Errorf("another type gives %+v, want a revision", res)
	}
}

func TestATopicBelongsToAProjectAndAScope(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for i, in := range []remember.SaveInput{
		{Content: "a", TopicKey: "k", Project: "demo"}, {Content: "b", TopicKey: "k", Project: "other"},
		{Content: "c", TopicKey: "k", Project: "demo", Scope: "personal"}, {Content: "d", TopicKey: "k"},
	} {
		if res := w.MustSave(in); res.Action != ledger.ActionInserted || res.Memory.Num != int64(i+1) {
			t.Errorf("%+v: %s of #%d, want a new memory", in, res.Action, res.Memory.Num)
		}
	}
}

func TestAForgottenTopicStartsAnew(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.MustSave(remember.SaveInput{Content: "a", TopicKey: "k", Project: "demo"}).Memory.Num
	if _, err := w.Forget(t.Context(), engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	if res := w.MustSave(remember.SaveInput{Content: "b", TopicKey: "k", Project: "demo"}); res.Action != ledger.ActionInserted || res.Memory.Num == num {
		t.Errorf("got %s of #%d", res.Action, res.Memory.Num)
	}
}

func TestTheWordsOfATopicAreFoundAnewAndNotAsBefore(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSave(remember.SaveInput{Title: "Queue", Content: "we take rabbitmq", TopicKey: "architecture/queue", Project: "demo"})
	w.MustSave(remember.SaveInput{Title: "Queue", Content: "we take nats", TopicKey: "architecture/queue", Project: "demo"})
	enginetest.Same(t, "nats", w.MustFind("nats"), []int64{1})
	if got := w.MustFind("rabbitmq"); len(got) > 0 {
		t.Errorf("the old text is found still: %v", got)
	}
}
