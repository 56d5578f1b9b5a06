package remember

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// Known reports whether the saved text existed before: it was a repeat, was merged into another memory, or
// revised one.
func (r SaveResult) Known() bool { return r.Action != ledger.ActionInserted }

// Contested returns the memory that the saved one most likely contradicts; nil if none is flagged.
func (r SaveResult) Contested() *engram.Memory {
	if len(r.Candidates) == 0 {
		return nil
	}
	return &r.Candidates[0].Memory
}

// SaveInput is a memory to save. Content is required.
type SaveInput struct {
	Title      string // "" takes the first words of the content
	Content    string
	Type       engram.Type // "" is manual
	Scope      engram.Scope
	Project    string // resolved (see Engine.ProjectFor); "" is no project
	TopicKey   string
	SessionID  string // "" is the project's open session, else manual-save-PROJECT
	NewSession bool   // make the session if it does not exist, instead of an error
	Directory  string // folder of a new session
	ToolName   string
	Origin     engram.Origin // "" is agent
	Tags       []string
	Metadata   map[string]any
	Importance *float64 // nil is engram.DefaultImportance
	Permanent  bool
	Related    []engram.Ref // memories to create a relates_to relation to
	Files      []string     // related code: PATH or PATH:FIRST-LAST, relative to Directory, else the session's folder, else Options.Dir
	Admit      AdmitMode    // what may happen to other memories; the zero value leaves them alone
	// AllowSecret keeps recognized secrets, which are redacted otherwise. Only a person may set it, never an
	// agent.
	AllowSecret bool
	At          time.Time // when it was learned, not later than now; zero is now
	Once        bool      // count an exact repeat of any age as one, but do not record it unless it adds something
}

// AdmitMode says how a save may affect memories it does not name.
type AdmitMode = lifecycle.AdmitMode

// The modes.
const (
	AdmitSeparately = lifecycle.AdmitSeparately
	AdmitMerging    = lifecycle.AdmitMerging
)

// SaveResult is the memory after a save and the outcome.
type SaveResult struct {
	Memory     engram.Memory
	Action     ledger.Action
	Reason     string             // reason for the action, for a person
	MergedWith *engram.Memory     // the other memory before the merge; nil unless merged
	Candidates []relate.Candidate // possible contradictions to judge, likeliest first
	Related    []search.Near      // memories related for similarity, nearest first
	Warnings   []string           // normalized or similar project names; checks that were not possible
	State      engram.State
	Op         int64 // operation for Undo, the same for a whole batch; 0 if nothing was written

	said *engram.Memory // as it was given
}

// SuggestedTopic returns a fitting topic key; "" if one was given.
func (r SaveResult) SuggestedTopic() string {
	if r.said == nil || r.Memory.TopicKey != "" {
		return ""
	}
	return topic.Suggest(r.said.Type, r.said.Title, r.said.Content)
}

// Save stores a memory: it revises the memory of its topic, counts an exact repeat, adds a memory, or with
// AdmitMerging merges into one that says nearly the same. It relates the memory to similar ones and flags
// possible contradictions for a verdict. Invalid input is CodeInvalid; a session that does not exist, or
// belongs to another project, carries a *project.Problem.
func (w *Writer) Save(ctx context.Context, in SaveInput) (SaveResult, error) {
	t, err := w.IntakeOf(in)
	if err != nil {
		return SaveResult{}, err
	}
	all, err := w.SaveAll(ctx, "save", []Intake{t}, false)
	if err != nil {
		return SaveResult{}, err
	}
	return all[0], nil
}

// SaveAll saves in one transaction. Errors of batch items are a *BatchError.
func (w *Writer) SaveAll(ctx context.Context, operation string, intakes []Intake, batch bool) ([]SaveResult, error) {
	begun := w.exposure.Tally.Begin()
	all, err := w.saveIntakes(ctx, operation, intakes, batch, nil)
	w.exposure.Tally.Saved(begun, ActionsOf(all), err)
	return all, err
}

