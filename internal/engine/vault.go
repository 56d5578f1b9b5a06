package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"reflect"
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
	live      map[int64]*outline
	gone      map[engram.ID]bool // forgotten
	relations [][2]int64         // relations that somebody made, of memories of one project
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
		if relatesNotes(r) {
			s.relations = append(s.relations, [2]int64{r.Source, r.Target})
		}
		return true
	})
	return s, err
}

// relatesNotes reports a relation that makes a group of memories one. What Engram tied by
// itself, because it is near in meaning, would make one group of nearly all.
func relatesNotes(r engram.Relation) bool {
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
	if err := e.reportSessions(ctx, groups, project); err != nil {
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

// reportSessions puts into the hubs of sessions what is known of them.
func (e *Engine) reportSessions(ctx context.Context, groups map[string]*group, project string) error {
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
	for _, t := range s.relations {
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

// takenEdit is what became of one edit in its transaction.
type takenEdit struct {
	passed   bool // it is not this import's
	memory   engram.Memory
	revised  []string // fields that came in
	clash    []string // fields that both sides changed
	rejected string   // why nothing of it came in
	gone     bool     // the memory was forgotten
	torn     bool     // the note seems to be cut off
	// elsewhere says that the note was written by another store, which shares the vault, or
	// that its memory was erased.
	elsewhere bool
	noted     []string
	base      engram.NoteDigest // what the note says, as far as it tells
}

// takeEdit decides and writes, in one transaction with others: what is refused is refused
// before anything is written.
func (o *op) takeEdit(ctx context.Context, e engram.NoteEdit, project string) (t takenEdit, err error) {
	was, err := o.tx.Memory(ctx, engram.ByID(e.ID))
	switch {
	case engram.CodeOf(err) == engram.CodeNotFound:
		t.passed = project != ""
		if t.rejected = "no memory here has this id"; e.Base != nil {
			t.rejected, t.elsewhere = "", true
		}
		return t, nil
	case err != nil:
		return t, err
	}
	t.memory = was
	if project != "" && was.Project != project {
		t.passed = true
		return t, nil
	}
	if was.Forgotten() {
		t.gone = true
		return t, nil
	}
	if e.Unended && len(e.Fields.Content) < len(strings.TrimSpace(was.Content)) && strings.HasPrefix(was.Content, e.Fields.Content) {
		t.torn = true
		return t, nil
	}
	in, err := t.compare(was, e)
	if err != nil || len(t.revised) == 0 {
		return t, err
	}
	m, why, err := o.editedMemory(ctx, was, in)
	if err != nil || why != "" {
		t.rejected = why
		return t, err
	}
	if reflect.DeepEqual(m, was) {
		t.revised = nil
		return t, nil
	}
	m.UpdatedAt = o.at
	t.memory = m
	return t, o.replaceMemory(ctx, was, m, "note")
}

// editedMemory is was with what a note changes, or why it cannot be.
func (o *op) editedMemory(ctx context.Context, was engram.Memory, in UpdateInput) (m engram.Memory, why string, err error) {
	if err := in.raw().check(); err != nil {
		return m, flawText(err), nil
	}
	if m, err = o.changed(ctx, was, in, o.redactor()); engram.CodeOf(err) == engram.CodeInvalid {
		return m, flawText(err), nil
	}
	if err != nil || m.TopicKey == "" || m.TopicKey == was.TopicKey && m.Scope == was.Scope {
		return m, "", err
	}
	other, found, err := o.tx.ByTopic(ctx, m.Project, m.Scope, m.TopicKey)
	if err == nil && found && other.Num != was.Num {
		why = fmt.Sprintf("the topic %s is that of memory #%d", m.TopicKey, other.Num)
	}
	return m, why, err
}

// compare finds out what the note changes, and what of that the memory changed, too.
func (t *takenEdit) compare(was engram.Memory, e engram.NoteEdit) (in UpdateInput, err error) {
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
		if err := in.set(field, e.Fields); err != nil {
			return in, err
		}
	}
	t.noted = slices.Clone(e.Ignored)
	if e.Project != "" && normalProject(e.Project) != was.Project {
		t.noted = append(t.noted, fmt.Sprintf("its project is not changed by a note: engram update %d --move-to NAME does", was.Num))
	}
	return in, nil
}

// sameLines reports texts that differ in the ends of lines alone: some editors change them all.
func sameLines(a, b string) bool {
	return strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
}

// set takes one field of a note into a change.
func (in *UpdateInput) set(field string, f engram.NoteFields) error {
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

// carry brings in the memories of notes that another store wrote: a vault carries them as a
// file of an export does, with their ids, and with the relations between those that are here
// then. What was erased or forgotten here stays so, and is told.
func (x *vaultImport) carry(ctx context.Context) error {
	absent, err := x.absent(ctx)
	if err != nil || len(absent) == 0 {
		return err
	}
	erased, err := x.erasedNotes(ctx, x.notes, absent)
	if err != nil {
		return err
	}
	var notes []*engram.ReplicatedNote
	for _, id := range absent {
		c, told, err := x.notes.Replicated(id)
		if err != nil {
			return err
		}
		if !told || x.res.Project != "" && normalProject(c.Memory.Project) != x.res.Project {
			continue
		}
		if erased[id] {
			x.replicated[id] = nil
			x.report(c.NoteEdit, VaultNoted, VaultItem{Reason: "the memory was erased here, and stays so; the note stays as it is"})
			continue
		}
		if c.Edited || c.Memory.UpdatedAt.IsZero() {
			c.Memory.UpdatedAt = x.Now()
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
	return x.carryAll(ctx, notes)
}

// absent are the memories that notes name and that are not here. Those that were forgotten
// here, and whose notes nobody edited, are told.
func (x *vaultImport) absent(ctx context.Context) (ids []engram.ID, err error) {
	x.replicated = map[engram.ID]*engram.Memory{}
	var forgotten []engram.Memory
	err = x.store.View(ctx, func(r engram.Reader) error {
		for _, id := range x.notes.Named() {
			m, err := r.Memory(ctx, engram.ByID(id))
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound:
				ids = append(ids, id)
			case err != nil:
				return err
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
		var told bool
		if c, told, err = x.notes.Replicated(m.ID); err == nil && told && c.Base != nil && !c.Edited {
			x.report(c.NoteEdit, VaultNoted, VaultItem{Num: m.Num, Reason: "the memory was forgotten here, and stays so"})
		}
	}
	return ids, err
}

// replicatedRecords are the memories of notes, and then the relations that these tell, between
// memories that are here or come in. One that both of its notes tell is one. Each is made when
// it is asked for: there may be many, and whoever imports them keeps none.
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
				tie := replicatedRelation(c, l)
				id := tie.Relation.Relation.ID
				if l.ID == c.ID || given[id] || !lives(l.ID) {
					continue
				}
				if given[id] = true; !yield(tie, nil) {
					return
				}
			}
		}
	}
}

// living reports whether there is a memory here, or one comes in. It asks once for each.
func (x *vaultImport) living(ctx context.Context) func(engram.ID) bool {
	here := map[engram.ID]bool{}
	return func(id engram.ID) bool {
		if known, asked := here[id]; asked {
			return known
		}
		here[id] = x.replicated[id] != nil || x.store.View(ctx, func(r engram.Reader) error {
			_, err := r.Memory(ctx, engram.ByID(id))
			return err
		}) == nil
		return here[id]
	}
}

// replicatedRelation is a relation that a note tells, as a record of which the id is the same whichever
// of its two notes tells it.
func replicatedRelation(c *engram.ReplicatedNote, l engram.NoteLink) engram.Record {
	from, to := c.ID, l.ID
	if !l.Outgoing || bothWays(l.Verb) && to < from {
		from, to = to, from
	}
	sum := sha256.Sum256([]byte("note\x00" + string(from) + "\x00" + string(l.Verb) + "\x00" + string(to)))
	return engram.Record{Item: c.Path, Relation: &engram.RelationRecord{Source: engram.ByID(from), Target: engram.ByID(to),
		Relation: engram.Relation{ID: engram.RelationIDPrefix + hex.EncodeToString(sum[:8]), Verb: l.Verb, Status: engram.RelationJudged, Strength: 1,
			Reason: l.Reason, Actor: "note", ActorKind: "human", CreatedAt: c.Memory.CreatedAt, UpdatedAt: c.Memory.CreatedAt}}}
}

// bothWays reports verbs that notes tell in the same words from either end.
func bothWays(v engram.Verb) bool {
	switch v {
	case engram.VerbSupersedes, engram.VerbDerivedFrom, engram.VerbEvolvedFrom, engram.VerbCausedBy, engram.VerbScoped:
		return false
	}
	return true
}

// carryAll brings in what notes carry as Import does, all of it in one transaction, and tells
// what became of each note.
func (x *vaultImport) carryAll(ctx context.Context, notes []*engram.ReplicatedNote) error {
	f := *x.Engine
	f.options.Formats = map[string]engram.Format{NativeFormat: given{engram.Snapshot{Format: "notes", Memories: len(notes),
		Lacks: []engram.Entity{engram.EntityProject, engram.EntitySession, engram.EntityPrompt}}, x.replicatedRecords(ctx, notes)}}
	res, err := f.Import(ctx, strings.NewReader(""), ImportInput{DryRun: x.in.DryRun})
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

// reportReplicated tells the notes whose memories are here now, and what in them reads like an
// instruction to an agent: whoever asks for a vault to come in gets it, and should know.
func (x *vaultImport) reportReplicated(ctx context.Context, notes []*engram.ReplicatedNote) error {
	return x.store.View(ctx, func(r engram.Reader) error {
		for _, c := range notes {
			m, err := r.Memory(ctx, engram.ByID(c.ID))
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound && !x.in.DryRun:
				x.replicated[c.ID] = nil // refused
				continue
			case err != nil && engram.CodeOf(err) != engram.CodeNotFound:
				return err
			}
			x.report(c.NoteEdit, VaultCreated, VaultItem{Num: m.Num, Reason: suspect(c.Memory)})
		}
		return nil
	})
}

// suspect says what in a memory reads like an instruction to an agent; "" for nothing.
func suspect(m engram.Memory) string {
	if found := suspicionsIn(shownTexts(m)); len(found) > 0 {
		return "it reads like an instruction to an agent, and comes in all the same: " + whyAndWhere(found[0].reasons[0])
	}
	return ""
}
