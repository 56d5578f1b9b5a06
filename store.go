package engram

import (
	"context"
	"time"
)

// Store keeps everything. One Store serves many goroutines, and many processes
// may open the same one; storetest is its contract.
//
// Errors carry codes: not_found for what does not exist, unavailable when the
// store is busy, full or read-only, internal when it is damaged.
type Store interface {
	// View runs fn on one consistent snapshot. It never waits for a writer.
	View(ctx context.Context, fn func(Reader) error) error
	// Update runs fn as the only writer and commits when fn returns nil; an error
	// from fn undoes everything and is returned as it is. When Update has returned
	// nil, the change survives a power cut. fn must not keep the Tx and should do
	// nothing slow: every other writer waits. How long it waits for them is the store's own,
	// unless ctx is Impatient.
	Update(ctx context.Context, fn func(Tx) error) error
	// Close waits for what is under way. The Store cannot be used afterwards.
	Close() error
}

// WithLockTimeout returns a context with which Store.Update gives up when others write for longer than
// wait: for what is worth keeping, and not worth waiting for. What the update itself takes is not
// counted, so that a slow disk or a busy machine does not lose it.
func WithLockTimeout(ctx context.Context, wait time.Duration) context.Context {
	return context.WithValue(ctx, impatience{}, wait)
}

// LockTimeout is how long an update with ctx waits for others, and whether Impatient said so.
func LockTimeout(ctx context.Context) (wait time.Duration, said bool) {
	wait, said = ctx.Value(impatience{}).(time.Duration)
	return wait, said
}

type impatience struct{}

// Without returns a context with which Store.View leaves out the projects for which off is true, with
// all that is in them or tied to it. A project, a session and the operations of one thing are
// still read by their own name, so that a caller can say why it refuses them. A nil off leaves
// out nothing.
func Without(ctx context.Context, off func(project string) bool) context.Context {
	return context.WithValue(ctx, excluded{}, off)
}

// Excluded is the off of Without; nil when nothing is left out.
func Excluded(ctx context.Context) func(project string) bool {
	off, _ := ctx.Value(excluded{}).(func(project string) bool)
	return off
}

type excluded struct{}

// Reader is what can be asked within one transaction.
type Reader interface {
	MemoryReader
	VectorReader
	ExposureReader
	SessionReader
	PromptReader
	ProjectReader
	JournalReader
	RelationReader
	CounterReader
	SnapshotReader
	CausalReader
	TrustReader
	// Stats counts everything, or one project's part when project is not "", which must
	// exist. Stats.Projects and Bytes are of the whole store in any case.
	Stats(ctx context.Context, project string) (Stats, error)
}

// Tx is a Reader that can write.
type Tx interface {
	Reader
	MemoryWriter
	VectorWriter
	ExposureWriter
	SessionWriter
	PromptWriter
	ProjectWriter
	RelationWriter
	CounterWriter
	JournalWriter
	SnapshotWriter
	CausalWriter
	TrustWriter
}