// saveIntakes saves in one transaction, once more if a session has moved since its folder was remembered; done, if not
// nil, runs last and may roll it back.
func (w *Writer) saveIntakes(ctx context.Context, operation string, intakes []Intake, batch bool, done func([]SaveResult) error) ([]SaveResult, error) {
	all, err := w.trySave(ctx, operation, intakes, batch, done)
	for errors.Is(err, errMoved) {
		all, err = w.trySave(ctx, operation, intakes, batch, done)
	}
	return all, err
}

func (w *Writer) trySave(ctx context.Context, operation string, intakes []Intake, batch bool, done func([]SaveResult) error) ([]SaveResult, error) {
	if err := eachItem(len(intakes), batch, func(i int) error { return w.anchorSave(ctx, &intakes[i]) }); err != nil {
		return nil, err
	}
	out, err := w.embedAhead(ctx, intakes)
	if err != nil {
		return nil, err
	}
	all := make([]SaveResult, len(intakes))
	var number int64
	look := func(r engram.Reader) error {
		if err := w.checkFolders(ctx, r, intakes); err != nil {
			return err
		}
		return w.look(ctx, r, out)
	}
	if len(intakes) == 1 {
		ctx = engram.WithSharedCommit(ctx)
	}
	err = w.ledger.WriteAfter(ctx, operation, look, func(o *ledger.Tx) error {
		o.Embedded = out.Embedded
		if len(intakes) > 1 {
			o.Logged = map[ledger.Thing]bool{}
		}
		s := NewSaver(w, o, out)
		if err := s.saveEach(ctx, intakes, batch, all); err != nil {
			return err
		}
		for i := range intakes {
			all[i].Report(&intakes[i], out)
		}
		if err := warnPending(ctx, o, all); err != nil {
			return err
		}
		if done != nil {
			return done(all)
		}
		number = o.First
		return CountSaves(ctx, o, all)
	})
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Op = number
	}
	return all, nil
}

// saveEach saves each intake into all. For a batch it continues after a bad item, so that the error lists every
// one.
func (s *Saver) saveEach(ctx context.Context, intakes []Intake, batch bool, all []SaveResult) error {
	return eachItem(len(intakes), batch, func(i int) (err error) {
		if all[i], err = s.Save(ctx, intakes[i]); err != nil && batch && !ofItem(err) {
			return OfItem(i, err)
		}
		return err
	})
}

// Report adds warnings, and what a topic is suggested for.
func (r *SaveResult) Report(t *Intake, out *Lookahead) {
	r.said = &t.Draft
	r.Warnings = slices.Concat(renamed(t.in.Project, t.Draft.Project), r.Warnings, out.warning(t.in.Admit), t.redactor.Warning())
}

// renamed warns if a project name was normalized.
func renamed(given, kept string) []string {
	if kept == given || kept == "" {
		return nil
	}
	return []string{fmt.Sprintf("Project name normalized: %q → %q", redact.Private(given), kept)}
}

// Saver saves memories within one operation.
type Saver struct {
	writer *Writer
	tx     *ledger.Tx
	recent recentWrites
	placed map[projects.PlaceInput]projects.Placement // without warnings
	last   projects.PlaceInput                        // the last one asked for
	made   map[int64]*recentMemory                    // memories as this operation has inserted them
}

// NewSaver returns a Saver that knows what was looked up before the operation.
func NewSaver(w *Writer, o *ledger.Tx, out *Lookahead) *Saver {
	return &Saver{writer: w, tx: o, recent: recentWrites{upto: out.seen, touched: map[int64]bool{}, written: map[int64]*recentMemory{}},
		placed: map[projects.PlaceInput]projects.Placement{}, made: map[int64]*recentMemory{}}
}

