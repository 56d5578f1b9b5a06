package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// cleaning applies the rules of saving to records of a file, whose writer may not have kept them.
type cleaning struct {
	now      time.Time
	project  string        // everything goes into it; "": its own
	origin   engram.Origin // the most trusted origin of memories; "" is import
	undated  time.Time     // the time of making of undated things; zero: now
	redactor *redactor     // removes secrets
	mine     bool          // memories keep their origin in the file
	numbers  bool          // memories and prompts keep their numbers
}

// Limits of one record.
const (
	maxRevisions  = 10_000
	maxCount      = 1 << 30        // of revisions, repeats and accesses: a sum of two still fits
	clockTolerant = 24 * time.Hour // how far another machine's clock may be ahead
)

// record cleans a record, or returns why it is rejected.
func (c cleaning) record(r engram.Record) (incoming, error) {
	in := incoming{Record: engram.Record{Item: r.Item}}
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
		in.Memory, in.Undated, err = c.memory(*r.Memory)
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
func (c cleaning) number(num int64) int64 {
	if c.numbers && num > 0 && num < 1<<40 { // a number at the end of the range would leave none after it
		return num
	}
	return 0
}

func (c cleaning) in(name string) string {
	if c.project != "" {
		return c.project
	}
	return normalProject(name)
}

// instant truncates a time to the resolution of stores; the zero time for an impossible one.
func instant(t time.Time) time.Time {
	if t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}

// past is instant for something that has happened.
func (c cleaning) past(t time.Time) time.Time {
	if t = instant(t); t.After(c.now.Add(clockTolerant)) {
		return time.Time{}
	}
	return t
}

// first returns the first time that is not zero.
func first(ts ...time.Time) time.Time {
	for _, t := range ts {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// dated returns the first time that is not zero, or the one for undated things.
func (c cleaning) dated(ts ...time.Time) time.Time {
	return first(append(ts, c.undated, c.now)...)
}

func (c cleaning) projectOf(p engram.Project) (*engram.Project, error) {
	texts := raw{"project", p.Name, "remote", p.Remote}.and("alias", p.Aliases...)
	if err := texts.check(); err != nil {
		return nil, err
	}
	now := engram.Project{Name: normalProject(p.Name), Remote: line(p.Remote), Decay: p.Decay, CreatedAt: c.dated(c.past(p.CreatedAt))}
	if now.Name == "" {
		return nil, engram.Errorf(engram.CodeInvalid, "the project has no name")
	}
	for _, a := range p.Aliases {
		if a = normalProject(a); a != "" && a != now.Name && len(a) <= engram.MaxName && !slices.Contains(now.Aliases, a) {
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

func (c cleaning) session(s engram.Session) (*engram.Session, error) {
	texts := raw{"session id", s.ID, "project", s.Project, "directory", s.Directory, "summary", s.Summary}
	if err := texts.check(); err != nil {
		return nil, err
	}
	now := engram.Session{ID: line(s.ID), Project: c.in(s.Project), Directory: line(s.Directory), Summary: c.redactor.text(s.Summary),
		StartedAt: c.dated(c.past(s.StartedAt), c.past(s.EndedAt)), EndedAt: c.past(s.EndedAt)}
	now.ActiveAt = first(c.past(s.ActiveAt), now.EndedAt, now.StartedAt)
	return &now, now.Validate()
}

func (c cleaning) prompt(p engram.Prompt) (*engram.Prompt, error) {
	texts := raw{"prompt", p.Content, "session id", p.SessionID, "project", p.Project, "sync id", p.SyncID}
	if err := texts.check(); err != nil {
		return nil, err
	}
	now := engram.Prompt{SyncID: p.SyncID, SessionID: line(p.SessionID), Project: c.in(p.Project), Content: c.redactor.text(p.Content),
		CreatedAt: c.dated(c.past(p.CreatedAt)), DeletedAt: c.past(p.DeletedAt), Num: c.number(p.Num)}
	if !plainID(now.SyncID, "prompt-") {
		// Derived from the content, not from the time of reading: the same prompt must get the same id.
		now.SyncID = "prompt-" + digest(p.SyncID+"\x00"+now.SessionID+"\x00"+instant(p.CreatedAt).Format(time.RFC3339Nano)+"\x00"+p.Content)
	}
	return &now, now.Validate()
}

// plainID reports whether an id has the form of Engram's: the prefix, then lower-case letters and digits.
func plainID(id, prefix string) bool {
	rest, ok := strings.CutPrefix(id, prefix)
	return ok && rest != "" && len(id) <= 64 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

func (c cleaning) memory(r engram.MemoryRecord) (*engram.MemoryRecord, bool, error) {
	m := r.Memory
	texts := raw{"content", m.Content, "title", m.Title, "summary", m.Summary, "type", string(m.Type), "topic key", m.TopicKey,
		"project", m.Project, "session id", m.SessionID, "tool name", m.ToolName, "id", string(m.ID), "sync id", m.SyncID}
	if err := texts.and("tag", m.Tags...).check(); err != nil {
		return nil, false, err
	}
	w := c.redactor
	metadata, err := plainMetadata(w.members(m.Metadata))
	if err != nil {
		return nil, false, err
	}
	now := engram.Memory{Project: c.in(m.Project), Scope: engram.ParseScope(string(m.Scope)), Type: typeOf(m.Type),
		Title: w.line(m.Title), Content: w.text(m.Content), Summary: w.text(m.Summary), Tags: tags(w.lines(m.Tags)), Metadata: metadata, Anchors: engram.CleanAnchors(m.Anchors),
		TopicKey: topic.Normalize(w.text(m.TopicKey)), SessionID: line(m.SessionID),
		Origin: lifecycle.LessTrusted(m.Origin, cmp.Or(c.origin, engram.OriginImport)), Strength: m.Strength, AccessCount: min(max(m.AccessCount, 0), maxCount), RevisionCount: min(max(m.RevisionCount, 1), maxCount),
		DuplicateCount: min(max(m.DuplicateCount, 1), maxCount)}
	c.plain(&now, m)
	if !(m.Strength >= 0 && m.Strength <= 1) {
		return nil, false, engram.Errorf(engram.CodeInvalid, "strength %v is out of range", m.Strength).WithHint("use a number from 0 to 1")
	}
	if given := strings.ToLower(strings.TrimSpace(string(m.Scope))); given != "" && given != string(now.Scope) {
		return nil, false, engram.Errorf(engram.CodeInvalid, "scope %.40q does not exist", string(m.Scope)).WithHint("use project, personal or global")
	}
	if now.Title == "" {
		now.Title = titleOf(now.Content)
	}
	now.NormalizedHash = hashOf(now.Content)
	if c.mine && (m.Origin == "" || lifecycle.LessTrusted(m.Origin, engram.OriginTool) == engram.OriginTool) {
		now.Origin = cmp.Or(m.Origin, engram.OriginAgent)
	}
	if c.origin == "" { // replicas merge their copies, which must be equal
		now = lifecycle.Pinned(engram.Memory{}, now, nil)
	}
	undated := c.date(&now, m)
	now.ID, now.SyncID = names(m)
	now.Num = c.number(m.Num)
	if err := now.Validate(); err != nil {
		return nil, false, err
	}
	rs, err := c.revisions(r.Revisions)
	return &engram.MemoryRecord{Memory: now, Revisions: rs, Vectors: finite(r.Vectors)}, undated, err
}

// plain cleans the parts of a memory that memory has no rule for, by their type.
func (c cleaning) plain(now *engram.Memory, m engram.Memory) {
	for _, f := range engram.Fields[engram.Memory]() {
		if f.Part != engram.Part(f.Name) || slices.Contains([]string{"project", "summary", "topic_key", "session_id"}, f.Name) {
			continue
		}
		switch v := f.Of(&m).(type) {
		case *string:
			*f.Of(now).(*string) = c.redactor.line(*v)
		case *time.Time:
			*f.Of(now).(*time.Time) = instant(*v)
		case *bool, *int, *float64:
			f.Copy(now, &m)
		}
	}
}

// finite empties vectors with values that are not numbers: they cannot be compared, nor kept as JSON.
func finite(rows []engram.FingerprintedRow) []engram.FingerprintedRow {
	for n, row := range rows {
		if slices.ContainsFunc(row.Values, notFinite) {
			rows[n].Values = nil
		}
	}
	return rows
}

// left cleans a record that only says that a memory left the project, and by which write.
func (c cleaning) left(r engram.Record) (incoming, error) {
	m := r.Memory.Memory
	texts := raw{"project", m.Project, "id", string(m.ID), "sync id", m.SyncID}
	if err := texts.check(); err != nil {
		return incoming{}, err
	}
	if r.Causal == nil {
		return incoming{}, engram.Errorf(engram.CodeInvalid, "it reports a departure without a version stamp")
	}
	s := r.Causal.Parts[engram.PartLeft]
	if err := c.known(s); err != nil {
		return incoming{}, err
	}
	now := engram.Memory{Project: c.in(m.Project), DeletedAt: s.At.Time(), RevisionCount: 1, DuplicateCount: 1}
	now.ID, now.SyncID = names(m)
	l := lifecycle.Stamped(engram.CausalMetadata{}, []engram.Part{engram.PartLeft}, s)
	return incoming{Record: engram.Record{Memory: &engram.MemoryRecord{Memory: now}, Causal: &l, Tombstone: true, Item: r.Item}}, nil
}

// date sets the times of a memory, and reports whether those it came with are impossible.
func (c cleaning) date(now *engram.Memory, m engram.Memory) (undated bool) {
	undated = c.past(m.UpdatedAt).IsZero() && (c.past(m.CreatedAt).IsZero() || !instant(m.UpdatedAt).IsZero())
	now.CreatedAt = c.dated(c.past(m.CreatedAt), c.past(m.UpdatedAt))
	now.UpdatedAt = first(c.past(m.UpdatedAt), now.CreatedAt)
	now.TouchedAt = first(c.past(m.TouchedAt), now.UpdatedAt)
	now.LastAccessedAt, now.LastSeenAt, now.DeletedAt = c.past(m.LastAccessedAt), c.past(m.LastSeenAt), c.past(m.DeletedAt)
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
		sync = "obs-" + digest(sync)
	case id != "":
		sync = engram.SyncIDOf(id)
	default:
		sync = "obs-" + digest(m.Project+"\x00"+string(m.Type)+"\x00"+m.Title+"\x00"+m.Content)
	}
	if !known {
		id = ""
	}
	return id, sync
}

func typeOf(t engram.Type) engram.Type {
	if t = engram.Type(strings.ToLower(line(string(t)))); t == "" {
		return engram.TypeManual
	}
	return t
}

func (c cleaning) revisions(in []engram.Revision) ([]engram.Revision, error) {
	if len(in) > maxRevisions {
		return nil, engram.Errorf(engram.CodeInvalid, "%d revisions are too many", len(in)).WithHint("at most %d", maxRevisions)
	}
	out := make([]engram.Revision, 0, len(in))
	for _, r := range in {
		texts := raw{"content of a revision", r.Content, "title of a revision", r.Title, "type of a revision", string(r.Type), "reason of a revision", r.Reason}
		if err := texts.check(); err != nil {
			return nil, err
		}
		now := engram.Revision{Number: r.Number, Type: typeOf(r.Type), Title: c.redactor.line(r.Title), Content: c.redactor.text(r.Content),
			Reason: c.redactor.line(r.Reason), WrittenAt: c.dated(c.past(r.WrittenAt), c.past(r.ReplacedAt), stampTime(r.Stamp)), Stamp: r.Stamp}
		if err := c.known(r.Stamp); err != nil {
			return nil, err
		}
		now.ReplacedAt = first(c.past(r.ReplacedAt), now.WrittenAt)
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

func (c cleaning) relation(r engram.RelationRecord) (_ *engram.RelationRecord, undated bool, err error) {
	rel := r.Relation
	texts := raw{"reason", rel.Reason, "evidence", rel.Evidence, "actor", rel.Actor, "actor kind", rel.ActorKind, "model", rel.Model,
		"session id", rel.SessionID, "relation id", rel.ID}
	if err := texts.check(); err != nil {
		return nil, false, err
	}
	verb, err := engram.ParseVerb(string(rel.Verb))
	if err != nil {
		return nil, false, err
	}
	now := engram.Relation{Verb: verb, Status: rel.Status, Strength: rel.Strength, Reason: c.redactor.line(rel.Reason),
		Evidence: strings.TrimSpace(c.redactor.text(rel.Evidence)), Confidence: rel.Confidence, Actor: line(rel.Actor),
		ActorKind: line(rel.ActorKind), Model: line(rel.Model), SessionID: line(rel.SessionID),
		CreatedAt: c.dated(c.past(rel.CreatedAt), c.past(rel.UpdatedAt)), RemovedAt: c.past(rel.RemovedAt)}
	undated = c.past(rel.CreatedAt).IsZero() && c.past(rel.UpdatedAt).IsZero()
	now.UpdatedAt = first(c.past(rel.UpdatedAt), now.CreatedAt)
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

func (c cleaning) erased(x engram.Erased) (*engram.Erased, error) {
	now := engram.Erased{Entity: x.Entity, ID: line(x.ID), SyncID: line(x.SyncID), Project: normalProject(x.Project), At: x.At}
	switch x.Entity {
	case engram.EntityMemory, engram.EntityPrompt, engram.EntitySession:
	default:
		return nil, engram.Errorf(engram.CodeInvalid, "cannot erase a %.40q: only memories, prompts and sessions can be erased", string(x.Entity))
	}
	if now.ID == "" {
		return nil, engram.Errorf(engram.CodeInvalid, "the erasure has no id")
	}
	if limit := engram.Clock(0).Tick(c.now.Add(clockTolerant)); now.At < 0 || now.At > limit {
		now.At = engram.Clock(0).Tick(c.now)
	}
	if err := engram.CheckText("id", now.ID, engram.MaxName); err != nil {
		return nil, err
	}
	if err := engram.CheckText("project", now.Project, engram.MaxName); err != nil {
		return nil, err
	}
	return &now, engram.CheckText("sync id", now.SyncID, engram.MaxName)
}
