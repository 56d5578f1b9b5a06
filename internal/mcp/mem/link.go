package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// linkRelations lists the relations in the dialect's spelling, for a hint.
const linkRelations = "relates_to, derived_from, evolved_from, caused_by, supersedes, contradicts, compatible, scoped, not_conflict"

type linkArgs struct {
	Source    tool.ID  `json:"source_id" required:"true"`
	Relation  string   `json:"relation" doc:"relates_to, derived_from, evolved_from, caused_by, supersedes, contradicts, compatible, scoped, not_conflict" required:"true"`
	Target    tool.ID  `json:"target_id" required:"true"`
	Strength  *float64 `json:"strength" doc:"0 to 1, default 1" min:"0" max:"1"`
	Reason    string   `json:"reason"`
	SessionID string   `json:"session_id"`
}

type linked struct {
	Action   string        `json:"action" doc:"linked, changed or known"`
	Relation relatedMemory `json:"relation" schema:"-"`
}

// relatedMemory is a relation as the dialect lists it.
type relatedMemory struct {
	SyncID   string  `json:"sync_id"`
	Source   int64   `json:"source_id"`
	Relation string  `json:"relation"`
	Target   int64   `json:"target_id"`
	Status   string  `json:"judgment_status"`
	Strength float64 `json:"strength"`
	Reason   string  `json:"reason,omitempty"`
}

func relatedMemoryOf(r engram.Relation) relatedMemory {
	return relatedMemory{r.ID, r.Source, document.VerbOf(r), r.Target, string(r.Status), r.Strength, r.Reason}
}

// PlainText says what was done in a sentence.
func (l linked) PlainText() (string, bool) {
	done := map[string]string{string(relate.LinkMade): "Linked", string(relate.LinkChanged): "Changed", string(relate.LinkKnown): "Known already"}[l.Action]
	return done + ": " + l.Relation.String(), true
}

// String is the relation on one line.
func (r relatedMemory) String() string {
	return fmt.Sprintf("#%d %s #%d", r.Source, r.Relation, r.Target)
}

func (d *dialect) link(ctx context.Context, by tool.Caller, a linkArgs) (linked, error) {
	verb, err := relationOf(a.Relation)
	if err != nil {
		return linked{}, err
	}
	l, err := d.As(by).Link(ctx, relate.LinkInput{Source: engram.ByNum(int64(a.Source)), Target: engram.ByNum(int64(a.Target)), Verb: verb,
		Strength: a.Strength, Reason: a.Reason, SessionID: a.SessionID})
	return linked{string(l.Action), relatedMemoryOf(l.Relation)}, err
}

type unlinkArgs struct {
	A        tool.ID `json:"source_id" required:"true"`
	B        tool.ID `json:"target_id" required:"true"`
	Relation string  `json:"relation" doc:"default: every one, in both directions"`
}

type unlinked struct {
	Removed []relatedMemory `json:"removed"`
}

// PlainText lists the removed relations.
func (u unlinked) PlainText() (string, bool) {
	return "Removed: " + strings.Join(document.Each(u.Removed, relatedMemory.String), ", "), true
}

func (d *dialect) unlink(ctx context.Context, by tool.Caller, a unlinkArgs) (unlinked, error) {
	in := relate.UnlinkInput{A: engram.ByNum(int64(a.A)), B: engram.ByNum(int64(a.B))}
	if strings.TrimSpace(a.Relation) != "" {
		var err error
		if in.Verb, err = relationOf(a.Relation); err != nil {
			return unlinked{}, err
		}
	}
	removed, err := d.As(by).Unlink(ctx, in)
	return unlinked{document.Each(removed, func(l relate.Linked) relatedMemory { return relatedMemoryOf(l.Relation) })}, err
}

// relationOf reads a relation; an error lists them in the dialect's spelling.
func relationOf(word string) (engram.Verb, error) {
	verb, err := engram.ParseVerb(redact.Private(word))
	if err != nil {
		return "", engram.Errorf(engram.CodeInvalid, "relation %q does not exist", echo(word)).WithHint("use one of %s", linkRelations)
	}
	return verb, nil
}

type graphArgs struct {
	ID       tool.ID  `json:"id" required:"true"`
	Depth    int      `json:"depth" default:"2" min:"1" max:"5"`
	Relation []string `json:"relation_types" doc:"follow only these"`
	Pending  bool     `json:"pending" doc:"include pending candidates" default:"false"`
	Limit    int      `json:"limit" default:"50" min:"1" max:"200" lax:"true"`
}

type graphed struct {
	Nodes []graphNode     `json:"nodes"`
	Edges []relatedMemory `json:"edges"`
	Cut   bool            `json:"cut" doc:"there may be more"`

	tool.Words // the graph as a tree
}

type graphNode struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	Type  string `json:"type"`
	State string `json:"state"`
	Depth int    `json:"depth"`

	Superseded bool `json:"superseded,omitempty" schema:"-"`
}

func (d *dialect) graph(ctx context.Context, by tool.Caller, a graphArgs) (graphed, error) {
	in := read.GraphInput{Ref: engram.ByNum(int64(a.ID)), Depth: a.Depth, Pending: a.Pending, Limit: a.Limit}
	for _, word := range a.Relation {
		verb, err := relationOf(word)
		if err != nil {
			return graphed{}, err
		}
		in.Verbs = append(in.Verbs, verb)
	}
	g, err := d.As(by).Graph(ctx, in)
	nodes := document.Each(g.Nodes, func(n engram.GraphNode) graphNode {
		return graphNode{n.Memory.Num, n.Memory.Title, string(n.Memory.Type), string(n.State), n.Depth, n.Superseded}
	})
	return graphed{nodes, document.Each(g.Edges, relatedMemoryOf), g.Cut, tool.Words{Text: render.Graph(g)}}, err
}
