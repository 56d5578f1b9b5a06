package exchange

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// A record comes in, from a file or a remote, in three steps: read the thing here as it was written, merge both
// (lifecycle.Merge), write the outcome with its metadata, texts and journal entry. None of this is a write of this
// store, so nothing is stamped; where a rule of this store forbids to show the outcome, that part is shadowed
// (written.go).

// Future is why a record is deferred or rejected: a clock far ahead would win over every edit until then.
type Future struct{ At time.Time }

// Error implements error.
func (f *Future) Error() string {
	return fmt.Sprintf("it was written in the future, on %s", f.At.Format(time.DateOnly))
}

// Limits of causal metadata that comes in. Honest metadata has a part per field and a member per tag.
const (
	maxParts   = 64
	maxMembers = 4096
	maxDevices = 4096 // of members and of counters
)

// metadata checks the causal metadata of a record.
func (c Cleaning) metadata(r engram.Record) (*engram.CausalMetadata, error) {
	if r.Causal == nil {
		return nil, nil
	}
	l := r.Causal.Clone()
	l.Shadowed = nil
	if len(l.Parts) > maxParts || len(l.Sets) > maxMembers || len(l.Counts) > maxDevices {
		return nil, engram.Errorf(engram.CodeInvalid, "its causal metadata has too many parts")
	}
	devices := []string{l.Base.Device}
	dots := 0
	for p, s := range l.Parts {
		devices = append(devices, s.Device, string(p))
		if s.At < 0 {
			return nil, engram.Errorf(engram.CodeInvalid, "its causal metadata has a negative clock")
		}
	}
	if s, own := l.Parts[engram.PartText]; own && s.Compare(l.Base) < 0 {
		delete(l.Parts, engram.PartText) // a text older than its memory: such states have no order
	}
	if err := openMembers(r, &l); err != nil {
		return nil, err
	}
	for member, ds := range l.Sets {
		devices = append(devices, member)
		for device, d := range ds {
			devices = append(devices, device)
			if dots++; d.Added < 0 || d.Removed < 0 {
				return nil, engram.Errorf(engram.CodeInvalid, "its causal metadata has a negative clock")
			}
			if d.Removed > d.Added { // no store removes what it has not seen
				return nil, engram.Errorf(engram.CodeInvalid, "its causal metadata removes what was not added")
			}
		}
	}
	for device, n := range l.Counts {
		devices = append(devices, device)
		if n.Accesses = min(max(n.Accesses, 0), maxCount/maxDevices); n.Repeats < 0 || n.Repeats > maxCount/maxDevices {
			n.Repeats = min(max(n.Repeats, 0), maxCount/maxDevices)
		}
		l.Counts[device] = n
	}
	if dots > maxMembers*4 || l.Base.At < 0 {
		return nil, engram.Errorf(engram.CodeInvalid, "its causal metadata has too many parts, or a negative clock")
	}
	for _, d := range devices {
		if err := engram.CheckText("a name in its causal metadata", d, engram.MaxName); err != nil {
			return nil, err
		}
	}
	return &l, c.known(l.Newest())
}

// known rejects a stamp of the future.
func (c Cleaning) known(s engram.VersionStamp) error {
	if s.At < 0 {
		return engram.Errorf(engram.CodeInvalid, "a version stamp is negative")
	}
	if s.At > engram.Clock(0).Tick(c.Now.Add(clockTolerant)) {
		return &Future{s.At.Time()}
	}
	return nil
}

// putMetadata stores merged metadata if it changed; the counts of this store stay in the row.
func (i *Importing) putMetadata(ctx context.Context, kind engram.Entity, key string, l engram.CausalMetadata, was *engram.CausalMetadata, known bool) error {
	if _, own := l.Counts[i.Tx.Device]; own {
		l = l.Clone()
		if delete(l.Counts, i.Tx.Device); len(l.Counts) == 0 {
			l.Counts = nil
		}
	}
	if known && was != nil && reflect.DeepEqual(l, *was) {
		return nil
	}
	return i.Tx.PutMetadata(ctx, kind, key, l)
}

