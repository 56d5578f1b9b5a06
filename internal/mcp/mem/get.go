package mem

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

type getArgs struct {
	ID      tool.ID `json:"id" required:"true"`
	History bool    `json:"history" doc:"with all it said before"`
	AsOf    string  `json:"as_of" doc:"a past date"`
}

// read is the answer of mem_get_observation.
type read struct {
	message
	State     string    `json:"state,omitempty" schema:"-"`
	Relations []related `json:"relations,omitempty" schema:"-"` // those that change how it should be read
	// Observation is the memory itself; Result says beside it what its fields do not.
	Observation *observation `json:"observation,omitempty"`

	whole string // the memory in words
}

// PlainText returns the memory in words where it stands without an envelope.
func (r read) PlainText() (string, bool) { return r.whole, r.bare }

// InText returns the same with the memory in words alone.
func (r read) InText() any {
	r.Result, r.Observation = r.whole, nil
	return r
}

// related is a relation as seen from the memory that was read.
type related struct {
	Relation string `json:"relation"` // as mem_judge has it, or pending
	Outgoing bool   `json:"outgoing"` // the memory is the source
	ID       int64  `json:"id"`       // of the other memory
	Title    string `json:"title"`
	Deleted  bool   `json:"deleted,omitempty"`
	// JudgmentID is what mem_judge takes.
	JudgmentID string `json:"judgment_id"`
}

func relatedOf(n engram.RelationNote) related {
	return related{document.VerbOf(n.Relation), n.Outgoing, n.Other.Num, n.Other.Title, n.Other.Num == 0 || n.Other.Forgotten(), n.Relation.ID}
}

func (d *dialect) get(ctx context.Context, by tool.Caller, a getArgs) (read, error) {
	past, err := d.past(a.AsOf)
	if err != nil {
		return read{}, err
	}
	ref := engram.ByNum(int64(a.ID))
	var detail engine.Detail
	if past.IsZero() {
		detail, err = d.as(by).GetIn(ctx, d.asking.now(), ref)
	} else {
		detail, err = d.engine.GetAsOf(ctx, ref, past)
	}
	if engram.CodeOf(err) == engram.CodeNotFound {
		return read{}, &tool.Failure{Text: fmt.Sprintf("Observation #%d not found", a.ID), Err: err}
	}
	if err != nil {
		return read{}, err
	}
	note := detail.Note()
	whole := render.Marked(detail.Memory, note, d.text)
	brief := render.Headed(detail.Memory, note)
	if a.History {
		before := "\n\n" + strings.TrimSpace(render.History(detail.History(), d.text))
		whole, brief = whole+before, brief+before
	}
	it := d.observationOf(detail.Memory, note, 0)
	out := read{d.here(ctx, brief), string(note.State), document.Each(note.Relations, relatedOf), &it, whole}
	out.Warning = joined(out.Warning, strings.Join(detail.Degraded, "; "))
	return out, nil
}

// past reads the date of a question about the past; "" is now.
func (d *dialect) past(date string) (time.Time, error) { return d.when("as_of", date) }

// when reads the argument of that name, a time; "" is the zero time.
func (d *dialect) when(name, date string) (time.Time, error) {
	if strings.TrimSpace(date) == "" {
		return time.Time{}, nil
	}
	zone := d.text.Zone
	if zone == nil {
		zone = time.UTC
	}
	at, ok := text.When(date, d.engine.Now().In(zone))
	if !ok {
		return at, invalid(fmt.Sprintf("%s %q is not a time: %s", name, brief(date), text.WhenForms))
	}
	return at, nil
}

// here wraps text in the project of the working folder; where that has none, the text
// stands alone, because it does not depend on it.
func (d *dialect) here(ctx context.Context, text string) message {
	at, err := d.reading(ctx, "")
	if err != nil {
		return message{envelope: envelope{Result: text}, bare: true}
	}
	return message{envelope: enveloped(at, text)}
}
