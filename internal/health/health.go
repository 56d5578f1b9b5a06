// Package health holds the rules of the doctor: what facts about a store (facts.go) mean, how grave that is and
// what to do next. Rules turn facts into a Check: of the database file, its index, its vectors and its records
// (damage.go), secrets (secrets.go), sessions (session.go), what is around the file (the write-ahead log, the
// clock, programs, the disk: machine.go) and what its user has set up (the switch for agents, hooks, shared
// chunks, settings: setup.go). Plan says what can be repaired.
//
// Every rule is a pure function of facts and a policy. The words of a report (check_id, result,
// severity, reason_code …) are those of the mem_* dialect.
package health

import "slices"

// Status is the outcome of a check or a report.
type Status string

// The statuses, from good to bad.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Blocked Status = "blocked" // nothing is lost, but something cannot proceed
	Failed  Status = "error"
)

// Severity is how grave a finding is.
type Severity string

// The severities.
const (
	Info     Severity = "info"
	Warns    Severity = "warning"
	Blocking Severity = "blocking"
	Fatal    Severity = "error"
)

// severity returns the severity of a status.
func (s Status) severity() Severity {
	switch s {
	case OK:
		return Info
	case Warning:
		return Warns
	case Blocked:
		return Blocking
	}
	return Fatal
}

// ID names a check.
type ID string

// The checks.
const (
	Integrity       ID = "database_integrity"
	IndexInStep     ID = "index_in_step"
	VectorsInStep   ID = "vectors_in_step"
	RequiredFields  ID = "sync_mutation_required_fields"
	Nowhere         ID = "relations_to_nowhere"
	ManualSession   ID = "manual_session_name_project_mismatch"
	SessionFolder   ID = "session_project_directory_mismatch"
	LockContention  ID = "sqlite_lock_contention"
	LogCheckpoint   ID = "wal_checkpoint"
	ClockBackwards  ID = "clock_moved_backwards"
	BinaryVersions  ID = "binary_versions"
	SQLiteVersion   ID = "sqlite_version"
	ServerInOrder   ID = "database_server"
	DiskSpace       ID = "disk_space"
	FileSystemKind  ID = "file_system"
	FileModes       ID = "file_modes"
	Secrets         ID = "secrets"
	AgentsSwitched  ID = "agents_switched_off"
	HooksInTime     ID = "hooks_in_time"
	SharedManifest  ID = "shared_manifest"
	SettingsInForce ID = "settings"
)

// invalidCheck stands for a check that does not exist.
const invalidCheck ID = "invalid_check"

// Messages of a check without findings.
const (
	nothingReported = "No issues detected."
	nothingToDo     = "Nothing to do."
)

// IDs returns every check, in the order of a report.
func IDs() []ID {
	return []ID{Integrity, IndexInStep, VectorsInStep, RequiredFields, Nowhere, ManualSession, SessionFolder,
		LockContention, LogCheckpoint, ClockBackwards, BinaryVersions, SQLiteVersion, ServerInOrder, DiskSpace, FileSystemKind, FileModes, Secrets, AgentsSwitched, HooksInTime, SharedManifest, SettingsInForce}
}

// Concerns reports whether a check says anything about this store: a file has no server, and a server has its own
// files.
func Concerns(id ID, f Facts) bool {
	switch id {
	case ServerInOrder:
		return f.Server.Known
	case SQLiteVersion, LogCheckpoint, DiskSpace, FileSystemKind, FileModes:
		return !f.Server.Known
	}
	return true
}

// Known reports whether a check of that name exists.
func Known(id ID) bool { return slices.Contains(IDs(), id) }

// Evidence supports a finding: names in snake_case, JSON values.
type Evidence map[string]any

// Finding is one observation.
type Finding struct {
	Check    ID
	Severity Severity
	Reason   string // for programs, such as "index_in_step_ok"
	Message  string // what was seen
	Why      string // why it matters
	Evidence Evidence
	Next     string // a safe next step
	Confirm  bool   // ask a person first
}

// Check is the outcome of one check.
type Check struct {
	Finding
	Result   Status
	Findings []Finding // the single cases, at most Policy.Examples
}

// Summary counts checks by their result.
type Summary struct{ Total, OK, Warnings, Blocked, Errors int }

// Report is the answer of a doctor.
type Report struct {
	Status  Status // the worst of the checks
	Project string // the examined project; "" for every one
	Summary Summary
	Checks  []Check
}

// NewReport summarizes checks.
func NewReport(project string, checks []Check) Report {
	r := Report{Status: OK, Project: project, Checks: checks}
	r.Summary.Total = len(checks)
	order := []Status{OK, Warning, Blocked, Failed}
	for _, c := range checks {
		switch c.Result {
		case OK:
			r.Summary.OK++
		case Warning:
			r.Summary.Warnings++
		case Blocked:
			r.Summary.Blocked++
		default:
			r.Summary.Errors++
		}
		if slices.Index(order, c.Result) > slices.Index(order, r.Status) {
			r.Status = c.Result
		}
	}
	return r
}

// Unknown returns the report on a check that does not exist.
func Unknown(project, asked string) Report {
	const most = 60 // do not repeat long input
	if r := []rune(asked); len(r) > most {
		asked = string(r[:most]) + "…"
	}
	return NewReport(project, []Check{{Result: Failed, Finding: Finding{
		Check: invalidCheck, Severity: Fatal, Reason: string(invalidCheck), Message: "There is no such check.",
		Why: "Only listed checks can be requested.", Evidence: Evidence{"check": asked, "known": IDs()},
		Next: "Omit the check, or name a known one.",
	}}})
}

// fine is the outcome of a check without findings.
func fine(id ID, why string, e Evidence) Check {
	return Check{Result: OK, Finding: Finding{Check: id, Severity: Info, Reason: string(id) + "_ok", Message: nothingReported,
		Why: why, Evidence: e, Next: nothingToDo}}
}

// bad is the outcome of a check with a finding.
func bad(result Status, f Finding) Check {
	f.Severity = result.severity()
	return Check{Result: result, Finding: f}
}

// unmade is the outcome of a check that failed.
func unmade(id ID, why string, err error) Check {
	return bad(Failed, Finding{Check: id, Reason: string(id) + "_not_checked", Message: "Cannot check this: " + err.Error() + ".",
		Why: why, Evidence: Evidence{"error": err.Error()}, Next: "Fix what " + string(Integrity) + " reports first."})
}