// MemoryReader reads memories.
type MemoryReader interface {
	// Memory returns the memory that ref names, forgotten or not; not_found when
	// there is none, conflict when a shortened id fits several.
	Memory(ctx context.Context, ref Ref) (Memory, error)
	// Memories returns the memories with these numbers in this order, forgotten ones
	// too; numbers without a memory are left out.
	Memories(ctx context.Context, nums []int64) ([]Memory, error)
	// List returns the memories that pass f, newest first; forgotten ones in the order
	// in which they were forgotten, the latest first. Nothing is in a project that does
	// not exist.
	List(ctx context.Context, f Filter, p Page) ([]Memory, error)
	// Vitals calls each with every memory that passes f, in the order of List, until it
	// returns false. They are outlines: Num, Project, Scope, Type, Importance, Strength,
	// Permanent, AccessCount and the times are filled, all that strength and reviews are reckoned from.
	Vitals(ctx context.Context, f Filter, each func(Memory) (more bool)) error
	// Sample calls each with outlines, as Vitals, of live memories of a project ("" is every
	// one): of all when there are at most so many, else of about as many, spread evenly over
	// the time in which they were saved.
	Sample(ctx context.Context, project string, most int, each func(Memory)) error
	// Topics returns the topic keys of live memories of a project ("" is every one) that
	// begin with prefix, each once, in the order of their bytes, at most so many.
	Topics(ctx context.Context, project, prefix string, most int) ([]string, error)
	// Due returns the live memories of a project ("" is every one) whose review was due
	// before a time, the longest overdue first; those in whose place a live one was put
	// need none.
	Due(ctx context.Context, project string, before time.Time, p Page) ([]Memory, error)
	// Anchored returns the live memories of a project ("" is every one) that are anchored to
	// a path, or to something below it, newest first; the path is one of Anchor.Path.
	Anchored(ctx context.Context, project, path string, limit int) ([]Memory, error)
	// SeenAnchors returns what NoteAnchors noted of these memories, as far as it is Stale.
	SeenAnchors(ctx context.Context, nums []int64) (map[int64]AnchorState, error)
	// StaleAnchors returns the live memories of a project ("" is every one) of which that is
	// noted, newest first.
	StaleAnchors(ctx context.Context, project string, p Page) ([]Memory, error)
	// ByTopic returns the live memory of a topic; found is false when there is none.
	ByTopic(ctx context.Context, project string, scope Scope, key string) (m Memory, found bool, err error)
	// ByHash returns the newest live memory of the project that was made at since or
	// later, whose content has this NormalizedHash and which passes same; found is false
	// when there is none.
	ByHash(ctx context.Context, project, hash string, since time.Time, same func(Memory) bool) (m Memory, found bool, err error)
	// ByTitle returns the newest live memory of the project with this scope, type and
	// title, letter for letter; found is false when there is none.
	ByTitle(ctx context.Context, project string, scope Scope, typ Type, title string) (m Memory, found bool, err error)
	// Neighbours returns up to before live memories that were saved before memory num
	// in the session, and up to after that followed, each oldest first.
	Neighbours(ctx context.Context, session string, num int64, before, after int) (earlier, later []Memory, err error)
	// Revisions returns what the memory said before, oldest first.
	Revisions(ctx context.Context, num int64) ([]Revision, error)
	// Lexical ranks the memories that match q, best first. No terms match nothing, and
	// forgotten memories are not found.
	Lexical(ctx context.Context, q LexicalQuery) (Lexical, error)
	// Lasting returns live memories of a project ("" is every one) and a scope ("" is
	// every one) that are permanent, of an importance of at least 0.7, or of a type that
	// holds until it is changed (preference, policy): permanent ones first, then by
	// importance, then newest first.
	Lasting(ctx context.Context, project string, scope Scope, limit int) ([]Memory, error)
	// Beside returns, for each of the memories that was saved in a session, the live
	// memories saved just before and just after it there.
	Beside(ctx context.Context, nums []int64) (map[int64]Beside, error)
}

// VectorReader reads vectors.
type VectorReader interface {
	// Nearest ranks live memories by the cosine of their vectors of q.Model to q.Vector,
	// the nearest first; then those of q.Also that are not among them. Memories without a
	// vector of the model, or with a zero one, are left out. A vector of another
	// dimension than the model's, or one that is not of numbers, is CodeInvalid.
	Nearest(ctx context.Context, q VectorQuery) ([]Ranked, error)
	// Vectors returns the memories' vectors of a model, as far as they have one. They are
	// not the caller's to change.
	Vectors(ctx context.Context, model string, nums []int64) (map[int64][]float32, error)
	// NewestVectors returns the vectors of the newest live memories of a project ("" is
	// every project), at most so many, the newest first.
	NewestVectors(ctx context.Context, model, project string, most int) ([][]float32, error)
	// Models returns the models that have vectors, the one that covers most first.
	Models(ctx context.Context) ([]ModelUse, error)
	// Unembedded returns live memories without a vector of the model, by number, from
	// after on.
	Unembedded(ctx context.Context, model string, after int64, limit int) ([]Memory, error)
}

// VectorWriter changes vectors. A memory whose title or content is replaced, and one
// that is forgotten or erased, loses its vectors.
type VectorWriter interface {
	// PutVectors sets vectors of a model, which becomes known by it. A memory that does
	// not exist is passed over; a vector of a wrong length, or one that is not of
	// numbers, is CodeInvalid.
	PutVectors(ctx context.Context, m Model, vs []Vector) error
	// DropModel removes a model and its vectors; one that is not known is fine.
	DropModel(ctx context.Context, fingerprint string) error
}

