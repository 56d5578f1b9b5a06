// Package vault keeps a folder of notes in step with the store, both ways.
package vault

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// Keeper exports and imports notes. It is safe for concurrent use.
type Keeper struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	remember *remember.Writer
	exchange *exchange.Porter
}

// New returns a Keeper.
func New(l *ledger.Ledger, w *remember.Writer, e *exchange.Porter) *Keeper {
	return &Keeper{screen: l.Screen, ledger: l, remember: w, exchange: e}
}

// outline is what stays in memory of each memory while a vault is written: file names of notes depend on other notes.
type outline struct {
	engram.NotePlace
	num     int64
	topic   string
	session string
	made    time.Time
}

type surveyed struct {
	live      map[int64]*outline
	forgotten map[engram.ID]bool // forgotten
	relations [][2]int64         // made by people or agents, between memories of one project
}

// survey reads the memories and relations of a project, "" is every one.
func (k *Keeper) survey(ctx context.Context, project string) (surveyed, error) {
	s := surveyed{live: map[int64]*outline{}, forgotten: map[engram.ID]bool{}}
	err := exchange.Pages(ctx, k.exchange, project, engram.MemoriesAfter, func(m engram.Memory) int64 { return m.Num }, func(m engram.Memory) bool {
		if m.Forgotten() {
			s.forgotten[m.ID] = true
			return true
		}
		s.live[m.Num] = &outline{engram.NotePlace{ID: m.ID, Project: m.Project, Type: m.Type, Title: m.Title}, m.Num, m.TopicKey, m.SessionID, m.CreatedAt}
		return true
	})
	if err != nil {
		return s, err
	}
	err = exchange.Pages(ctx, k.exchange, project, engram.RelationsAfter, func(r engram.Relation) int64 { return r.Num }, func(r engram.Relation) bool {
		if relatesNotes(r) {
			s.relations = append(s.relations, [2]int64{r.Source, r.Target})
		}
		return true
	})
	return s, err
}

// relatesNotes reports whether a relation joins memories into a cluster. Automatic ones, by similarity, would join
// nearly all.
func relatesNotes(r engram.Relation) bool {
	separate := []engram.Verb{engram.VerbCompatible, engram.VerbScoped, engram.VerbNotConflict}
	return !r.Removed() && r.Status == engram.RelationJudged && !r.Automatic() && !slices.Contains(separate, r.Verb)
}

// Least numbers of memories for a hub.
const (
	leastTopic   = 2
	leastCluster = 3
)

