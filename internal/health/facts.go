package health

import (
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Query selects facts.
type Query struct {
	Checks  []ID         // the checks to collect facts for; project names are always collected
	Full    bool         // read everything, however long it takes
	Project string       // canonical name; "" is every project
	Model   engram.Model // the embedding model in force; zero for none
	Now     time.Time
	Most    int                         // the most single cases to name per kind
	Digest  func(content string) string // computes Memory.NormalizedHash; nil: do not compare contents
}

// Wants reports whether facts for one of the checks are wanted.
func (q Query) Wants(ids ...ID) bool {
	return slices.ContainsFunc(ids, func(id ID) bool { return slices.Contains(q.Checks, id) })
}

// Facts are the findings about a store.
type Facts struct {
	Path    string            // of the file, or the server and space without a password
	Missing bool              // there is no database yet; the rest is empty
	NoPlace error             // with Missing: why the database cannot be created; nil if it can
	Err     error             // the file cannot be read at all; then Names is empty
	Names   map[string]string // projects and their aliases → canonical names

	Server    Server
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

// Part begins each part of the facts. The zero Part was not requested.
type Part struct {
	Known bool  // it was examined
	Err   error // why the examination failed; then the rest of the part is empty
}

// Server is the database server of a store that is not a file; not Known for a file.
type Server struct {
	Part
	Version       string        // such as 15.8
	Latency       time.Duration // the shortest of some round trips
	Bytes         int64         // of the whole database, other spaces included
	Schema, Newer int           // migrations it has, and those that it lacks
	ReadOnly      bool
	Pooled        bool // a pooler stands between
	Prepared      bool // statements are prepared for each connection
	Unsynced      bool // a commit does not wait for the disk
	Open          bool // nothing but the statements keeps spaces apart
}

// Damage is what SQLite reports about its file.
type Damage struct {
	Part
	Full     bool     // indexes were compared with rows, and texts with digests
	Problems []string // in SQLite's words; a limited number
	Orphans  int      // rows that refer to missing rows
	Tables   []string // tables with such rows
	Altered  Cases    // memories whose content does not match its digest; only with Full
}

// Cases are rows of one kind: their number, and the first of them.
type Cases struct {
	Count int
	First []int64
}

// Add counts one more and keeps it if it is among the first most.
func (c *Cases) Add(num int64, most int) {
	c.Count++
	if len(c.First) < most {
		c.First = append(c.First, num)
	}
}

// Index compares the index of words with the memories.
type Index struct {
	Part
	Live    int   // memories that are not forgotten
	Indexed int   // live in the index
	Words   int   // lists of words read
	Missing Cases // live memories not in the index
	Dead    Cases // in the index although forgotten or deleted
	Doubled Cases // in the index twice
	Moved   Cases // in the index under another project or time
	Broken  error // the index cannot be read to its end
}

// Vectors compares the vectors with the memories.
type Vectors struct {
	Part
	Model   string // name of the model in force; "" for none
	Live    int    // memories that are not forgotten
	Have    int    // live memories with a vector of the model
	Missing Cases  // live memories without one
	Stale   Cases  // vectors of forgotten or deleted memories
	Misfit  Cases  // vectors of another length than the model's
	OffCode Cases  // vectors whose search code is wrong or missing
	Former  []string
	Broken  error // the codes cannot be read
}

// Records are memories and journal entries that lack required fields.
type Records struct {
	Part
	Count   int
	Lacking []Lacking // the first of them
	Entries Cases     // journal entries without operation, thing or time, or with unreadable old values
}

// Lacking is a memory without required fields.
type Lacking struct {
	Num    int64
	Fields []string // names of empty or invalid fields
}

// Relations are relations to missing memories.
type Relations struct {
	Part
	Cases // by number of the relation
}

// Sessions are the sessions to judge, latest first.
type Sessions struct {
	Part
	List []Session
}

// Session is a session and the projects it may belong to.
type Session struct {
	ID        string
	Project   string
	Directory string
	Memories  int // live ones

	Named      string // canonical project that its ID names; "" for none
	Folder     string // canonical project of its directory; "" if unknown
	Source     string // how the directory was decided: config, git_remote, git_root
	FolderPath string // the folder that decided
}

// Log is the state of the write-ahead log and the lock.
type Log struct {
	Part
	Mode        string        // the journal mode
	BusyTimeout time.Duration // SQLite's own wait
	Bytes       int64         // of the log
	Frames      int           // in the log
	Moved       int           // of them, already in the database
	Busy        bool          // another program was checkpointing
	Locked      bool          // another program held the write lock
	Patience    time.Duration // longest wait for the write lock
}

// Clock is what of the store is in the future.
type Clock struct {
	Part
	Now    time.Time
	Last   time.Time // of the newest journal entry; zero for none
	Future int       // memories, sessions and prompts made after Now
	Newest time.Time // of those
}

// Programs are the programs that wrote to the store recently.
type Programs struct {
	Part
	List []Program
	Now  time.Time
}

// Program is one version of Engram.
type Program struct {
	Version     string
	First, Last time.Time // first and last use, to the hour
}

// SQLite is the linked library.
type SQLite struct {
	Part
	Version string // such as 3.53.2
}

// Files are the store's files and their disk.
type Files struct {
	Part
	Database int64    // bytes, with the log
	Free     int64    // bytes that this user may still write; -1 if unknown
	Kind     string   // of the file system: "ext", "nfs", "smb", "fuse", …; "" if unknown
	Folders  []string // of the database, as named and as resolved
	Open     []Mode   // files that others may read or write
}

// Mode is a file with rights for others.
type Mode struct {
	Path string
	Mode uint32 // permission bits
	Want uint32
}

// Sound reports whether SQLite found no fault in the file.
func (f Facts) Sound() bool {
	return f.Err == nil && f.Damage.Err == nil && len(f.Damage.Problems) == 0
}

// Steady reports whether the file may be opened for writing, which moves its log into it. The log
// of another database passes for its own, but then the index is out of step.
func (f Facts) Steady() bool {
	x := f.Index
	return f.Sound() && x.Err == nil && x.Broken == nil && x.Missing.Count+x.Dead.Count+x.Doubled.Count+x.Moved.Count == 0
}

// Hooks reports late hooks; the zero value means none.
type Hooks struct {
	Late   int           // events within LateWithin that ran out of time
	Last   time.Time     // the latest of them
	Within time.Duration // time limit of a hook; 0 if unknown
}

// LateWithin is how far back late hooks count: the current working day.
const LateWithin = 24 * time.Hour

// Switch is what agents are switched off for; the zero value means nothing.
type Switch struct {
	Everything bool
	Since      time.Time // zero if unknown
	Projects   []string  // switched off by name, sorted
	Broken     string    // why it is unreadable; then Everything is true
}

// Setting is a remark about one setting.
type Setting struct {
	Text    string // a sentence without secret values
	Ignored bool   // the value is not in force
}
