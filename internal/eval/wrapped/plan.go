package wrapped

import (
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/eval"
)

// Plan is what to store and what to ask.
type Plan struct {
	Store     eval.Set // one set of all documents to store
	Generated int      // how many of them are generated (filler.go)
	Known     []Question
	// Unknown are about groups that were left out of the store, so that nothing in it answers them.
	Unknown []Question
	LeftOut int // documents left out
}

// NewPlan puts sets into one store of size documents, or of all they have if size is 0. Larger sets give way
// to smaller ones; what is missing is generated. In each set with three groups or more, the third and each
// fifth after it are left out, in every set that has a group of that name. Ids and groups are prefixed by the
// name of their set, as set/group.
func NewPlan(sets []eval.Set, size int, o Options) Plan {
	var stored, outside []eval.Set
	out := leftOut(sets)
	for _, s := range sets {
		stored = append(stored, only(s, func(d eval.Document) bool { return !out[d.Group] }))
		outside = append(outside, only(s, func(d eval.Document) bool { return out[d.Group] }))
	}
	if size > 0 {
		stored, outside = share(stored, size), share(outside, max(1, size/5))
	}
	known, unknown := merge(stored), merge(outside)
	p := Plan{Store: known, LeftOut: len(unknown.Documents), Known: Questions(known, o)}
	p.setElsewhere()
	if o.From = map[string]bool{}; p.LeftOut > 0 {
		for _, g := range unknown.Groups {
			o.From[g] = true
		}
		// What is rare is counted over both, as the store may know the word.
		p.Unknown = Questions(join(known, unknown), o)
	}
	if missing := size - len(known.Documents); missing > 0 && len(known.Documents) > 0 {
		p.Store, p.Generated = join(known, filler(known, missing, o.Seed)), missing
	}
	return p
}

// leftOut returns the names of groups to leave out.
func leftOut(sets []eval.Set) map[string]bool {
	const first, each = 2, 5
	out := map[string]bool{}
	for _, s := range sets {
		for i := first; len(s.Groups) > first && i < len(s.Groups); i += each {
			out[s.Groups[i]] = true
		}
	}
	return out
}

// only returns the set with some of its documents, and the questions that they answer.
func only(s eval.Set, which func(eval.Document) bool) eval.Set {
	kept := eval.Set{Name: s.Name, Relevant: map[string]eval.Relevant{}}
	has, groups := map[string]bool{}, map[string]bool{}
	for _, d := range s.Documents {
		if which(d) {
			kept.Documents = append(kept.Documents, d)
			has[d.ID], groups[d.Group] = true, true
		}
	}
	for _, g := range s.Groups {
		if groups[g] {
			kept.Groups = append(kept.Groups, g)
		}
	}
	for _, q := range s.Questions {
		answers := eval.Relevant{}
		for id := range s.Relevant[q.ID] {
			if has[id] {
				answers[id] = true
			}
		}
		if len(answers) > 0 {
			kept.Questions, kept.Relevant[q.ID] = append(kept.Questions, q), answers
		}
	}
	return kept
}

// share cuts sets to size documents together: each gets the same number, and what a small one does not need
// goes to the others. Of each group the first documents are kept, as they belong together.
func share(sets []eval.Set, size int) []eval.Set {
	order := make([]int, len(sets))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(sets[a].Documents) - len(sets[b].Documents) })
	cut := make([]eval.Set, len(sets))
	for done, i := range order {
		part := min(len(sets[i].Documents), size/(len(order)-done))
		size -= part
		cut[i] = head(sets[i], part)
	}
	return cut
}

// head returns n documents of a set, of each group its share.
func head(s eval.Set, n int) eval.Set {
	all := len(s.Documents)
	if n >= all {
		return s
	}
	left, size := map[string]int{}, map[string]int{}
	for _, d := range s.Documents {
		size[d.Group]++
	}
	before := 0 // rounding the sums instead of the parts keeps the total
	for _, g := range s.Groups {
		left[g] = (before+size[g])*n/all - before*n/all
		before += size[g]
	}
	return only(s, func(d eval.Document) bool {
		left[d.Group]--
		return left[d.Group] >= 0
	})
}

// merge returns one set of all sets. Questions with the same text share their answers, as sets may be about
// the same events.
func merge(sets []eval.Set) eval.Set {
	all := eval.Set{Relevant: map[string]eval.Relevant{}}
	byText := map[string]eval.Relevant{}
	for _, s := range sets {
		prefix := s.Name + "/"
		for _, g := range s.Groups {
			all.Groups = append(all.Groups, prefix+g)
		}
		for _, d := range s.Documents {
			d.ID, d.Group = prefix+d.ID, prefix+d.Group
			all.Documents = append(all.Documents, d)
		}
		for _, q := range s.Questions {
			answers := byText[q.Text]
			if answers == nil {
				answers = eval.Relevant{}
				byText[q.Text] = answers
			}
			for id := range s.Relevant[q.ID] {
				answers[prefix+id] = true
			}
			q.ID, q.Group = prefix+q.ID, prefix+q.Group
			all.Questions = append(all.Questions, q)
			all.Relevant[q.ID] = answers
		}
	}
	return all
}

// join returns the union of two merged sets.
func join(a, b eval.Set) eval.Set {
	return eval.Set{
		Documents: slices.Concat(a.Documents, b.Documents), Questions: slices.Concat(a.Questions, b.Questions),
		Groups: slices.Concat(a.Groups, b.Groups), Relevant: union(a.Relevant, b.Relevant),
	}
}

func union(a, b map[string]eval.Relevant) map[string]eval.Relevant {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// setElsewhere chooses for each question the next group of another name that has no answer to it.
func (p *Plan) setElsewhere() {
	groupOf, place := map[string]string{}, map[string]int{}
	for _, d := range p.Store.Documents {
		groupOf[d.ID] = d.Group
	}
	groups := p.Store.Groups
	for i, g := range groups {
		place[g] = i
	}
	for i := range p.Known {
		q := &p.Known[i]
		knowing := map[string]bool{bare(q.Group): true}
		for id := range q.Answers {
			knowing[bare(groupOf[id])] = true
		}
		for step := range len(groups) {
			if g := groups[(place[q.Group]+1+step)%len(groups)]; !knowing[bare(g)] {
				q.Elsewhere = g
				break
			}
		}
	}
}

// bare returns the name that a group has in its set.
func bare(group string) string {
	_, name, _ := strings.Cut(group, "/")
	return name
}