// ExposureReader reads what was shown to whom.
type ExposureReader interface {
	// Uses returns what was shown in a session, oldest first; "" is every session.
	Uses(ctx context.Context, session string, p Page) ([]Exposure, error)
	// Shown returns the memories that a session was shown, by number, each once.
	Shown(ctx context.Context, session string) ([]int64, error)
	// LatelyUsed returns memories of a project that were asked for of late, the latest
	// first, each once; "" is every project. It need not look far back.
	LatelyUsed(ctx context.Context, project string, limit int) ([]int64, error)
	// ExposedBy returns those of the memories that the session was shown by one of the verbs,
	// by number.
	ExposedBy(ctx context.Context, session string, verbs []string, nums []int64) ([]int64, error)
	// UseCounts returns how often each of the memories was asked for, as far as it was.
	// What a context or a reminder tells nobody asked for, and it does not count: it would
	// be told for ever.
	UseCounts(ctx context.Context, nums []int64) (map[int64]UseCount, error)
}

// ExposureWriter remembers what was shown.
type ExposureWriter interface {
	// AppendUses adds to what was shown, to a session that must exist, of projects that
	// must; a use of a memory that does not, because it was erased meanwhile, is passed
	// over. It is no part of the journal: a use is not a change. The store may drop the
	// oldest beyond 100,000, and those more than 90 days older than us, at its leisure.
	AppendUses(ctx context.Context, us []Exposure) error
}

// MemoryWriter changes memories and keeps the full-text index in step.
type MemoryWriter interface {
	// InsertMemory adds m, which must have ID and SyncID, under m.Num where that is set, which
	// no other may have, and sets m.Num; its session is
	// active at m.CreatedAt. Project and session must exist. A second memory of an ID,
	// or a second live one of a topic, is a conflict.
	InsertMemory(ctx context.Context, m *Memory) error
	// ReplaceMemory writes m over the memory with m.Num, all but ID and SyncID; not_found
	// when there is none, conflict when its topic has another live memory.
	ReplaceMemory(ctx context.Context, m Memory) error
	// InsertRevision adds r; one with the same memory and number is an error.
	InsertRevision(ctx context.Context, r Revision) error
	// Reindex makes the index of words, and the codes of vectors beside it, anew from the
	// memories: the remedy where they are damaged.
	Reindex(ctx context.Context) error
	// CountAccess adds one to the access count of each of the memories, whose last access
	// is at. It is no part of the journal: an access is not a change. What does not exist is
	// passed over.
	CountAccess(ctx context.Context, nums []int64, at time.Time) error
	// NoteAnchors notes in what state the anchors of memories were seen; of what is not Stale
	// nothing is noted any more, nor of memories that get other anchors, and what does not
	// exist is passed over. It is no part of the journal: what lies on one machine is not a change.
	NoteAnchors(ctx context.Context, seen map[int64]AnchorState) error
	// EraseMemory removes the memory, its revisions, tags, relations, vectors and
	// index entries, and the texts in its journal entries and those of its relations;
	// not_found when there is none. The bytes are overwritten.
	EraseMemory(ctx context.Context, num int64) error
}

// TrustReader reads marks of trust. A memory that is erased takes its marks along; one that is
// forgotten keeps them.
type TrustReader interface {
	// Trust returns the marks of each of the memories, by number, as far as it has any.
	Trust(ctx context.Context, nums []int64) (map[int64][]Trust, error)
	// FlaggedMemories returns the live memories of a project ("" is every one) that have the mark
	// TrustFlagged, the longest waiting first.
	FlaggedMemories(ctx context.Context, project string, p Page) ([]Memory, error)
	// CountFlagged counts them.
	CountFlagged(ctx context.Context, project string) (int, error)
	// SecretKept returns the memories that have the mark TrustSecret, by number.
	SecretKept(ctx context.Context) ([]int64, error)
}

// TrustWriter writes them. They are no part of the journal.
type TrustWriter interface {
	// PutTrust adds marks to memories that must exist. Of one that is there already, with the
	// same Text, the time stays.
	PutTrust(ctx context.Context, marks ...Trust) error
	// DropTrust removes the marks of a kind from a memory; none is fine.
	DropTrust(ctx context.Context, memory int64, mark TrustMark) error
	// CutRevision writes title, content and reason of a revision anew, CutMutation the old
	// values and the reason of the entry with m.Seq, CutPrompt the content of a prompt. They
	// are for taking out what should never have been kept: nothing else rewrites the past. The
	// bytes are overwritten; what does not exist is passed over.
	CutRevision(ctx context.Context, r Revision) error
	CutMutation(ctx context.Context, m Mutation) error
	CutPrompt(ctx context.Context, p Prompt) error
}

