package health

import (
	"cmp"
	"errors"
	"slices"
	"time"
)

// Policy has the thresholds of the checks and their defaults.
type Policy struct {
	Examples  int           // single cases that a check names; 20
	Folders   int           // session folders to resolve to a project, latest sessions first; 200
	Ahead     time.Duration // tolerated lead of the store over the clock; 1 minute
	Lately    time.Duration // how long a program counts as in use after a write; 7 days
	LeastFree int64         // bytes of free space, or Copies times the database if that is more; 100 MB
	Copies    int64         // room for a backup and a sort of it; 2
	NoneFree  int64         // bytes below which the next save may fail; 10 MB
	LongLog   int64         // bytes of the write-ahead log that only a permanent reader explains; 64 MB
	OldestSQL [3]int        // first version of SQLite without known flaws; 3.53.2
	Far       time.Duration // round trip to a server from which on all is slow: a save has up to 16; 20 ms
}

// DefaultPolicy returns the thresholds in force.
//
// Sources: the WAL-reset bug was fixed in SQLite 3.51.3 and 3.53.0, CVE-2026-11822 in 3.53.2
// (sqlite.org/changes.html). SQLite restarts a log at 1,000 pages and this program at 6 MB, so only
// a permanent reader explains 64 MB.
func DefaultPolicy() Policy {
	return Policy{Examples: 20, Folders: 200, Ahead: time.Minute, Lately: 7 * 24 * time.Hour, LeastFree: 100 << 20, Copies: 2,
		NoneFree: 10 << 20, LongLog: 64 << 20, OldestSQL: [3]int{3, 53, 2}, Far: 20 * time.Millisecond}
}

// Judge returns the outcome of one check. Without its facts the check fails; a database that does
// not exist yet is fine.
func Judge(id ID, f Facts, p Policy) Check {
	rule, known := rules()[id]
	switch {
	case !known:
		return Unknown("", string(id)).Checks[0]
	case !Concerns(id, f):
		return fine(id, rule.why, Evidence{"database": f.Path, "concerns_it": false})
	case f.Missing && f.NoPlace != nil && id == Integrity:
		return bad(Failed, Finding{Check: id, Reason: string(id) + "_no_place", Why: "Without a database nothing can be remembered.",
			Message: "Cannot create the database: " + f.NoPlace.Error() + ".", Evidence: Evidence{"database": f.Path, "error": f.NoPlace.Error()},
			Next: "Make the folder writable, or choose another one with --data-dir or ENGRAM_DATA_DIR."})
	case f.Missing && id != ServerInOrder && id != AgentsSwitched && id != HooksInTime && id != SharedManifest && id != SettingsInForce:
		return fine(id, rule.why, Evidence{"database": f.Path, "exists": false})
	}
	part := rule.part(f)
	if (id == LockContention || id == LogCheckpoint || id == Secrets) && !part.Known && f.Err == nil && !f.Steady() {
		return untried(id, rule.why)
	}
	err := part.Err
	if !part.Known {
		err = cmp.Or(err, f.Err, errors.New("nothing is known about it"))
	}
	if err != nil {
		failed, reports := rule.failed, Integrity // the error is reported once
		if f.Server.Err != nil {
			failed, reports = unmade, ServerInOrder
		}
		if id == ServerInOrder {
			failed = unanswered
		}
		c := failed(id, rule.why, err)
		if id != reports && (f.Server.Err != nil || f.Damage.Known && !f.Sound()) {
			c.Result, c.Severity, c.Next = Blocked, Blocking, "Fix what "+string(reports)+" reports first."
		}
		return c
	}
	return rule.judge(f, p, rule.why)
}

// rule is one check: why it matters, which facts it needs, how they are judged.
type rule struct {
	why   string
	part  func(Facts) Part
	judge func(f Facts, p Policy, why string) Check
	// failed is the outcome without facts.
	failed func(id ID, why string, err error) Check
}

