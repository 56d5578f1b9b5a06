package exchange

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// Cleaning applies the rules of saving to records of a file, whose writer may not have kept them.
type Cleaning struct {
	Now      time.Time
	project  string           // everything goes into it; "": its own
	Origin   engram.Origin    // the most trusted origin of memories; "" is import
	Undated  time.Time        // the time of making of undated things; zero: now
	Redactor *screen.Redactor // removes secrets
	mine     bool             // memories keep their origin in the file
	numbers  bool             // memories and prompts keep their numbers
}

// Limits of one record.
const (
	maxRevisions  = 10_000
	maxCount      = 1 << 30        // of revisions, repeats and accesses: a sum of two still fits
	clockTolerant = 24 * time.Hour // how far another machine's clock may be ahead
)

// Record cleans a record, or returns why it is rejected.
func (c Cleaning) Record(r engram.Record) (Incoming, error) {
	in := Incoming{Record: engram.Record{Item: r.Item}}
	var err error
	switch {
	case r.Project != nil:
		in.Project, err = c.projectOf(*r.Project)
	case r.Session != nil:
		in.Session, err = c.session(*r.Session)
	case r.Prompt != nil:
		in.Prompt, err = c.prompt(*r.Prompt)
	case r.Memory != nil && r.Tombstone:
		return c.left(r)
	case r.Memory != nil:
		in.Memory, in.Undated, err = c.memory(r.Memory)
	case r.Relation != nil:
		in.Relation, in.Undated, err = c.relation(*r.Relation)
	case r.Erased != nil:
		in.Erased, err = c.erased(*r.Erased)
	}
	if err == nil && r.Erased == nil {
		in.Tombstone = r.Tombstone
		in.Causal, err = c.metadata(r)
	}
	return in, err
}

// number returns the number that something keeps; 0 for the next free one.
func (c Cleaning) number(num int64) int64 {
	if c.numbers && num > 0 && num < 1<<40 { // a number at the end of the range would leave none after it
		return num
	}
	return 0
}

func (c Cleaning) in(name string) string {
	if c.project != "" {
		return c.project
	}
	return screen.NormalProject(name)
}

// Past is instant for something that has happened.
func (c Cleaning) Past(t time.Time) time.Time {
	if t = ledger.Instant(t); t.After(c.Now.Add(clockTolerant)) {
		return time.Time{}
	}
	return t
}

// dated returns the first time that is not zero, or the one for undated things.
func (c Cleaning) dated(ts ...time.Time) time.Time {
	return cmp.Or(cmp.Or(ts...), c.Undated, c.Now)
}

func (c Cleaning) projectOf(p engram.Project) (*engram.Project, error) {
	texts := screen.Raw{"project", p.Name, "remote", p.Remote}.And("alias", p.Aliases...)
	if err := texts.Check(); err != nil {
		return nil, err
	}
	now := engram.Project{Name: screen.NormalProject(p.Name), Remote: screen.Line(p.Remote), Decay: p.Decay, CreatedAt: c.dated(c.Past(p.CreatedAt))}
	if now.Name == "" {
		return nil, engram.Errorf(engram.CodeInvalid, "the project has no name")
	}
	for _, a := range p.Aliases {
		if a = screen.NormalProject(a); a != "" && a != now.Name && len(a) <= engram.MaxName && !slices.Contains(now.Aliases, a) {
			now.Aliases = append(now.Aliases, a)
		}
	}
	slices.Sort(now.Aliases)
	if now.Decay != nil {
		if err := now.Decay.Validate(); err != nil {
			return nil, err
		}
	}
	return &now, engram.CheckText("project", now.Name, engram.MaxName)
}

func (c Cleaning) session(s engram.Session) (*engram.Session, error) {
	texts := screen.Raw{"session id", s.ID, "project", s.Project, "directory", s.Directory, "summary", s.Summary}
	if err := texts.Check(); err != nil {
		return nil, err
	}
	now := engram.Session{ID: screen.Line(s.ID), Project: c.in(s.Project), Directory: screen.Line(s.Directory), Summary: c.Redactor.Text(s.Summary),
		StartedAt: c.dated(c.Past(s.StartedAt), c.Past(s.EndedAt)), EndedAt: c.Past(s.EndedAt)}
	now.ActiveAt = cmp.Or(c.Past(s.ActiveAt), now.EndedAt, now.StartedAt)
	return &now, now.Validate()
}

