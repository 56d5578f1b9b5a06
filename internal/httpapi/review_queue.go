package httpapi

import (
	"errors"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// namesBody says what is refused.
type namesBody struct {
	Names []string `json:"names" doc:"ids of memories: numbers, ids or topic:KEY; w and a number for what is no memory yet"`
}

// approveBody says what is approved, in one of two ways.
type approveBody struct {
	namesBody
	Operation int64 `json:"operation" min:"1" doc:"instead of names: all suspect memories that the operation of this number wrote and that say the same since"`
}

// decidedDoc is the answer of POST /review/approve and POST /review/refuse.
type decidedDoc struct {
	Memories []document.Memory      `json:"memories"`
	Records  []int64                `json:"records"`  // numbers of what was no memory yet
	Done     []document.DecidedName `json:"done"`     // all of them, as they were named, with what undo takes back
	Degraded []string               `json:"degraded"` // what could not be done of it, and why
}

// reviewApprove lets what waits be told, or come in.
func (a *API) reviewApprove(q request, in approveBody) (reply, error) {
	if (len(in.Names) == 0) == (in.Operation == 0) {
		return reply{}, invalid("say what is approved").WithHint("%s", `either {"names": ["12", "w3"]} or {"operation": 42}`)
	}
	if in.Operation != 0 {
		return a.decided(a.Engine.ApproveOperation(q.Context(), in.Operation))
	}
	return a.decided(a.Engine.ApproveNamed(q.Context(), in.Names))
}

// reviewRefuse forgets what waits, or throws it away.
func (a *API) reviewRefuse(q request, in namesBody) (reply, error) {
	if len(in.Names) == 0 {
		return reply{}, invalid("nothing is named").WithHint("%s", `{"names": ["12", "w3"]}`)
	}
	return a.decided(a.Engine.RefuseNamed(q.Context(), in.Names))
}

func (a *API) decided(done engine.Decided, err error) (reply, error) {
	if err != nil {
		return reply{}, afterSome(done.Names(), err)
	}
	doc := decidedDoc{Memories: []document.Memory{}, Records: done.Records, Degraded: document.OrEmpty(done.Degraded),
		Done: document.Each(done.Done, func(d engine.DecidedName) document.DecidedName { return document.DecidedName(d) })}
	for _, m := range done.Memories {
		doc.Memories = append(doc.Memories, document.MemoryOf(m, a.Engine.StateOf(m)))
	}
	return reply{body: doc}, nil
}

// afterSome is an error that says what was done before it: each name stands alone, and what was
// done is not taken back.
func afterSome(done []string, err error) error {
	var known *engram.Error
	if len(done) == 0 || !errors.As(err, &known) {
		return err
	}
	return engram.Errorf(known.Code, "%s; done before that: %s", known.Msg, strings.Join(done, ", ")).WithHintOf(err).WithCause(err)
}