// Save saves one memory.
func (s *Saver) Save(ctx context.Context, t Intake) (SaveResult, error) {
	var res SaveResult
	m, in := t.Draft, t.in
	if s.tx.Then = in.At; !in.At.IsZero() {
		m.CreatedAt, m.UpdatedAt = s.tx.Happened(in.At), s.tx.Happened(in.At)
	}
	place, err := s.place(ctx, t)
	if err != nil {
		return res, err
	}
	m.Project, m.SessionID, res.Warnings = place.Project, place.Session, place.Warnings
	near, err := s.around(ctx, t, m)
	if err != nil {
		return res, err
	}
	d, err := s.admit(ctx, t, m, near)
	if err != nil {
		return res, err
	}
	if err := s.apply(ctx, m, in, d, &res); err != nil {
		return res, err
	}
	s.remember(t, res)
	res.State = lifecycle.State(res.Memory, s.tx.At)
	if err := s.tx.KeepSecrets(ctx, res.Memory.Num, t.redactor); err != nil {
		return res, err
	}
	if err := relateTo(ctx, s.tx, res.Memory, in.Related); err != nil {
		return res, err
	}
	warned, err := s.relateByMetadata(ctx, res.Memory, m.Metadata)
	if err != nil {
		return res, err
	}
	res.Warnings = append(res.Warnings, warned...)
	return res, s.relateNear(ctx, near, &res)
}

// place finds the place of a save. Many items of a batch have the same, which only a session named by another item may
// change: where no session is named, the one written to last is meant.
func (s *Saver) place(ctx context.Context, t Intake) (projects.Placement, error) {
	in := projects.PlaceInput{Project: t.Draft.Project, Session: t.Draft.SessionID, Directory: t.in.Directory, Create: t.in.NewSession}
	if in.Session != "" && in != s.last {
		clear(s.placed)
	}
	s.last = in
	if p, known := s.placed[in]; known {
		return p, nil
	}
	ask := in
	if len(t.near) > 0 && s.tx.Last == s.recent.upto { // they have not been forgotten meanwhile
		ask.Used = t.project
	}
	p, err := projects.Place(ctx, s.tx, ask)
	if err == nil {
		s.placed[in] = projects.Placement{Project: p.Project, Session: p.Session} // it has a memory from now on
	}
	return p, err
}

func (s *Saver) apply(ctx context.Context, m engram.Memory, in SaveInput, d lifecycle.Decision, res *SaveResult) error {
	res.Action, res.Reason = d.Action, d.Reason
	was, before := d.Target, d.Target
	if d.Adds == lifecycle.AddsWording || d.Adds == lifecycle.AddsLess {
		if err := s.reword(ctx, &d, &was, m); err != nil {
			return err
		}
	}
	switch d.Action {
	case lifecycle.Revise:
		res.Memory = lifecycle.Revised(d.Target, m, s.tx.At, s.writer.ledger.Policy)
		if !in.At.IsZero() {
			res.Memory.UpdatedAt = ledger.Later(s.tx.Happened(in.At), d.Target.UpdatedAt)
		}
		if in.Importance == nil {
			res.Memory.Importance = d.Target.Importance
		}
	case lifecycle.Repeat:
		res.Memory = lifecycle.Repeated(d.Target, m, s.tx.At)
		if in.Once && addsNothing(was, res.Memory) {
			res.Memory = was
			return nil
		}
	case lifecycle.Absorb:
		if in.Importance == nil {
			m.Importance = d.Target.Importance // no rating was given
		}
		res.Memory, res.MergedWith = lifecycle.Merged(d.Target, m, s.tx.At, s.writer.ledger.Policy), &before
	default:
		err := s.tx.InsertMemory(ctx, &m, d.Reason)
		res.Memory = m
		return err
	}
	return addTo(ctx, s.tx, was, res.Memory, d.Reason)
}