func (c Cleaning) prompt(p engram.Prompt) (*engram.Prompt, error) {
	texts := screen.Raw{"prompt", p.Content, "session id", p.SessionID, "project", p.Project, "sync id", p.SyncID}
	if err := texts.Check(); err != nil {
		return nil, err
	}
	now := engram.Prompt{SyncID: p.SyncID, SessionID: screen.Line(p.SessionID), Project: c.in(p.Project), Content: c.Redactor.Text(p.Content),
		CreatedAt: c.dated(c.Past(p.CreatedAt)), DeletedAt: c.Past(p.DeletedAt), Num: c.number(p.Num)}
	if !plainID(now.SyncID, "prompt-") {
		// Derived from the content, not from the time of reading: the same prompt must get the same id.
		now.SyncID = "prompt-" + ledger.Digest(p.SyncID+"\x00"+now.SessionID+"\x00"+ledger.Instant(p.CreatedAt).Format(time.RFC3339Nano)+"\x00"+p.Content)
	}
	return &now, now.Validate()
}

// plainID reports whether an id has the form of Engram's: the prefix, then lower-case letters and digits.
func plainID(id, prefix string) bool {
	rest, ok := strings.CutPrefix(id, prefix)
	return ok && rest != "" && len(id) <= 64 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

func (c Cleaning) memory(r *engram.MemoryRecord) (*engram.MemoryRecord, bool, error) {
	m := &r.Memory
	texts := screen.Raw{"content", m.Content, "title", m.Title, "summary", m.Summary, "type", string(m.Type), "topic key", m.TopicKey,
		"project", m.Project, "session id", m.SessionID, "tool name", m.ToolName, "id", string(m.ID), "sync id", m.SyncID}
	if err := texts.And("tag", m.Tags...).Check(); err != nil {
		return nil, false, err
	}
	w := c.Redactor
	metadata, err := screen.PlainMetadata(w.Members(m.Metadata))
	if err != nil {
		return nil, false, err
	}
	clean := &engram.MemoryRecord{Vectors: finite(r.Vectors)}
	now := &clean.Memory
	*now = engram.Memory{Project: c.in(m.Project), Scope: engram.ParseScope(string(m.Scope)), Type: typeOf(m.Type),
		Title: w.Line(m.Title), Content: w.Text(m.Content), Summary: w.Text(m.Summary), Tags: screen.Tags(w.Lines(m.Tags)), Metadata: metadata, Anchors: engram.CleanAnchors(m.Anchors),
		TopicKey: topic.Normalize(w.Text(m.TopicKey)), SessionID: screen.Line(m.SessionID),
		Origin: lifecycle.LessTrusted(m.Origin, cmp.Or(c.Origin, engram.OriginImport)), Strength: m.Strength, AccessCount: min(max(m.AccessCount, 0), maxCount), RevisionCount: min(max(m.RevisionCount, 1), maxCount),
		DuplicateCount: min(max(m.DuplicateCount, 1), maxCount)}
	c.plain(now, m)
	if !(m.Strength >= 0 && m.Strength <= 1) {
		return nil, false, engram.Errorf(engram.CodeInvalid, "strength %v is out of range", m.Strength).WithHint("use a number from 0 to 1")
	}
	if given := strings.ToLower(strings.TrimSpace(string(m.Scope))); given != "" && given != string(now.Scope) {
		return nil, false, engram.Errorf(engram.CodeInvalid, "scope %.40q does not exist", string(m.Scope)).WithHint("use project, personal or global")
	}
	if now.Title == "" {
		now.Title = screen.TitleOf(now.Content)
	}
	now.NormalizedHash = screen.HashOf(now.Content)
	if c.mine && (m.Origin == "" || lifecycle.LessTrusted(m.Origin, engram.OriginTool) == engram.OriginTool) {
		now.Origin = cmp.Or(m.Origin, engram.OriginAgent)
	}
	if c.Origin == "" { // replicas merge their copies, which must be equal
		*now = lifecycle.Pinned(engram.Memory{}, *now, nil)
	}
	undated := c.date(now, m)
	now.ID, now.SyncID = names(*m)
	now.Num = c.number(m.Num)
	if err := now.Validate(); err != nil {
		return nil, false, err
	}
	clean.Revisions, err = c.revisions(r.Revisions)
	return clean, undated, err
}

// plain cleans the parts of a memory that memory has no rule for, by their type.
func (c Cleaning) plain(now, m *engram.Memory) {
	for _, f := range engram.Fields[engram.Memory]() {
		if f.Part != engram.Part(f.Name) || slices.Contains([]string{"project", "summary", "topic_key", "session_id"}, f.Name) {
			continue
		}
		switch v := f.Of(m).(type) {
		case *string:
			*f.Of(now).(*string) = c.Redactor.Line(*v)
		case *time.Time:
			*f.Of(now).(*time.Time) = ledger.Instant(*v)
		case *bool, *int, *float64:
			f.Copy(now, m)
		}
	}
}

// finite empties vectors with values that are not numbers: they cannot be compared, nor kept as JSON.
func finite(rows []engram.FingerprintedRow) []engram.FingerprintedRow {
	for n, row := range rows {
		if slices.ContainsFunc(row.Values, ledger.NotFinite) {
			rows[n].Values = nil
		}
	}
	return rows
}

// left cleans a record that only says that a memory left the project, and by which write.
func (c Cleaning) left(r engram.Record) (Incoming, error) {
	m := r.Memory.Memory
	texts := screen.Raw{"project", m.Project, "id", string(m.ID), "sync id", m.SyncID}
	if err := texts.Check(); err != nil {
		return Incoming{}, err
	}
	if r.Causal == nil {
		return Incoming{}, engram.Errorf(engram.CodeInvalid, "it reports a departure without a version stamp")
	}
	s := r.Causal.Parts[engram.PartLeft]
	if err := c.known(s); err != nil {
		return Incoming{}, err
	}
	now := engram.Memory{Project: c.in(m.Project), DeletedAt: s.At.Time(), RevisionCount: 1, DuplicateCount: 1}
	now.ID, now.SyncID = names(m)
	l := lifecycle.Stamped(engram.CausalMetadata{}, []engram.Part{engram.PartLeft}, s)
	return Incoming{Record: engram.Record{Memory: &engram.MemoryRecord{Memory: now}, Causal: &l, Tombstone: true, Item: r.Item}}, nil
}

// date sets the times of a memory, and reports whether those it came with are impossible.
func (c Cleaning) date(now, m *engram.Memory) (undated bool) {
	undated = c.Past(m.UpdatedAt).IsZero() && (c.Past(m.CreatedAt).IsZero() || !ledger.Instant(m.UpdatedAt).IsZero())
	now.CreatedAt = c.dated(c.Past(m.CreatedAt), c.Past(m.UpdatedAt))
	now.UpdatedAt = cmp.Or(c.Past(m.UpdatedAt), now.CreatedAt)
	now.TouchedAt = cmp.Or(c.Past(m.TouchedAt), now.UpdatedAt)
	now.LastAccessedAt, now.LastSeenAt, now.DeletedAt = c.Past(m.LastAccessedAt), c.Past(m.LastSeenAt), c.Past(m.DeletedAt)
	if now.DeletedAt.IsZero() && !m.DeletedAt.IsZero() {
		now.DeletedAt = now.UpdatedAt // it was forgotten, whatever the clock said
	}
	return undated
}

// names returns the ids of a memory from elsewhere. A foreign ID is not kept, but its digest is the sync id; without
// any name the content is digested.
func names(m engram.Memory) (engram.ID, string) {
	id, sync := m.ID, m.SyncID
	known := plainID(string(id), engram.IDPrefix) && engram.ByID(id).Whole()
	switch {
	case plainID(sync, "obs-"):
	case sync != "":
		sync = "obs-" + ledger.Digest(sync)
	case id != "":
		sync = engram.SyncIDOf(id)
	default:
		sync = "obs-" + ledger.Digest(m.Project+"\x00"+string(m.Type)+"\x00"+m.Title+"\x00"+m.Content)
	}
	if !known {
		id = ""
	}
	return id, sync
}

func typeOf(t engram.Type) engram.Type {
	if t = engram.Type(strings.ToLower(screen.Line(string(t)))); t == "" {
		return engram.TypeManual
	}
	return t
}

func (c Cleaning) revisions(in []engram.Revision) ([]engram.Revision, error) {
	if len(in) > maxRevisions {
		return nil, engram.Errorf(engram.CodeInvalid, "%d revisions are too many", len(in)).WithHint("at most %d", maxRevisions)
	}
	out := make([]engram.Revision, 0, len(in))
	for _, r := range in {
		texts := screen.Raw{"content of a revision", r.Content, "title of a revision", r.Title, "type of a revision", string(r.Type), "reason of a revision", r.Reason}
		if err := texts.Check(); err != nil {
			return nil, err
		}
		now := engram.Revision{Number: r.Number, Type: typeOf(r.Type), Title: c.Redactor.Line(r.Title), Content: c.Redactor.Text(r.Content),
			Reason: c.Redactor.Line(r.Reason), WrittenAt: c.dated(c.Past(r.WrittenAt), c.Past(r.ReplacedAt), stampTime(r.Stamp)), Stamp: r.Stamp}
		if err := c.known(r.Stamp); err != nil {
			return nil, err
		}
		now.ReplacedAt = cmp.Or(c.Past(r.ReplacedAt), now.WrittenAt)
		if strings.TrimSpace(now.Content) == "" && now.Title == "" {
			continue
		}
		out = append(out, now)
	}
	return out, nil
}

// stampTime returns when a write was; the zero time when that is unknown.
func stampTime(s engram.VersionStamp) time.Time {
	if s.At <= 0 {
		return time.Time{}
	}
	return s.At.Time()
}

func (c Cleaning) relation(r engram.RelationRecord) (_ *engram.RelationRecord, undated bool, err error) {
	rel := r.Relation
	texts := screen.Raw{"reason", rel.Reason, "evidence", rel.Evidence, "actor", rel.Actor, "actor kind", rel.ActorKind, "model", rel.Model,
		"session id", rel.SessionID, "relation id", rel.ID}
	if err := texts.Check(); err != nil {
		return nil, false, err
	}
	verb, err := engram.ParseVerb(string(rel.Verb))
	if err != nil {
		return nil, false, err
	}
	now := engram.Relation{Verb: verb, Status: rel.Status, Strength: rel.Strength, Reason: c.Redactor.Line(rel.Reason),
		Evidence: strings.TrimSpace(c.Redactor.Text(rel.Evidence)), Confidence: rel.Confidence, Actor: screen.Line(rel.Actor),
		ActorKind: screen.Line(rel.ActorKind), Model: screen.Line(rel.Model), SessionID: screen.Line(rel.SessionID),
		CreatedAt: c.dated(c.Past(rel.CreatedAt), c.Past(rel.UpdatedAt)), RemovedAt: c.Past(rel.RemovedAt)}
	undated = c.Past(rel.CreatedAt).IsZero() && c.Past(rel.UpdatedAt).IsZero()
	now.UpdatedAt = cmp.Or(c.Past(rel.UpdatedAt), now.CreatedAt)
	if now.RemovedAt.IsZero() && !rel.RemovedAt.IsZero() {
		now.RemovedAt = now.UpdatedAt
	}
	switch now.Status {
	case "":
		now.Status = engram.RelationJudged
	case engram.RelationPending, engram.RelationJudged, engram.RelationIgnored:
	default:
		return nil, false, engram.Errorf(engram.CodeInvalid, "status %.40q does not exist", string(now.Status)).WithHint("use pending, judged or ignored")
	}
	if !(now.Strength >= 0 && now.Strength <= 1) || !(now.Confidence >= 0 && now.Confidence <= 1) {
		return nil, false, engram.Errorf(engram.CodeInvalid, "strength and confidence are from 0 to 1")
	}
	if now.ID = rel.ID; !plainID(now.ID, engram.RelationIDPrefix) {
		now.ID = "" // its memories and its verb identify it
	}
	return &engram.RelationRecord{Relation: now, Source: end(r.Source), Target: end(r.Target)}, undated, nil
}

// end cleans the name that a relation has for a memory, as names does.
func end(r engram.Ref) engram.Ref {
	id, sync := names(engram.Memory{ID: engram.ID(r.ID), SyncID: r.SyncID})
	if id != "" {
		return engram.ByID(id)
	}
	if r.ID == "" && r.SyncID == "" {
		return engram.Ref{}
	}
	return engram.Ref{SyncID: sync}
}

func (c Cleaning) erased(x engram.Erased) (*engram.Erased, error) {
	now := engram.Erased{Entity: x.Entity, ID: screen.Line(x.ID), SyncID: screen.Line(x.SyncID), Project: screen.NormalProject(x.Project), At: x.At}
	switch x.Entity {
	case engram.EntityMemory, engram.EntityPrompt, engram.EntitySession:
	default:
		return nil, engram.Errorf(engram.CodeInvalid, "cannot erase a %.40q: only memories, prompts and sessions can be erased", string(x.Entity))
	}
	if now.ID == "" {
		return nil, engram.Errorf(engram.CodeInvalid, "the erasure has no id")
	}
	if limit := engram.Clock(0).Tick(c.Now.Add(clockTolerant)); now.At < 0 || now.At > limit {
		now.At = engram.Clock(0).Tick(c.Now)
	}
	if err := engram.CheckText("id", now.ID, engram.MaxName); err != nil {
		return nil, err
	}
	if err := engram.CheckText("project", now.Project, engram.MaxName); err != nil {
		return nil, err
	}
	return &now, engram.CheckText("sync id", now.SyncID, engram.MaxName)
}