// RelationReader reads relations. Removed ones are not there but where it says so.
type RelationReader interface {
	// Relations returns the relations that touch any of the memories, oldest first.
	Relations(ctx context.Context, memories []int64) ([]Relation, error)
	// RelationsOf returns relations as Relations does, but those of these verbs alone, nil
	// is every one, and of each memory, verb and direction at most so many, the newest:
	// what everything is tied to costs no more than other memories.
	RelationsOf(ctx context.Context, memories []int64, verbs []Verb, most int) ([]Relation, error)
	// RelationsBetween returns the relations that two memories have with each other, oldest
	// first.
	RelationsBetween(ctx context.Context, a, b int64) ([]Relation, error)
	// Relation returns the relation, removed or not; not_found when there is none.
	Relation(ctx context.Context, ref RelationRef) (Relation, error)
	// ListRelations returns the relations that pass f, newest first, and how many pass in
	// all. Nothing is in a project that does not exist.
	ListRelations(ctx context.Context, f RelationFilter, p Page) (rs []Relation, total int, err error)
	// RemovedRelations returns those removed at a time or later that touch any of the
	// memories; the zero time is every one.
	RemovedRelations(ctx context.Context, memories []int64, since time.Time) ([]Relation, error)
}

// RelationWriter changes relations.
type RelationWriter interface {
	// InsertRelation adds r and sets r.Num. A live relation with the same source, target
	// and verb is a conflict, and so is one whose memories do not exist.
	InsertRelation(ctx context.Context, r *Relation) error
	// ReplaceRelation writes r over the relation with r.Num, all but ID, CreatedAt and its
	// memories; not_found when there is none, conflict as for InsertRelation.
	ReplaceRelation(ctx context.Context, r Relation) error
}

// SessionReader reads sessions.
type SessionReader interface {
	// Session returns the session; not_found when there is none.
	Session(ctx context.Context, id string) (Session, error)
	// Sessions returns sessions with the newest activity first; "" is every project.
	Sessions(ctx context.Context, project string, p Page) ([]SessionActivity, error)
	// OpenSession returns the project's most recently active session that has not
	// ended and whose id does not begin with skipPrefix; found is false when there is none.
	OpenSession(ctx context.Context, project, skipPrefix string) (s Session, found bool, err error)
	// CountInSession counts the memories saved in the session; forgotten ones only
	// when asked.
	CountInSession(ctx context.Context, id string, forgotten bool) (int, error)
}

// SessionWriter changes sessions.
type SessionWriter interface {
	// PutSession adds s, or replaces the session with its ID. Its project must exist.
	PutSession(ctx context.Context, s Session) error
	// DeleteSession removes a session; not_found when there is none, conflict when it
	// has memories, forgotten ones too. Its prompts stay, without a session.
	DeleteSession(ctx context.Context, id string) error
	// EraseSession is DeleteSession that takes the texts out of its journal entries, too;
	// the bytes are overwritten.
	EraseSession(ctx context.Context, id string) error
}

// PromptReader reads prompts.
type PromptReader interface {
	// Prompt returns the prompt, deleted or not; not_found when there is none.
	Prompt(ctx context.Context, num int64) (Prompt, error)
	// Prompts returns prompts newest first; "" is every project, and every session.
	// Deleted ones are not among them.
	Prompts(ctx context.Context, project, session string, p Page) ([]Prompt, error)
	// DeletedPrompts returns the deleted prompts of a project, by number.
	DeletedPrompts(ctx context.Context, project string) ([]Prompt, error)
	// DeletedPromptsIn returns the deleted prompts of a session, by number; none when
	// there is no such session.
	DeletedPromptsIn(ctx context.Context, session string) ([]Prompt, error)
	// SearchPrompts ranks prompts that have one of the terms, best first.
	SearchPrompts(ctx context.Context, terms []Term, project string, limit int) ([]Prompt, error)
}

// PromptWriter changes prompts.
type PromptWriter interface {
	// InsertPrompt adds p, under p.Num where that is set, and sets p.Num; its session is active at p.CreatedAt. Project
	// and session must exist.
	InsertPrompt(ctx context.Context, p *Prompt) error
	// ReplacePrompt writes p's session, project and DeletedAt over the prompt with p.Num; not_found
	// when there is none.
	ReplacePrompt(ctx context.Context, p Prompt) error
	// ErasePrompt removes a prompt for good, as EraseMemory does; not_found when there
	// is none.
	ErasePrompt(ctx context.Context, num int64) error
}

