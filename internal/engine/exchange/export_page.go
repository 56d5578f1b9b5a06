package exchange

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// ExportPageInput says which page of an export to write.
type ExportPageInput struct {
	ExportInput
	After string // ExportedPage.Next of the page before; "" is the first page
	Most  int    // bytes, about; a single record may be longer
}

// ExportedPage is the outcome of a page.
type ExportedPage struct {
	Next string // where the next page begins; "" when this is the last one
	// Left are memories that came without versions and vectors, because those are too long for a page.
	Left []engram.ID
}

// ExportPage writes one page of an export of live things, without erasures. Each page is a file that Import reads;
// together they are complete. A page begins after the last record of the one before, so that changes between two
// pages move no other record. It also reads what comes before the page, to leave out relations to memories that are
// in no page. Errors are those of Export, and CodeInvalid for an unknown After.
func (p *Porter) ExportPage(ctx context.Context, w io.Writer, in ExportPageInput) (page ExportedPage, err error) {
	f, err := p.format(in.Format)
	if err != nil {
		return page, err
	}
	after, err := parsePosition(in.After)
	if err != nil {
		return page, err
	}
	x := exporting{porter: p, in: in.ExportInput, live: true}
	if err := x.begin(ctx); err != nil {
		return page, err
	}
	head := engram.Snapshot{Format: in.Format, At: p.ledger.Now(), Program: p.version, Project: x.res.Project, Whole: x.res.Project == "", Memories: x.count}
	var records []engram.Record
	size, last := 0, after
	for r, err := range x.records(ctx) {
		if err != nil {
			return page, err
		}
		at := positionOf(r)
		if !after.before(at) {
			continue
		}
		n, err := lengthOf(f, r)
		if err != nil {
			return page, err
		}
		if m := r.Memory; m != nil && n > in.Most && len(m.Revisions)+len(m.Vectors) > 0 {
			page.Left = append(page.Left, m.Memory.ID)
			r.Memory = &engram.MemoryRecord{Memory: m.Memory}
			if n, err = lengthOf(f, r); err != nil {
				return page, err
			}
		}
		if len(records) > 0 && size+n > in.Most {
			page.Next = last.String()
			if n := len(page.Left); n > 0 && r.Memory != nil && page.Left[n-1] == r.Memory.Memory.ID {
				page.Left = page.Left[:n-1] // it is reported with the page that has it
			}
			break
		}
		records, size, last = append(records, r), size+n, at
		if in.Progress != nil {
			in.Progress(size, max(in.Most, size))
		}
	}
	return page, f.Write(w, head, oneByOne(records))
}

func oneByOne(records []engram.Record) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

type counter int

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// lengthOf estimates the length of a record in a file.
func lengthOf(f engram.Format, r engram.Record) (int, error) {
	var whole, bare counter
	if err := f.Write(&whole, engram.Snapshot{}, oneByOne([]engram.Record{r})); err != nil {
		return 0, err
	}
	err := f.Write(&bare, engram.Snapshot{}, oneByOne(nil))
	return int(whole - bare), err
}

// position is the place of a record in the order of an export: by kind, then by number or name.
type position struct {
	kind int
	num  int64
	name string
}

func positionOf(r engram.Record) position {
	switch {
	case r.Project != nil:
		return position{1, 0, r.Project.Name}
	case r.Session != nil:
		return position{2, 0, r.Session.ID}
	case r.Memory != nil:
		return position{3, r.Memory.Memory.Num, ""}
	case r.Prompt != nil:
		return position{4, r.Prompt.Num, ""}
	case r.Relation != nil:
		return position{5, r.Relation.Relation.Num, ""}
	}
	return position{kind: 6}
}

func (p position) before(o position) bool {
	return cmp.Or(cmp.Compare(p.kind, o.kind), cmp.Compare(p.num, o.num), cmp.Compare(p.name, o.name)) < 0
}

// String formats a position for callers.
func (p position) String() string { return fmt.Sprintf("%d.%d.%s", p.kind, p.num, p.name) }

// parsePosition parses what String returns; "" is before everything.
func parsePosition(s string) (p position, err error) {
	if s == "" {
		return p, nil
	}
	parts := strings.SplitN(s, ".", 3)
	if len(parts) == 3 {
		kind, bad := strconv.Atoi(parts[0])
		num, wrong := strconv.ParseInt(parts[1], 10, 64)
		if bad == nil && wrong == nil && kind > 0 {
			return position{kind, num, parts[2]}, nil
		}
	}
	return p, engram.Errorf(engram.CodeInvalid, "cursor %.40q is not valid", s).WithHint("pass next_cursor of the previous page, or none for the first page")
}
