package httpapi

import (
	"context"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// queuedOf is the document of what waits for a person.
func queuedOf(i engine.QueueItem) document.Queued {
	q := document.Queued{Kind: string(i.Kind), Name: i.Name(), Since: document.Stamp(i.Since), Reasons: i.Reasons}
	if i.Waiting != nil {
		return document.QueuedRecord(q, *i.Waiting)
	}
	return document.QueuedMemory(q, i.Memory, i.State)
}

// namesBody says what is approved or refused.
type namesBody struct {
	Names []string `json:"names" doc:"ids of memories: numbers, ids or topic:KEY; w and a number for what is no memory yet"`
}

// decidedDoc is the answer of POST /review/approve and POST /review/refuse.
type decidedDoc struct {
	Memories []document.Memory `json:"memories"`
	Records  []int64           `json:"records"` // numbers of what was no memory yet
}

// reviewApprove lets what waits be told, or come in.
func (a *API) reviewApprove(q request) (reply, error) {
	return a.decide(q, func(ctx context.Context, e *engine.Engine, num int64) error {
		_, err := e.AcceptDeferred(ctx, num)
		return err
	}, func(ctx context.Context, e *engine.Engine, ref engram.Ref) (engram.Memory, error) { return e.Approve(ctx, ref) })
}

// reviewRefuse forgets what waits, or throws it away.
func (a *API) reviewRefuse(q request) (reply, error) {
	return a.decide(q, func(ctx context.Context, e *engine.Engine, num int64) error { return e.DropDeferred(ctx, num) },
		func(ctx context.Context, e *engine.Engine, ref engram.Ref) (engram.Memory, error) { return e.Refuse(ctx, ref) })
}

func (a *API) decide(q request, record func(context.Context, *engine.Engine, int64) error, memory func(context.Context, *engine.Engine, engram.Ref) (engram.Memory, error)) (reply, error) {
	in, err := decode[namesBody](q)
	if err != nil {
		return reply{}, err
	}
	if len(in.Names) == 0 {
		return reply{}, invalid("nothing is named").WithHint("%s", `{"names": ["12", "w3"]}`)
	}
	doc := decidedDoc{Memories: []document.Memory{}, Records: []int64{}}
	for _, name := range in.Names {
		if num, is := waitingName(name); is {
			if err := record(q.Context(), a.Engine, num); err != nil {
				return reply{}, err
			}
			doc.Records = append(doc.Records, num)
			continue
		}
		ref, err := engram.ParseRef(name)
		if err != nil {
			return reply{}, err
		}
		m, err := memory(q.Context(), a.Engine, ref)
		if err != nil {
			return reply{}, err
		}
		doc.Memories = append(doc.Memories, document.MemoryOf(m, a.Engine.StateOf(m)))
	}
	return reply{body: doc}, nil
}

// waitingName reads the name of something that waits: w and its number.
func waitingName(name string) (num int64, is bool) {
	digits, is := strings.CutPrefix(strings.ToLower(name), "w")
	num, err := strconv.ParseInt(digits, 10, 64)
	return num, is && err == nil && num > 0
}