// merged merges the written state of a thing with an incoming one, and returns the digest of that one.
func (i *Importing) merged(written, there engram.Record) (m engram.Record, came int64) {
	state := lifecycle.Normal(there)
	came = state.Causal.Digest()
	if there.Causal == nil {
		there = lifecycle.Filled(written, there, i.Res.From)
		state = lifecycle.Adopted(written, there)
	}
	m = lifecycle.MergeNormal(lifecycle.Normal(written), state)
	if i.In.Mode == ImportReplace {
		m = lifecycle.Overridden(m, there, i.Tx.Stamp())
	}
	return m, came
}

// A mergedThing is a thing here, merged with the state of it that came in.
type mergedThing struct {
	state  engram.Record         // the outcome
	before engram.CausalMetadata // of the thing here
	known  bool                  // it had any
	came   int64                 // digest of the incoming state
}

// mergeHere merges a thing here, whose row is was, with the state of it that came in. Shadowed parts stay shadowed.
func (i *Importing) mergeHere(ctx context.Context, was, there engram.Record) (m mergedThing, err error) {
	if m.before, m.known, err = ledger.KnownMetadata(ctx, i.Tx.Store, was.Entity(), ledger.KeyOf(was)); err != nil {
		return m, err
	}
	m.state, m.came = i.merged(ledger.WrittenState(was, m.before, m.known, i.Tx.Device), there)
	m.state.Causal.Shadowed = m.before.Shadowed
	return m, nil
}

// keepMerged keeps the metadata of a merged thing that has its key again.
func (i *Importing) keepMerged(ctx context.Context, m mergedThing) error {
	return i.keep(ctx, m.state.Entity(), ledger.KeyOf(m.state), m.before, m.known, m.came, *m.state.Causal)
}

// noteReplicated notes which batches have a state of a thing: the incoming one, by its digest, and the merged one,
// which needs the earlier batches too.
func (i *Importing) noteReplicated(ctx context.Context, kind engram.Entity, key string, was engram.CausalMetadata, came int64, now engram.CausalMetadata) error {
	if i.Batch == "" {
		return nil
	}
	if err := i.Tx.Store.ReplicaTx().PutReplicated(ctx, []string{i.Batch}, engram.ThingState{Entity: kind, Key: key, Digest: came}); err != nil {
		return err
	}
	if now.Digest() == came || now.Digest() == was.Digest() {
		return nil
	}
	sets, err := i.Tx.Store.Replica().ReplicatedBy(ctx, kind, key, was.Digest())
	if err != nil {
		return err
	}
	for _, s := range sets {
		if err := i.Tx.Store.ReplicaTx().PutReplicated(ctx, append(s, i.Batch), engram.ThingState{Entity: kind, Key: key, Digest: now.Digest()}); err != nil {
			return err
		}
	}
	return nil
}

// keep stores the metadata of a thing that came in, and notes which batches have its state; came is the digest of the
// incoming one.
func (i *Importing) keep(ctx context.Context, kind engram.Entity, key string, was engram.CausalMetadata, known bool, came int64, now engram.CausalMetadata) error {
	if err := i.putMetadata(ctx, kind, key, now, &was, known); err != nil {
		return err
	}
	return i.noteReplicated(ctx, kind, key, was, came, now)
}

// openMembers removes set members that no store makes from user input, or they would get around the rules for tags
// and aliases.
func openMembers(r engram.Record, l *engram.CausalMetadata) error {
	maps.DeleteFunc(l.Sets, func(member string, _ engram.Dots) bool {
		switch {
		case r.Memory != nil:
			clean := screen.Tags([]string{member})
			return len(clean) != 1 || clean[0] != member
		case r.Project != nil:
			return member == "" || screen.NormalProject(member) != member
		}
		return member != "" || r.Relation == nil
	})
	if r.Memory == nil {
		return nil
	}
	live := 0
	for _, tag := range screen.Tags(r.Memory.Memory.Tags) {
		if _, own := l.Sets[tag]; !own {
			live++
		}
	}
	for _, dots := range l.Sets {
		if dots.Member() {
			live++
		}
	}
	if live > engram.MaxTags {
		return engram.Errorf(engram.CodeInvalid, "%d tags are too many", live).WithHint("at most %d", engram.MaxTags)
	}
	return nil
}

// Signature returns the name of the pusher as it is kept and shown: one line, no longer than a name.
func Signature(by string) string {
	const most = 200
	by = strings.ToValidUTF8(by[:min(len(by), 4*most)], "")
	if by = screen.Line(by); len(by) > most {
		by = strings.ToValidUTF8(by[:most], "")
	}
	return by
}