// rules has a rule for each of IDs.
func rules() map[ID]rule {
	return map[ID]rule{
		Integrity: {"A damaged page may hide memories, or make every answer fail.",
			func(f Facts) Part { return f.Damage.Part }, judgeDamage, unreadable},
		IndexInStep: {"A search finds only what is in the index of words.",
			func(f Facts) Part { return f.Index.Part }, judgeIndex, unmade},
		VectorsInStep: {"A memory without a vector is found by its words alone, and vectors of forgotten memories cost space.",
			func(f Facts) Part { return f.Vectors.Part }, judgeVectors, unmade},
		RequiredFields: {"A replica would refuse these memories, and everything behind them in the queue would wait.",
			func(f Facts) Part { return f.Records.Part }, judgeRecords, unmade},
		Nowhere: {"A relation to a missing memory leads searches and graphs nowhere.",
			func(f Facts) Part { return f.Relations.Part }, judgeRelations, unmade},
		ManualSession: {"Saves outside a session go to a session named after the project; one that belongs to another project splits it.",
			func(f Facts) Part { return f.Sessions.Part }, judgeManual, unmade},
		SessionFolder: {"Memories under a wrong project are not found where they are needed.",
			func(f Facts) Part { return f.Sessions.Part }, judgeFolders, unmade},
		LockContention: {"While another program holds the database, saves wait and in the end fail.",
			func(f Facts) Part { return f.Log.Part }, judgeLock, unprobed},
		LogCheckpoint: {"A write-ahead log that cannot be emptied grows with every save and slows every search.",
			func(f Facts) Part { return f.Log.Part }, judgeLog, unmade},
		ClockBackwards: {"The order of entries, the repeat window and review dates rest on the clock.",
			func(f Facts) Part { return f.Clock.Part }, judgeClock, unmade},
		BinaryVersions: {"Programs of different versions on one database undo each other's repairs, and the older one refuses it once the newer has changed its schema.",
			func(f Facts) Part { return f.Programs.Part }, judgePrograms, unmade},
		SQLiteVersion: {"Older SQLite can damage a database that several processes write, or be attacked with a crafted one.",
			func(f Facts) Part { return f.SQLite.Part }, judgeSQLite, unmade},
		ServerInOrder: {"Every save and search asks the server, which others use too.",
			func(f Facts) Part { return f.Server.Part }, judgeServer, unmade},
		DiskSpace: {"A full disk stops every save, and a backup needs room for the whole database.",
			func(f Facts) Part { return f.Files.Part }, judgeSpace, unmade},
		FileSystemKind: {"SQLite's locks do not hold on network file systems, and programs that synchronise folders copy a database in mid-write.",
			func(f Facts) Part { return f.Files.Part }, judgeFileSystem, unmade},
		FileModes: {"Memories are confidential: only their owner should be able to read them.",
			func(f Facts) Part { return f.Files.Part }, judgeModes, unmade},
		Secrets: {"Every agent reads a password or a key in a memory, and it spreads wherever memories go.",
			func(f Facts) Part { return f.Secrets.Part }, judgeSecrets, unmade},
		AgentsSwitched: {"While agents are switched off, nothing is remembered.",
			func(Facts) Part { return Part{Known: true} }, judgeSwitch, unmade},
		HooksInTime: {"A hook that runs out of time gives an agent no memories; on a busy machine that may be every hook.",
			func(Facts) Part { return Part{Known: true} }, judgeHooks, unmade},
		SharedManifest: {"Programs that read the list of chunks miss unlisted ones, and a listed chunk without a file is lost to every reader.",
			func(Facts) Part { return Part{Known: true} }, judgeShared, unmade},
		SettingsInForce: {"An ignored setting makes the program behave differently than its owner expects.",
			func(Facts) Part { return Part{Known: true} }, judgeSettings, unmade},
	}
}

// Remedy is one kind of repair.
type Remedy string

// The remedies, in the order of execution.
const (
	CloseFiles      Remedy = "close_files"      // remove the rights of others on the files
	MoveSessions    Remedy = "move_sessions"    // move sessions, with their content, to their project
	RemoveRelations Remedy = "remove_relations" // remove relations to missing memories
	CutSecrets      Remedy = "cut_secrets"      // remove recognized secrets from stored texts
	Reindex         Remedy = "reindex"          // rebuild the index of words and the codes of vectors
	Embed           Remedy = "embed"            // add missing vectors, and drop those of former models
	EmbedAnew       Remedy = "embed_anew"       // rebuild all vectors and the index
	ShortenLog      Remedy = "shorten_log"      // empty the write-ahead log
	ListChunks      Remedy = "list_chunks"      // rebuild the list of shared chunks
)

// Step is one planned repair.
type Step struct {
	Check  ID
	Remedy Remedy
	Reason string
}

// Stores reports whether the step changes the database: then a backup comes first.
func (s Step) Stores() bool {
	return s.Remedy != CloseFiles && s.Remedy != ShortenLog && s.Remedy != ListChunks
}

// Plan returns the safe repairs for the given checks. A damaged file is not touched: every repair
// would write to it.
func Plan(ids []ID, f Facts, p Policy) (steps []Step) {
	add := func(id ID, r Remedy, when bool) {
		if c := Judge(id, f, p); when && slices.Contains(ids, id) && c.Result != OK {
			steps = append(steps, Step{id, r, c.Message})
		}
	}
	add(FileModes, CloseFiles, true)
	add(SharedManifest, ListChunks, f.Shared.Repair)
	if f.Missing || !f.Sound() {
		return steps
	}
	v := f.Vectors
	anew := v.Stale.Count+v.Misfit.Count > 0
	add(ManualSession, MoveSessions, slices.ContainsFunc(Strays(ManualSession, f), func(s Stray) bool { return s.Known }))
	add(SessionFolder, MoveSessions, true)
	add(Nowhere, RemoveRelations, f.Relations.Err == nil)
	add(Secrets, CutSecrets, f.Secrets.Err == nil)
	add(IndexInStep, Reindex, !anew && f.Index.Err == nil)
	add(VectorsInStep, EmbedAnew, anew)
	add(VectorsInStep, Reindex, !anew && (v.OffCode.Count > 0 || v.Broken != nil))
	add(VectorsInStep, Embed, !anew && v.Err == nil && v.Missing.Count+len(v.Former) > 0)
	add(LogCheckpoint, ShortenLog, f.Log.Known && f.Log.Err == nil)
	return steps
}