// hubsOf returns the hubs of memories with notes: sessions, first parts of topic keys, and clusters by relations; and
// for each memory the hubs that link to it.
func (k *Keeper) hubsOf(ctx context.Context, s surveyed, placed []*outline, project string) (hubs []engram.Hub, of map[int64][]engram.Hub, err error) {
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
	if err := k.reportSessions(ctx, groups, project); err != nil {
		return nil, nil, err
	}
	of = map[int64][]engram.Hub{}
	for _, g := range groups {
		if g.hub.Kind == engram.HubTopic && len(g.members) < leastTopic { // clusters are large enough
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

type group struct {
	hub     engram.Hub
	members []*outline // oldest first
	title   string
}

func (k *Keeper) reportSessions(ctx context.Context, groups map[string]*group, project string) error {
	return exchange.Pages(ctx, k.exchange, project, engram.SessionsAfter, func(s engram.Session) string { return s.ID }, func(s engram.Session) bool {
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

// clustersOf returns the clusters that relations connect. The oldest memory names a cluster, the one with most
// relations gives the title.
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
	degree := map[int64]int{}
	for _, t := range s.relations {
		if leader[t[0]] == 0 || leader[t[1]] == 0 {
			continue
		}
		degree[t[0]]++
		degree[t[1]]++
		a, b := find(t[0]), find(t[1])
		leader[max(a, b)] = min(a, b)
	}
	byLeader := map[int64]*group{}
	var all []*group
	for _, o := range placed { // oldest first: leaders come before the others
		if degree[o.num] == 0 {
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
			return cmp.Or(cmp.Compare(degree[a.num], degree[b.num]), cmp.Compare(b.num, a.num))
		})
		g.title = most.Title
	}
	return slices.DeleteFunc(all, func(g *group) bool { return len(g.members) < leastCluster })
}

type takenEdit struct {
	passed  bool // it belongs to another project than is imported
	memory  engram.Memory
	revised []string          // fields that came in
	clash   []string          // fields that both sides changed
	act     VaultAct          // of a note from which nothing came in; "" for any other
	reason  string            // why nothing came in
	noted   []string          // what was ignored
	base    engram.NoteDigest // what the note says, as far as it does
}

// takeEdit decides about an edit and writes it in the transaction of several: rejections come before any write.
func takeEdit(ctx context.Context, o *ledger.Tx, e engram.NoteEdit, project string) (t takenEdit, err error) {
	was, found, err := walk.IfThere(o.Store.Memory(ctx, engram.ByID(e.ID)))
	if err != nil {
		return t, err
	}
	t.memory, t.passed = was, project != "" && was.Project != project
	switch {
	case t.passed:
		return t, nil
	case !found && e.Base == nil:
		t.act, t.reason = VaultRejected, "no memory here has this id"
	case !found: // another store wrote the note
		t.act, t.reason = VaultNoted, "no memory here has this id: it was erased, or the note says nothing; the note stays as it is"
	case was.Forgotten():
		t.act, t.reason = VaultConflict, "the memory was forgotten here; the note stays as it is"
	case e.Unended && len(e.Fields.Content) < len(strings.TrimSpace(was.Content)) && strings.HasPrefix(was.Content, e.Fields.Content):
		t.act, t.reason = VaultConflict, "the text breaks off, and its end line is missing; nothing was changed: restore the line if the text is complete"
	}
	if t.act != "" {
		return t, nil
	}
	in, err := t.compare(was, e)
	if err != nil || len(t.revised) == 0 {
		return t, err
	}
	m, why, err := editedMemory(ctx, o, was, in)
	if err != nil {
		return t, err
	}
	if why != "" {
		t.act, t.reason = VaultRejected, why
		return t, nil
	}
	if reflect.DeepEqual(m, was) {
		t.revised = nil
		return t, nil
	}
	m.UpdatedAt = o.At
	t.memory = m
	return t, o.ReplaceMemory(ctx, was, m, "note")
}

// editedMemory applies a note's changes to was, or returns why it cannot.
func editedMemory(ctx context.Context, o *ledger.Tx, was engram.Memory, in remember.UpdateInput) (m engram.Memory, why string, err error) {
	if err := in.Raw().Check(); err != nil {
		return m, flawText(err), nil
	}
	if m, err = remember.Changed(ctx, o, was, in, o.Ledger.Screen.Redactor()); engram.CodeOf(err) == engram.CodeInvalid {
		return m, flawText(err), nil
	}
	if err != nil || m.TopicKey == "" || m.TopicKey == was.TopicKey && m.Scope == was.Scope {
		return m, "", err
	}
	other, found, err := engram.ByTopic(ctx, o.Store, m.Project, m.Scope, m.TopicKey)
	if err == nil && found && other.Num != was.Num {
		why = fmt.Sprintf("topic %s belongs to memory #%d", m.TopicKey, other.Num)
	}
	return m, why, err
}

// compare finds the fields that a note changed, and those that the memory changed too.
func (t *takenEdit) compare(was engram.Memory, e engram.NoteEdit) (in remember.UpdateInput, err error) {
	here, note := engram.NoteFieldsOf(was).Digest(), e.Fields.Digest()
	base := here
	if e.Base != nil {
		base = *e.Base
	}
	changedHere := here.Differs(base)
	t.base = note
	for i, field := range engram.NoteFieldNames() {
		if slices.Contains(e.Lacks, field) {
			t.base[i] = base[i]
			continue
		}
		if note[i] == base[i] || note[i] == here[i] || field == "content" && sameLines(was.Content, e.Fields.Content) {
			continue
		}
		if e.Base == nil || slices.Contains(changedHere, field) {
			t.clash = append(t.clash, field)
			continue
		}
		t.revised = append(t.revised, field)
		if err := setField(&in, field, e.Fields); err != nil {
			return in, err
		}
	}
	t.noted = slices.Clone(e.Ignored)
	if e.Project != "" && screen.NormalProject(e.Project) != was.Project {
		t.noted = append(t.noted, fmt.Sprintf("a note cannot change its project: use engram update %d --move-to NAME", was.Num))
	}
	return in, nil
}

// sameLines reports whether texts differ at most in line endings, which some editors change.
func sameLines(a, b string) bool {
	return strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
}

func setField(in *remember.UpdateInput, field string, f engram.NoteFields) error {
	switch field {
	case "title":
		in.Title = &f.Title
	case "content":
		in.Content = &f.Content
	case "type":
		in.Type = &f.Type
	case "scope":
		in.Scope = &f.Scope
	case "topic":
		in.TopicKey = &f.TopicKey
	case "tags":
		in.Tags = &f.Tags
	case "importance":
		in.Importance = &f.Importance
	case "permanent":
		in.Permanent = &f.Permanent
	default:
		return engram.Errorf(engram.CodeInternal, "field %q of a note is not known", field)
	}
	return nil
}

// replicate brings in the memories of notes that another store wrote, with their ids, and the relations between
// memories that are here then. What was erased or forgotten here stays so, and is reported.
func (x *vaultImport) replicate(ctx context.Context) error {
	absent, err := x.absent(ctx)
	if err != nil || len(absent) == 0 {
		return err
	}
	erased, err := x.keeper.erasedNotes(ctx, x.notes, absent)
	if err != nil {
		return err
	}
	var notes []*engram.ReplicatedNote
	for _, id := range absent {
		c, ok, err := x.notes.Replicated(id)
		if err != nil {
			return err
		}
		if !ok || x.res.Project != "" && screen.NormalProject(c.Memory.Project) != x.res.Project {
			continue
		}
		if erased[id] {
			x.replicated[id] = nil
			x.report(c.NoteEdit, VaultNoted, VaultItem{Reason: "the memory was erased here; the note stays as it is"})
			continue
		}
		if c.Edited || c.Memory.UpdatedAt.IsZero() {
			c.Memory.UpdatedAt = x.keeper.ledger.Now()
		}
		if c.Memory.CreatedAt.IsZero() {
			c.Memory.CreatedAt = c.Memory.UpdatedAt
		}
		x.replicated[id] = &c.Memory
		notes = append(notes, &c)
	}
	if len(notes) == 0 {
		return nil
	}
	return x.importReplicated(ctx, notes)
}

// absent returns the ids in notes without a memory here. It reports unedited notes of memories that were forgotten
// here.
func (x *vaultImport) absent(ctx context.Context) (ids []engram.ID, err error) {
	x.replicated = map[engram.ID]*engram.Memory{}
	var forgotten []engram.Memory
	err = x.keeper.ledger.View(ctx, func(r engram.Reader) error {
		for _, id := range x.notes.Named() {
			m, found, err := walk.IfThere(r.Memory(ctx, engram.ByID(id)))
			switch {
			case err != nil:
				return err
			case !found:
				ids = append(ids, id)
			case m.Forgotten() && (x.res.Project == "" || x.res.Project == m.Project):
				forgotten = append(forgotten, m)
			}
		}
		return nil
	})
	for _, m := range forgotten {
		if err != nil {
			break
		}
		var c engram.ReplicatedNote
		var ok bool
		if c, ok, err = x.notes.Replicated(m.ID); err == nil && ok && c.Base != nil && !c.Edited {
			x.report(c.NoteEdit, VaultNoted, VaultItem{Num: m.Num, Reason: "the memory was forgotten here, and stays forgotten"})
		}
	}
	return ids, err
}

// replicatedRecords yields the memories of notes, then their relations between memories that are here or come in,
// each once. It builds them on demand, because there may be many.
func (x *vaultImport) replicatedRecords(ctx context.Context, notes []*engram.ReplicatedNote) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		for _, c := range notes {
			if !yield(engram.Record{Item: c.Path, Memory: &engram.MemoryRecord{Memory: c.Memory}}, nil) {
				return
			}
		}
		lives, given := x.living(ctx), map[string]bool{}
		for _, c := range notes {
			for _, l := range c.Links {
				rel := replicatedRelation(c, l)
				id := rel.Relation.Relation.ID
				if l.ID == c.ID || given[id] || !lives(l.ID) {
					continue
				}
				if given[id] = true; !yield(rel, nil) {
					return
				}
			}
		}
	}
}

// living returns whether a memory is here or comes in. It looks each up once.
func (x *vaultImport) living(ctx context.Context) func(engram.ID) bool {
	here := map[engram.ID]bool{}
	return func(id engram.ID) bool {
		if known, asked := here[id]; asked {
			return known
		}
		here[id] = x.replicated[id] != nil || x.keeper.ledger.View(ctx, func(r engram.Reader) error {
			_, err := r.Memory(ctx, engram.ByID(id))
			return err
		}) == nil
		return here[id]
	}
}

// replicatedRelation returns a relation of a note; its id is the same from either of its notes.
func replicatedRelation(c *engram.ReplicatedNote, l engram.NoteLink) engram.Record {
	from, to := c.ID, l.ID
	if !l.Outgoing || bothWays(l.Verb) && to < from {
		from, to = to, from
	}
	id := engram.RelationIDPrefix + ledger.Digest("note\x00"+string(from)+"\x00"+string(l.Verb)+"\x00"+string(to))
	return engram.Record{Item: c.Path, Relation: &engram.RelationRecord{Source: engram.ByID(from), Target: engram.ByID(to),
		Relation: engram.Relation{ID: id, Verb: l.Verb, Status: engram.RelationJudged, Strength: 1,
			Reason: l.Reason, Actor: "note", ActorKind: "human", CreatedAt: c.Memory.CreatedAt, UpdatedAt: c.Memory.CreatedAt}}}
}

// bothWays reports whether both notes of a relation show its verb alike.
func bothWays(v engram.Verb) bool {
	directed := []engram.Verb{engram.VerbSupersedes, engram.VerbDerivedFrom, engram.VerbEvolvedFrom, engram.VerbCausedBy, engram.VerbScoped}
	return !slices.Contains(directed, v)
}

// importReplicated imports the memories of notes in one transaction, and reports the outcome of each note.
func (x *vaultImport) importReplicated(ctx context.Context, notes []*engram.ReplicatedNote) error {
	head := engram.Snapshot{Format: "notes", Memories: len(notes),
		Lacks: []engram.Entity{engram.EntityProject, engram.EntitySession, engram.EntityPrompt}}
	res, err := x.keeper.exchange.ImportRecords(ctx, head, x.replicatedRecords(ctx, notes), exchange.ImportInput{Mode: exchange.ImportMerge, DryRun: x.in.DryRun})
	if err != nil {
		return err
	}
	if res.Op != 0 && !x.in.DryRun {
		x.res.Op, x.res.Replicated = res.Op, res.Op
		x.res.Ops++
	}
	ids := make(map[string]engram.ID, len(notes))
	for _, c := range notes {
		ids[c.Path] = c.ID
	}
	for _, n := range res.Rejected {
		x.report(engram.NoteEdit{Path: n.Item, ID: ids[n.Item]}, VaultRejected, VaultItem{Reason: n.Reason})
	}
	for _, n := range res.Notes {
		x.report(engram.NoteEdit{Path: n.Item, ID: ids[n.Item]}, VaultNoted, VaultItem{Reason: n.Reason})
	}
	return x.reportReplicated(ctx, notes)
}

// reportReplicated reports the notes whose memories came in, including flagged ones: the user asked for the whole
// vault.
func (x *vaultImport) reportReplicated(ctx context.Context, notes []*engram.ReplicatedNote) error {
	return x.keeper.ledger.View(ctx, func(r engram.Reader) error {
		for _, c := range notes {
			m, found, err := walk.IfThere(r.Memory(ctx, engram.ByID(c.ID)))
			if err != nil {
				return err
			}
			if !found && !x.in.DryRun {
				x.replicated[c.ID] = nil // rejected
				continue
			}
			x.report(c.NoteEdit, VaultCreated, VaultItem{Num: m.Num, Reason: exchange.FlagReason(c.Memory)})
		}
		return nil
	})
}