// project adds a project, or merges the one here with it. One that was merged into another here stays merged, and a
// name that another project has stays there.
func (i *Importing) project(ctx context.Context, there engram.Record) (Outcome, error) {
	name := there.Project.Name
	was, found, err := i.Tx.Store.Project(ctx, name)
	if err != nil || found && was.Name != name {
		return Unchanged, err
	}
	l, known, err := ledger.KnownMetadata(ctx, i.Tx.Store, engram.EntityProject, name)
	if err != nil {
		return Unchanged, err
	}
	state := lifecycle.Normal(there)
	if found {
		state, _ = i.merged(ledger.WrittenState(ledger.ProjectRecord(was), l, known, i.Tx.Device), there)
	}
	now := *state.Project
	now.Root = was.Root
	if now.Aliases, err = i.free(ctx, name, now.Aliases); err != nil {
		return Unchanged, err
	}
	if err := i.putMetadata(ctx, engram.EntityProject, name, *state.Causal, &l, known); err != nil {
		return Unchanged, err
	}
	out, old := added, map[string]any(nil)
	if found {
		if out, old = changed, ledger.Changes(ledger.ProjectFields(was), ledger.ProjectFields(now)); len(old) == 0 {
			return Unchanged, nil
		}
	}
	if err := i.Tx.Store.PutProject(ctx, now); err != nil {
		return Unchanged, err
	}
	return out, i.Tx.Log(ctx, engram.EntityProject, name, name, i.Reason, old)
}

// free returns the aliases that are not the names of other projects.
func (i *Importing) free(ctx context.Context, name string, aliases []string) ([]string, error) {
	var free []string
	for _, a := range aliases {
		p, taken, err := i.Tx.Store.Project(ctx, a)
		if err != nil {
			return nil, err
		}
		if !taken || p.Name == name {
			free = append(free, a)
		}
	}
	return free, nil
}

// heldTopic is the topic key of an incoming memory that another memory had when it was written.
type heldTopic struct {
	topic string
	item  string
	name  engram.ID
	out   Outcome // of the memory without the topic
}

// holdTopic shadows m's topic key when another live memory shows it: a topic has one memory, and which one is
// resolved at the end.
func (i *Importing) holdTopic(ctx context.Context, m *engram.Memory, l *engram.CausalMetadata, item string, out Outcome) error {
	held := ledger.IsShadowed(*l, ledger.TopicPart)
	*l = ledger.WithoutShadowed(*l, ledger.TopicPart)
	i.heldTopic = nil
	if m.TopicKey == "" || m.Forgotten() {
		return nil
	}
	other, has, err := engram.ByTopic(ctx, i.Tx.Store, m.Project, m.Scope, m.TopicKey)
	if err != nil || !has && !held || has && other.Num == m.Num {
		return err
	}
	*l = ledger.WithShadowed(*l, ledger.TopicPart, m.TopicKey)
	i.heldTopic = &heldTopic{m.TopicKey, item, m.ID, out}
	m.TopicKey = ""
	return nil
}

// noteTopic notes for a memory, which has its number now, what holdTopic shadowed.
func (i *Importing) noteTopic(m engram.Memory) {
	if i.heldTopic != nil {
		i.topics[m.Num] = *i.heldTopic
		i.heldTopic = nil
	}
}

// reportTopics resolves topics, and reports which incoming memories are shown without theirs.
func (i *Importing) reportTopics(ctx context.Context) error {
	if err := i.Tx.ResolveTopics(ctx); err != nil {
		return err
	}
	for _, num := range slices.Sorted(maps.Keys(i.topics)) {
		w := i.topics[num]
		m, err := i.Tx.Store.Memory(ctx, engram.ByNum(num))
		if err != nil {
			return err
		}
		switch {
		case m.Forgotten(): // a later item forgot it
		case m.TopicKey == w.topic && w.out == Unchanged:
			i.Res.Memories.Unchanged--
			i.Res.Memories.Changed++
		case m.TopicKey == "":
			other, has, err := engram.ByTopic(ctx, i.Tx.Store, m.Project, m.Scope, w.topic)
			if err != nil {
				return err
			}
			if has {
				i.Res.Note(engram.ImportNote{Item: w.item, Name: string(w.name), Reason: "topic " + w.topic + " belongs to memory #" + ledger.Key(other.Num) + " here: imported without the topic"})
			}
		}
	}
	return nil
}
