// Package project holds the rules of project names: normalization and similarity (name.go), and the
// project of a folder from the facts that internal/git collects (facts.go). It reads nothing.
package project

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

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

// unknown is the project of a folder without a name, such as /.
const unknown = "unknown"

// Detect decides the project of a folder by the first of: the name in .engram/config.json, the name
// of the git remote, the folder of the repository (of the main one for a worktree), the only
// repository among the child folders, the folder's own name.
//
// The name passes Check. Several child repositories are a conflict, caused by a *Problem of
// ReasonAmbiguous, with the choices in the Detection as well; an unusable configuration is invalid,
// with ReasonConfig. In both cases the Detection has its Source and Path set.
func Detect(f Facts) (Detection, error) {
	if f.ConfigErr != "" || f.ConfigName != "" {
		return detectConfig(f)
	}
	if f.Root != "" {
		return detectRepository(f), nil
	}
	switch len(f.Children) {
	case 0:
		return Detection{Name: baseName(f.Dir), Source: SourceBaseName, Path: f.Dir}, nil
	case 1:
		name := baseName(f.Children[0])
		return Detection{Name: name, Source: SourceChild, Path: f.Children[0],
			Warning: "auto-promoted child repository: " + name}, nil
	}
	return detectSeveral(f)
}

func detectConfig(f Facts) (Detection, error) {
	d := Detection{Source: SourceConfig, Path: f.ConfigDir}
	wrong := f.ConfigErr
	if wrong == "" {
		if err := Check(f.ConfigName); err != nil {
			wrong = "project_name in .engram/config.json cannot be used: " + err.(*engram.Error).Msg
		}
	}
	if wrong != "" {
		return d, engram.Errorf(engram.CodeInvalid, "%s", wrong).
			WithHint("write %s into %s", `{"project_name": "NAME"}`, filepath.Join(f.ConfigDir, ".engram", "config.json")).
			WithCause(&Problem{Reason: ReasonConfig})
	}
	d.Name = Normalize(f.ConfigName)
	return d, nil
}

func detectRepository(f Facts) Detection {
	if name := clean(RemoteName(f.Remote)); name != "" {
		return Detection{Name: name, Source: SourceRemote, Path: f.Root}
	}
	name := baseName(cmp.Or(f.Main, f.Root))
	name = cmp.Or(strings.TrimSuffix(name, ".git"), name)
	return Detection{Name: name, Source: SourceRoot, Path: f.Root}
}

func detectSeveral(f Facts) (Detection, error) {
	var names []string
	for _, child := range f.Children {
		names = append(names, baseName(child))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	d := Detection{Source: SourceAmbiguous, Path: f.Dir, Available: names}
	return d, engram.Errorf(engram.CodeConflict, "ambiguous project: multiple git repos found in cwd").
		WithHint("work inside one of them, or name the project: %s", strings.Join(names, ", ")).
		WithCause(&Problem{Reason: ReasonAmbiguous, Available: slices.Clone(names)})
}

// baseName returns the last part of a folder as a project name.
func baseName(dir string) string {
	switch base := filepath.Base(dir); base { // Base returns "." for ""
	case ".", "..", string(filepath.Separator):
		return unknown
	default:
		return cmp.Or(clean(base), unknown)
	}
}

// RemoteName returns the name of the repository at a git remote: the last part of its path, without
// .git. It is not normalized, and "" if missing or if it may contain credentials.
//
// It reads scheme://host/path, host:path and plain paths.
func RemoteName(remote string) string {
	_, _, path := split(remote)
	path = strings.TrimRight(path, `/\`)
	if part := lastPart(path); part == ".git" {
		path = strings.TrimSuffix(path, part) // the folder around it has the name
	}
	name := strings.TrimSuffix(lastPart(path), ".git")
	if name == "." || name == ".." || strings.Contains(name, "@") {
		return ""
	}
	return name
}

// SafeRemote returns remote without possible secrets: user and password, query and fragment. A user
// alone stays if it is part of how to log in, as in git@host:path; with http it may be a token. It
// is "" if no part is certain to be harmless.
func SafeRemote(remote string) string {
	scheme, host, path := split(remote)
	if path == "" && host == "" {
		return ""
	}
	return scheme + host + path
}

// split splits a remote into parts safe to show. scheme ends with "://" or is "", host ends with
// ":" without a scheme and is "" for a local path. All three are "" if a secret could be in the
// wrong place.
func split(remote string) (scheme, host, path string) {
	remote = strings.TrimSpace(remote)
	if before, rest, ok := strings.Cut(remote, "://"); ok {
		return splitURL(before+"://", rest)
	}
	if strings.HasPrefix(remote, "/") || strings.HasPrefix(remote, ".") || hasDrive(remote) {
		return "", "", remote
	}
	remote, _, _ = strings.Cut(remote, "?")
	remote = strings.TrimSpace(remote)
	host, path, ok := strings.Cut(remote, ":")
	if !ok || strings.ContainsAny(host, `/\`) {
		host, path = "", remote // a path relative to the repository
	} else {
		host += ":"
	}
	if host == ":" || strings.HasPrefix(path, ":") || strings.Contains(path, "@") {
		// No host; ext::command, which may contain anything; user:password@host without a scheme.
		return "", "", ""
	}
	return "", host, path
}

func splitURL(scheme, rest string) (string, string, string) {
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	host, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(path, '@'); i >= 0 && strings.Contains(host, ":") {
		// An unescaped slash may be part of a password.
		return "", "", ""
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		user := host[:i]
		host = host[i+1:]
		if !strings.Contains(user, ":") && !strings.HasPrefix(strings.ToLower(scheme), "http") {
			host = user + "@" + host
		}
	}
	return scheme, host, path
}

// hasDrive reports a Windows path such as C:\repositories\app.
func hasDrive(s string) bool {
	return len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}
