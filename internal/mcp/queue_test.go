package mcp

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func call(t *testing.T, id int, name string) jsonrpc.Message {
	t.Helper()
	return message(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, name))
}

func message(t *testing.T, text string) jsonrpc.Message {
	t.Helper()
	m, err := jsonrpc.DecodeMessage([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

func idOfInt(t *testing.T, n int) jsonrpc.ID {
	t.Helper()
	id, err := jsonrpc.MakeID(float64(n))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// ready returns the ids that may be worked on now.
func ready(t *testing.T, q *queue) []string {
	t.Helper()
	var ids []string
	for {
		m, err := q.take()
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			return ids
		}
		r := m.(*jsonrpc.Request)
		if r.IsCall() {
			ids = append(ids, fmt.Sprint(r.ID.Raw()))
		} else {
			ids = append(ids, r.Method)
		}
	}
}

func writesAre(name string) func(string) bool { return func(s string) bool { return s == name } }

func TestQueueKeepsTheOrderOfSaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, done := newQueue(writesAre("save")), make(chan struct{})
		for i, name := range []string{"search", "save", "save", "search"} {
			q.add(call(t, i+1, name), 100, done)
		}
		q.add(message(t, `{"jsonrpc":"2.0","id":5,"method":"ping"}`), 100, done)
		want := func(when string, want ...string) {
			t.Helper()
			if got := ready(t, q); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: got %v, want %v", when, got, want)
			}
		}
		want("at first: all up to the first save, and what waits for nothing", "1", "2", "5")
		q.answered(idOfInt(t, 2))
		want("when the first save is answered", "3")
		q.answered(idOfInt(t, 3))
		want("when the second is", "4")
	})
}

func TestQueueLetsReadsPassASaveThatTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, done := newQueue(writesAre("save")), make(chan struct{})
		q.add(call(t, 1, "save"), 100, done)
		q.add(call(t, 2, "search"), 100, done)
		q.add(call(t, 3, "save"), 100, done)
		for _, want := range []string{"1", "2"} { // next waits until reads wait no longer
			m, err := q.next(t.Context(), done)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(m.(*jsonrpc.Request).ID.Raw()); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		if got := ready(t, q); got != nil {
			t.Errorf("the second save did not wait for the first: %v", got)
		}
	})
}

func TestQueueEndsWhenEverythingIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, done := newQueue(writesAre("save")), make(chan struct{})
		q.add(call(t, 1, "search"), 100, done)
		q.add(message(t, `{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{}}`), 100, done)
		ready(t, q)
		q.end(io.EOF)
		got := make(chan error)
		go func() {
			_, err := q.next(t.Context(), done)
			got <- err
		}()
		synctest.Wait()
		select {
		case err := <-got:
			t.Fatalf("the end came before the answer: %v", err)
		default:
		}
		q.answered(idOfInt(t, 1))
		if err := <-got; err != io.EOF {
			t.Errorf("got %v, want the end of the input", err)
		}
	})
}

func TestQueueLetsWritesPassOneThatAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, done := newQueue(writesAre("save")), make(chan struct{})
		for i := range 4 {
			q.add(call(t, i+1, "save"), 100, done)
		}
		want := func(when string, want ...string) {
			t.Helper()
			if got := ready(t, q); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: got %v, want %v", when, got, want)
			}
		}
		want("at first", "1")
		first := q.slot()
		q.giveWay(first)
		want("while the first asks", "2")
		q.takeBack(first)
		q.answered(idOfInt(t, 2))
		want("when the first has its answer, and the second is done")
		q.answered(first)
		want("when the first is done", "3")
		third := q.slot()
		q.giveWay(third)
		q.add(message(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`), 100, done)
		want("when the third was cancelled", "4", "notifications/cancelled")
		q.takeBack(third)
		q.answered(idOfInt(t, 4))
		q.add(call(t, 5, "save"), 100, done)
		want("while the third, cancelled, has not ended")
		q.answered(third)
		want("when it has ended", "5")
	})
}

func TestQueueAnswersWhatNobodyElseCan(t *testing.T) {
	t.Parallel()
	q, done := newQueue(writesAre("save")), make(chan struct{})
	q.asks(idOfInt(t, 7))
	q.asks(idOfInt(t, 8))
	q.add(message(t, `{"jsonrpc":"2.0","id":7,"result":{}}`), 100, done)
	q.end(io.EOF)
	for _, want := range []struct {
		id     int64
		failed bool
	}{{7, false}, {8, true}} {
		m, err := q.take()
		r, ok := m.(*jsonrpc.Response)
		if err != nil || !ok || r.ID.Raw() != want.id || (r.Error != nil) != want.failed {
			t.Errorf("got %+v, %v, want the answer to %d, an error %v", m, err, want.id, want.failed)
		}
	}
	if m, err := q.take(); m != nil || err != io.EOF {
		t.Errorf("got %v, %v, want the end", m, err)
	}
}

const giveUp = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"enough"}}`

func TestQueueForgetsCancelledCalls(t *testing.T) {
	t.Parallel()
	q, done := newQueue(writesAre("save")), make(chan struct{})
	for i := range 3 {
		q.add(call(t, i+1, "save"), 100, done)
	}
	ready(t, q)
	q.add(message(t, fmt.Sprintf(giveUp, 2)), 100, done)
	q.add(message(t, fmt.Sprintf(giveUp, 1)), 100, done)
	q.add(message(t, fmt.Sprintf(giveUp, 99)), 100, done) // of no call
	if got := fmt.Sprint(ready(t, q)); got != "[notifications/cancelled notifications/cancelled notifications/cancelled]" {
		t.Errorf("got %s, want the notifications alone: the first save has not ended yet", got)
	}
	if !q.unwanted(idOfInt(t, 1)) || q.unwanted(idOfInt(t, 3)) {
		t.Errorf("unwanted: first %v, third %v, want true and false", q.unwanted(idOfInt(t, 1)), q.unwanted(idOfInt(t, 3)))
	}
	q.answered(idOfInt(t, 1))
	if got := fmt.Sprint(ready(t, q)); got != "[3]" {
		t.Errorf("got %s, want the third save: the second was cancelled before it began", got)
	}
	q.answered(idOfInt(t, 3))
	q.end(io.EOF)
	if m, err := q.take(); m != nil || err != io.EOF {
		t.Errorf("got %v, %v, want the end", m, err)
	}
}

func TestQueueAnswersBothCallsOfOneID(t *testing.T) {
	t.Parallel()
	q, done := newQueue(writesAre("save")), make(chan struct{})
	q.add(call(t, 1, "search"), 100, done)
	q.add(call(t, 1, "search"), 100, done)
	q.add(call(t, 2, "search"), 100, done)
	if got := fmt.Sprint(ready(t, q)); got != "[1 2]" {
		t.Errorf("got %s, want the first call of each id", got)
	}
	q.answered(idOfInt(t, 1))
	if got := fmt.Sprint(ready(t, q)); got != "[1]" {
		t.Errorf("got %s, want the second call of the id, now that the first is answered", got)
	}
}

func TestQueueWorksOnAFewCallsAtOnce(t *testing.T) {
	t.Parallel()
	q, done := newQueue(writesAre("save")), make(chan struct{})
	for i := range 10 * maxReading {
		q.add(call(t, i+1, "search"), 100, done)
	}
	for i := range 10 * maxPassing {
		q.add(message(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, i)), 100, done)
	}
	if got := len(ready(t, q)); got != maxReading+maxPassing {
		t.Errorf("got %d calls at once, want %d that read and %d others", got, maxReading, maxPassing)
	}
	q.answered(idOfInt(t, 3))
	if got, want := fmt.Sprint(ready(t, q)), fmt.Sprintf("[%d]", maxReading+1); got != want {
		t.Errorf("got %s, want the next, %s", got, want)
	}
}

func TestFullQueueStopsReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, done := newQueue(writesAre("save")), make(chan struct{})
		const size = maxPending / 4
		for i := range 3 {
			q.add(call(t, i+1, "save"), size, done)
		}
		added := make(chan bool)
		go func() { added <- q.add(call(t, 99, "save"), size, done) }()
		synctest.Wait()
		select {
		case <-added:
			t.Fatal("the queue took more than it has room for")
		default:
		}
		if _, err := q.next(context.Background(), done); err != nil {
			t.Fatal(err)
		}
		if !<-added {
			t.Error("the waiting message was not taken when there was room")
		}
		go func() { added <- q.add(call(t, 100, "save"), size, done) }()
		close(done)
		if <-added {
			t.Error("the queue takes messages after the session is over")
		}
	})
}
