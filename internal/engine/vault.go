package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// outline is what of a memory is kept in hand while a vault is written: all of them are,
// for a note is called by names of others.
type outline struct {
	engram.NotePlace
	num     int64
	topic   string
	session string
	made    time.Time
}

// surveyed is what a store has for a vault.
type surveyed struct {
	live map[int64]*outline
	gone map[engram.ID]bool // forgotten
	ties [][2]int64         // relations that somebody made, of memories of one project
}

// survey goes through the memories and the relations of a project, "" is every one.
func (e *Engine) survey(ctx context.Context, project string) (surveyed, error) {
	s := surveyed{live: map[int64]*outline{}, gone: map[engram.ID]bool{}}
	read := func(r engram.Reader, after int64) ([]engram.Memory, error) {
		return r.MemoriesAfter(ctx, project, after, exportPage)
	}
	err := pages(ctx, e, read, func(m engram.Memory) int64 { return m.Num }, func(m engram.Memory) bool {
		if m.Forgotten() {
			s.gone[m.ID] = true
			return true
		}
		s.live[m.Num] = &outline{engram.NotePlace{ID: m.ID, Project: m.Project, Type: m.Type, Title: m.Title}, m.Num, m.TopicKey, m.SessionID, m.CreatedAt}
		return true
	})
	if err != nil {
		return s, err
	}
	relations := func(r engram.Reader, after int64) ([]engram.Relation, error) {
		return r.RelationsAfter(ctx, project, after, exportPage)
	}
	err = pages(ctx, e, relations, func(r engram.Relation) int64 { return r.Num }, func(r engram.Relation) bool {
		if tiesNotes(r) {
			s.ties = append(s.ties, [2]int64{r.Source, r.Target})
		}
		return true
	})
	return s, err
}

// tiesNotes reports a relation that makes a group of memories one. What Engram tied by
// itself, because it is near in meaning, would make one group of nearly all.
func tiesNotes(r engram.Relation) bool {
	if r.Removed() || r.Status != engram.RelationJudged || r.Automatic() {
		return false
	}
	switch r.Verb {
	case engram.VerbCompatible, engram.VerbScoped, engram.VerbNotConflict:
		return false
	}
	return true
}

// Groups become hubs from so many memories on.
const (
	leastTopic   = 2
	leastCluster = 3
)

// hubsOf are the hubs of memories that have notes: their sessions, the first parts of their
// topic keys, and groups that relations tie. of has for each memory those that lead to it.
func (e *Engine) hubsOf(ctx context.Context, s surveyed, placed []*outline, project string) (hubs []engram.Hub, of map[int64][]engram.Hub, err error) {
	groups := map[string]*group{}
	add := func(kind engram.HubKind, key string, o *outline, title string) {
		h := engram.Hub{Kind: kind, Key: key, Project: o.Project, Title: title}
		g := groups[h.Name()]
		if g == nil {
			g = &group{hub: h}
			groups[h.Name()] = g
		}
		g.members = append(g.members, o)
	}
	for _, o := range placed {
		if o.session != "" {
			add(engram.HubSession, o.session, o, o.session)
		}
		if family, _, _ := strings.Cut(o.topic, "/"); family != "" {
			add(engram.HubTopic, o.Project+"/"+family, o, family)
		}
	}
	for _, c := range clustersOf(s, placed) {
		for _, o := range c.members {
			add(engram.HubCluster, string(c.members[0].ID), o, c.title)
		}
	}
	if err := e.tellSessions(ctx, groups, project); err != nil {
		return nil, nil, err
	}
	of = map[int64][]engram.Hub{}
	for _, g := range groups {
		if len(g.members) < g.least() {
			continue
		}
		for _, o := range g.members {
			g.hub.Members = append(g.hub.Members, o.NotePlace)
		}
		hubs = append(hubs, g.hub)
		for _, o := range g.members {
			of[o.num] = append(of[o.num], engram.Hub{Kind: g.hub.Kind, Key: g.hub.Key, Title: g.hub.Title})
		}
	}
	byName := func(a, b engram.Hub) int { return strings.Compare(a.Name(), b.Name()) }
	slices.SortFunc(hubs, byName)
	for _, own := range of {
		slices.SortFunc(own, byName)
	}
	return hubs, of, nil
}

// group is a hub in the making.
type group struct {
	hub     engram.Hub
	members []*outline // oldest first
	title   string
}

func (g *group) least() int {
	switch g.hub.Kind {
	case engram.HubTopic:
		return leastTopic
	case engram.HubCluster:
		return leastCluster
	}
	return 1
}

// tellSessions puts into the hubs of sessions what is known of them.
func (e *Engine) tellSessions(ctx context.Context, groups map[string]*group, project string) error {
	read := func(r engram.Reader, after string) ([]engram.Session, error) {
		return r.SessionsAfter(ctx, project, after, exportPage)
	}
	return pages(ctx, e, read, func(s engram.Session) string { return s.ID }, func(s engram.Session) bool {
		g := groups[engram.Hub{Kind: engram.HubSession, Key: s.ID}.Name()]
		if g == nil {
			return true
		}
		lines := []string{"Started " + s.StartedAt.UTC().Format(time.RFC3339)}
		if !s.EndedAt.IsZero() {
			lines = append(lines, "Ended "+s.EndedAt.UTC().Format(time.RFC3339))
		}
		g.hub.Project = s.Project
		g.hub.Text = strings.TrimSpace(strings.Join(lines, " · ") + "\n\n" + s.Summary)
		return true
	})
}

// clustersOf are the groups of memories that ties lead from one to the other; the oldest
// names its group, and the most tied one gives it its title.
func clustersOf(s surveyed, placed []*outline) []*group {
	leader := map[int64]int64{}
	for _, o := range placed {
		leader[o.num] = o.num
	}
	find := func(num int64) int64 {
		for leader[num] != num {
			leader[num] = leader[leader[num]]
			num = leader[num]
		}
		return num
	}
	tied := map[int64]int{}
	for _, t := range s.ties {
		if leader[t[0]] == 0 || leader[t[1]] == 0 {
			continue
		}
		tied[t[0]]++
		tied[t[1]]++
		a, b := find(t[0]), find(t[1])
		leader[max(a, b)] = min(a, b)
	}
	byLeader := map[int64]*group{}
	var all []*group
	for _, o := range placed { // oldest first: whoever leads comes before the others
		if tied[o.num] == 0 {
			continue
		}
		g := byLeader[find(o.num)]
		if g == nil {
			g = &group{}
			byLeader[find(o.num)] = g
			all = append(all, g)
		}
		g.members = append(g.members, o)
	}
	for _, g := range all {
		most := slices.MaxFunc(g.members, func(a, b *outline) int {
			return cmp.Or(cmp.Compare(tied[a.num], tied[b.num]), cmp.Compare(b.num, a.num))
		})
		g.title = most.Title
	}
	return slices.DeleteFunc(all, func(g *group) bool { return len(g.members) < leastCluster })
}
