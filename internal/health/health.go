// Package health holds the rules of the doctor: what the facts about a store mean,
// how grave that is and what to do next. Facts are collected elsewhere (facts.go says
// what they are); a file per matter turns them into a Check: the file itself
// (damage.go), what is derived from the memories (step.go), the memories (record.go),
// sessions (session.go), the write-ahead log (log.go), the clock (clock.go), the
// programs (program.go), the disk (disk.go), the switch for agents (switch.go), the list of shared
// chunks (shared.go) and the settings (setting.go). plan.go says what of it can be mended.
//
// Every rule is a pure function of facts and a policy. The words of a report (check_id,
// result, severity, reason_code …) are those of the mem_* dialect.
package health

import "slices"

// Status is how a check ended, and how a report did.
type Status string

// The statuses, from good to bad.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Blocked Status = "blocked" // nothing is lost, but something cannot go on
	Failed  Status = "error"
)

// Severity says how grave a finding is.
type Severity string

// The severities.
const (
	Info     Severity = "info"
	Warns    Severity = "warning"
	Blocking Severity = "blocking"
	Fatal    Severity = "error"
)

// severity is that of a status.
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
	DiskSpace       ID = "disk_space"
	FileSystemKind  ID = "file_system"
	FileModes       ID = "file_modes"
	Secrets         ID = "secrets"
	AgentsSwitched  ID = "agents_switched_off"
	HooksInTime     ID = "hooks_in_time"
	SharedManifest  ID = "shared_manifest"
	SettingsInForce ID = "settings"
)

// invalidCheck is in the place of a check that does not exist.
const invalidCheck ID = "invalid_check"

// What a check says that found nothing.
const (
	nothingReported = "No issues detected."
	nothingToDo     = "Nothing to do."
)

// IDs returns every check, in the order of a report.
func IDs() []ID {
	return []ID{Integrity, IndexInStep, VectorsInStep, RequiredFields, Nowhere, ManualSession, SessionFolder,
		LockContention, LogCheckpoint, ClockBackwards, BinaryVersions, SQLiteVersion, DiskSpace, FileSystemKind, FileModes, Secrets, AgentsSwitched, HooksInTime, SharedManifest, SettingsInForce}
}

// Known reports whether there is a check of that name.
func Known(id ID) bool { return slices.Contains(IDs(), id) }

// Evidence is what a finding rests on: names in snake_case, values that JSON knows.
type Evidence map[string]any

// Finding is one thing that was seen.
type Finding struct {
	Check    ID
	Severity Severity
	Reason   string // for programs, such as "index_in_step_ok"
	Message  string // what was seen
	Why      string // why it matters
	Evidence Evidence
	Next     string // what may safely be done about it
	Confirm  bool   // a person should agree first
}

// Check is the outcome of one check.
type Check struct {
	Finding
	Result   Status
	Findings []Finding // the single cases, where there are any; at most Policy.Examples
}

// Summary counts checks by their result.
type Summary struct{ Total, OK, Warnings, Blocked, Errors int }

// Report is what a doctor answers.
type Report struct {
	Status  Status // the worst of the checks
	Project string // the one that was looked at; "" is every one
	Summary Summary
	Checks  []Check
}

// NewReport adds up checks.
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

// Unknown is the report on a check that does not exist.
func Unknown(project, asked string) Report {
	const most = 60 // nobody needs a megabyte of their own back
	if r := []rune(asked); len(r) > most {
		asked = string(r[:most]) + "…"
	}
	return NewReport(project, []Check{{Result: Failed, Finding: Finding{
		Check: invalidCheck, Severity: Fatal, Reason: string(invalidCheck), Message: "There is no such check.",
		Why: "Only the checks that are listed can be asked for.", Evidence: Evidence{"check": asked, "known": IDs()},
		Next: "Leave the check out, or name one of those that are known.",
	}}})
}

// fine is the outcome of a check that found nothing.
func fine(id ID, why string, e Evidence) Check {
	return Check{Result: OK, Finding: Finding{Check: id, Severity: Info, Reason: string(id) + "_ok", Message: nothingReported,
		Why: why, Evidence: orEmpty(e), Next: nothingToDo}}
}

// bad is the outcome of a check that found something.
func bad(result Status, f Finding) Check {
	f.Severity, f.Evidence = result.severity(), orEmpty(f.Evidence)
	return Check{Result: result, Finding: f}
}

// unmade is the outcome of a check that could not be made.
func unmade(id ID, why string, err error) Check {
	return bad(Failed, Finding{Check: id, Reason: string(id) + "_not_checked", Message: "This could not be looked at: " + err.Error() + ".",
		Why: why, Evidence: Evidence{"error": err.Error()}, Next: "See what " + string(Integrity) + " says, and mend that first."})
}

func orEmpty(e Evidence) Evidence {
	if e == nil {
		return Evidence{}
	}
	return e
}