// reword records another wording of a memory. If m says all that the memory says, its words become the text; if
// less, they become a revision. An earlier wording is not recorded again. was is the stored memory.
func (s *Saver) reword(ctx context.Context, d *lifecycle.Decision, was *engram.Memory, m engram.Memory) error {
	rs, err := s.tx.Store.Revisions(ctx, d.Target.Num)
	had := func(r engram.Revision) bool { return lifecycle.Worded(r, m) }
	if err != nil || slices.ContainsFunc(rs, had) {
		return err
	}
	said := lifecycle.Reworded(d.Target, m)
	if d.Adds == lifecycle.AddsWording {
		d.Target = said
		return nil
	}
	said.UpdatedAt = s.tx.At
	if err := addTo(ctx, s.tx, *was, said, d.Reason); err != nil {
		return err
	}
	*was, d.Target.RevisionCount = said, said.RevisionCount+1
	return nil
}

// addsNothing reports whether a repeat changed only counters.
func addsNothing(was, now engram.Memory) bool {
	now.DuplicateCount, now.LastSeenAt, now.UpdatedAt = was.DuplicateCount, was.LastSeenAt, was.UpdatedAt
	now.Anchors = was.Anchors // the same words name the same places, whatever their state
	return len(ledger.Changes(ledger.MemoryFields(was), ledger.MemoryFields(now))) == 0
}

// addTo replaces was by now and validates it: tags and metadata of two saves may exceed the limits of one
// memory.
func addTo(ctx context.Context, o *ledger.Tx, was, now engram.Memory, reason string) error {
	if err := now.Validate(); err != nil {
		return err
	}
	if _, err := screen.CleanMetadata(now.Metadata); err != nil {
		return err
	}
	return o.ReplaceMemory(ctx, was, now, reason)
}

// relate creates the requested relations; existing ones are fine.
func relateTo(ctx context.Context, o *ledger.Tx, m engram.Memory, to []engram.Ref) error {
	for _, ref := range to {
		ref = relate.BesideOf(ref, m)
		other, err := o.Live(ctx, ref)
		if err != nil {
			return err
		}
		if other.Num == m.Num {
			return engram.Errorf(engram.CodeInvalid, "memory %s cannot be related to itself", ref)
		}
		r := engram.Relation{Source: m.Num, Target: other.Num, Verb: engram.VerbRelatesTo,
			Status: engram.RelationJudged, Strength: 1, Actor: o.Ledger.Caller.Actor, ActorKind: string(m.Origin), SessionID: m.SessionID}
		err = o.InsertRelations(ctx, m.Project, "requested", &r)
		if err != nil && engram.CodeOf(err) != engram.CodeConflict { // the relation exists
			return err
		}
	}
	return nil
}

// admit applies the admission rule to the current state of the store.
func (s *Saver) admit(ctx context.Context, t Intake, m engram.Memory, near []relate.Neighbour) (lifecycle.Decision, error) {
	known := lifecycle.Known{}
	if m.TopicKey != "" {
		old, found, err := engram.ByTopic(ctx, s.tx.Store, m.Project, m.Scope, m.TopicKey)
		if err != nil {
			return lifecycle.Decision{}, err
		}
		if found {
			known.Topic = &old
		}
		if found && t.in.Once && t.overtaken {
			if known.TopicSaid, err = s.saidBefore(ctx, old, m); err != nil {
				return lifecycle.Decision{}, err
			}
		}
	}
	policy, since := s.writer.ledger.Policy, s.tx.At.Add(-s.writer.ledger.Policy.RepeatWindow)
	if t.in.Once {
		policy.RepeatWindow, since = math.MaxInt64, time.Time{}
	}
	same := func(old engram.Memory) bool { return lifecycle.IsRepeat(m, old, s.tx.At, policy) }
	old, found, err := engram.ByHash(ctx, s.tx.Store, m.Project, m.NormalizedHash, since, same)
	if err != nil {
		return lifecycle.Decision{}, err
	}
	if found {
		known.Repeat = &old
	}
	if m.Type == engram.TypeSessionSummary && m.TopicKey == "" {
		if err := s.knowSummaries(ctx, t, m, &known); err != nil {
			return lifecycle.Decision{}, err
		}
	}
	if t.in.Admit == AdmitMerging {
		if err := s.knowAlike(ctx, t, m, near, &known); err != nil {
			return lifecycle.Decision{}, err
		}
	}
	return lifecycle.Admit(m, known, t.in.Admit, s.writer.ledger.Policy), nil
}