// ProjectReader reads projects.
type ProjectReader interface {
	// Project returns the project of that name or alias; found is false when there is none.
	Project(ctx context.Context, name string) (p Project, found bool, err error)
	// Projects returns every project with its counts, by name.
	Projects(ctx context.Context) ([]ProjectCounts, error)
	// ProjectNames returns the names alone, which costs less.
	ProjectNames(ctx context.Context) ([]string, error)
	// Decays returns how projects fade that have a way of their own, by name.
	Decays(ctx context.Context) (map[string]ProjectDecay, error)
}

// ProjectWriter changes projects.
type ProjectWriter interface {
	// PutProject adds p, or replaces the project of that name: its root, remote, decay, date and
	// aliases. A name is no longer another project's alias afterwards.
	PutProject(ctx context.Context, p Project) error
	// DeleteProject removes a project; conflict while anything is kept under it. One
	// that does not exist is fine.
	DeleteProject(ctx context.Context, name string) error
	// MoveProject gives everything of project from to project to, forgotten memories,
	// aliases and its journal included, and says what that was. Both must exist.
	MoveProject(ctx context.Context, from, to string) (Moved, error)
	// MoveBack gives what of moved is still in project from to project to, and the topic
	// keys back to those that lost them and where nobody else has them now. The journal of
	// what went goes along, and all of it when nothing is left in from. It returns what it
	// moved.
	MoveBack(ctx context.Context, moved Moved, from, to string) (Moved, error)
}

// Moved says what a move of a project took along.
type Moved struct {
	Memories []int64
	Sessions []string
	Prompts  []int64
	// Topics are the topic keys that moved memories lost, by number, because the
	// target had a memory of the same topic.
	Topics map[int64]string
}

// JournalReader reads the journal.
type JournalReader interface {
	// LastMutation returns the newest entry; the zero Mutation when there is none.
	LastMutation(ctx context.Context) (Mutation, error)
	// Mutations returns the entries of one thing, or of all when entity is "", newest first.
	Mutations(ctx context.Context, entity Entity, key string, p Page) ([]Mutation, error)
	// MutationsIn returns at most so many entries of a span, newest first.
	MutationsIn(ctx context.Context, s JournalSpan, most int) ([]Mutation, error)
	// SeqBefore returns the Seq of the last of the store's own entries that was written
	// before a time; 0 when there is none. Own entries follow each other in the order of
	// their clock; what came from another store was written when it came in.
	SeqBefore(ctx context.Context, at time.Time) (int64, error)
	// FirstMade returns the key of the first thing of a kind that was made after the entry
	// of this Seq; "" when there is none. Memories, relations and prompts are numbered as
	// they are made: those of this number and above were made since.
	FirstMade(ctx context.Context, entity Entity, after int64) (key string, err error)
	// Operations returns the operations that pass f, newest first unless f says otherwise.
	Operations(ctx context.Context, f JournalFilter, p Page) ([]Operation, error)
	// Operation returns one operation and its entries, oldest first; not_found when there
	// is none, or when the journal does not reach back to it.
	Operation(ctx context.Context, op int64) (Operation, []Mutation, error)
	// FirstEntries returns at most so many entries of an operation that was read, oldest
	// first: an operation may have one for every memory of the store.
	FirstEntries(ctx context.Context, o Operation, most int) ([]Mutation, error)
	// JournalBegins is the time from which on the journal is complete; zero when nothing
	// was ever taken out of it.
	JournalBegins(ctx context.Context) (time.Time, error)
	// Fact returns a fact about the store that was kept under a name; "" when there is none.
	Fact(ctx context.Context, name string) (string, error)
}

// JournalWriter writes the journal.
type JournalWriter interface {
	// Append adds an entry to the journal and sets m.Seq. An entry without Op opens one
	// and gets its own Seq for it. Device is the store's own, whatever m says.
	Append(ctx context.Context, m *Mutation) error
	// CompactJournal removes the operations before a time and returns how many entries
	// went. From then on JournalBegins tells it.
	CompactJournal(ctx context.Context, before time.Time) (int, error)
	// PutFact keeps a fact about the store: what is true of this database alone, such as
	// when it was put to sleep. It is no part of the journal.
	PutFact(ctx context.Context, name, value string) error
}
