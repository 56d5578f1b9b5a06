package health

import (
	"fmt"

	"github.com/alanbuscaglia/engram/internal/project"
)

// Stray is a session of another project than it should belong to.
type Stray struct {
	Session
	To    string // canonical name
	Known bool   // there is such a project
}

// Strays returns the sessions that ManualSession or SessionFolder finds, latest first.
//
// A session is stray if its ID names another project, or if its directory is another project by configuration
// or repository. The name of a folder alone proves nothing, nor does a nested repository. A session without a
// project gets it with the next save. A save outside a session under a chosen project is deliberate.
func Strays(id ID, f Facts) (all []Stray) {
	for _, s := range f.Sessions.List {
		to := ""
		switch trusted := project.Source(s.Source); id {
		case ManualSession:
			to = s.Named
		case SessionFolder:
			if s.Named == "" && (trusted == project.SourceConfig || trusted == project.SourceRemote || trusted == project.SourceRoot) {
				to = s.Folder
			}
		}
		if to != "" && s.Project != "" && to != s.Project {
			_, known := f.Names[to]
			all = append(all, Stray{s, to, known})
		}
	}
	return all
}

const moveSessions = "engram doctor repair --project %s --check %s --plan shows what would change; --apply does it, after a backup. Leave it if the project was chosen on purpose."

func judgeManual(f Facts, p Policy, why string) Check {
	return judgeStrays(ManualSession, why, f, p, func(s Stray) (string, Evidence) {
		return fmt.Sprintf("Session %q belongs to project %q.", s.ID, s.Project),
			Evidence{"session_id": s.ID, "session_project": s.Project, "name_project": s.To, "memories": s.Memories}
	})
}

func judgeFolders(f Facts, p Policy, why string) Check {
	return judgeStrays(SessionFolder, why, f, p, func(s Stray) (string, Evidence) {
		return fmt.Sprintf("Session %q belongs to project %q, and its directory is project %q.", s.ID, s.Project, s.To),
			Evidence{"session_id": s.ID, "session_project": s.Project, "session_directory": s.Directory, "directory_project": s.To,
				"directory_project_source": s.Source, "directory_project_path": s.FolderPath, "memories": s.Memories}
	})
}

func judgeStrays(id ID, why string, f Facts, p Policy, report func(Stray) (string, Evidence)) Check {
	strays := Strays(id, f)
	e := Evidence{"sessions": len(f.Sessions.List), "mismatches": len(strays)}
	if len(strays) == 0 {
		return fine(id, why, e)
	}
	message, _ := report(strays[0])
	if len(strays) > 1 {
		message = fmt.Sprintf("%d sessions belong to another project. %s", len(strays), message)
	}
	c := bad(Warning, Finding{Check: id, Reason: string(id), Message: message, Why: why, Evidence: e,
		Next: fmt.Sprintf(moveSessions, strays[0].Project, id), Confirm: true})
	for _, s := range strays[:min(len(strays), p.Examples)] {
		message, e := report(s)
		one := single(c.Finding, message, e)
		one.Next = fmt.Sprintf(moveSessions, s.Project, id)
		c.Findings = append(c.Findings, one)
	}
	return c
}
