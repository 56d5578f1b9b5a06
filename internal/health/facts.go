package health

import (
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Query says what facts are wanted.
type Query struct {
	Checks  []ID         // those that the facts are for; names of projects are told in any case
	Full    bool         // read everything, however long it takes
	Project string       // canonical name; "" is every project
	Model   engram.Model // the embedding model in force; the zero Model: there is none
	Now     time.Time
	Most    int                         // how many single cases of a kind are named
	Digest  func(content string) string // what Memory.NormalizedHash is of a content; nil: contents are not held against it
}

// Wants reports whether facts for one of the checks are wanted.
func (q Query) Wants(ids ...ID) bool {
	return slices.ContainsFunc(ids, func(id ID) bool { return slices.Contains(q.Checks, id) })
}

// Facts are what was found out about a store.
type Facts struct {
	Path    string
	Missing bool              // there is no database yet: no other part of it is set
	NoPlace error             // with Missing: why the database cannot be created; nil where it can
	Err     error             // the file cannot be read at all; then Names is empty
	Names   map[string]string // projects and their aliases → canonical names

	Damage    Damage
	Index     Index
	Vectors   Vectors
	Records   Records
	Relations Relations
	Sessions  Sessions
	Log       Log
	Clock     Clock
	Programs  Programs
	SQLite    SQLite
	Files     Files
	Secrets   KeptSecrets
	Switch    Switch
	Hooks     Hooks
	Shared    Shared
	Settings  []Setting
}

// Part opens each part of the facts. One that was not asked for is the zero Part.
type Part struct {
	Known bool  // it was looked at
	Err   error // why it could not be found out; then nothing else of the part is set
}

// Damage is what SQLite says about its own file.
type Damage struct {
	Part
	Full     bool     // index entries were held against their rows, and texts against their digests
	Problems []string // as SQLite words them; at most some
	Orphans  int      // rows that refer to rows that are not there
	Tables   []string // in which those stand
	Altered  Cases    // memories whose content is not what its digest was made of; with Full alone
}

// Cases are memories, or other rows, of one kind: how many, and the first of them.
type Cases struct {
	Count int
	First []int64
}

// Add counts one more and keeps it when it is among the first most.
func (c *Cases) Add(num int64, most int) {
	c.Count++
	if len(c.First) < most {
		c.First = append(c.First, num)
	}
}

// Index is how the index of words compares with the memories.
type Index struct {
	Part
	Live    int   // memories that are not forgotten
	Indexed int   // that the index says are live
	Words   int   // lists of words that were read
	Missing Cases // live memories that the index has not
	Dead    Cases // what the index has although it is forgotten or gone
	Doubled Cases // what the index has twice
	Moved   Cases // what the index has under another project or time
	Broken  error // the index cannot be read to its end
}

// Vectors is how the vectors compare with the memories.
type Vectors struct {
	Part
	Model   string // name of the model in force; "" when there is none
	Live    int    // memories that are not forgotten
	Have    int    // live memories with a vector of the model
	Missing Cases  // live memories without one
	Stale   Cases  // vectors of memories that are forgotten or gone
	Misfit  Cases  // vectors that are not as long as the model's
	OffCode Cases  // vectors whose code, by which they are found, is another's or is not there
	Former  []string
	Broken  error // the codes cannot be read
}

// Records are memories and journal entries that lack what a replica asks for.
type Records struct {
	Part
	Count   int
	Lacking []Lacking // the first of them
	Entries Cases     // journal entries without a verb, a thing or a time, or whose old values cannot be read
}

// Lacking is one of them.
type Lacking struct {
	Num    int64
	Fields []string // names of what is empty or not valid
}

// Relations are those that lead to memories that are not there.
type Relations struct {
	Part
	Cases // by number of the relation
}

// Sessions are those to be judged, the latest first.
type Sessions struct {
	Part
	List []Session
}

// Session is one session with what it should belong to.
type Session struct {
	ID        string
	Project   string
	Directory string
	Memories  int // live ones

	Named      string // canonical project that its id names; "" when it names none
	Folder     string // canonical project of its directory; "" when that does not tell
	Source     string // how the directory told: config, git_remote, git_root
	FolderPath string // the folder that decided
}

// Log is the state of the write-ahead log and of the lock.
type Log struct {
	Part
	Mode        string        // the journal mode
	BusyTimeout time.Duration // how long SQLite itself waits
	Bytes       int64         // of the log
	Frames      int           // in the log
	Moved       int           // of them in the database already
	Busy        bool          // another program was moving them
	Locked      bool          // another program held the write lock
	Patience    time.Duration // how long the write lock was waited for at most
}

// Clock is what of the store lies in the future.
type Clock struct {
	Part
	Now    time.Time
	Last   time.Time // of the journal's newest entry; zero when there is none
	Future int       // memories, sessions and prompts made after Now
	Newest time.Time // of those
}

// Programs are those that wrote to the store of late.
type Programs struct {
	Part
	List []Program
	Now  time.Time
}

// Program is one version of Engram.
type Program struct {
	Version     string
	First, Last time.Time // between which it was seen, to the hour
}

// SQLite is the library in the program.
type SQLite struct {
	Part
	Version string // such as 3.53.2
}

// Files are the files of the store and the disk that they are on.
type Files struct {
	Part
	Database int64    // bytes, with the log
	Free     int64    // bytes that this user may still write; -1 when that is not known
	Kind     string   // of the file system: "ext", "nfs", "smb", "fuse", …; "" when not known
	Folders  []string // of the database, as it is named and as it really is
	Open     []Mode   // what others may read or write
}

// Mode is a file that others than its owner may read or write.
type Mode struct {
	Path string
	Mode uint32 // permission bits
	Want uint32
}

// Sound reports whether SQLite found nothing wrong with the file.
func (f Facts) Sound() bool {
	return f.Err == nil && f.Damage.Err == nil && len(f.Damage.Problems) == 0
}

// Steady reports whether nothing speaks against opening the file to write, which moves
// its log into it: a log of another database passes for its own, but then the index is
// not in step.
func (f Facts) Steady() bool {
	x := f.Index
	return f.Sound() && x.Err == nil && x.Broken == nil && x.Missing.Count+x.Dead.Count+x.Doubled.Count+x.Moved.Count == 0
}

// Hooks is how hooks did of late; the zero value is that all were in time.
type Hooks struct {
	Late   int           // events within LateWithin of which something was left out for want of time
	Last   time.Time     // the latest of them
	Within time.Duration // how long a hook works; 0 when nobody knows
}

// LateWithin is how far back late hooks are counted: the day of the work that is done now.
const LateWithin = 24 * time.Hour

// Switch is what agents are switched off for; the zero value is nothing.
type Switch struct {
	Everything bool
	Since      time.Time // zero when nobody knows
	Projects   []string  // off by their name, sorted
	Broken     string    // why it cannot be read; then Everything is true
}

// Setting is what a person should know about one setting.
type Setting struct {
	Text    string // a sentence; no value of a secret is in it
	Ignored bool   // what was set does not count
}
