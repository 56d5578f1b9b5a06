// Package project holds the rules of project names: normalization (name.go), similarity
// (similar.go), and the project of a folder (detect.go, remote.go). It reads nothing: internal/git
// collects the facts (facts.go).
package project

// Source says how a project was decided.
type Source string

// The sources, as clients see them.
const (
	SourceOverride  Source = "process_override" // --project or ENGRAM_PROJECT
	SourceConfig    Source = "config"           // .engram/config.json
	SourceRemote    Source = "git_remote"
	SourceRoot      Source = "git_root"
	SourceChild     Source = "git_child" // the folder holds exactly one repository
	SourceAmbiguous Source = "ambiguous" // the folder holds several
	SourceBaseName  Source = "dir_basename"
	SourceExplicit  Source = "explicit_override"
	SourceSession   Source = "session"
	SourceChosen    Source = "user_selected_after_ambiguous_project"
	SourceAll       Source = "all_projects"
)

// Facts describes a folder; fields are empty when unknown.
type Facts struct {
	Dir string // the folder itself, absolute

	ConfigDir  string // folder of the nearest .engram/config.json, up to the repository's root
	ConfigName string // the project_name in it
	ConfigErr  string // why that file is unusable

	Root   string // the repository's root; for a worktree the worktree's own
	Main   string // the root of the main worktree; equal to Root outside worktrees
	Remote string // URL of the remote "origin"

	Children []string // direct child folders that are repositories, absolute, sorted; only searched outside a repository
}

// Detection is the project of a folder.
type Detection struct {
	Name      string // normalised; "" when ambiguous
	Source    Source
	Path      string   // the folder that decided
	Available []string // the choices when ambiguous, normalised, sorted
	Warning   string
}

// Reason is the kind of a Problem, as clients see it in error_code.
type Reason string

// The reasons.
const (
	ReasonAmbiguous      Reason = "ambiguous_project"
	ReasonUnknown        Reason = "unknown_project"
	ReasonConfig         Reason = "invalid_project_config"
	ReasonInvalid        Reason = "invalid_project"
	ReasonCollision      Reason = "project_name_collision"
	ReasonUnknownSession Reason = "unknown_session"
	ReasonSession        Reason = "session_project_mismatch"
	ReasonChoice         Reason = "invalid_project_choice"
	ReasonMissingToken   Reason = "missing_recovery_token"
	ReasonToken          Reason = "invalid_recovery_token"
)

// Problem is why no project could be decided, the cause of an *engram.Error.
type Problem struct {
	Reason    Reason
	Available []string // valid names; may be empty
	// SessionProject and Project are set for ReasonSession.
	SessionProject, Project string
}

// Error returns the reason.
func (p *Problem) Error() string { return string(p.Reason) }
