package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// typeGain multiplies the score of a find of the type that a question names: a preference between about equal ones. Of 44
// questions for a type and a subject (subject_test.go), 24 have their answer first without it, 31 at 1.05, 37 at 1.1 and 40
// from 1.15 to 1.6; label sets have no types.
const typeGain = 1.15

// byType raises finds of a type that the question names.
func (q *Question) byType(context.Context) error {
	for i, f := range q.finds {
		m := q.memories[f.Num]
		if slices.Contains(q.naming(m.Type), true) {
			q.finds[i].Score *= typeGain
			q.factor(f.Num, engram.Factor{Name: "type", Value: typeGain})
			q.note(f.Num, "is of type %s, which the question names", m.Type)
		}
		if m.ToolName != "" && q.namesTool(m.ToolName) {
			q.note(f.Num, "is from the tool %s, which the question names", m.ToolName)
		}
	}
	retrieval.Sort(q.finds)
	return nil
}

// naming returns which terms of the question name a type.
func (q *Question) naming(t engram.Type) []bool {
	names, known := q.types[t]
	if !known && t != engram.TypeManual { // it is no choice of anybody's
		if q.typed == nil {
			q.typed = walk.Mapped(q.Terms, func(term engram.Term) engram.Type { return text.TypeOf(term.Written) })
		}
		names = make([]bool, len(q.Terms))
		for i, term := range q.Terms {
			names[i] = q.typed[i] == t || text.IsType(term.Written, t)
		}
		q.types[t] = names
	}
	return names
}

// namesTool reports whether the question has a word of the name of a tool.
func (q *Question) namesTool(name string) (names bool) {
	text.Scan(name, func(t text.Token) {
		names = names || slices.ContainsFunc(q.Terms, func(term engram.Term) bool { return !term.Stop && term.Word == t.Text() })
	})
	return names
}

// subject returns which of the words asked for say what a memory is about: those that name no type of a find, if there
// are any. In "redis bugs" a bug of something else is another subject.
func (q *Question) subject() []bool {
	typed := make([]bool, len(q.Terms))
	for _, f := range q.finds {
		for i, names := range q.naming(q.memories[f.Num].Type) {
			typed[i] = typed[i] || names
		}
	}
	is := walk.Mapped(q.asking.places, func(place int) bool { return !typed[place] })
	if !slices.Contains(is, true) {
		return slices.Repeat([]bool{true}, len(is))
	}
	return is
}

// list answers a question for a time, a type or both and nothing else with the newest memories of it, and reports
// whether it did. A type without any in that time is listed all the same, as uncertain.
func (q *Question) list(ctx context.Context, found *engram.Found) (bool, error) {
	if q.in.All {
		return false, nil
	}
	types := text.AsksForTypes(q.in.Query, q.Terms)
	if len(q.in.Filter.Types) > 0 {
		types = nil
	}
	from, to, when := q.OnlyWhen()
	if len(types) == 0 && !when {
		return false, nil
	}
	switch {
	case when:
		found.Times = []engram.TimeSpan{{Phrase: q.in.Query, From: from, To: to}}
	case len(q.phrases) > 0:
		p := q.phrases[0]
		from, to, found.Times = p.From, p.To, []engram.TimeSpan{{Phrase: q.in.Query[p.Start:p.End], From: p.From, To: p.To}}
	}
	var err error
	if len(types) > 0 {
		if found.Hits, err = q.ofTypes(ctx, types, from, to); err != nil {
			return true, err
		}
	}
	if when {
		rest, err := q.inSpan(ctx, from, to)
		if found.Hits = followed(found.Hits, rest); err != nil {
			return true, err
		}
	}
	if len(found.Hits) == 0 && len(types) > 0 {
		found.Hits, err = q.ofTypes(ctx, types, time.Time{}, time.Time{})
		found.Hits = found.Hits[:min(len(found.Hits), mostUncertain)]
		if found.Uncertain = len(found.Hits) > 0; found.Uncertain {
			found.Degraded = append(found.Degraded, "no memory of that type is of that time; these are the newest")
		}
	}
	return when || len(found.Hits) > 0, err // without any of the type, its name is a word as any other
}

// ofTypes lists the newest memories of types made in a time.
func (q *Question) ofTypes(ctx context.Context, types []engram.Type, from, to time.Time) ([]engram.Hit, error) {
	of := *q
	of.in.Filter.Types = types
	hits, err := of.inSpan(ctx, from, to)
	for i := range hits {
		hits[i].Why.Notes = append(hits[i].Why.Notes, fmt.Sprintf("is of type %s, which the question asks for", hits[i].Memory.Type))
	}
	return hits, err
}

// ofLabel adds the newest memories of the type that a question of one word names, or in a search of all projects of
// the project, where words find too few.
func (q *Question) ofLabel(ctx context.Context, found *engram.Found) error {
	var label string
	for _, t := range q.Terms {
		switch {
		case t.Stop || t.Joined || t.Time || text.Asks(t.Written) && len(q.Terms) > 1:
		case label != "":
			return nil
		default:
			label = t.Written
		}
	}
	if label == "" || q.in.All || len(found.Hits) >= q.in.Limit {
		return nil
	}
	if len(q.in.Filter.Types) == 0 {
		of := *q
		of.in.Filter.Types = []engram.Type{engram.Type(label), engram.Type(strings.TrimSuffix(label, "s"))}
		if t := text.TypeOf(label); t != "" {
			of.in.Filter.Types = append(of.in.Filter.Types, t)
		}
		// The index counts at once; a list of a type without memories would read all others.
		any, err := q.r.Lexical(ctx, engram.LexicalQuery{Terms: q.Terms, Filter: of.in.Filter, Limit: 1, Alone: true})
		if err != nil {
			return err
		}
		if any.Rows > 0 {
			if err := of.add(ctx, found, "is of type %s, which the question names", func(m engram.Memory) string { return string(m.Type) }); err != nil {
				return err
			}
		}
	}
	name := screen.NormalProject(q.in.Query)
	if q.in.Filter.Project != "" || name == "" || strings.ContainsAny(name, " \t\n") || len(name) > engram.MaxName {
		return nil
	}
	of := *q
	of.in.Filter.Project = name
	return of.add(ctx, found, "is of project %s, which the question names", func(m engram.Memory) string { return m.Project })
}

// add adds the newest memories that pass the filter of q, with the reason.
func (q *Question) add(ctx context.Context, found *engram.Found, reason string, of func(engram.Memory) string) error {
	more, err := q.finder.newest(ctx, q.r, q.in.Filter, q.in.Limit)
	for i, h := range more {
		more[i].Why.Notes = append(h.Why.Notes, fmt.Sprintf(reason, of(h.Memory)))
	}
	found.Hits = followed(found.Hits, more)
	have := map[int64]bool{}
	for _, h := range found.Hits {
		have[h.Memory.Num] = true
	}
	found.BelowThreshold = slices.DeleteFunc(found.BelowThreshold, func(h engram.Hit) bool { return have[h.Memory.Num] })
	return err
}

// followed adds to a list those of another that it lacks.
func followed(first, second []engram.Hit) []engram.Hit {
	have := map[int64]bool{}
	for _, h := range first {
		have[h.Memory.Num] = true
	}
	return append(first, slices.DeleteFunc(second, func(h engram.Hit) bool { return have[h.Memory.Num] })...)
}
