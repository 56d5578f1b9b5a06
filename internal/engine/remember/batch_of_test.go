package remember_test

import (
	"errors"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// The error of a batch lists every bad item, whether reading or saving found it.
func TestEveryWrongItemOfABatchIsTold(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	ins := []remember.SaveInput{{Content: ""}, {Content: "fine"}, {Content: "unread"}, {Content: "tied", Related: []engram.Ref{engram.ByNum(9)}}, {Content: "unread"}}
	_, err := e.SaveBatchOf(t.Context(), len(ins), func(i int) (remember.SaveInput, error) {
		if ins[i].Content == "unread" {
			return ins[i], engram.Errorf(engram.CodeInvalid, "it cannot be read")
		}
		return ins[i], nil
	})
	wrong, ok := errors.AsType[*remember.BatchError](err)
	if !ok || len(wrong.Items) != 4 || wrong.Items[0].Index != 0 || wrong.Items[1].Index != 2 || wrong.Items[2].Index != 3 || wrong.Items[3].Index != 4 {
		t.Fatalf("got %v, want items 1, 3, 4 and 5 told", err)
	}
	if ms, err := e.List(t.Context(), engram.Filter{}, engram.Page{}); err != nil || len(ms) != 0 {
		t.Errorf("there are %d memories, %v; want none", len(ms), err)
	}
}