// saidBefore reports whether a memory had m's text in an earlier revision.
func (s *Saver) saidBefore(ctx context.Context, old, m engram.Memory) (bool, error) {
	if old.RevisionCount < 2 {
		return false, nil
	}
	rs, err := s.tx.Store.Revisions(ctx, old.Num)
	return slices.ContainsFunc(rs, func(r engram.Revision) bool {
		return r.Type == m.Type && r.Title == m.Title && r.Content == m.Content
	}), err
}

// knowAlike adds the memories that m may merge into, reading them again: fields that are not journaled, such as
// accesses, may have changed.
func (s *Saver) knowAlike(ctx context.Context, t Intake, m engram.Memory, near []relate.Neighbour, known *lifecycle.Known) error {
	if s.writer.ledger.Embedder != nil {
		known.Duplicate = s.writer.ledger.Embedder.Model().Duplicate
	}
	for _, n := range near {
		now, err := s.tx.Store.Memory(ctx, engram.ByNum(n.Memory.Num))
		if err != nil {
			return err
		}
		known.Near = append(known.Near, lifecycle.Near{Memory: now, Cosine: n.Cosine, Differs: n.Difference.String()})
	}
	if err := s.knowWorded(ctx, t, m, known); err != nil {
		return err
	}
	if err := s.knowSaid(ctx, m, known); err != nil {
		return err
	}
	titled, err := s.tx.Store.List(ctx, engram.Filter{Project: m.Project, Projectless: m.Project == "", Scope: m.Scope, Types: []engram.Type{m.Type}, Title: m.Title},
		engram.Page{Order: engram.OrderLatest, Limit: 1})
	if err != nil || len(titled) == 0 {
		return err
	}
	old := titled[0]
	hidden, err := search.Replaced(ctx, s.tx.Store, []int64{old.Num})
	if err != nil || hidden[old.Num] {
		return err
	}
	d, _ := contradiction.Between(relate.ComparisonText(m), relate.ComparisonText(old), contradiction.Nearness{})
	known.Titled = &lifecycle.Near{Memory: old, Differs: d.String()}
	return nil
}

// knowSaid adds the memory with exactly the same text, however old.
func (s *Saver) knowSaid(ctx context.Context, m engram.Memory, known *lifecycle.Known) error {
	beside := func(old engram.Memory) bool { return search.IsBeside(old, m) }
	called := func(old engram.Memory) bool { return beside(old) && old.Title == m.Title }
	old, found, err := engram.ByHash(ctx, s.tx.Store, m.Project, m.NormalizedHash, time.Time{}, called)
	if err == nil && !found {
		old, found, err = engram.ByHash(ctx, s.tx.Store, m.Project, m.NormalizedHash, time.Time{}, beside)
	}
	if err != nil || !found {
		return err
	}
	hidden, err := search.Replaced(ctx, s.tx.Store, []int64{old.Num})
	if err == nil && !hidden[old.Num] {
		known.Said = &old
	}
	return err
}

// knowWorded adds memories that may contain m's text without being near it: those with all its words, and those
// written since the search for them.
func (s *Saver) knowWorded(ctx context.Context, t Intake, m engram.Memory, known *lifecycle.Known) error {
	nums := slices.Concat(t.worded, slices.Sorted(maps.Keys(s.recent.written)))
	ms, err := s.tx.Store.Memories(ctx, nums)
	if err != nil {
		return err
	}
	hidden, err := search.Replaced(ctx, s.tx.Store, nums)
	if err != nil {
		return err
	}
	for _, other := range ms {
		if search.IsBeside(other, m) && !hidden[other.Num] {
			known.Near = append(known.Near, lifecycle.Near{Memory: other})
		}
	}
	return nil
}
