package read

import (
	"context"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// Stats counts what is stored, in all or one project.
func (d *Reader) Stats(ctx context.Context, project string) (engram.Stats, error) {
	return ledger.Read(ctx, d.ledger, func(r engram.Reader) (engram.Stats, error) { return r.Stats(ctx, screen.NormalProject(project)) })
}

// StatsInput selects what to count. Project "" is every one; By groups by type, project, day, week or month, ""
// does not. Days, weeks (from Monday) and months are in the engine's zone.
type StatsInput struct {
	Project string
	By      engram.Grouping
	// Since is the start of grouped counts; by default the beginning, or the last 30 days, 26 weeks or 12
	// months.
	Since time.Time
}

// StatsOver is what is stored, and when it was created.
type StatsOver struct {
	engram.Stats
	engram.Upkeep
	Pending int // contradictions pending for a verdict
	By      engram.Grouping
	Since   time.Time // of Groups; zero: from the beginning
	Groups  []engram.GroupCount
}

// maxSpans limits the days, weeks or months of one answer.
const maxSpans = 400

// StatsOver counts what is stored, grouped as requested. An unknown project is not_found; an unknown grouping,
// or more than 400 days, weeks or months, is CodeInvalid.
func (d *Reader) StatsOver(ctx context.Context, in StatsInput) (StatsOver, error) {
	in.Project = screen.NormalProject(in.Project)
	now := d.ledger.Now()
	out := StatsOver{By: engram.Grouping(strings.ToLower(screen.Line(string(in.By)))), Since: in.Since}
	spans, err := d.spans(out.By, in.Since, now)
	if err != nil {
		return StatsOver{}, err
	}
	return ledger.Read(ctx, d.ledger, func(r engram.Reader) (StatsOver, error) {
		if out.Stats, err = r.Stats(ctx, in.Project); err != nil {
			return out, err
		}
		if out.Revisions, err = r.CountRevisions(ctx, in.Project); err != nil {
			return out, err
		}
		if out.Due, err = r.Count(ctx, engram.Filter{Project: in.Project, DueBefore: now}); err != nil {
			return out, err
		}
		if out.Pending, err = r.CountRelations(ctx, engram.RelationFilter{Project: in.Project, Judgments: true,
			Statuses: []engram.RelationStatus{engram.RelationPending}}); err != nil || out.By == "" {
			return out, err
		}
		if len(spans) == 0 {
			out.Groups, err = r.MemoriesBy(ctx, out.By, in.Project, in.Since)
			return out, err
		}
		made, err := r.MadeBetween(ctx, in.Project, spans)
		for i, n := range made {
			out.Groups = append(out.Groups, engram.GroupCount{Name: spans[i].Format(time.DateOnly), Memories: n})
		}
		out.Since = spans[0]
		return out, err
	})
}

// spans returns the edges of the days, weeks or months from since to now, oldest first; none for other
// groupings.
func (d *Reader) spans(by engram.Grouping, since, now time.Time) ([]time.Time, error) {
	start := func(t time.Time) time.Time {
		y, m, day := t.In(d.ledger.Zone).Date()
		switch by {
		case engram.ByWeek:
			day -= (int(t.In(d.ledger.Zone).Weekday()) + 6) % 7
		case engram.ByMonth:
			day = 1
		}
		return time.Date(y, m, day, 0, 0, 0, 0, d.ledger.Zone)
	}
	length, known := map[engram.Grouping]struct{ months, days, usual int }{
		"": {}, engram.ByProject: {}, engram.ByType: {}, engram.ByDay: {0, 1, 30}, engram.ByWeek: {0, 7, 26}, engram.ByMonth: {1, 0, 12},
	}[by]
	step := func(t time.Time, n int) time.Time { return t.AddDate(0, n*length.months, n*length.days) }
	switch {
	case known && length.usual == 0:
		return nil, nil
	case !known:
		return nil, engram.Errorf(engram.CodeInvalid, "cannot count by %.40q", by).WithHint("use project, type, day, week or month")
	}
	last := start(now)
	first := step(last, 1-length.usual)
	if !since.IsZero() {
		first = start(since)
	}
	edges := []time.Time{first}
	for at := first; !at.After(last); {
		if len(edges) > maxSpans {
			return nil, engram.Errorf(engram.CodeInvalid, "more than %d groups by %s", maxSpans, by).WithHint("count by week or month, or since a later time")
		}
		at = step(at, 1)
		edges = append(edges, at)
	}
	return edges, nil
}

// Overview summarizes a project.
type Overview struct {
	Project   string // canonical name
	Memories  int    // live ones
	Relations int
	Strength  float64 // current average of live memories, 0 to 1; 0 without memories
}

// mostWeighed limits the sample for the average strength. Reading 100,000 memories took half a second; this
// sample has a standard error of at most 0.005.
const mostWeighed = 10_000

// Overview summarizes a project; an unknown one is empty.
func (d *Reader) Overview(ctx context.Context, project string) (Overview, error) {
	return ledger.Read(ctx, d.ledger, func(r engram.Reader) (Overview, error) {
		out := Overview{Project: screen.NormalProject(project)}
		p, known, err := r.Project(ctx, out.Project)
		if err != nil || !known {
			return out, err
		}
		st, err := r.Stats(ctx, p.Name)
		if err != nil {
			return out, err
		}
		out.Project, out.Memories, out.Relations = p.Name, st.Memories, st.Relations
		fades, err := d.search.Fading(ctx, r)
		if err != nil {
			return out, err
		}
		sum, n, now := 0.0, 0, d.ledger.Now()
		err = r.Outlines(ctx, engram.Filter{Project: p.Name}, mostWeighed, func(m engram.Memory) bool {
			sum += fades.Strength(m, now)
			n++
			return true
		})
		if n > 0 {
			out.Strength = sum / float64(n)
		}
		return out, err
	})
}
